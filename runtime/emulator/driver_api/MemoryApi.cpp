//===- MemoryApi.cpp - Allocating memory and asking about it ----*- C++ -*-===//
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

#include "State.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static CUresult allocate(uint64_t *address, size_t bytes, CUmemorytype type,
                         bool managed = false) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = call.state;
  uint64_t used = state.memory.allocatedBytes();
  if (used > state.architecture.memoryBytes ||
      bytes > state.architecture.memoryBytes - used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t base = state.memory.allocate(bytes);
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Memory memory;
  memory.bytes = bytes;
  memory.type = type;
  memory.managed = managed;
  memory.id = state.nextId++;
  memory.context = call.context;
  state.memories[base] = memory;
  *address = base;
  return CUDA_SUCCESS;
}

/// Frees what an allocation with the same properties returned.
static CUresult release(uint64_t address, CUmemorytype type) {
  if (!address)
    return CUDA_SUCCESS;
  // Freeing waits for running kernels, as on a device.
  std::lock_guard<std::mutex> running(driver::state().launchMutex);
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto found = call.state.memories.find(address);
  if (found == call.state.memories.end() || found->second.registered ||
      found->second.type != type || !call.state.memory.release(address))
    return CUDA_ERROR_INVALID_VALUE;
  call.state.memories.erase(found);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  uint64_t base = 0;
  CUresult result = address ? allocate(&base, bytes, CU_MEMORYTYPE_DEVICE)
                            : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *address = base;
  return result;
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
  CUresult result = cuMemAlloc_v2(address, padded * height);
  if (result == CUDA_SUCCESS)
    *pitch = padded;
  return result;
}

BWGEMM_ENTRY cuMemAllocManaged(CUdeviceptr *address, size_t bytes,
                               unsigned flags) {
  if (!address ||
      (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t base = 0;
  CUresult result = allocate(&base, bytes, CU_MEMORYTYPE_DEVICE, true);
  if (result == CUDA_SUCCESS)
    *address = base;
  return result;
}

BWGEMM_ENTRY cuMemFree_v2(CUdeviceptr address) {
  return release(address, CU_MEMORYTYPE_DEVICE);
}

BWGEMM_ENTRY cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream) {
  return cuMemAlloc_v2(address, bytes);
}
BWGEMM_ENTRY cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                     CUmemoryPool, CUstream) {
  return cuMemAlloc_v2(address, bytes);
}
BWGEMM_ENTRY cuMemFreeAsync(CUdeviceptr address, CUstream) {
  return cuMemFree_v2(address);
}

BWGEMM_ENTRY cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  uint64_t base = 0;
  CUresult result = pointer ? allocate(&base, bytes, CU_MEMORYTYPE_HOST)
                            : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *pointer = reinterpret_cast<void *>(base);
  return result;
}

BWGEMM_ENTRY cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

BWGEMM_ENTRY cuMemFreeHost(void *pointer) {
  return release(reinterpret_cast<uintptr_t>(pointer), CU_MEMORYTYPE_HOST);
}

static CUresult registerHost(void *pointer, size_t bytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = call.state;
  uint64_t address = reinterpret_cast<uintptr_t>(pointer), base = 0;
  if (findMemory(state, address, base) ||
      findMemory(state, address + bytes - 1, base))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (!state.memory.registerHost(pointer, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Memory memory;
  memory.bytes = bytes;
  memory.type = CU_MEMORYTYPE_HOST;
  memory.registered = true;
  memory.id = state.nextId++;
  memory.context = call.context;
  state.memories[address] = memory;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemHostRegister(void *pointer, size_t bytes, unsigned) {
  return registerHost(pointer, bytes);
}
BWGEMM_ENTRY cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  return registerHost(pointer, bytes);
}

BWGEMM_ENTRY cuMemHostUnregister(void *pointer) {
  std::lock_guard<std::mutex> running(driver::state().launchMutex);
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto found = call.state.memories.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == call.state.memories.end() || !found->second.registered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  call.state.memory.release(found->first);
  call.state.memories.erase(found);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer,
                                          unsigned) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  if (!address ||
      !findMemory(call.state, reinterpret_cast<uintptr_t>(pointer), base))
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
  *flags = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!freeBytes || !totalBytes)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t total = call.state.architecture.memoryBytes;
  *totalBytes = total;
  *freeBytes = total - std::min(total, call.state.memory.allocatedBytes());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream) {
  return Call(Needs::Context).status;
}

//===----------------------------------------------------------------------===//
// Asking about an address
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes,
                                     CUdeviceptr address) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::optional<DeviceMemory::Allocation> found =
      call.state.memory.find(address);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = found->base;
  if (bytes)
    *bytes = found->bytes;
  return CUDA_SUCCESS;
}

/// Writes one attribute of a known address.
static CUresult writeAttribute(void *value, int attribute, uint64_t address,
                               const Memory &memory, uint64_t base) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *static_cast<CUcontext *>(value) =
        reinterpret_cast<CUcontext>(memory.context);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) = unsigned(memory.type);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<CUdeviceptr *>(value) = address;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (memory.type != CU_MEMORYTYPE_HOST && !memory.managed)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<void **>(value) = reinterpret_cast<void *>(address);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    *static_cast<unsigned *>(value) = 1;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    *static_cast<unsigned long long *>(value) = memory.id;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *static_cast<unsigned *>(value) = memory.managed;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) = 0;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<CUdeviceptr *>(value) = base;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *static_cast<size_t *>(value) = memory.bytes;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    *static_cast<unsigned *>(value) = 1;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// The memory behind an address: recorded, or a module's variable.
static std::optional<Memory> describe(State &state, uint64_t address,
                                      uint64_t &base, Context *context) {
  if (const Memory *memory = findMemory(state, address, base))
    return *memory;
  std::optional<DeviceMemory::Allocation> found = state.memory.find(address);
  if (!found)
    return std::nullopt;
  base = found->base;
  Memory memory;
  memory.bytes = found->bytes;
  memory.context = context;
  return memory;
}

BWGEMM_ENTRY cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                                   CUdeviceptr address) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  std::optional<Memory> memory =
      describe(call.state, address, base, call.context);
  // Ordinary host memory is not known to the driver.
  if (!value || !memory)
    return CUDA_ERROR_INVALID_VALUE;
  return writeAttribute(value, int(attribute), address, *memory, base);
}

BWGEMM_ENTRY cuPointerGetAttributes(unsigned count,
                                    CUpointer_attribute *attributes,
                                    void **values, CUdeviceptr address) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!attributes || !values)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t base = 0;
  std::optional<Memory> memory =
      describe(call.state, address, base, call.context);
  for (unsigned i = 0; i < count; ++i) {
    // The plural form answers an unknown address with zeros.
    uint64_t zero = 0;
    if (memory && writeAttribute(values[i], int(attributes[i]), address,
                                 *memory, base) == CUDA_SUCCESS)
      continue;
    switch (attributes[i]) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<unsigned *>(values[i]) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *>(values[i]) = -2;
      break;
    default:
      *static_cast<uint64_t *>(values[i]) = zero;
      break;
    }
  }
  return CUDA_SUCCESS;
}
