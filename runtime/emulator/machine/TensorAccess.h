//===- TensorAccess.h - Register maps of tcgen05.ld and .st -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which cell of tensor memory each register of each thread of a warp stands
// for (PTX ISA, "tcgen05.ld"). With t the lane of the thread and r the index
// of the register, relative to the address of the instruction:
//
//   32x32b    lane t                      column r
//   16x64b    lane 8*(t%2) + t/4          column 2*r + (t/2)%2
//   16x128b   lane t/4 + 8*(r%2)          column 4*(r/2) + t%4
//   16x256b   lane t/4 + 8*((r/2)%2)      column 8*(r/4) + 2*(t%4) + r%2
//   16x32bx2  lane t%16                   column r + (t/16) * split offset
//
// With pack::16b or unpack::16b a register stands for the low halves of two
// cells: columns 2*c (low half of the register) and 2*c + 1 (high half), where
// c is the column above; the split offset stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TENSORACCESS_H
#define BWGEMM_EMULATOR_MACHINE_TENSORACCESS_H

#include "machine/TensorMemory.h"

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

enum class TensorShape : uint8_t {
  S32x32b,
  S16x64b,
  S16x128b,
  S16x256b,
  S16x32bx2,
};

/// The shape qualifier of a tcgen05.ld or tcgen05.st, and what follows from
/// it.
struct TensorAccess {
  TensorShape shape = TensorShape::S32x32b;
  uint32_t repeat = 1;      ///< N of .xN: a power of two up to 128.
  bool packed = false;      ///< pack::16b or unpack::16b.
  uint32_t splitOffset = 0; ///< Of 16x32bx2, in columns.

  struct Cell {
    uint32_t lane, column;
  };

  static constexpr uint32_t maxRegisters = 128;

  /// False, with the reason, if the shape does not come with this repeat.
  bool check(std::string &error) const;
  /// Registers of each thread.
  uint32_t registers() const;
  /// Lanes that a warp touches: 32 or 16.
  uint32_t lanes() const { return shape == TensorShape::S32x32b ? 32 : 16; }
  /// One past the highest column offset.
  uint32_t columns() const;
  /// The cell of register `r` of the thread in lane `t`; if packed, that of
  /// its low half, and the high half's is the next column.
  Cell cell(uint32_t t, uint32_t r) const;

  /// Checks the address against the warp's quarter of the lanes (`quarter` =
  /// warp index % 4) and against the allocation.
  bool checkAddress(const TensorAddress &address, uint32_t quarter,
                    const TensorMemory &tensor, std::string &trap) const;
  /// True if every cell that is read has been written.
  bool checkWritten(const TensorAddress &address, const TensorMemory &tensor,
                    std::string &trap) const;

  /// Reads into `values`: register r of lane t at values[32 * r + t].
  void load(const TensorMemory &tensor, const TensorAddress &address,
            uint32_t *values) const;
  /// Writes from `values`, laid out as for load.
  void store(TensorMemory &tensor, const TensorAddress &address,
             const uint32_t *values) const;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TENSORACCESS_H
