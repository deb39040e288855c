//===- PoolApi.cpp - Memory in stream order ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParams.h"
#include "Pool.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static Pool *defaultPool(State &state) {
  if (!state.defaultPool) {
    state.defaultPool = std::make_shared<Pool>();
    state.defaultPool->properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    state.defaultPool->properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    state.pools[state.defaultPool.get()] = state.defaultPool;
  }
  return state.defaultPool.get();
}

static Pool *currentPool(State &state) {
  return state.currentPool ? state.currentPool : defaultPool(state);
}

static Pool *findPool(State &state, CUmemoryPool handle) {
  auto *pool = reinterpret_cast<Pool *>(handle);
  return state.pools.count(pool) ? pool : nullptr;
}

static CUmemoryPool toHandle(Pool *pool) {
  return reinterpret_cast<CUmemoryPool>(pool);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuMemPoolCreate(CUmemoryPool *handle,
                             const CUmemPoolProps *properties) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle || !properties ||
      properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  bool device = properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (!device && properties->location.type != CU_MEM_LOCATION_TYPE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  if (device && properties->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (properties->handleTypes)
    return notSupported("a memory pool that other processes may open",
                        "device memory is private to the process");
  auto pool = std::make_shared<Pool>();
  pool->properties = *properties;
  *handle = toHandle(pool.get());
  call.state.pools[pool.get()] = pool;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemPoolDestroy(CUmemoryPool handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Pool *pool = findPool(call.state, handle);
  if (!pool || pool == call.state.defaultPool.get())
    return CUDA_ERROR_INVALID_VALUE;
  if (call.state.currentPool == pool)
    call.state.currentPool = nullptr;
  // What is allocated from it stays until it is freed.
  for (auto &[base, memory] : call.state.memories)
    if (memory.pool == pool)
      memory.pool = nullptr;
  call.state.pools.erase(pool);
  return CUDA_SUCCESS;
}

/// Answers with a pool of the device.
static CUresult answerPool(CUmemoryPool *handle, CUdevice device,
                           Pool *(*which)(State &)) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *handle = toHandle(which(call.state));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return answerPool(pool, device, defaultPool);
}
BWGEMM_ENTRY cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return answerPool(pool, device, currentPool);
}
BWGEMM_ENTRY cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                    CUmemAllocationType type) {
  if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  return answerPool(pool, location->id, defaultPool);
}
BWGEMM_ENTRY cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
                             CUmemAllocationType type) {
  if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  return answerPool(pool, location->id, currentPool);
}

BWGEMM_ENTRY cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  Pool *pool = findPool(call.state, handle);
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  call.state.currentPool = pool;
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                             CUmemoryPool pool) {
  if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  return cuDeviceSetMemPool(location->id, pool);
}

BWGEMM_ENTRY cuMemPoolTrimTo(CUmemoryPool handle, size_t) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  return findPool(call.state, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuMemPoolGetAttribute(CUmemoryPool handle,
                                   CUmemPool_attribute attribute, void *value) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Pool *pool = findPool(call.state, handle);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  auto answer = [&](uint64_t number) {
    *static_cast<uint64_t *>(value) = number;
    return CUDA_SUCCESS;
  };
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return answer(pool->threshold);
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return answer(pool->used);
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return answer(pool->reservedHigh);
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return answer(pool->usedHigh);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuMemPoolSetAttribute(CUmemoryPool handle,
                                   CUmemPool_attribute attribute, void *value) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Pool *pool = findPool(call.state, handle);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t number = 0;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    pool->reuse[attribute - 1] = *static_cast<int *>(value) != 0;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->threshold = *static_cast<uint64_t *>(value);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    // They may only start again from what is in use.
    number = *static_cast<uint64_t *>(value);
    if (number)
      return CUDA_ERROR_INVALID_VALUE;
    (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? pool->usedHigh
                                                : pool->reservedHigh) =
        pool->used;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuMemPoolSetAccess(CUmemoryPool handle,
                                const CUmemAccessDesc *list, size_t count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!findPool(call.state, handle) || (count && !list))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (list[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
        list[i].location.id != 0)
      return CUDA_ERROR_INVALID_DEVICE;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle,
                                CUmemLocation *location) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!flags || !location || !findPool(call.state, handle))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Allocating and freeing in stream order
//===----------------------------------------------------------------------===//

static CUresult allocate(CUdeviceptr *address, size_t bytes, bool named,
                         CUmemoryPool handle, CUstream streamHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  Pool *pool = named ? findPool(state, handle) : currentPool(state);
  if (!address || !pool)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(state, call.context, streamHandle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *address = 0;
  if (!bytes)
    return CUDA_SUCCESS;
  if (stream->capture) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = {};
    parameters.poolProps = pool->properties;
    parameters.bytesize = bytes;
    Work work;
    CUresult result = makeAllocation(state, &parameters, call.context, work);
    if (result == CUDA_SUCCESS)
      result = submit(call, stream, std::move(work));
    if (result == CUDA_SUCCESS)
      *address = parameters.dptr;
    return result;
  }
  // At once: whoever uses it does so after the stream has come here.
  uint64_t base = newMemory(state, call.context, bytes, CU_MEMORYTYPE_DEVICE);
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  state.memories[base].pool = pool;
  pool->used += bytes;
  pool->usedHigh = std::max(pool->usedHigh, pool->used);
  pool->reservedHigh = std::max(pool->reservedHigh, pool->used);
  *address = base;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAllocAsync(CUdeviceptr *address, size_t bytes,
                             CUstream stream) {
  return allocate(address, bytes, false, nullptr, stream);
}
BWGEMM_ENTRY cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                     CUmemoryPool pool, CUstream stream) {
  return allocate(address, bytes, true, pool, stream);
}

BWGEMM_ENTRY cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!address)
    return CUDA_SUCCESS;
  auto found = call.state.memories.find(address);
  if (found == call.state.memories.end() || found->second.registered ||
      found->second.mapped || found->second.type != CU_MEMORYTYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(call, stream, FreeWork{address});
}
