# Helpers for targets that use MLIR. Everything links the shared libMLIR and
# libLLVM, so that the plugin and the tools hold one copy of MLIR's state.

# MLIR's headers are precompiled once, for all targets below: they take most of
# a file's compilation. With ccache, set CCACHE_SLOPPINESS to
# pch_defines,time_macros to have files that use them cached too.
option(BWGEMM_PRECOMPILE_HEADERS "Precompile MLIR's headers" ON)
if(BWGEMM_PRECOMPILE_HEADERS)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp
    "// Holds the precompiled headers.\n")
  add_library(bwgemm-precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_compile_options(bwgemm-precompiled PRIVATE -Wall)
  target_precompile_headers(bwgemm-precompiled PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/MlirHeaders.h)
endif()

function(bwgemm_target_settings name)
  add_dependencies(${name} bwgemm-headers)
  target_compile_options(${name} PRIVATE -Wall)
  if(BWGEMM_PRECOMPILE_HEADERS)
    target_precompile_headers(${name} REUSE_FROM bwgemm-precompiled)
  endif()
endfunction()

# add_bwgemm_library(name source... [LINK library...])
function(add_bwgemm_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  bwgemm_target_settings(${name})
endfunction()

# add_bwgemm_tool(name source... [LINK library...])
function(add_bwgemm_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  # As libraries are compiled, or the precompiled headers would not fit.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  bwgemm_target_settings(${name})
endfunction()
