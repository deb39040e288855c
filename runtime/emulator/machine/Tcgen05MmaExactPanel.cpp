//===- Tcgen05MmaExactPanel.cpp - The integer model on panels ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaExactPanel.h"

#include "machine/HalfConvert.h"
#include "machine/Tcgen05MmaExact.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define BWGEMM_X86_VARIANTS 1
#else
#define BWGEMM_X86_VARIANTS 0
#endif

namespace bwgemm::emulator {

/// The exponent of a zero: so low that no window is set by it, and that its
/// terms are shifted out.
static constexpr int32_t zeroExponent = -100000;

namespace {
/// An operand, decomposed. Element (row, k) at k * rows + row.
struct Decomposed {
  std::vector<ExactTerm> terms; ///< For the way one by one: row * depth + k.
  std::vector<int32_t> magnitude, sign, exponent; ///< sign: 0 or -1.
  std::vector<uint8_t> special; ///< Per row: holds an infinity or NaN.

  void assign(MmaElement element, const float *values, uint32_t rowStride,
              uint32_t kStride, uint32_t rows, uint32_t depth);
};

/// Sixteen sums: the window's unit is 2^(largest - 25).
struct Sums {
  int32_t largest[16];
  int32_t low[16], high[16]; ///< Of the first and the second half of K.
};
} // namespace

void Decomposed::assign(MmaElement element, const float *values,
                        uint32_t rowStride, uint32_t kStride, uint32_t rows,
                        uint32_t depth) {
  size_t count = size_t(rows) * depth;
  terms.resize(count);
  magnitude.resize(count);
  sign.resize(count);
  exponent.resize(count);
  special.assign(rows, 0);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < depth; ++k) {
      ExactTerm term =
          exactElement(element, values[row * rowStride + k * kStride]);
      terms[size_t(row) * depth + k] = term;
      size_t at = size_t(k) * rows + row;
      magnitude[at] = std::abs(term.significand);
      sign[at] = term.significand < 0 ? -1 : 0;
      exponent[at] = term.significand ? term.exponent : zeroExponent;
      special[row] |= term.kind != ExactTerm::Class::Finite;
    }
}

/// Sums of 16 rows and one column with f32 addends in `c`. A product has at
/// most 27 bits in the window. `shift` is 25 less the fraction bits of a
/// product. Written for the vectoriser.
static inline __attribute__((always_inline)) void
sumGroup(const int32_t *magnitudeA, const int32_t *signA,
         const int32_t *exponentA, uint32_t strideA, const int32_t *magnitudeB,
         const int32_t *signB, const int32_t *exponentB, uint32_t strideB,
         uint32_t depth, int32_t shift, const uint32_t *c, int32_t scale,
         Sums &sums) {
  alignas(64) int32_t largest[16], low[16], high[16], cMagnitude[16],
      cExponent[16], cSign[16];
  for (int i = 0; i < 16; ++i) {
    int32_t field = int32_t((c[i] >> 23) & 0xff);
    int32_t fraction = int32_t(c[i] & 0x7fffff);
    cMagnitude[i] = fraction | (field ? 0x800000 : 0);
    int32_t exponent = (field ? field : 1) - 127 - scale;
    cExponent[i] = cMagnitude[i] ? exponent : zeroExponent;
    cSign[i] = int32_t(c[i]) >> 31;
    largest[i] = cExponent[i] > -133 ? cExponent[i] : -133;
  }
  for (uint32_t k = 0; k < depth; ++k) {
    int32_t b = exponentB[k * strideB];
    const int32_t *a = exponentA + k * strideA;
    for (int i = 0; i < 16; ++i) {
      int32_t exponent = a[i] + b;
      largest[i] = largest[i] > exponent ? largest[i] : exponent;
    }
  }
  for (int i = 0; i < 16; ++i) {
    // C has 23 fraction bits: two fewer than the window.
    int32_t distance = largest[i] - cExponent[i];
    distance = distance < 31 ? distance : 31;
    int32_t term = (cMagnitude[i] << 2) >> distance;
    low[i] = (term ^ cSign[i]) - cSign[i];
    high[i] = 0;
  }
  for (uint32_t k = 0; k < depth; ++k) {
    int32_t eB = exponentB[k * strideB], mB = magnitudeB[k * strideB],
            sB = signB[k * strideB];
    const int32_t *eA = exponentA + k * strideA;
    const int32_t *mA = magnitudeA + k * strideA;
    const int32_t *sA = signA + k * strideA;
    int32_t *sum = k < 7 ? low : high;
    for (int i = 0; i < 16; ++i) {
      int32_t distance = largest[i] - (eA[i] + eB);
      distance = distance < 31 ? distance : 31;
      int32_t term = ((mA[i] * mB) << shift) >> distance;
      int32_t negative = sA[i] ^ sB;
      sum[i] += (term ^ negative) - negative;
    }
  }
  std::memcpy(sums.largest, largest, sizeof(largest));
  std::memcpy(sums.low, low, sizeof(low));
  std::memcpy(sums.high, high, sizeof(high));
}

using SumFunction = void (*)(const int32_t *, const int32_t *, const int32_t *,
                             uint32_t, const int32_t *, const int32_t *,
                             const int32_t *, uint32_t, uint32_t, int32_t,
                             const uint32_t *, int32_t, Sums &);

#define BWGEMM_SUM_GROUP(Name, Target)                                         \
  Target static void Name(const int32_t *magnitudeA, const int32_t *signA,     \
                          const int32_t *exponentA, uint32_t strideA,          \
                          const int32_t *magnitudeB, const int32_t *signB,     \
                          const int32_t *exponentB, uint32_t strideB,          \
                          uint32_t depth, int32_t shift, const uint32_t *c,    \
                          int32_t scale, Sums &sums) {                         \
    sumGroup(magnitudeA, signA, exponentA, strideA, magnitudeB, signB,         \
             exponentB, strideB, depth, shift, c, scale, sums);                \
  }

BWGEMM_SUM_GROUP(sumGroupPortable, )
#if BWGEMM_X86_VARIANTS
BWGEMM_SUM_GROUP(sumGroupAvx2, __attribute__((target("avx2"))))
BWGEMM_SUM_GROUP(sumGroupAvx512,
                 __attribute__((target(
                     "avx512f,avx512bw,avx512vl,prefer-vector-width=512"))))
#endif

static SumFunction chooseSumFunction() {
#if BWGEMM_X86_VARIANTS
  if (avx512MmaKernels())
    return sumGroupAvx512;
  if (avx2MmaKernels())
    return sumGroupAvx2;
#endif
  return sumGroupPortable;
}

/// sum * 2^unit to f32, toward zero; false outside of the normal numbers.
static bool roundNormal(int64_t sum, int unit, uint32_t &result) {
  if (sum == 0) {
    result = 0;
    return true;
  }
  // The sum has at most 33 bits: exact as a double, and so is its scaling.
  double value = double(sum);
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  int exponent = int((bits >> 52) & 0x7ff) - 1023 + unit;
  if (exponent < -126 || exponent > 127)
    return false;
  result = uint32_t(bits >> 63) << 31 | uint32_t(exponent + 127) << 23 |
           uint32_t((bits >> 29) & 0x7fffff);
  return true;
}

void multiplyExactly(const ExactMultiply &exact) {
  static thread_local Decomposed a, b;
  static const SumFunction sumFunction = chooseSumFunction();
  const PanelMultiply &work = exact.work;
  uint32_t m = work.groups * 16, depth = work.k;
  a.assign(exact.shape.a, work.a, 1, m, m, depth);
  b.assign(exact.shape.b, work.b.data, work.b.rowStride, work.b.kStride, work.n,
           depth);
  int fractionA = exactFractionBits(exact.shape.a);
  int fractionB = exactFractionBits(exact.shape.b);
  // `low` takes C, below 2^26, and seven products below 2^27; `high` takes up
  // to nine more. Both stay below 2^31.
  bool fast = exact.shape.d == MmaAccumulator::F32 && depth <= 16;
  for (uint32_t n = 0; n < work.n; ++n)
    for (uint32_t group = 0; group < work.groups; ++group) {
      uint32_t lane = work.laneOffset[group];
      uint32_t *cells = exact.cells + n * work.dColumnStride + lane;
      uint32_t c[16] = {};
      if (work.accumulate)
        std::memcpy(c, cells, sizeof(c));
      Sums sums;
      if (fast)
        sumFunction(&a.magnitude[group * 16], &a.sign[group * 16],
                    &a.exponent[group * 16], m, &b.magnitude[n], &b.sign[n],
                    &b.exponent[n], work.n, depth, 25 - fractionA - fractionB,
                    c, int32_t(exact.scale), sums);
      for (uint32_t i = 0; i < 16; ++i) {
        if ((exact.disabled[(lane + i) / 64] >> ((lane + i) % 64)) & 1)
          continue;
        uint32_t row = group * 16 + i;
        bool special =
            a.special[row] || b.special[n] || (c[i] & 0x7f800000) == 0x7f800000;
        if (fast && !special &&
            roundNormal(int64_t(sums.low[i]) + sums.high[i],
                        sums.largest[i] - 25, cells[i]))
          continue;
        ExactTerm addend;
        if (work.accumulate)
          addend = exactAddend(exact.shape.d, c[i]);
        cells[i] = exactDot(&a.terms[size_t(row) * depth], fractionA,
                            &b.terms[size_t(n) * depth], fractionB, depth,
                            addend, exact.scale, exact.shape.d);
      }
    }
}

} // namespace bwgemm::emulator
