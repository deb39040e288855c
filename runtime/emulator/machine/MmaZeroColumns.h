//===- MmaZeroColumns.h - Columns of B that count as zero -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64-bit operand of tcgen05.mma.ws that says which columns of B are zero
// whatever shared memory holds (PTX ISA, "Zero-Column Mask Descriptor"):
//
//   bits    field
//   0..31   start counts 0 to 3, eight bits each
//   32..35  first spans 0 to 3
//   39      1: there is a mask
//   40..47  skip span: columns in a row that are zero, less 1
//   48..55  use span: columns in a row that are used, less 1
//   56..61  column shift
//
// The mask has one part for M = 128, two for M = 64 and four for M = 32, which
// cover equal parts of N. Part i alternates spans of zero and of used columns,
// begins with a zero span if first span i is 1, and its first `start count i`
// columns are left out. That the skip span counts zero columns is what all
// examples of the ISA show; its table says it the other way round.
//
// With a column shift s, columns s to s + N - 1 of B take part; the mask
// applies to those (assumed: the ISA has no example).
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MMAZEROCOLUMNS_H
#define BWGEMM_EMULATOR_MACHINE_MMAZEROCOLUMNS_H

#include <array>
#include <cstdint>
#include <string>

namespace bwgemm::emulator {

struct MmaZeroColumns {
  std::array<uint64_t, 4> mask{}; ///< Bit n % 64 of word n / 64: column n.
  uint32_t shift = 0;

  /// True if B is not simply used as it is.
  bool used() const { return shift || any(); }
  bool any() const { return mask[0] | mask[1] | mask[2] | mask[3]; }
  bool test(uint32_t column) const {
    return (mask[column / 64] >> (column % 64)) & 1;
  }

  /// Decodes `bits` for an mma of M x N. `maxShift` is what the instruction
  /// descriptor allows. On an illegal field returns false and names it.
  static bool decode(uint64_t bits, uint32_t m, uint32_t n, uint32_t maxShift,
                     MmaZeroColumns &result, std::string &error);
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MMAZEROCOLUMNS_H
