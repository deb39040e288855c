//===- LaunchApi.cpp - Launching kernels ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchAttributes.h"
#include "Stream.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

CUresult driver::applyAttribute(State &state,
                                const CUlaunchAttribute &attribute,
                                LaunchRequest &request) {
  const CUlaunchAttributeValue &value = attribute.value;
  switch (attribute.id) {
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    request.cluster = {value.clusterDim.x, value.clusterDim.y,
                       value.clusterDim.z};
    if (!request.cluster.x || !request.cluster.y || !request.cluster.z)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    break;
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    request.cooperative = value.cooperative != 0;
    break;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: {
    // The event member is the first in both.
    CUevent event = value.programmaticEvent.event;
    if (!state.events.count(reinterpret_cast<Event *>(event)))
      return CUDA_ERROR_INVALID_HANDLE;
    request.completionEvent = event;
    break;
  }
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    request.programmatic = value.programmaticStreamSerializationAllowed != 0;
    break;
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
  case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
    // What may happen sooner or elsewhere; nothing does here, which every one
    // of them allows.
    break;
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    return notSupported("a kernel node that kernels may change",
                        "kernels cannot reach the graph that they are in");
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  request.attributes.push_back(attribute);
  return CUDA_SUCCESS;
}

static CUresult launchKernel(Call &call, const LaunchRequest &request,
                             CUfunction function, CUstream stream,
                             void **parameters, void **extra) {
  if (!findStream(call.state, call.context, stream))
    return CUDA_ERROR_INVALID_HANDLE;
  KernelWork work;
  CUresult result =
      prepareLaunch(call.state, request, function, parameters, extra, work);
  return result == CUDA_SUCCESS ? submit(call, stream, std::move(work))
                                : result;
}

BWGEMM_ENTRY cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned sharedBytes,
                            CUstream stream, void **parameters, void **extra) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  LaunchRequest request;
  request.grid = {gridX, gridY, gridZ};
  request.block = {blockX, blockY, blockZ};
  request.sharedBytes = sharedBytes;
  return launchKernel(call, request, function, stream, parameters, extra);
}

BWGEMM_ENTRY cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                       unsigned gridY, unsigned gridZ,
                                       unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes,
                                       CUstream stream, void **parameters) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  LaunchRequest request;
  request.grid = {gridX, gridY, gridZ};
  request.block = {blockX, blockY, blockZ};
  request.sharedBytes = sharedBytes;
  request.cooperative = true;
  return launchKernel(call, request, function, stream, parameters, nullptr);
}

BWGEMM_ENTRY cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                              void **parameters, void **extra) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchRequest request;
  request.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  request.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  request.sharedBytes = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (CUresult result = applyAttribute(call.state, config->attrs[i], request);
        result != CUDA_SUCCESS)
      return result;
  return launchKernel(call, request, function, config->hStream, parameters,
                      extra);
}

BWGEMM_ENTRY cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(call, stream, HostWork{function, data});
}
