//===- Memory.cpp - Device memory -------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Memory.h"

#include "Emulator.h"
#include "machine/Poison.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
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
  uint64_t capacity = uint64_t(1) << 62;
  bool poisoned = false;
  /// The last that were freed, the latest at the back.
  std::deque<Allocation> freed;
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
  // Bytes are taken from the capacity before there is memory, so that
  // allocations at the same time do not exceed it together.
  {
    std::unique_lock lock(impl->mutex);
    if (bytes == 0 ||
        bytes > impl->capacity - std::min(impl->total, impl->capacity))
      return 0;
    impl->total += bytes;
  }
  uint64_t rounded =
      (bytes + allocationAlignment - 1) & ~(allocationAlignment - 1);
  void *pointer = std::aligned_alloc(allocationAlignment, rounded);
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  bool poisoned;
  {
    std::unique_lock lock(impl->mutex);
    if (!pointer) {
      impl->total -= bytes;
      return 0;
    }
    impl->blocks[base] = {bytes, true, false};
    poisoned = impl->poisoned;
  }
  if (poisoned)
    fillPoison(static_cast<std::byte *>(pointer), base, rounded);
  return base;
}

void DeviceMemory::setPoisoned(bool poisoned) {
  std::unique_lock lock(impl->mutex);
  impl->poisoned = poisoned;
}

std::string DeviceMemory::describe(uint64_t address, uint64_t bytes) const {
  std::shared_lock lock(impl->mutex);
  auto size = [](uint64_t n) { return std::to_string(n) + " bytes"; };
  auto after = impl->blocks.upper_bound(address);
  const auto *before =
      after == impl->blocks.begin() ? nullptr : &*std::prev(after);
  if (before && address - before->first < before->second.bytes) {
    uint64_t end = before->first + before->second.bytes;
    return "ends " + size(address + bytes - end) + " behind an allocation of " +
           size(before->second.bytes);
  }
  for (size_t n = impl->freed.size(); n-- > 0;) {
    const Allocation &gone = impl->freed[n];
    if (address - gone.base >= gone.bytes)
      continue;
    size_t since = impl->freed.size() - 1 - n;
    return "in an allocation of " + size(gone.bytes) + " that has been freed" +
           (since ? " (" + std::to_string(since) + " frees ago)"
                  : " (by the last free)") +
           ", " + size(address - gone.base) + " into it";
  }
  // Further away it says nothing.
  constexpr uint64_t far = uint64_t(1) << 30;
  uint64_t behind =
      before ? address - (before->first + before->second.bytes) : far;
  uint64_t ahead = after == impl->blocks.end() ? far : after->first - address;
  if (behind >= far && ahead >= far)
    return "in no allocation, and none is near";
  if (behind <= ahead)
    return "in no allocation: " + size(behind) +
           " after the end of the nearest one, of " +
           size(before->second.bytes);
  return "in no allocation: " + size(ahead) +
         " before the start of the nearest one, of " +
         size(after->second.bytes);
}

void DeviceMemory::setCapacity(uint64_t bytes) {
  std::unique_lock lock(impl->mutex);
  impl->capacity = std::min(bytes, uint64_t(1) << 62);
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
    constexpr size_t remembered = 256;
    impl->freed.push_back({base, block.bytes});
    if (impl->freed.size() > remembered)
      impl->freed.pop_front();
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
