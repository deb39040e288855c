//===- Tcgen05Sparse.cpp - Which elements a sparse A stores -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Sparse.h"

namespace bwgemm::emulator {

static uint32_t chunkBits(bool wide, const MmaBlock &block, uint32_t row,
                          uint32_t chunk, uint32_t column,
                          const TensorMemory &tensor) {
  uint32_t lane = block.lane[row / 16], r = row % 16;
  if (wide)
    return tensor.column(column)[lane + r % 8 + 8 * (chunk / 4)] >>
           (16 * (r / 8) + 4 * (chunk % 4));
  return tensor.column(column + chunk / 8)[lane + r] >> (4 * (chunk % 8));
}

/// Places the stored elements of one chunk at `to`; false if the bits have no
/// meaning.
static bool placeChunk(MmaElement a, uint32_t bits, uint32_t chunk,
                       uint8_t *to) {
  if (a == MmaElement::TF32) {
    to[0] = uint8_t(2 * chunk + (bits == 0xe));
    return bits == 0x4 || bits == 0xe;
  }
  uint32_t first = bits & 3, second = bits >> 2;
  if (a == MmaElement::PackedE2M1) {
    to[0] = uint8_t(8 * chunk + 2 * first);
    to[2] = uint8_t(8 * chunk + 2 * second);
    to[1] = uint8_t(to[0] + 1);
    to[3] = uint8_t(to[2] + 1);
  } else {
    to[0] = uint8_t(4 * chunk + first);
    to[1] = uint8_t(4 * chunk + second);
  }
  return first < second || bits == 0x6;
}

static std::string describeBits(MmaElement a, uint32_t bits, uint32_t row,
                                uint32_t chunk) {
  static const char digits[] = "0123456789abcdef";
  return std::string("sparsity metadata 0x") + digits[bits] + " of row " +
         std::to_string(row) + ", chunk " + std::to_string(chunk) +
         " has no meaning: expected " +
         (a == MmaElement::TF32 ? "0x4 or 0xe"
                                : "0x4, 0x6, 0x8, 0x9, 0xc, 0xd or 0xe");
}

bool readSparseIndices(MmaElement a, const MmaBlock &block, uint32_t column,
                       const TensorMemory &tensor, SparseIndices &result,
                       std::string &error) {
  uint32_t columns = metadataColumns(a);
  if (!tensor.checkAllocated(column, columns, error) ||
      !tensor.checkWritten(column, columns, block.lanes(), error)) {
    error = "sparsity metadata: " + error;
    return false;
  }
  bool wide = columns == 1;
  uint32_t chunks = wide ? 8 : 16, rows = 16 * block.groups;
  result.stored = 2 * mmaElementsPerChunk(a);
  result.index.resize(size_t(rows) * result.stored);
  uint32_t perChunk = result.stored / chunks;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      uint32_t bits = chunkBits(wide, block, row, chunk, column, tensor) & 15;
      if (!placeChunk(a, bits, chunk,
                      &result.index[row * result.stored + chunk * perChunk])) {
        error = describeBits(a, bits, row, chunk);
        return false;
      }
    }
  return true;
}

} // namespace bwgemm::emulator
