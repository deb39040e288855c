//===- Tcgen05Sparse.h - Which elements a sparse A stores -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of tcgen05.mma.sp (PTX ISA, "Sparse matrices"): four bits for
// every 2 (tf32), 4 or 8 (mxf4, mxf4nvf4) elements along K, half of which A
// stores. They hold two 2-bit indices, lower bits first:
//
//   tf32           0b0100 the first, 0b1110 the second of two elements
//   8 and 16 bits  the two stored elements of four
//   mxf4, mxf4nvf4 the two stored pairs of four pairs
//
// Both indices ascend, or are 2 and 1. In tensor memory, with L the lane of the
// first of 16 consecutive rows (MmaPlacement.h), row r of them and chunk c of
// four bits:
//
//   f16, tf32  lane L + r % 8 + 8 * (c / 4), column S, bits 16 * (r / 8) +
//              4 * (c % 4), where S is the sparsity selector, 0 or 1
//   others     lane L + r, column c / 8, bits 4 * (c % 8)
//
// The ISA shows these in figures; the table is what public kernel libraries
// build, and B200 programs published with their results use.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05SPARSE_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05SPARSE_H

#include "machine/MmaElement.h"
#include "machine/MmaPlacement.h"
#include "machine/TensorMemory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// The place along K of each element that A stores: of row r, element j at
/// index[r * stored + j].
struct SparseIndices {
  uint32_t stored = 0; ///< Elements that a row stores: K / 2.
  std::vector<uint8_t> index;
};

/// Columns that the metadata of one instruction takes.
inline uint32_t metadataColumns(MmaElement a) {
  return mmaElementBytes(a) > 1 ? 1 : 2;
}

/// Reads the metadata of the rows of `block` from `column` on. On a cell that
/// was never written, or bits without a meaning, returns false and names them.
bool readSparseIndices(MmaElement a, const MmaBlock &block, uint32_t column,
                       const TensorMemory &tensor, SparseIndices &result,
                       std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05SPARSE_H
