//===- TensorMemory.h - Tensor memory of one CTA ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 128 lanes x 512 columns of 32-bit cells, and their allocation (PTX ISA,
// "Tensor Memory"). A column's 128 lanes lie side by side: that is how a warp
// reads it, and how the matrix kernels vectorise.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TENSORMEMORY_H
#define BWGEMM_EMULATOR_MACHINE_TENSORMEMORY_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace bwgemm::emulator {

/// A tensor memory address: lane in bits 31..16, column in bits 15..0. Only
/// the low seven bits of the lane count: kernels that add 128 times the CTA's
/// rank to it run on Blackwell.
struct TensorAddress {
  uint32_t lane = 0;
  uint32_t column = 0;
  explicit TensorAddress(uint32_t address)
      : lane((address >> 16) & 127), column(address & 0xffff) {}
};

class TensorMemory {
public:
  static constexpr uint32_t lanes = 128;
  static constexpr uint32_t columns = 512;
  /// Columns are handed out in units of this many.
  static constexpr uint32_t unit = 32;

  TensorMemory();
  ~TensorMemory();
  TensorMemory(const TensorMemory &) = delete;
  TensorMemory &operator=(const TensorMemory &) = delete;

  /// Forgets allocations and contents, for the next CTA.
  void reset();

  //===------------------------------------------------------------------===//
  // Allocation
  //===------------------------------------------------------------------===//

  enum class Allocation { Done, MustWait, Trap };

  /// tcgen05.alloc: `count` columns, a power of two in [32, 512]. Sets
  /// `address`, or says in `trap` which rule is broken: a count that is not
  /// such a power, one above that of an earlier allocation, or an allocation
  /// after relinquish_alloc_permit. The place is the lowest multiple of
  /// `count` that is free; the hardware's choice is not documented. New cells
  /// hold all ones, a NaN in every format, so that a result which depends on
  /// their contents shows, and does so in every run.
  Allocation allocate(uint32_t count, uint32_t &address, std::string &trap);
  /// The rules alone: false, with the one that is broken.
  bool mayAllocate(uint32_t count, std::string &trap) const;
  /// tcgen05.dealloc of an allocation with exactly this address and count.
  bool release(uint32_t address, uint32_t count, std::string &trap);
  /// tcgen05.relinquish_alloc_permit.
  void relinquish() { relinquished = true; }
  bool hasRelinquished() const { return relinquished; }
  /// Columns still allocated; must be 0 when the CTA exits.
  uint32_t allocatedColumns() const;

  /// True if [column, column + count) is allocated; else names in `trap` the
  /// first column that is not.
  bool checkAllocated(uint32_t column, uint32_t count, std::string &trap) const;

  //===------------------------------------------------------------------===//
  // Cells
  //===------------------------------------------------------------------===//

  /// The 128 cells of a column below 512.
  uint32_t *column(uint32_t index) { return cells.get() + index * lanes; }
  const uint32_t *column(uint32_t index) const {
    return cells.get() + index * lanes;
  }
  /// Cells from a column to the next.
  static constexpr uint32_t columnStride = lanes;

  /// One bit per lane.
  struct LaneSet {
    uint64_t low = 0, high = 0;
    bool contains(const LaneSet &other) const {
      return (other.low & ~low) == 0 && (other.high & ~high) == 0;
    }
    void insert(const LaneSet &other) {
      low |= other.low;
      high |= other.high;
    }
    bool test(uint32_t lane) const {
      return ((lane < 64 ? low : high) >> (lane & 63)) & 1;
    }
    /// Lanes [first, first + count).
    static LaneSet range(uint32_t first, uint32_t count);
  };

  /// Notes that these cells have been written since they were allocated.
  void markWritten(uint32_t index, const LaneSet &set) {
    written[index].insert(set);
    lastWrite[index] = ++writes;
  }
  /// Counts writes; grows with each.
  uint64_t writeCount() const { return writes; }
  /// True if one of the columns [first, first + count) has been written since
  /// writeCount() was `since`.
  bool writtenSince(uint32_t first, uint32_t count, uint64_t since) const {
    for (uint32_t c = first; c < first + count; ++c)
      if (lastWrite[c] > since)
        return true;
    return false;
  }
  const LaneSet &writtenLanes(uint32_t index) const { return written[index]; }
  /// True if every lane of `set` has been written in the columns [first,
  /// first + count); else names a cell that has not.
  bool checkWritten(uint32_t first, uint32_t count, const LaneSet &set,
                    std::string &trap) const;

private:
  static constexpr uint32_t units = columns / unit;
  std::unique_ptr<uint32_t[]> cells;
  std::array<LaneSet, columns> written{};
  std::array<uint64_t, columns> lastWrite{};
  uint64_t writes = 0;
  /// For the first unit of an allocation its size in units; 0 elsewhere.
  std::array<uint8_t, units> allocations{};
  uint32_t usedUnits = 0; ///< One bit per unit.
  uint32_t smallest = 0;  ///< Columns of the last allocation; 0 before it.
  bool relinquished = false;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TENSORMEMORY_H
