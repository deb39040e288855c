//===- FakeCuda.cpp - A driver library for tests ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports every symbol of the driver table. Those that choosing a driver needs
// answer for the devices in FAKE_CUDA_DEVICES, a list of compute capabilities
// times ten ("90,100"); FAKE_CUDA_INIT is the result of cuInit. The rest fail.
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/CudaAbi.h"

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace bwgemm::cuda;

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

static std::vector<int> devices() {
  std::vector<int> list;
  const char *text = std::getenv("FAKE_CUDA_DEVICES");
  while (text && *text) {
    list.push_back(std::atoi(text));
    text = std::strchr(text, ',');
    if (text)
      ++text;
  }
  return list;
}

FAKE cuInit(unsigned) {
  const char *text = std::getenv("FAKE_CUDA_INIT");
  return CUresult(text ? std::atoi(text) : 0);
}
FAKE cuDeviceGetCount(int *count) {
  *count = int(devices().size());
  return CUDA_SUCCESS;
}
FAKE cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                          CUdevice device) {
  int capability = devices().at(size_t(device));
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? capability / 10
               : capability % 10;
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetName(char *name, int, CUdevice) {
  std::strcpy(name, "Fake GPU");
  return CUDA_SUCCESS;
}
FAKE cuGetErrorName(CUresult, const char **text) {
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
FAKE cuGetErrorString(CUresult, const char **text) {
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

#define UNUSED(symbol)                                                         \
  FAKE symbol() { return CUDA_ERROR_NOT_SUPPORTED; }
UNUSED(cuDriverGetVersion)
UNUSED(cuDeviceTotalMem_v2)
UNUSED(cuDevicePrimaryCtxRetain)
UNUSED(cuDevicePrimaryCtxRelease_v2)
UNUSED(cuCtxGetDevice)
UNUSED(cuCtxGetCurrent)
UNUSED(cuCtxSetCurrent)
UNUSED(cuCtxPushCurrent_v2)
UNUSED(cuCtxPopCurrent_v2)
UNUSED(cuCtxSynchronize)
UNUSED(cuModuleLoadDataEx)
UNUSED(cuModuleUnload)
UNUSED(cuModuleGetFunction)
UNUSED(cuModuleGetGlobal_v2)
UNUSED(cuFuncGetAttribute)
UNUSED(cuFuncSetAttribute)
UNUSED(cuLaunchKernel)
UNUSED(cuLaunchKernelEx)
UNUSED(cuOccupancyMaxActiveClusters)
UNUSED(cuMemAlloc_v2)
UNUSED(cuMemFree_v2)
UNUSED(cuMemAllocManaged)
UNUSED(cuMemHostRegister_v2)
UNUSED(cuMemHostUnregister)
UNUSED(cuMemcpyHtoD_v2)
UNUSED(cuMemcpyDtoH_v2)
UNUSED(cuMemcpyDtoD_v2)
UNUSED(cuMemcpyHtoDAsync_v2)
UNUSED(cuMemcpyDtoHAsync_v2)
UNUSED(cuMemcpyDtoDAsync_v2)
UNUSED(cuMemcpyAsync)
UNUSED(cuMemcpy2DAsync_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuMemsetD2D8Async)
UNUSED(cuMemPoolCreate)
UNUSED(cuMemPoolSetAttribute)
UNUSED(cuMemAllocFromPoolAsync)
UNUSED(cuMemFreeAsync)
UNUSED(cuMemsetD16Async)
UNUSED(cuMemsetD32Async)
UNUSED(cuPointerGetAttribute)
UNUSED(cuStreamCreate)
UNUSED(cuStreamDestroy_v2)
UNUSED(cuStreamSynchronize)
UNUSED(cuStreamWaitEvent)
UNUSED(cuStreamGetCtx)
UNUSED(cuThreadExchangeStreamCaptureMode)
UNUSED(cuStreamBeginCapture_v2)
UNUSED(cuStreamEndCapture)
UNUSED(cuGraphInstantiateWithFlags)
UNUSED(cuGraphLaunch)
UNUSED(cuGraphExecDestroy)
UNUSED(cuGraphDestroy)
UNUSED(cuEventCreate)
UNUSED(cuEventDestroy_v2)
UNUSED(cuEventRecord)
UNUSED(cuEventSynchronize)
UNUSED(cuEventElapsedTime)
#ifndef FAKE_CUDA_WITHOUT_TENSOR_MAPS
UNUSED(cuTensorMapEncodeTiled)
#endif
