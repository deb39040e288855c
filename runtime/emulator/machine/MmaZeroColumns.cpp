//===- MmaZeroColumns.cpp - Columns of B that count as zero -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MmaZeroColumns.h"

namespace bwgemm::emulator {

static uint32_t field(uint64_t bits, unsigned from, unsigned width) {
  return uint32_t((bits >> from) & ((1ull << width) - 1));
}

bool MmaZeroColumns::decode(uint64_t bits, uint32_t m, uint32_t n,
                            uint32_t maxShift, MmaZeroColumns &result,
                            std::string &error) {
  result = {};
  if (field(bits, 36, 3) || field(bits, 62, 2)) {
    error = "zero-column mask descriptor: a reserved bit (36 to 38, 62 or 63) "
            "is set";
    return false;
  }
  result.shift = field(bits, 56, 6);
  uint32_t limit = m == 32 ? 16 : 32;
  if (result.shift > limit || result.shift > maxShift) {
    error = "zero-column mask descriptor: column shift " +
            std::to_string(result.shift) + ", expected at most " +
            (result.shift > limit
                 ? std::to_string(limit) + " for M = " + std::to_string(m)
                 : std::to_string(maxShift) +
                       ", the maximum shift in bits 30 and 31 of the "
                       "instruction descriptor");
    return false;
  }
  if (!field(bits, 39, 1))
    return true;
  uint32_t zeros = field(bits, 40, 8) + 1, used = field(bits, 48, 8) + 1;
  uint32_t parts = 128 / m, width = n / parts;
  for (uint32_t part = 0; part < parts; ++part) {
    // Where in a period of a zero span and a used span the part begins.
    uint32_t position = field(bits, 8 * part, 8);
    if (!field(bits, 32 + part, 1))
      position += zeros;
    for (uint32_t i = 0; i < width; ++i, ++position) {
      uint32_t column = part * width + i;
      if (position % (zeros + used) < zeros)
        result.mask[column / 64] |= 1ull << (column % 64);
    }
  }
  return true;
}

} // namespace bwgemm::emulator
