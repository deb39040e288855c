//===- Tcgen05Scale.h - Scale factors in tensor memory ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block scaling (PTX ISA, "Block scaling for tcgen05.mma"): K is divided into
// one, two or four equal blocks (scale_vec::1X, 2X, 4X), and every row of A and
// column of B has one factor for each.
//
// Row i of a matrix of scale factors lies in lane i % 32 of column i / 32
// behind the address, in each of the four groups of 32 lanes, and its factor of
// block s in byte id + s of the cell. A group of lanes multiplies with its own
// copy, so that all four must be there. Where D's columns are spread over two
// sets of lanes (layout B), the lanes of the second half hold the factors of
// the second half of B's columns.
//
// The ISA gives the placement in figures; this is what public kernel libraries
// build.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05SCALE_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05SCALE_H

#include "machine/TensorMemory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// The codes of bit 23 of the instruction descriptor.
enum class ScaleType : uint8_t { UE4M3 = 0, UE8M0 = 1 };

/// A factor: significand * 2^(exponent - fraction bits), or a NaN.
struct ScaleFactor {
  int32_t significand = 1;
  int32_t exponent = 0; ///< Of a UE4M3 subnormal: -6, that of the smallest
                        ///< normal number.
  int32_t fractionBits = 0;
  bool nan = false;
  double value = 1;
};

/// Decodes a factor. UE8M0 is 2^(bits - 127), 255 a NaN; UE4M3 are the bits of
/// a positive e4m3, bit 7 being ignored.
ScaleFactor decodeScale(ScaleType type, uint8_t bits);

/// The factors of consecutive rows, as the four groups of lanes see them:
/// row r, block s, group q at (q * rows + r) * blocks + s.
struct ScaleTable {
  uint32_t rows = 0, blocks = 0;
  std::vector<uint8_t> bits;

  const uint8_t *of(uint32_t group, uint32_t row) const {
    return &bits[(size_t(group) * rows + row) * blocks];
  }
};

/// Columns that the factors of `rows` rows take.
inline uint32_t scaleColumns(uint32_t rows) { return (rows + 31) / 32; }

/// Reads `blocks` factors, from byte `id` on, of each of `rows` rows. On a
/// cell that was never written returns false and names it.
bool readScales(const TensorMemory &tensor, uint32_t column, uint32_t id,
                uint32_t rows, uint32_t blocks, ScaleTable &table,
                std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05SCALE_H
