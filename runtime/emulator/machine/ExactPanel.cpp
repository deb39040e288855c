//===- ExactPanel.cpp - The integer model on panels -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactPanel.h"

#include "machine/HalfConvert.h"

#include <algorithm>
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
/// Products that are added in 32 bits: each has at most 27 bits in the window.
static constexpr uint32_t productsPerSum = 8;

namespace {
/// An operand, decomposed. Element (row, k) at k * rows + row.
struct Decomposed {
  std::vector<int32_t> magnitude, sign, exponent; ///< sign: 0 or -1.
  std::vector<int32_t> special; ///< Per row: nonzero if not all is finite.
  uint32_t rows = 0;

  void assign(ExactFormat format, const float *values, uint32_t rowStride,
              uint32_t kStride, uint32_t rows, uint32_t depth);
};

/// Where the terms of 16 rows and one column are, and their sums.
struct SumWork {
  const int32_t *magnitudeA, *signA, *exponentA;
  const int32_t *magnitudeB, *signB, *exponentB;
  uint32_t strideA, strideB, depth;
  int32_t shift;    ///< Window bits less the fraction bits of a product.
  int32_t addShift; ///< Window bits less those of the addend.
  int32_t floor;
  const float *c; ///< Addends, exact as f32.
  ExactFormat cFormat;
  int32_t scale;
  /// The window's unit is 2^(largest - window bits).
  int32_t largest[16];
  int64_t sum[16];
};
} // namespace

/// Sixteen values in the terms of the model; infinities and NaNs come out as
/// some number.
static inline __attribute__((always_inline)) void
decomposeValues(const float *values, ExactFormat format, int32_t *magnitudes,
                int32_t *signs, int32_t *exponents, int32_t *special,
                uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    int32_t bits = int32_t(floatToBits(values[i]));
    int32_t field = (bits >> 23) & 0xff, fraction = bits & 0x7fffff;
    int32_t significand = fraction | (field ? 0x800000 : 0);
    int32_t exponent = (field ? field : 1) - 127;
    // What is subnormal in the format may be normal as an f32.
    int32_t raw =
        exponent > format.smallestExponent ? exponent : format.smallestExponent;
    int32_t drop = 23 - format.fractionBits + (raw - exponent);
    drop = drop < 31 ? drop : 31;
    significand >>= drop;
    magnitudes[i] = significand;
    signs[i] = bits >> 31;
    exponents[i] = significand ? raw : zeroExponent;
    special[i] |= field == 0xff ? 1 : 0;
  }
}

void Decomposed::assign(ExactFormat format, const float *values,
                        uint32_t rowStride, uint32_t kStride, uint32_t rowCount,
                        uint32_t depth) {
  rows = rowCount;
  size_t count = size_t(rows) * depth;
  magnitude.resize(count);
  sign.resize(count);
  exponent.resize(count);
  special.assign(rows, 0);
  float column[256];
  for (uint32_t k = 0; k < depth; ++k)
    for (uint32_t row = 0; row < rows; row += 256) {
      uint32_t some = std::min(rows - row, 256u);
      const float *from = values + size_t(k) * kStride + row * rowStride;
      if (rowStride != 1) {
        for (uint32_t i = 0; i < some; ++i)
          column[i] = from[i * rowStride];
        from = column;
      }
      size_t at = size_t(k) * rows + row;
      decomposeValues(from, format, &magnitude[at], &sign[at], &exponent[at],
                      &special[row], some);
    }
}

/// Written for the vectoriser.
static inline __attribute__((always_inline)) void sumGroup(SumWork &work) {
  alignas(64) int32_t largest[16], magnitudeC[16], signC[16], exponentC[16],
      special[16] = {};
  decomposeValues(work.c, work.cFormat, magnitudeC, signC, exponentC, special,
                  16);
  for (int i = 0; i < 16; ++i) {
    exponentC[i] -= work.scale;
    largest[i] = exponentC[i] > work.floor ? exponentC[i] : work.floor;
  }
  for (uint32_t k = 0; k < work.depth; ++k) {
    int32_t b = work.exponentB[k * work.strideB];
    const int32_t *a = work.exponentA + k * work.strideA;
    for (int i = 0; i < 16; ++i) {
      int32_t exponent = a[i] + b;
      largest[i] = largest[i] > exponent ? largest[i] : exponent;
    }
  }
  int32_t up = work.addShift > 0 ? work.addShift : 0;
  int32_t down = work.addShift < 0 ? -work.addShift : 0;
  for (int i = 0; i < 16; ++i) {
    int32_t distance = largest[i] - exponentC[i] + down;
    distance = distance < 31 ? distance : 31;
    int32_t term = (magnitudeC[i] << up) >> distance;
    work.sum[i] = (term ^ signC[i]) - signC[i];
  }
  for (uint32_t first = 0; first < work.depth; first += productsPerSum) {
    uint32_t end = first + productsPerSum;
    end = end < work.depth ? end : work.depth;
    alignas(64) int32_t sum[16] = {};
    for (uint32_t k = first; k < end; ++k) {
      int32_t eB = work.exponentB[k * work.strideB];
      int32_t mB = work.magnitudeB[k * work.strideB];
      int32_t sB = work.signB[k * work.strideB];
      const int32_t *eA = work.exponentA + k * work.strideA;
      const int32_t *mA = work.magnitudeA + k * work.strideA;
      const int32_t *sA = work.signA + k * work.strideA;
      for (int i = 0; i < 16; ++i) {
        int32_t distance = largest[i] - (eA[i] + eB);
        distance = distance < 31 ? distance : 31;
        int32_t term = ((mA[i] * mB) << work.shift) >> distance;
        int32_t negative = sA[i] ^ sB;
        sum[i] += (term ^ negative) - negative;
      }
    }
    for (int i = 0; i < 16; ++i)
      work.sum[i] += sum[i];
  }
  std::memcpy(work.largest, largest, sizeof(largest));
}

using SumFunction = void (*)(SumWork &);

static void sumGroupPortable(SumWork &work) { sumGroup(work); }
#if BWGEMM_X86_VARIANTS
__attribute__((target("avx2"))) static void sumGroupAvx2(SumWork &work) {
  sumGroup(work);
}
__attribute__((
    target("avx512f,avx512bw,avx512vl,prefer-vector-width=512"))) static void
sumGroupAvx512(SumWork &work) {
  sumGroup(work);
}
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
  // The sum has at most 34 bits: exact as a double, and so is its scaling.
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

/// One element as exactDot forms it.
static uint32_t singleDot(const ExactMultiply &exact, uint32_t row, uint32_t n,
                          uint32_t c) {
  const PanelMultiply &work = exact.work;
  std::vector<ExactTerm> a(work.k), b(work.k);
  for (uint32_t k = 0; k < work.k; ++k) {
    a[k] = exactElement(exact.a, work.a[size_t(k) * work.groups * 16 + row]);
    b[k] = exactElement(exact.b,
                        work.b.data[n * work.b.rowStride + k * work.b.kStride]);
  }
  return exactDot(exact.model, a.data(), exact.a, b.data(), exact.b, work.k,
                  exactAddend(exact.model, c), exact.scale);
}

void multiplyExactly(const ExactMultiply &exact) {
  static thread_local Decomposed a, b;
  static const SumFunction sumFunction = chooseSumFunction();
  const PanelMultiply &work = exact.work;
  const ExactModel &model = exact.model;
  uint32_t m = work.groups * 16, depth = work.k;
  a.assign(exact.a, work.a, 1, m, m, depth);
  b.assign(exact.b, work.b.data, work.b.rowStride, work.b.kStride, work.n,
           depth);
  SumWork sums;
  sums.strideA = m;
  sums.strideB = work.n;
  sums.depth = depth;
  sums.shift = model.windowBits - exact.a.fractionBits - exact.b.fractionBits;
  sums.cFormat = model.addend();
  sums.addShift = model.windowBits - sums.cFormat.fractionBits;
  sums.floor = model.floor();
  sums.scale = int32_t(exact.scale);
  // Eight products below 2^(window bits + 2) fit 32 bits.
  bool fast = model.windowBits <= 25 && sums.shift >= 0;
  for (uint32_t n = 0; n < work.n; ++n)
    for (uint32_t group = 0; group < work.groups; ++group) {
      uint32_t lane = work.laneOffset[group];
      uint32_t *cells = exact.cells + size_t(n) * work.dColumnStride + lane;
      uint32_t c[16] = {};
      if (work.accumulate)
        std::memcpy(c, cells, sizeof(c));
      float addends[16];
      if (model.toF16())
        for (uint32_t i = 0; i < 16; ++i)
          addends[i] = f16ToFloat(uint16_t(c[i]));
      else
        std::memcpy(addends, c, sizeof(c));
      if (fast) {
        size_t atA = group * 16;
        sums.magnitudeA = &a.magnitude[atA];
        sums.signA = &a.sign[atA];
        sums.exponentA = &a.exponent[atA];
        sums.magnitudeB = &b.magnitude[n];
        sums.signB = &b.sign[n];
        sums.exponentB = &b.exponent[n];
        sums.c = addends;
        sumFunction(sums);
      }
      for (uint32_t i = 0; i < 16; ++i) {
        if ((exact.disabled[(lane + i) / 64] >> ((lane + i) % 64)) & 1)
          continue;
        uint32_t row = group * 16 + i;
        bool special = a.special[row] || b.special[n] ||
                       (floatToBits(addends[i]) & 0x7f800000) == 0x7f800000;
        if (!fast || special) {
          cells[i] = singleDot(exact, row, n, c[i]);
          continue;
        }
        int unit = sums.largest[i] - model.windowBits;
        if (model.output != ExactOutput::F32 ||
            !roundNormal(sums.sum[i], unit, cells[i]))
          cells[i] = exactRound(model, sums.sum[i], unit);
      }
    }
}

} // namespace bwgemm::emulator
