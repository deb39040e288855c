//===- MemoryApi.cpp - Allocating memory ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device, pinned and managed memory are all host memory at their own address,
// as under unified addressing; they differ in what cuPointerGetAttribute says.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"
#include "Stream.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

//===----------------------------------------------------------------------===//
// Device and managed memory
//===----------------------------------------------------------------------===//

static CUresult allocate(CUdeviceptr *address, size_t bytes, bool managed) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = call.state;
  if (CUresult result = forbidWhileCapturing(state); result != CUDA_SUCCESS)
    return result;
  uint64_t base = newMemory(state, call.context, bytes, CU_MEMORYTYPE_DEVICE);
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  state.memories[base].managed = managed;
  *address = base;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return allocate(address, bytes, false);
}

BWGEMM_ENTRY cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch,
                                size_t width, size_t height,
                                unsigned elementBytes) {
  if (!pitch || width == 0 || height == 0 ||
      (elementBytes != 4 && elementBytes != 8 && elementBytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t padded = (width + 511) / 512 * 512;
  if (padded < width || padded > SIZE_MAX / height)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = allocate(address, padded * height, false);
  if (result == CUDA_SUCCESS)
    *pitch = padded;
  return result;
}

BWGEMM_ENTRY cuMemAllocManaged(CUdeviceptr *address, size_t bytes,
                               unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(address, bytes, true);
}

/// Frees what an allocation of the same type returned.
static CUresult release(uint64_t address, CUmemorytype type, const char *by) {
  finishKernels();
  {
    Call call(Needs::Context);
    if (!call)
      return call.status;
    if (!address)
      return CUDA_SUCCESS;
    if (CUresult result = forbidWhileCapturing(call.state);
        result != CUDA_SUCCESS)
      return result;
  }
  // Freeing waits for running kernels, as on a device.
  std::lock_guard<std::mutex> running(driver::state().launchMutex);
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto found = call.state.memories.find(address);
  if (found == call.state.memories.end() || found->second.registered ||
      found->second.mapped || found->second.type != type)
    return CUDA_ERROR_INVALID_VALUE;
  if (found->second.ofGraph)
    return CUDA_SUCCESS; // It goes with its graph.
  dropMemory(call.state, address, by);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemFree_v2(CUdeviceptr address) {
  return release(address, CU_MEMORYTYPE_DEVICE, "cuMemFree");
}

//===----------------------------------------------------------------------===//
// Pinned memory
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!pointer || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = call.state;
  if (CUresult result = forbidWhileCapturing(state); result != CUDA_SUCCESS)
    return result;
  *pointer = nullptr;
  if (!bytes) // No memory, no error (seen on an H200).
    return CUDA_SUCCESS;
  uint64_t base = newMemory(state, call.context, bytes, CU_MEMORYTYPE_HOST);
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  // Under unified addressing all of it can be reached from the device.
  state.memories[base].hostFlags = flags | CU_MEMHOSTALLOC_DEVICEMAP;
  *pointer = reinterpret_cast<void *>(base);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
BWGEMM_ENTRY cuMemAllocHost(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

BWGEMM_ENTRY cuMemFreeHost(void *pointer) {
  return release(reinterpret_cast<uintptr_t>(pointer), CU_MEMORYTYPE_HOST,
                 "cuMemFreeHost");
}

BWGEMM_ENTRY cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!pointer || bytes == 0 || flags > 15)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = call.state;
  uint64_t address = reinterpret_cast<uintptr_t>(pointer), base = 0;
  if (findMemory(state, address, base) ||
      findMemory(state, address + bytes - 1, base))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (!state.memory.registerHost(pointer, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Memory &memory = state.memories[address];
  memory = Memory();
  memory.bytes = bytes;
  memory.type = CU_MEMORYTYPE_HOST;
  memory.registered = true;
  memory.hostFlags = flags | CU_MEMHOSTALLOC_DEVICEMAP;
  memory.id = state.nextId++;
  memory.context = call.context;
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(pointer, bytes, flags);
}

BWGEMM_ENTRY cuMemHostUnregister(void *pointer) {
  finishKernels();
  std::lock_guard<std::mutex> running(driver::state().launchMutex);
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t address = reinterpret_cast<uintptr_t>(pointer), base = 0;
  const Memory *memory = findMemory(call.state, address, base);
  if (!memory)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (!memory->registered || base != address)
    return CUDA_ERROR_INVALID_VALUE;
  dropMemory(call.state, address, "cuMemHostUnregister");
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer,
                                          unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  const Memory *memory =
      findMemory(call.state, reinterpret_cast<uintptr_t>(pointer), base);
  if (!address || flags || !memory)
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<uintptr_t>(pointer);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemHostGetFlags(unsigned *flags, void *pointer) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  const Memory *memory =
      findMemory(call.state, reinterpret_cast<uintptr_t>(pointer), base);
  if (!flags || !memory || memory->type != CU_MEMORYTYPE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = memory->hostFlags;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// How much there is, and where it is wanted
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t total = call.state.architecture.memoryBytes;
  if (totalBytes)
    *totalBytes = total;
  if (freeBytes)
    *freeBytes = total - std::min(total, call.state.deviceBytes);
  return CUDA_SUCCESS;
}

/// Advice and prefetching move nothing here: there is one memory.
static CUresult checkManaged(CUdeviceptr address, size_t bytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  const Memory *memory = findMemory(call.state, address, base);
  return bytes && memory && memory->managed &&
                 bytes <= memory->bytes - (address - base)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuMemAdvise(CUdeviceptr address, size_t bytes, int advice,
                         CUdevice) {
  return advice < 1 || advice > 6 ? CUDA_ERROR_INVALID_VALUE
                                  : checkManaged(address, bytes);
}
BWGEMM_ENTRY cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice,
                            CUmemLocation) {
  return advice < 1 || advice > 6 ? CUDA_ERROR_INVALID_VALUE
                                  : checkManaged(address, bytes);
}
BWGEMM_ENTRY cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice,
                                CUstream) {
  return checkManaged(address, bytes);
}
BWGEMM_ENTRY cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes,
                                   CUmemLocation, unsigned flags, CUstream) {
  return flags ? CUDA_ERROR_INVALID_VALUE : checkManaged(address, bytes);
}
