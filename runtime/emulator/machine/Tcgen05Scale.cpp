//===- Tcgen05Scale.cpp - Scale factors in tensor memory --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bwgemm::emulator {

ScaleFactor decodeScale(ScaleType type, uint8_t bits) {
  ScaleFactor factor;
  if (type == ScaleType::UE8M0) {
    factor.exponent = int(bits) - 127;
    factor.nan = bits == 255;
  } else {
    int field = (bits >> 3) & 15, fraction = bits & 7;
    factor.fractionBits = 3;
    factor.exponent = (field ? field : 1) - 7;
    factor.significand = field ? 8 | fraction : fraction;
    factor.nan = (bits & 127) == 127;
  }
  factor.value = factor.nan ? std::numeric_limits<double>::quiet_NaN()
                            : std::ldexp(double(factor.significand),
                                         factor.exponent - factor.fractionBits);
  return factor;
}

bool readScales(const TensorMemory &tensor, uint32_t column, uint32_t id,
                uint32_t rows, uint32_t blocks, ScaleTable &table,
                std::string &error) {
  table.rows = rows;
  table.blocks = blocks;
  table.bits.resize(size_t(4) * rows * blocks);
  for (uint32_t first = 0; first < rows; first += 32) {
    uint32_t count = std::min(rows - first, 32u);
    const uint32_t *cells = tensor.column(column + first / 32);
    TensorMemory::LaneSet needed;
    for (uint32_t group = 0; group < 4; ++group)
      needed.insert(TensorMemory::LaneSet::range(32 * group, count));
    if (!tensor.checkWritten(column + first / 32, 1, needed, error))
      return false;
    for (uint32_t group = 0; group < 4; ++group)
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t cell = cells[32 * group + i];
        uint8_t *to = &table.bits[(size_t(group) * rows + first + i) * blocks];
        for (uint32_t s = 0; s < blocks; ++s)
          to[s] = uint8_t(cell >> (8 * (id + s)));
      }
  }
  return true;
}

} // namespace bwgemm::emulator
