//===- ModuleApi.cpp - Modules -----------------------------------*- C++
//-*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static LoadedImage *fromHandle(CUmodule handle) {
  return reinterpret_cast<LoadedImage *>(handle);
}

/// `bytes` is 0 where the caller does not know the image's size.
static CUresult loadModule(CUmodule *handle, const void *data, size_t bytes,
                           JitLog log) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::unique_ptr<LoadedImage> image;
  CUresult result = loadImage(call.state, data, bytes, image, log);
  if (result != CUDA_SUCCESS)
    return result;
  image->context = call.context;
  call.state.modules.insert(image.get());
  *handle = reinterpret_cast<CUmodule>(image.release());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuModuleLoadDataEx(CUmodule *handle, const void *data,
                                unsigned options, CUjit_option *names,
                                void **values) {
  if (Call call(Needs::Context); !call)
    return call.status;
  if (!handle || !data || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  return loadModule(handle, data, 0, JitLog(options, names, values));
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
  return loadModule(handle, contents.c_str(), contents.size() + 1, JitLog());
}

BWGEMM_ENTRY cuModuleUnload(CUmodule handle) {
  finishKernels();
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
  CUresult result = findFunction(*fromHandle(module), name, function);
  if (result == CUDA_SUCCESS)
    *handle = reinterpret_cast<CUfunction>(function);
  return result;
}

BWGEMM_ENTRY cuModuleEnumerateFunctions(CUfunction *list, unsigned count,
                                        CUmodule module) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!list)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.modules.count(fromHandle(module)))
    return CUDA_ERROR_INVALID_HANDLE;
  auto &functions = fromHandle(module)->functions;
  for (size_t i = 0; i < count && i < functions.size(); ++i)
    list[i] = reinterpret_cast<CUfunction>(functions[i].get());
  return CUDA_SUCCESS;
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
  return findGlobal(*fromHandle(module), name, address, bytes);
}

BWGEMM_ENTRY cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 1; // CU_MODULE_EAGER_LOADING
  return CUDA_SUCCESS;
}
