//===- Context.cpp - Contexts -----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static Context *fromHandle(CUcontext handle) {
  return reinterpret_cast<Context *>(handle);
}
static CUcontext toHandle(Context *context) {
  return reinterpret_cast<CUcontext>(context);
}

static Context *newContext(State &state, unsigned flags) {
  auto *context = new Context;
  context->id = state.nextId++;
  context->flags = flags;
  state.contexts.insert(context);
  return context;
}

static CUresult createContext(CUcontext *handle, unsigned flags,
                              CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  Context *context = newContext(call.state, flags);
  contextStack().push_back(context);
  *handle = toHandle(context);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return createContext(context, flags, device);
}
BWGEMM_ENTRY cuCtxCreate_v2(CUcontext *context, unsigned flags,
                            CUdevice device) {
  return createContext(context, flags, device);
}
BWGEMM_ENTRY cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity,
                            int affinities, unsigned flags, CUdevice device) {
  if (affinity || affinities)
    return CUDA_ERROR_NOT_SUPPORTED;
  return createContext(context, flags, device);
}
BWGEMM_ENTRY cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters,
                            unsigned flags, CUdevice device) {
  if (parameters)
    return CUDA_ERROR_NOT_SUPPORTED;
  return createContext(context, flags, device);
}

static CUresult destroyContext(CUcontext handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Context *context = fromHandle(handle);
  if (!call.state.contexts.count(context) || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  call.state.contexts.erase(context);
  std::vector<Context *> &stack = contextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  delete context;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxDestroy(CUcontext context) { return destroyContext(context); }
BWGEMM_ENTRY cuCtxDestroy_v2(CUcontext context) {
  return destroyContext(context);
}

BWGEMM_ENTRY cuCtxGetCurrent(CUcontext *handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Context *> &stack = contextStack();
  *handle = stack.empty() ? nullptr : toHandle(stack.back());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxSetCurrent(CUcontext handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Context *context = fromHandle(handle);
  if (context && !call.state.contexts.count(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  std::vector<Context *> &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

static CUresult pushContext(CUcontext handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Context *context = fromHandle(handle);
  if (!context || !call.state.contexts.count(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(context);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxPushCurrent(CUcontext context) {
  return pushContext(context);
}
BWGEMM_ENTRY cuCtxPushCurrent_v2(CUcontext context) {
  return pushContext(context);
}

static CUresult popContext(CUcontext *handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::vector<Context *> &stack = contextStack();
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (handle)
    *handle = toHandle(stack.back());
  stack.pop_back();
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxPopCurrent(CUcontext *context) { return popContext(context); }
BWGEMM_ENTRY cuCtxPopCurrent_v2(CUcontext *context) {
  return popContext(context);
}

BWGEMM_ENTRY cuCtxSynchronize() { return Call(Needs::Context).status; }

BWGEMM_ENTRY cuCtxGetDevice(CUdevice *device) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  if (handle && !call.state.contexts.count(fromHandle(handle)))
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = unsigned(driverApiVersion);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetFlags(unsigned *flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = call.context->flags;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetId(CUcontext handle, unsigned long long *id) {
  Call call(handle ? Needs::Initialised : Needs::Context);
  if (!call)
    return call.status;
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  Context *context = handle ? fromHandle(handle) : call.context;
  if (!call.state.contexts.count(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->id;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetLimit(size_t *value, CUlimit limit) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    *value = 1024;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    *value = 1 << 20;
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    *value = 8 << 20;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

BWGEMM_ENTRY cuCtxSetLimit(CUlimit limit, size_t) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  // Local memory here is as large as a kernel declares it; there is no limit
  // to move.
  return limit >= CU_LIMIT_STACK_SIZE && limit <= CU_LIMIT_MALLOC_HEAP_SIZE
             ? CUDA_SUCCESS
             : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

BWGEMM_ENTRY cuCtxSetCacheConfig(CUfunc_cache) {
  return Call(Needs::Context).status;
}

BWGEMM_ENTRY cuCtxGetCacheConfig(CUfunc_cache *config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// The primary context
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  State &state = call.state;
  if (!state.primary) {
    state.primary = newContext(state, state.primaryFlags);
    state.primary->primary = true;
  }
  ++state.primaryUses;
  *handle = toHandle(state.primary);
  return CUDA_SUCCESS;
}

static CUresult releasePrimary(CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  State &state = call.state;
  if (state.primaryUses == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--state.primaryUses == 0) {
    state.contexts.erase(state.primary);
    delete state.primary;
    state.primary = nullptr;
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDevicePrimaryCtxRelease(CUdevice device) {
  return releasePrimary(device);
}
BWGEMM_ENTRY cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return releasePrimary(device);
}

static CUresult resetPrimary(CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  // The handle stays valid for those who hold it; its memory is freed by them.
  if (call.state.primary)
    call.state.primary->sticky = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDevicePrimaryCtxReset(CUdevice device) {
  return resetPrimary(device);
}
BWGEMM_ENTRY cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return resetPrimary(device);
}

static CUresult setPrimaryFlags(CUdevice device, unsigned flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  call.state.primaryFlags = flags;
  if (call.state.primary)
    call.state.primary->flags = flags;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return setPrimaryFlags(device, flags);
}
BWGEMM_ENTRY cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return setPrimaryFlags(device, flags);
}

BWGEMM_ENTRY cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                        int *active) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!flags || !active)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *flags = call.state.primaryFlags;
  *active = call.state.primary != nullptr;
  return CUDA_SUCCESS;
}
