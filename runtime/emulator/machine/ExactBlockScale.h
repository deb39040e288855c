//===- ExactBlockScale.h - The integer model of scaled e2m1 -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How kind::mxf4 and mxf4nvf4 form a sum, after the model that was published
// together with its comparison against a B200 (github.com/sf-tensor/tcgen05).
// With R the largest exponent of a product that is not zero, scales included,
// S the largest sum of the exponents of the two scales of such a product, and c
// the exponent of an addend C that is not zero; exponents are those of the
// encodings, as in ExactDot.h:
//
// - The unit is 2^q, q = max(max(R, c) - 39, S - 35). C and exact partial sums
//   of products are truncated toward zero to it, their sum is rounded toward
//   zero to f32. If every product is zero, D is C.
// - UE8M0 scales: partial sums are over 16 products. One whose largest product
//   exponent is at most c is truncated to 2^(c - 35), if that is coarser. If
//   the result is subnormal, a partial sum whose scales are below S and whose
//   magnitude is below max(2^-174, 2^q) is left out.
// - UE4M3 scales: partial sums are over 4 products. If c >= R, they are over
//   16 and the unit is 2^(c - 35).
// - A scale, or an addend, that is a NaN gives 0x7fffffff; an infinite addend
//   stays.
//
// With a sparse A only what A stores is counted, so that 16 products span 32
// elements of K; that partial sums follow it is an assumption.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_EXACTBLOCKSCALE_H
#define BWGEMM_EMULATOR_MACHINE_EXACTBLOCKSCALE_H

#include "machine/Tcgen05Scale.h"

#include <cstdint>

namespace bwgemm::emulator {

/// One dot product of e2m1 elements.
struct ScaledDot {
  /// Twice each element, which is an integer; `depth` of them.
  const int8_t *a = nullptr;
  const int8_t *b = nullptr;
  unsigned depth = 0;      ///< K: a multiple of 16, at most 128.
  unsigned scaleBlock = 0; ///< Elements per scale: a multiple of 16.
  const ScaleFactor *scaleA = nullptr, *scaleB = nullptr;
  ScaleType type = ScaleType::UE8M0;
};

/// The f32 bits of D for the f32 bits of C.
uint32_t exactScaledDot(const ScaledDot &dot, uint32_t c);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_EXACTBLOCKSCALE_H
