//===- Memory.cpp - Device memory -------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Memory.h"

#include "Emulator.h"

#include <algorithm>
#include <cstdlib>
#include <shared_mutex>

namespace bwgemm::emulator {

/// The alignment that the CUDA driver gives allocations.
static constexpr uint64_t allocationAlignment = 256;

struct DeviceMemory::Impl {
  struct Block {
    uint64_t bytes = 0;
    bool owned = false;
    bool heap = false; ///< From malloc in device code.
  };
  mutable std::shared_mutex mutex;
  std::map<uint64_t, Block> blocks;
  uint64_t total = 0;
  /// CUDA's default heap is 8 MiB.
  uint64_t heapBytes = 0, heapLimit = 8 << 20;

  bool overlaps(uint64_t base, uint64_t bytes) const {
    auto after = blocks.upper_bound(base);
    if (after != blocks.end() && after->first - base < bytes)
      return true;
    if (after == blocks.begin())
      return false;
    --after;
    return base - after->first < after->second.bytes;
  }
};

DeviceMemory::DeviceMemory() : impl(std::make_unique<Impl>()) {}

DeviceMemory::~DeviceMemory() {
  for (auto &[base, block] : impl->blocks)
    if (block.owned)
      std::free(reinterpret_cast<void *>(base));
}

uint64_t DeviceMemory::allocate(uint64_t bytes) {
  // No host has half the address space to give; larger sizes would wrap.
  if (bytes == 0 || bytes > (uint64_t(1) << 62))
    return 0;
  uint64_t rounded =
      (bytes + allocationAlignment - 1) & ~(allocationAlignment - 1);
  void *pointer = std::aligned_alloc(allocationAlignment, rounded);
  if (!pointer)
    return 0;
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  std::unique_lock lock(impl->mutex);
  impl->blocks[base] = {bytes, true, false};
  impl->total += bytes;
  return base;
}

uint64_t DeviceMemory::allocateHeap(uint64_t bytes) {
  bytes = bytes ? bytes : 1;
  {
    std::unique_lock lock(impl->mutex);
    if (bytes > impl->heapLimit - std::min(impl->heapBytes, impl->heapLimit))
      return 0;
    impl->heapBytes += bytes;
  }
  uint64_t base = allocate(bytes);
  std::unique_lock lock(impl->mutex);
  if (base)
    impl->blocks[base].heap = true;
  else
    impl->heapBytes -= bytes;
  return base;
}

bool DeviceMemory::releaseHeap(uint64_t base) {
  {
    std::unique_lock lock(impl->mutex);
    auto found = impl->blocks.find(base);
    if (found == impl->blocks.end() || !found->second.heap)
      return false;
    impl->heapBytes -= found->second.bytes;
    // Only one of two threads that free the same block gets further.
    found->second.heap = false;
  }
  return release(base);
}

void DeviceMemory::setHeapLimit(uint64_t bytes) {
  std::unique_lock lock(impl->mutex);
  impl->heapLimit = bytes;
}

bool DeviceMemory::registerHost(void *pointer, uint64_t bytes) {
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  if (!pointer || bytes == 0 || base + bytes < base)
    return false;
  std::unique_lock lock(impl->mutex);
  if (impl->overlaps(base, bytes))
    return false;
  impl->blocks[base] = {bytes, false, false};
  impl->total += bytes;
  return true;
}

bool DeviceMemory::release(uint64_t base) {
  Impl::Block block;
  {
    std::unique_lock lock(impl->mutex);
    auto found = impl->blocks.find(base);
    if (found == impl->blocks.end())
      return false;
    block = found->second;
    impl->total -= block.bytes;
    impl->blocks.erase(found);
  }
  if (block.owned)
    std::free(reinterpret_cast<void *>(base));
  return true;
}

std::optional<DeviceMemory::Allocation>
DeviceMemory::find(uint64_t address) const {
  std::shared_lock lock(impl->mutex);
  auto after = impl->blocks.upper_bound(address);
  if (after == impl->blocks.begin())
    return std::nullopt;
  --after;
  if (address - after->first >= after->second.bytes)
    return std::nullopt;
  return Allocation{after->first, after->second.bytes};
}

uint64_t DeviceMemory::allocatedBytes() const {
  std::shared_lock lock(impl->mutex);
  return impl->total;
}

bool AllocationCache::lookUp(const DeviceMemory &memory, uint64_t address,
                             uint64_t bytes) {
  auto allocation = memory.find(address);
  if (!allocation)
    return false;
  entries[next] = {allocation->base, allocation->bytes};
  next = (next + 1) % (sizeof(entries) / sizeof(entries[0]));
  return bytes <= allocation->bytes - (address - allocation->base);
}

} // namespace bwgemm::emulator
