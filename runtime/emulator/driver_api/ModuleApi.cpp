//===- ModuleApi.cpp - Modules, libraries and functions ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

namespace {

/// The log buffers among the options of a load.
struct JitLog {
  char *text = nullptr;
  size_t bytes = 0;
  void **bytesSlot = nullptr;

  JitLog(unsigned count, CUjit_option *names, void **values) {
    if (!names || !values)
      return;
    for (unsigned i = 0; i < count; ++i) {
      if (names[i] == CU_JIT_ERROR_LOG_BUFFER)
        text = static_cast<char *>(values[i]);
      if (names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        bytes = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
        bytesSlot = &values[i];
      }
    }
  }

  /// Writes what fits; the size's slot gets the number of bytes written.
  void write(const std::string &message) {
    size_t length = 0;
    if (text && bytes) {
      length = std::min(message.size(), bytes - 1);
      std::memcpy(text, message.data(), length);
      text[length] = '\0';
    }
    if (bytesSlot)
      *bytesSlot = reinterpret_cast<void *>(uintptr_t(length));
  }
};

} // namespace

/// Says what is wrong if the image is not PTX text; "" if it may be.
static std::string refuseBinary(const unsigned char *image) {
  static constexpr const char advice[] =
      "; the emulator executes PTX text: compile with bwgemm-compile "
      "--emit=ptx, "
      "nvcc -ptx or mlir-opt's gpu-module-to-binary{format=isa}, or load the "
      "PTX beside the cubin";
  if (image[0] == 0x7f && std::memcmp(image + 1, "ELF", 3) == 0)
    return std::string("the image is a cubin (machine code)") + advice;
  static constexpr unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
  if (std::memcmp(image, fatbin, 4) == 0)
    return std::string("the image is a fatbin (packed machine code)") + advice;
  return std::string();
}

/// Whether code for `target` runs on the architecture `arch`, both "sm_…". An
/// architecture with a suffix runs its own code and that of every plain target
/// that is not newer (PTX ISA, ".target").
static bool runsOn(const std::string &target, const Architecture &arch,
                   std::string &why) {
  int number = std::atoi(target.c_str() + 3);
  int own = arch.major * 10 + arch.minor;
  char suffix = target.empty() ? '\0' : target.back();
  bool fits = suffix == 'a'   ? number == own
              : suffix == 'f' ? number / 10 == arch.major && number <= own
                              : number <= own;
  if (fits)
    return true;
  why = "the PTX is for " + target + ", the emulated device is " + arch.name;
  if (suffix == 'a')
    why += "; code for an 'a' target runs on exactly that architecture";
  else if (suffix == 'f')
    why += "; code for an 'f' target runs on its family only";
  why +=
      "; set BWGEMM_EMULATOR=arch=" + target + " or compile for " + arch.name;
  return false;
}

/// Parses an image and makes its functions. On failure `log` gets the reason,
/// which is also printed.
static CUresult loadImage(State &state, const void *data,
                          std::unique_ptr<LoadedImage> &result, JitLog log) {
  auto fail = [&](CUresult status, const std::string &message) {
    complain(message);
    log.write(message);
    return status;
  };
  log.write("");
  auto *bytes = static_cast<const unsigned char *>(data);
  // Bytes are looked at one after the other: a text may be shorter than a
  // binary's mark.
  if (bytes[0] == '\0')
    return fail(CUDA_ERROR_INVALID_IMAGE, "the module image is empty");
  bool longEnough = bytes[1] != '\0' && bytes[2] != '\0' && bytes[3] != '\0';
  if (longEnough)
    if (std::string message = refuseBinary(bytes); !message.empty())
      return fail(CUDA_ERROR_NO_BINARY_FOR_GPU, message);

  std::string error;
  std::shared_ptr<Module> module = Module::load(static_cast<const char *>(data),
                                                "<ptx>", state.memory, error);
  if (!module)
    return fail(CUDA_ERROR_INVALID_PTX, error);

  if (!state.archFixed) {
    state.architecture = architectureOf(module->target());
    state.archFixed = true;
  } else if (std::string why;
             state.archGiven &&
             !runsOn(module->target(), state.architecture, why)) {
    return fail(CUDA_ERROR_NO_BINARY_FOR_GPU, why);
  }

  result = std::make_unique<LoadedImage>();
  result->module = module;
  for (const KernelInfo &kernel : module->kernels()) {
    auto function = std::make_unique<Function>();
    function->module = module;
    function->image = result.get();
    function->kernel = &kernel;
    function->maxDynamicShared =
        std::max(0, defaultSharedPerBlock - int(kernel.staticSharedBytes));
    state.functions.insert(function.get());
    result->functions.push_back(std::move(function));
  }
  return CUDA_SUCCESS;
}

static void unloadImage(State &state, LoadedImage *image) {
  for (std::unique_ptr<Function> &function : image->functions)
    state.functions.erase(function.get());
  delete image;
}

static CUresult findFunction(LoadedImage *image, const char *name,
                             Function *&result) {
  for (std::unique_ptr<Function> &function : image->functions)
    if (function->kernel->name == name) {
      result = function.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

static CUresult findGlobal(LoadedImage *image, const char *name,
                           CUdeviceptr *address, size_t *bytes) {
  uint64_t at = 0, size = 0;
  if (!image->module->findGlobal(name, at, size))
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = at;
  if (bytes)
    *bytes = size;
  return CUDA_SUCCESS;
}

/// Reads a whole file, with a zero byte behind it.
static bool readFile(const char *name, std::string &contents) {
  std::FILE *file = std::fopen(name, "rb");
  if (!file)
    return false;
  char buffer[1 << 14];
  size_t got;
  while ((got = std::fread(buffer, 1, sizeof(buffer), file)) > 0)
    contents.append(buffer, got);
  bool good = !std::ferror(file);
  std::fclose(file);
  return good;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static LoadedImage *fromHandle(CUmodule handle) {
  return reinterpret_cast<LoadedImage *>(handle);
}
static LoadedImage *fromHandle(CUlibrary handle) {
  return reinterpret_cast<LoadedImage *>(handle);
}

BWGEMM_ENTRY cuModuleLoadDataEx(CUmodule *handle, const void *data,
                                unsigned options, CUjit_option *names,
                                void **values) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle || !data || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  std::unique_ptr<LoadedImage> image;
  CUresult result =
      loadImage(call.state, data, image, JitLog(options, names, values));
  if (result != CUDA_SUCCESS)
    return result;
  call.state.modules.insert(image.get());
  *handle = reinterpret_cast<CUmodule>(image.release());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuModuleLoadData(CUmodule *handle, const void *data) {
  return cuModuleLoadDataEx(handle, data, 0, nullptr, nullptr);
}

BWGEMM_ENTRY cuModuleLoadFatBinary(CUmodule *handle, const void *data) {
  return cuModuleLoadDataEx(handle, data, 0, nullptr, nullptr);
}

BWGEMM_ENTRY cuModuleLoad(CUmodule *handle, const char *name) {
  std::string contents;
  if (!handle || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readFile(name, contents))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return cuModuleLoadDataEx(handle, contents.c_str(), 0, nullptr, nullptr);
}

BWGEMM_ENTRY cuModuleUnload(CUmodule handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  // A library's module goes with its library.
  if (call.state.libraries.count(fromHandle(handle)))
    return CUDA_ERROR_NOT_PERMITTED;
  if (!call.state.modules.erase(fromHandle(handle)))
    return CUDA_ERROR_INVALID_HANDLE;
  unloadImage(call.state, fromHandle(handle));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuModuleGetFunction(CUfunction *handle, CUmodule module,
                                 const char *name) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.modules.count(fromHandle(module)))
    return CUDA_ERROR_INVALID_HANDLE;
  Function *function = nullptr;
  CUresult result = findFunction(fromHandle(module), name, function);
  if (result == CUDA_SUCCESS)
    *handle = reinterpret_cast<CUfunction>(function);
  return result;
}

BWGEMM_ENTRY cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.modules.count(fromHandle(module)))
    return CUDA_ERROR_INVALID_HANDLE;
  *count = unsigned(fromHandle(module)->functions.size());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes,
                                  CUmodule module, const char *name) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!name || (!address && !bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.modules.count(fromHandle(module)))
    return CUDA_ERROR_INVALID_HANDLE;
  return findGlobal(fromHandle(module), name, address, bytes);
}

BWGEMM_ENTRY cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 1; // CU_MODULE_EAGER_LOADING
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Libraries and kernels
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuLibraryLoadData(CUlibrary *handle, const void *data,
                               CUjit_option *names, void **values,
                               unsigned options, CUlibraryOption *, void **,
                               unsigned) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle || !data || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  std::unique_ptr<LoadedImage> image;
  CUresult result =
      loadImage(call.state, data, image, JitLog(options, names, values));
  if (result != CUDA_SUCCESS)
    return result;
  call.state.libraries.insert(image.get());
  *handle = reinterpret_cast<CUlibrary>(image.release());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLibraryLoadFromFile(CUlibrary *handle, const char *name,
                                   CUjit_option *names, void **values,
                                   unsigned options,
                                   CUlibraryOption *libraryNames,
                                   void **libraryValues,
                                   unsigned libraryOptions) {
  std::string contents;
  if (!handle || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readFile(name, contents))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return cuLibraryLoadData(handle, contents.c_str(), names, values, options,
                           libraryNames, libraryValues, libraryOptions);
}

BWGEMM_ENTRY cuLibraryUnload(CUlibrary handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!call.state.libraries.erase(fromHandle(handle)))
    return CUDA_ERROR_INVALID_HANDLE;
  call.state.modules.erase(fromHandle(handle));
  unloadImage(call.state, fromHandle(handle));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLibraryGetKernel(CUkernel *handle, CUlibrary library,
                                const char *name) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.libraries.count(fromHandle(library)))
    return CUDA_ERROR_INVALID_HANDLE;
  Function *function = nullptr;
  CUresult result = findFunction(fromHandle(library), name, function);
  if (result == CUDA_SUCCESS)
    *handle = reinterpret_cast<CUkernel>(function);
  return result;
}

BWGEMM_ENTRY cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.libraries.count(fromHandle(library)))
    return CUDA_ERROR_INVALID_HANDLE;
  *count = unsigned(fromHandle(library)->functions.size());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.libraries.count(fromHandle(library)))
    return CUDA_ERROR_INVALID_HANDLE;
  // The same object serves as the library's module.
  call.state.modules.insert(fromHandle(library));
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes,
                                CUlibrary library, const char *name) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!name || (!address && !bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.libraries.count(fromHandle(library)))
    return CUDA_ERROR_INVALID_HANDLE;
  return findGlobal(fromHandle(library), name, address, bytes);
}

BWGEMM_ENTRY cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.functions.count(reinterpret_cast<Function *>(kernel)))
    return CUDA_ERROR_INVALID_HANDLE;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
