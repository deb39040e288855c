//===- ExactKernels.h - The integer model, many sums at a time --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of the model of ExactDot.h, in variants for what the host can
// do. All come from one source (ExactKernelsBlock.h), written with vectors of
// different lengths, and give the same bits.
//
// They compute in f32, where every step is exact. A product of two elements has
// at most 22 bits. Multiplied by 2^(F - largest exponent), its integer part is
// the term in units of the window, truncated toward zero: that is a conversion
// to an integer. Sums of eight terms fit 32 bits. A sum is left to the caller
// (`single`) when one of its numbers is not finite, when the window lies where
// f32 products would not be exact or the result not normal, and when 32 bits
// do not hold it.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_EXACTKERNELS_H
#define BWGEMM_EMULATOR_MACHINE_EXACTKERNELS_H

#include "machine/ExactDot.h"

#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

/// One multiplication, its operands decomposed by ExactKernels::decompose. Rows
/// come in groups of 16 as in PanelMultiply.
struct ExactKernelWork {
  const float *a = nullptr;            ///< (m, k) at a[k * 16 * groups + m].
  const int16_t *aExponents = nullptr; ///< At the same places.
  const float *b = nullptr; ///< (n, k) at b[n * bRowStride + k * bKStride].
  const int16_t *bExponents = nullptr;
  size_t bRowStride = 1, bKStride = 1;
  uint32_t groups = 0, n = 0, k = 0;
  ExactModel model;  ///< F is at most 25.
  int32_t scale = 0; ///< C enters as C * 2^-scale.
  bool accumulate = false;
  /// f32, or f16 in the low half, as the model says.
  uint32_t *cells = nullptr;
  size_t columnStride = 0;
  const uint32_t *laneOffset = nullptr; ///< Of each group.
  /// Per row, 0 or -1: it holds numbers that are not finite; its cells stay as
  /// they are.
  const int32_t *rowSpecial = nullptr, *rowDisabled = nullptr;
  const int32_t *columnSpecial = nullptr; ///< Per column.
  bool hasExceptions = true;              ///< Else all of the three are zeros.
  /// Called for a sum that is left to the caller; its cell still holds C.
  void (*single)(const void *context, uint32_t row, uint32_t n) = nullptr;
  const void *context = nullptr;
};

struct ExactKernels {
  const char *name;
  /// Rows of one step; `groups * 16` must be a multiple of it.
  uint32_t rows;
  /// Splits `count` values of `format` into finite values and raw exponents.
  /// Returns true if some are not finite; those come out as zeros.
  bool (*decompose)(ExactFormat format, const float *values, size_t count,
                    float *finite, int16_t *exponents);
  void (*multiply)(const ExactKernelWork &work);
};

/// The variants that this host can run, best first; null-terminated. The last
/// one takes any number of groups.
const ExactKernels *const *availableExactKernels();

/// Null if the host or the build has no such instructions.
const ExactKernels *avx2ExactKernels();
const ExactKernels *avx512ExactKernels();

/// True if the products of such elements are exact in f32.
constexpr bool exactKernelsTake(const ExactModel &model, ExactFormat a,
                                ExactFormat b) {
  return model.windowBits <= 25 && a.fractionBits + b.fractionBits <= 20;
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_EXACTKERNELS_H
