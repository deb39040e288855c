//===- MappingApi.cpp - Mapped device memory --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuMemAddressReserve takes a range of the host's address space that nobody can
// touch; cuMemCreate makes memory without an address (a memfd); cuMemMap puts
// the one into the other, and cuMemSetAccess lets kernels and copies in. Sizes
// and results are those of an H200.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

namespace bwgemm::emulator::driver {

static constexpr uint64_t granularity = uint64_t(2) << 20;

struct PhysicalMemory {
  int file = -1;
  uint64_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned handles = 1; ///< cuMemCreate's and cuMemRetainAllocationHandle's.
  uint64_t id = 0;
  ~PhysicalMemory() {
    if (file >= 0)
      close(file);
  }
};

struct Reservation {
  struct Mapping {
    std::shared_ptr<PhysicalMemory> memory;
    uint64_t bytes = 0;
    bool accessible = false;
  };
  uint64_t base = 0, bytes = 0;
  std::map<uint64_t, Mapping> mappings; ///< By address.
};

} // namespace bwgemm::emulator::driver

/// The reservation that contains the range, or null.
static Reservation *findReservation(State &state, uint64_t address,
                                    uint64_t bytes) {
  auto after = state.reservations.upper_bound(address);
  if (after == state.reservations.begin())
    return nullptr;
  Reservation &found = *std::prev(after)->second;
  return address - found.base < found.bytes &&
                 bytes <= found.bytes - (address - found.base)
             ? &found
             : nullptr;
}

static bool isMultiple(uint64_t number) {
  return number != 0 && number % granularity == 0;
}

BWGEMM_ENTRY cuMemGetAllocationGranularity(size_t *result,
                                           const CUmemAllocationProp *property,
                                           int option) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!result || !property || option < 0 || option > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *result = granularity;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                         const CUmemAllocationProp *property,
                         unsigned long long flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  State &state = call.state;
  if (!handle || !property || flags || !isMultiple(bytes) ||
      property->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (property->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
      property->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (bytes > state.architecture.memoryBytes - state.deviceBytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto memory = std::make_shared<PhysicalMemory>();
  memory->file = memfd_create("bwgemm-device-memory", MFD_CLOEXEC);
  if (memory->file < 0 || ftruncate(memory->file, off_t(bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory->bytes = bytes;
  memory->properties = *property;
  memory->id = state.nextId++;
  state.deviceBytes += bytes;
  *handle = memory->id;
  state.physical[memory->id] = memory;
  return CUDA_SUCCESS;
}

/// Memory goes when it has neither a handle nor a place.
static void settle(State &state,
                   const std::shared_ptr<PhysicalMemory> &memory) {
  if (memory->handles)
    return;
  for (auto &[base, reservation] : state.reservations)
    for (auto &[address, mapping] : reservation->mappings)
      if (mapping.memory == memory)
        return;
  state.deviceBytes -= memory->bytes;
}

BWGEMM_ENTRY cuMemRelease(CUmemGenericAllocationHandle handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  auto found = call.state.physical.find(handle);
  if (found == call.state.physical.end())
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<PhysicalMemory> memory = found->second;
  if (--memory->handles == 0)
    call.state.physical.erase(found);
  settle(call.state, memory);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAddressReserve(CUdeviceptr *address, size_t bytes,
                                 size_t alignment, CUdeviceptr,
                                 unsigned long long flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!address || flags || !isMultiple(bytes) || (alignment & (alignment - 1)))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t unit = alignment > granularity ? alignment : granularity;
  if (bytes > (uint64_t(1) << 46) || unit > (uint64_t(1) << 46))
    return CUDA_ERROR_OUT_OF_MEMORY;
  // The host aligns to pages only: more is taken, and the ends given back.
  void *range = mmap(nullptr, bytes + unit, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t start = reinterpret_cast<uintptr_t>(range);
  uint64_t base = (start + unit - 1) / unit * unit;
  if (base > start)
    munmap(range, base - start);
  if (uint64_t rest = start + bytes + unit - (base + bytes))
    munmap(reinterpret_cast<void *>(base + bytes), rest);
  auto reservation = std::make_shared<Reservation>();
  reservation->base = base;
  reservation->bytes = bytes;
  call.state.reservations[base] = reservation;
  *address = base;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  auto found = call.state.reservations.find(address);
  if (found == call.state.reservations.end() || found->second->bytes != bytes ||
      !found->second->mappings.empty())
    return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void *>(address), bytes);
  call.state.reservations.erase(found);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                      CUmemGenericAllocationHandle handle,
                      unsigned long long flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  State &state = call.state;
  auto found = state.physical.find(handle);
  Reservation *reservation = findReservation(state, address, bytes);
  if (found == state.physical.end() || !reservation || flags ||
      !isMultiple(bytes) || address % granularity || offset % granularity)
    return CUDA_ERROR_INVALID_VALUE;
  // Only all of it, from its start.
  if (offset || bytes != found->second->bytes)
    return CUDA_ERROR_NOT_SUPPORTED;
  for (auto &[place, mapping] : reservation->mappings)
    if (place < address + bytes && address < place + mapping.bytes)
      return CUDA_ERROR_INVALID_VALUE;
  void *where = reinterpret_cast<void *>(address);
  if (mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           found->second->file, 0) != where)
    return CUDA_ERROR_OUT_OF_MEMORY;
  reservation->mappings[address] = {found->second, bytes, false};
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemUnmap(CUdeviceptr address, size_t bytes) {
  finishKernels();
  std::lock_guard<std::mutex> running(driver::state().launchMutex);
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  State &state = call.state;
  Reservation *reservation = findReservation(state, address, bytes);
  if (!reservation || !isMultiple(bytes) || address % granularity)
    return CUDA_ERROR_INVALID_VALUE;
  auto first = reservation->mappings.lower_bound(address);
  for (auto it = first;
       it != reservation->mappings.end() && it->first < address + bytes; ++it)
    if (it->first + it->second.bytes > address + bytes)
      return CUDA_ERROR_INVALID_VALUE;
  while (first != reservation->mappings.end() &&
         first->first < address + bytes) {
    auto [place, mapping] = *first;
    first = reservation->mappings.erase(first);
    if (mapping.accessible)
      dropMemory(state, place, "cuMemUnmap");
    mmap(reinterpret_cast<void *>(place), mapping.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    settle(state, mapping.memory);
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemSetAccess(CUdeviceptr address, size_t bytes,
                            const CUmemAccessDesc *list, size_t count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  State &state = call.state;
  Reservation *reservation = findReservation(state, address, bytes);
  if (!reservation || !list || !count || !isMultiple(bytes))
    return CUDA_ERROR_INVALID_VALUE;
  bool allowed = false;
  for (size_t i = 0; i < count; ++i) {
    if (list[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
        list[i].location.id != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    allowed |= list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  // All of the range must be mapped.
  uint64_t end = address + bytes;
  uint64_t covered = address;
  for (auto &[place, mapping] : reservation->mappings)
    if (place == covered && covered < end)
      covered = place + mapping.bytes;
  if (covered != end)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &[place, mapping] : reservation->mappings) {
    if (place < address || place >= end || mapping.accessible == allowed)
      continue;
    mapping.accessible = allowed;
    if (!allowed) {
      dropMemory(state, place, "cuMemSetAccess");
      continue;
    }
    state.memory.registerHost(reinterpret_cast<void *>(place), mapping.bytes);
    Memory &memory = state.memories[place];
    memory = Memory();
    memory.bytes = mapping.bytes;
    memory.mapped = true;
    memory.id = mapping.memory->id;
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemGetAccess(unsigned long long *flags,
                            const CUmemLocation *location,
                            CUdeviceptr address) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Reservation *reservation = findReservation(call.state, address, 1);
  if (!flags || !location || !reservation)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t base = 0;
  const Memory *memory = findMemory(call.state, address, base);
  *flags = memory ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                  : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *property,
                                       CUmemGenericAllocationHandle handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  auto found = call.state.physical.find(handle);
  if (!property || found == call.state.physical.end())
    return CUDA_ERROR_INVALID_VALUE;
  *property = found->second->properties;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                                         void *pointer) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  State &state = call.state;
  uint64_t address = reinterpret_cast<uintptr_t>(pointer);
  Reservation *reservation = findReservation(state, address, 1);
  if (!handle || !reservation)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &[place, mapping] : reservation->mappings)
    if (address - place < mapping.bytes) {
      ++mapping.memory->handles;
      state.physical[mapping.memory->id] = mapping.memory;
      *handle = mapping.memory->id;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
