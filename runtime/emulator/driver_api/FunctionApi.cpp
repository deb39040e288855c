//===- FunctionApi.cpp - Properties of kernels ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static CUresult getAttribute(State &state, int *value, int attribute,
                             Function *function) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  const KernelInfo &kernel = *function->kernel;
  const Architecture arch = architectureFor(state, *function);
  Dim3 cluster = kernel.reqCluster.value_or(function->requiredCluster);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    // Not what .reqntid says (seen on an H200).
    *value = kernel.maxntid ? int(kernel.maxntid->count()) : 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = function->staticShared();
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = int(kernel.registers);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = arch.major * 10 + arch.minor;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->maxDynamicShared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = function->carveout;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *value = kernel.explicitCluster && !kernel.reqCluster;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *value = int(cluster.x);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    *value = int(cluster.y);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *value = int(cluster.z);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = function->nonPortableCluster;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = function->schedulingPolicy;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = 0;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult setAttribute(State &state, int attribute, int value,
                             Function *function) {
  if (!state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    int limit = architectureFor(state, *function).sharedPerBlock;
    int fixed = function->staticShared();
    if (value < 0 || value > limit - fixed) {
      complain("kernel '" + function->kernel->name +
               "': " + std::to_string(value) +
               " bytes of dynamic shared memory asked for, " +
               std::to_string(limit - fixed) + " are possible (" +
               std::to_string(limit) + " less " + std::to_string(fixed) +
               " static)");
      return CUDA_ERROR_INVALID_VALUE;
    }
    function->maxDynamicShared = value;
    return CUDA_SUCCESS;
  }
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    function->carveout = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    function->nonPortableCluster = value != 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    if (value < 0 || value > 2)
      return CUDA_ERROR_INVALID_VALUE;
    function->schedulingPolicy = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
    // What the code fixes itself cannot be changed.
    if (value < 0 || function->kernel->reqCluster)
      return CUDA_ERROR_INVALID_VALUE;
    uint32_t *extents[] = {&function->requiredCluster.x,
                           &function->requiredCluster.y,
                           &function->requiredCluster.z};
    *extents[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] =
        uint32_t(value);
    return CUDA_SUCCESS;
  }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                CUfunction function) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return getAttribute(call.state, value, int(attribute),
                      reinterpret_cast<Function *>(function));
}

BWGEMM_ENTRY cuFuncSetAttribute(CUfunction function,
                                CUfunction_attribute attribute, int value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return setAttribute(call.state, int(attribute), value,
                      reinterpret_cast<Function *>(function));
}

BWGEMM_ENTRY cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                                  CUkernel kernel, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return getAttribute(call.state, value, int(attribute),
                      reinterpret_cast<Function *>(kernel));
}

BWGEMM_ENTRY cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                                  CUkernel kernel, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return setAttribute(call.state, int(attribute), value,
                      reinterpret_cast<Function *>(kernel));
}

BWGEMM_ENTRY cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return Call(Needs::Context).status;
}

static CUresult getName(State &state, const char **name, Function *function) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  *name = function->kernel->name.c_str();
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuFuncGetName(const char **name, CUfunction function) {
  Call call(Needs::Initialised);
  return call
             ? getName(call.state, name, reinterpret_cast<Function *>(function))
             : call.status;
}

BWGEMM_ENTRY cuKernelGetName(const char **name, CUkernel kernel) {
  Call call(Needs::Initialised);
  return call ? getName(call.state, name, reinterpret_cast<Function *>(kernel))
              : call.status;
}

static CUresult getParameter(State &state, Function *function, size_t index,
                             size_t *offset, size_t *bytes) {
  if (!offset)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->kernel->params.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = function->kernel->params[index].offset;
  if (bytes)
    *bytes = function->kernel->params[index].size;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuFuncGetParamInfo(CUfunction function, size_t index,
                                size_t *offset, size_t *bytes) {
  Call call(Needs::Initialised);
  return call ? getParameter(call.state, reinterpret_cast<Function *>(function),
                             index, offset, bytes)
              : call.status;
}

BWGEMM_ENTRY cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                  size_t *bytes) {
  Call call(Needs::Initialised);
  return call ? getParameter(call.state, reinterpret_cast<Function *>(kernel),
                             index, offset, bytes)
              : call.status;
}

BWGEMM_ENTRY cuFuncGetModule(CUmodule *module, CUfunction handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto *function = reinterpret_cast<Function *>(handle);
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  *module = reinterpret_cast<CUmodule>(function->image);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Loading: everything is loaded with its module
//===----------------------------------------------------------------------===//

static CUresult checkFunction(CUfunction function) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return call.state.functions.count(reinterpret_cast<Function *>(function))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuFuncLoad(CUfunction function) { return checkFunction(function); }

BWGEMM_ENTRY cuFuncIsLoaded(int *loaded, CUfunction function) {
  if (!loaded)
    return CUDA_ERROR_INVALID_VALUE;
  *loaded = 1;
  return checkFunction(function);
}

BWGEMM_ENTRY cuFuncSetSharedMemConfig(CUfunction function, int) {
  // Banks have one width on all devices that are emulated.
  return checkFunction(function);
}

BWGEMM_ENTRY cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice) {
  return checkFunction(reinterpret_cast<CUfunction>(kernel));
}
