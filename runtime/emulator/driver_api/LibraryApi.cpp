//===- LibraryApi.cpp - Libraries and kernels --------------------*- C++
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

static LoadedImage *fromHandle(CUlibrary handle) {
  return reinterpret_cast<LoadedImage *>(handle);
}

/// `bytes` is 0 where the caller does not know the image's size.
static CUresult loadLibrary(CUlibrary *handle, const void *data, size_t bytes,
                            JitLog log) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::unique_ptr<LoadedImage> image;
  CUresult result = loadImage(call.state, data, bytes, image, log);
  if (result != CUDA_SUCCESS)
    return result;
  call.state.libraries.insert(image.get());
  *handle = reinterpret_cast<CUlibrary>(image.release());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLibraryLoadData(CUlibrary *handle, const void *data,
                               CUjit_option *names, void **values,
                               unsigned options, CUlibraryOption *, void **,
                               unsigned) {
  if (Call call(Needs::Initialised); !call)
    return call.status;
  if (!handle || !data || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  return loadLibrary(handle, data, 0, JitLog(options, names, values));
}

BWGEMM_ENTRY cuLibraryLoadFromFile(CUlibrary *handle, const char *name,
                                   CUjit_option *names, void **values,
                                   unsigned options, CUlibraryOption *, void **,
                                   unsigned) {
  std::string contents;
  if (!handle || !name || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  if (!readFile(name, contents))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadLibrary(handle, contents.c_str(), contents.size() + 1,
                     JitLog(options, names, values));
}

BWGEMM_ENTRY cuLibraryUnload(CUlibrary handle) {
  finishKernels();
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
  CUresult result = findFunction(*fromHandle(library), name, function);
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

BWGEMM_ENTRY cuLibraryEnumerateKernels(CUkernel *list, unsigned count,
                                       CUlibrary library) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!list)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.libraries.count(fromHandle(library)))
    return CUDA_ERROR_INVALID_HANDLE;
  auto &functions = fromHandle(library)->functions;
  for (size_t i = 0; i < count && i < functions.size(); ++i)
    list[i] = reinterpret_cast<CUkernel>(functions[i].get());
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
  return findGlobal(*fromHandle(library), name, address, bytes);
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

BWGEMM_ENTRY cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary library,
                                 const char *name) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  // PTX marks managed variables with an attribute; such a variable here is an
  // ordinary one, at cuLibraryGetGlobal.
  return call.state.libraries.count(fromHandle(library))
             ? CUDA_ERROR_NOT_FOUND
             : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  auto *function = reinterpret_cast<Function *>(kernel);
  if (!library)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  *library = reinterpret_cast<CUlibrary>(function->image);
  return CUDA_SUCCESS;
}
