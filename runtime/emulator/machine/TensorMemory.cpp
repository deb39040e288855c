//===- TensorMemory.cpp - Tensor memory of one CTA --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/TensorMemory.h"

#include <cstring>
#include <vector>

namespace bwgemm::emulator {

/// Cells of CTAs that ended on this host thread. A quarter of a megabyte for
/// each CTA of a grid would otherwise be mapped and unmapped every time.
static std::vector<std::unique_ptr<uint32_t[]>> &cellPool() {
  static thread_local std::vector<std::unique_ptr<uint32_t[]>> pool;
  return pool;
}

TensorMemory::TensorMemory() {
  auto &pool = cellPool();
  if (pool.empty()) {
    cells.reset(new uint32_t[columns * lanes]);
    std::memset(cells.get(), 0xff, columns * lanes * sizeof(uint32_t));
    return;
  }
  cells = std::move(pool.back());
  pool.pop_back();
}

TensorMemory::~TensorMemory() { cellPool().push_back(std::move(cells)); }

void TensorMemory::reset() {
  written.fill({});
  allocations.fill(0);
  usedUnits = 0;
  smallest = 0;
  relinquished = false;
}

TensorMemory::LaneSet TensorMemory::LaneSet::range(uint32_t first,
                                                   uint32_t count) {
  LaneSet set;
  for (uint32_t lane = first; lane < first + count && lane < lanes; ++lane)
    (lane < 64 ? set.low : set.high) |= 1ull << (lane & 63);
  return set;
}

static bool isAllocationSize(uint32_t count) {
  return count >= TensorMemory::unit && count <= TensorMemory::columns &&
         (count & (count - 1)) == 0;
}

static std::string sizeRule(uint32_t count) {
  return std::to_string(count) +
         " columns: expected a power of two from 32 to 512";
}

bool TensorMemory::mayAllocate(uint32_t count, std::string &trap) const {
  if (!isAllocationSize(count)) {
    trap = "tcgen05.alloc of " + sizeRule(count);
    return false;
  }
  if (relinquished) {
    trap = "tcgen05.alloc after tcgen05.relinquish_alloc_permit in the same "
           "CTA";
    return false;
  }
  if (smallest != 0 && count > smallest) {
    trap = "tcgen05.alloc of " + std::to_string(count) +
           " columns after one of " + std::to_string(smallest) +
           ": sizes must not grow between the allocations of a CTA";
    return false;
  }
  return true;
}

TensorMemory::Allocation
TensorMemory::allocate(uint32_t count, uint32_t &address, std::string &trap) {
  if (!mayAllocate(count, trap))
    return Allocation::Trap;
  uint32_t size = count / unit;
  uint32_t ones = size == 32 ? ~0u : (1u << size) - 1;
  for (uint32_t first = 0; first < units; first += size) {
    if (usedUnits & (ones << first))
      continue;
    usedUnits |= ones << first;
    allocations[first] = uint8_t(size);
    smallest = count;
    address = first * unit;
    std::memset(column(address), 0xff, count * lanes * sizeof(uint32_t));
    for (uint32_t c = address; c < address + count; ++c)
      written[c] = {};
    return Allocation::Done;
  }
  return Allocation::MustWait;
}

bool TensorMemory::release(uint32_t address, uint32_t count,
                           std::string &trap) {
  if (!isAllocationSize(count)) {
    trap = "tcgen05.dealloc of " + sizeRule(count);
    return false;
  }
  uint32_t first = address / unit;
  if (address % unit != 0 || first >= units || allocations[first] == 0) {
    trap = "tcgen05.dealloc of tensor memory address " +
           std::to_string(address) + ", where no allocation begins";
    return false;
  }
  uint32_t size = allocations[first];
  if (size * unit != count) {
    trap = "tcgen05.dealloc of " + std::to_string(count) +
           " columns at column " + std::to_string(address) + ", where " +
           std::to_string(size * unit) + " were allocated";
    return false;
  }
  usedUnits &= ~(((1u << size) - 1) << first);
  allocations[first] = 0;
  return true;
}

uint32_t TensorMemory::allocatedColumns() const {
  uint32_t total = 0;
  for (uint8_t size : allocations)
    total += size * unit;
  return total;
}

bool TensorMemory::checkAllocated(uint32_t column, uint32_t count,
                                  std::string &trap) const {
  for (uint32_t c = column; c < column + count; c = (c / unit + 1) * unit) {
    if (c < columns && (usedUnits >> (c / unit)) & 1)
      continue;
    trap = "tensor memory column " + std::to_string(c) + " of columns " +
           std::to_string(column) + " to " +
           std::to_string(column + count - 1) +
           (c < columns ? " is not allocated" : " does not exist");
    return false;
  }
  return true;
}

bool TensorMemory::checkWritten(uint32_t first, uint32_t count,
                                const LaneSet &set, std::string &trap) const {
  for (uint32_t c = first; c < first + count; ++c) {
    if (written[c].contains(set))
      continue;
    uint32_t lane = 0;
    while (!set.test(lane) || written[c].test(lane))
      ++lane;
    trap = "uninitialised tensor memory: lane " + std::to_string(lane) +
           ", column " + std::to_string(c) +
           " is read and was never written since its allocation";
    return false;
  }
  return true;
}

} // namespace bwgemm::emulator
