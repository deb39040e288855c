//===- PointerApi.cpp - Asking about an address -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

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
    *static_cast<unsigned *>(value) = memory.syncMemops;
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
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    *static_cast<unsigned *>(value) = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    *static_cast<CUmemoryPool *>(value) =
        reinterpret_cast<CUmemoryPool>(memory.pool);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    *static_cast<size_t *>(value) = memory.bytes;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    *static_cast<CUdeviceptr *>(value) = base;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    *static_cast<unsigned long long *>(value) = memory.id;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    *static_cast<unsigned char *>(value) = 0; // A bool.
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    *static_cast<unsigned *>(value) = 0;
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
  // Answered after a kernel's fault too, as on an H200.
  Call call(Needs::Initialised);
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
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!attributes || !values)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t base = 0;
  std::optional<Memory> memory =
      describe(call.state, address, base, call.context);
  for (unsigned i = 0; i < count; ++i) {
    // The plural form answers an unknown address with zeros.
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
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      *static_cast<unsigned *>(values[i]) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      *static_cast<unsigned char *>(values[i]) = 0;
      break;
    default:
      *static_cast<uint64_t *>(values[i]) = 0;
      break;
    }
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuPointerSetAttribute(const void *value,
                                   CUpointer_attribute attribute,
                                   CUdeviceptr address) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  // The only one that can be set. Copies wait here anyway.
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
      !findMemory(call.state, address, base))
    return CUDA_ERROR_INVALID_VALUE;
  call.state.memories[base].syncMemops =
      *static_cast<const unsigned *>(value) != 0;
  return CUDA_SUCCESS;
}
