//===- Context.cpp - Contexts -----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>

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
  auto *context = state.contexts.emplace_back(new Context).get();
  context->id = state.nextId++;
  context->flags = flags;
  state.contextHandles.insert(context);
  return context;
}

/// One way of waiting at most, and known flags.
static bool validFlags(unsigned flags) {
  unsigned way = flags & 7;
  return flags <= 0xff && (way == 0 || way == 1 || way == 2 || way == 4);
}

static CUresult createContext(CUcontext *handle, unsigned flags,
                              CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle || !validFlags(flags))
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
  finishKernels();
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Context *context = fromHandle(handle);
  if (!call.state.alive(context) || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  context->alive = false;
  destroyResources(call.state, context);
  std::vector<Context *> &stack = contextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
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
  if (context && !call.state.alive(context))
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
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.alive(context))
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

BWGEMM_ENTRY cuCtxGetDevice(CUdevice *device) {
  Call call(Needs::Context);
  // Answered after a kernel's fault too, as on an H200.
  if (!call && !call.context)
    return call.status;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.alive(fromHandle(handle)))
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  if (handle && !call.state.alive(fromHandle(handle)))
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020; // Since the contexts of CUDA 3.2.
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
  if (!call.state.alive(context))
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

BWGEMM_ENTRY cuCtxSetFlags(unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!validFlags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  call.context->flags = flags;
  return CUDA_SUCCESS;
}

/// What an H200 answers before anything is set.
static std::optional<size_t> usualLimit(const Architecture &arch,
                                        CUlimit limit) {
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    return 1024;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return 8650752;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return 8 << 20;
  case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    return 2048;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    return 64;
  case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    return size_t(arch.l2Bytes) / 16 * 3;
  case CU_LIMIT_SHMEM_SIZE:
    return size_t(arch.sharedPerBlock);
  case CU_LIMIT_CIG_ENABLED:
    return 0;
  case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: // Gone since compute capability 9.0.
  case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
    return std::nullopt;
  }
  return std::nullopt;
}

BWGEMM_ENTRY cuCtxGetLimit(size_t *value, CUlimit limit) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<size_t> usual = usualLimit(call.state.architecture, limit);
  if (!usual)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  auto set = call.context->limits.find(limit);
  *value = set == call.context->limits.end() ? *usual : set->second;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxSetLimit(CUlimit limit, size_t value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (limit < CU_LIMIT_STACK_SIZE ||
      limit > CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED)
    return CUDA_ERROR_INVALID_VALUE;
  if (!usualLimit(call.state.architecture, limit))
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  call.context->limits[limit] = value;
  // A frame here is smaller than on a GPU, having no registers in it; so the
  // limit may be larger than what was asked for, and never is below it.
  if (limit == CU_LIMIT_STACK_SIZE)
    call.state.stackBytes = uint32_t(std::min(value, size_t(512) << 10));
  if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
    call.state.memory.setHeapLimit(value);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxSetCacheConfig(CUfunc_cache config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  call.context->cacheConfig = config;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetCacheConfig(CUfunc_cache *config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = CUfunc_cache(call.context->cacheConfig);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuCtxGetSharedMemConfig(int *config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = 1; // Banks of four bytes.
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuCtxSetSharedMemConfig(int) {
  return Call(Needs::Context).status;
}

BWGEMM_ENTRY cuCtxResetPersistingL2Cache() {
  return Call(Needs::Context).status;
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
    state.primary = newContext(state, 0);
    state.primary->primary = true;
    state.primary->alive = false;
  }
  // One object for all its lives: its handle stays the same.
  if (!state.primary->alive) {
    state.primary->alive = true;
    state.primary->sticky = CUDA_SUCCESS;
    state.primary->flags = state.primaryFlags | CU_CTX_MAP_HOST;
  }
  ++state.primaryUses;
  *handle = toHandle(state.primary);
  return CUDA_SUCCESS;
}

/// Ends the primary context's life, whoever still uses it.
static void endPrimary(State &state) {
  if (!state.primary || !state.primary->alive)
    return;
  state.primary->alive = false;
  state.primary->limits.clear();
  state.primary->cacheConfig = 0;
  destroyResources(state, state.primary);
}

static CUresult releasePrimary(CUdevice device) {
  finishKernels();
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (call.state.primaryUses == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--call.state.primaryUses == 0)
    endPrimary(call.state);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDevicePrimaryCtxRelease(CUdevice device) {
  return releasePrimary(device);
}
BWGEMM_ENTRY cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return releasePrimary(device);
}

static CUresult resetPrimary(CUdevice device) {
  finishKernels();
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  // Whoever retained it still has to release it, but it is dead until it is
  // retained again (seen on an H200).
  endPrimary(call.state);
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
  if (!validFlags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  call.state.primaryFlags = flags;
  if (call.state.primary && call.state.primary->alive)
    call.state.primary->flags = flags | CU_CTX_MAP_HOST;
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
  *active = call.state.primary && call.state.primary->alive;
  return CUDA_SUCCESS;
}
