//===- WarpMma.h - Elements and numerics of one warp's mma ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mma.sync computes, apart from registers: the values of its elements,
// and how each generation of tensor cores forms the sums.
//
// - sm_90 and later: F = 25, one window over the whole K (measured bit for bit
//   on an H200; published for Blackwell). On sm_90 8-bit floating point goes
//   through f16: the products with k mod 4 in {0, 1}, then those with {2, 3}
//   onto them, then C is added in an f32 or f16 addition (measured).
// - sm_75 to sm_89: F = 24 and windows of 16 bytes of K, one after the other,
//   the result of one being the C of the next. On sm_89 F = 13 for 8-bit
//   floating point, whose f32 results keep 13 fraction bits (published, by Xie
//   and others in MMA-Sim; not measured here).
// - sm_70: F = 23, windows of four elements (published likewise).
// - Block scaling (sm_120): scales add to exponents with F = 25 (published
//   likewise); e2m1 as on sm_100 (ExactBlockScale.h), which is assumed.
//
// That the exponent floor and the zeros of the other generations are Hopper's
// is an assumption, as is the window of sparse forms: that of the dense form
// of the same K.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_WARPMMA_H
#define BWGEMM_EMULATOR_MACHINE_WARPMMA_H

#include "machine/ExactDot.h"
#include "machine/Tcgen05Scale.h"

#include <cstdint>

namespace bwgemm::emulator {

/// Bits that an element takes in a register: 4 for PackedE2M1, 8 for the other
/// types of 8 or fewer bits, whose place in the byte MmaElement.h gives.
unsigned warpElementBits(MmaElement element);
/// Values of `count` elements, in the order of their bits.
void unpackWarpElements(MmaElement element, const uint8_t *bytes,
                        unsigned count, float *values);

/// One D = A B + C: a[16][k], b[8][k], and bits of f32, or of f16 in the low
/// half if `toF16`, in cells[16][8].
struct WarpExact {
  unsigned arch = 0; ///< 90 for sm_90.
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  bool toF16 = false;
  bool sparse = false;
  unsigned k = 0;
  const float *aValues = nullptr, *bValues = nullptr;
  uint32_t *cells = nullptr;
};
void warpMmaExactly(const WarpExact &work);

/// The factors of `k / blocks` elements each of the rows of A and the columns
/// of B: a[16][blocks], b[8][blocks]. D is f32.
struct WarpScales {
  ScaleType type = ScaleType::UE8M0;
  unsigned blocks = 1;
  ScaleFactor a[16 * 4], b[8 * 4];
};
void warpMmaScaledExactly(const WarpExact &work, const WarpScales &scales);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_WARPMMA_H
