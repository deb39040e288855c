//===- Tcgen05MmaGeneral.h - Sparse and block-scaled mmas -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an mma with a sparse A, with block scaling, or with both computes one
// block of D. What A does not store takes no part at all, so that a NaN of B
// at such a place does not show.
//
// With Numerics::Fast a scaled sum is formed block by block of K: a chain of
// fp32 multiply-adds from zero, which is then multiplied by the two factors in
// double and added to D.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMAGENERAL_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMAGENERAL_H

#include "machine/Tcgen05Mma.h"
#include "machine/Tcgen05MmaKernels.h"

#include <string>

namespace bwgemm::emulator {

/// The operands of one block of D of one CTA.
struct GeneralBlock {
  const Mma &mma;
  const MmaBlock &block;
  const float *a; ///< (row, stored k) at a[k * rows + row], negation applied.
  Panel b;        ///< (column of the block, k)
  TensorMemory::LaneSet disabled;
};

/// Computes the block. On a read of tensor memory that was never written, or
/// on metadata without a meaning, returns false and names it.
bool multiplyGeneral(const GeneralBlock &work, TensorMemory &tensor,
                     Numerics numerics, std::string &error);

/// The sum of an i8 mma, modulo 2^32 or clamped.
uint32_t addSaturating(uint32_t d, int64_t sum, bool saturate);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMAGENERAL_H
