# Helpers for targets that use MLIR. Everything links the shared libMLIR and
# libLLVM, so that the plugin and the tools hold one copy of MLIR's state.

# add_bwgemm_library(name source... [DEPENDS target...] [LINK library...])
function(add_bwgemm_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} bwgemm-headers ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  target_compile_options(${name} PRIVATE -Wall)
endfunction()

# add_bwgemm_tool(name source... [LINK library...])
function(add_bwgemm_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} bwgemm-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  target_compile_options(${name} PRIVATE -Wall)
endfunction()
