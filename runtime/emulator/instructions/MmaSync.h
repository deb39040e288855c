//===- MmaSync.h - What the handlers of mma.sync know -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_MMASYNC_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_MMASYNC_H

#include "machine/Warp.h"
#include "machine/WarpMma.h"

#include <cstdint>
#include <string_view>

namespace bwgemm::emulator {

/// Which elements of a row of A are stored (PTX ISA, "Sparse matrix storage"):
/// of every `chunk` elements, two groups of `group`, chosen by 4 bits of
/// metadata.
struct WarpSparsity {
  unsigned chunk = 0; ///< 4, 2 (tf32) or 8 (4-bit elements); 0: A is dense.
  unsigned group = 1;
  unsigned selector = 0; ///< Which lanes of four hold the metadata.
  /// A lane's metadata are of two rows, in its halves (16- and 32-bit types).
  bool halves = false;
};

/// A decoded mma.sync, in Instruction::data. Operands: vectors of D, A, B, C;
/// then the metadata if A is sparse; then the factors of A, their byte and
/// thread numbers, and the same of B, if there is block scaling.
struct WarpMmaForm {
  unsigned rows = 16; ///< Of A and D; D has 8 columns.
  unsigned k = 0;
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  bool cIsF16 = false, dIsF16 = false;
  WarpSparsity sparsity;
  /// Factors along K; 0 if there is no block scaling.
  unsigned scaleBlocks = 0;
  ScaleType scaleType = ScaleType::UE8M0;
  /// Integers: bits and signs of the elements; clamping of D.
  unsigned integerBits = 0;
  bool aIsSigned = false, bIsSigned = false, saturates = false;
  /// b1: exclusive or before counting, else and.
  bool isXor = false;
  /// m8n8k4: A and B by columns, respectively by rows.
  bool aByColumns = false, bByRows = false;
  uint64_t flops = 0;
};

inline const WarpMmaForm &warpMmaForm(const Instruction &i) {
  return *static_cast<const WarpMmaForm *>(i.data);
}

/// The bytes of the registers of A or B: those of row r at r * rowBytes. A
/// register is 8 rows of 16 bytes; with 16 rows, two side by side are one block
/// of K.
void gatherRows(const Warp &w, const Operand &fragment, unsigned rows,
                unsigned rowBytes, uint8_t *bytes);
/// C as cells[row][8] of 32 bits: f32 or s32 bits, or f16 in the low half.
void gatherCells(const Warp &w, const Operand &fragment, bool isF16,
                 uint32_t *cells);
void scatterCells(Warp &w, const Operand &fragment, bool isF16,
                  const uint32_t *cells);

/// Spreads what is stored of A's rows, `stored[rows][k / 2]`, to
/// `full[rows][k]`, zero elsewhere. False after a trap.
bool spreadSparse(Warp &w, const Instruction &i, const WarpMmaForm &form,
                  const float *stored, float *full);
bool spreadSparse(Warp &w, const Instruction &i, const WarpMmaForm &form,
                  const int16_t *stored, int16_t *full);
/// Reads the factors of block scaling. False after a trap.
bool readWarpScales(Warp &w, const Instruction &i, const WarpMmaForm &form,
                    WarpScales &scales);

/// "m16n8k32" to its numbers; false if it is no shape.
bool parseMmaShape(std::string_view word, unsigned &m, unsigned &n,
                   unsigned &k);

// Handlers.
Step warpMmaHalves(Warp &w, const Instruction &i, LaneMask mask);
Step warpMmaFloats(Warp &w, const Instruction &i, LaneMask mask);
Step warpMmaIntegers(Warp &w, const Instruction &i, LaneMask mask);
Step warpMmaBits(Warp &w, const Instruction &i, LaneMask mask);
Step warpMmaDoubles(Warp &w, const Instruction &i, LaneMask mask);
Step warpMmaQuads(Warp &w, const Instruction &i, LaneMask mask);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_MMASYNC_H
