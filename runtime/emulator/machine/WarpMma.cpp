//===- WarpMma.cpp - Elements and numerics of one warp's mma ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/WarpMma.h"

#include "machine/ExactBlockScale.h"
#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

unsigned warpElementBits(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::BF16:
    return 16;
  case MmaElement::TF32:
    return 32;
  case MmaElement::PackedE2M1:
    return 4;
  default:
    return 8;
  }
}

namespace {
/// The values of all bytes of the 8-bit containers.
struct ByteTable {
  float values[256];
  explicit ByteTable(MmaElement element) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      float cell[maxElementsPerChunk];
      loadMmaCell(element, bits, cell);
      values[bits] = cell[0];
    }
  }
};
} // namespace

static const float *byteTable(MmaElement element) {
  static const ByteTable e4m3(MmaElement::E4M3), e5m2(MmaElement::E5M2),
      e3m2(MmaElement::E3M2), e2m3(MmaElement::E2M3), e2m1(MmaElement::E2M1);
  switch (element) {
  case MmaElement::E5M2:
    return e5m2.values;
  case MmaElement::E3M2:
    return e3m2.values;
  case MmaElement::E2M3:
    return e2m3.values;
  case MmaElement::E2M1:
    return e2m1.values;
  default:
    return e4m3.values;
  }
}

void unpackWarpElements(MmaElement element, const uint8_t *bytes,
                        unsigned count, float *values) {
  switch (element) {
  case MmaElement::F16:
    for (unsigned i = 0; i < count; ++i) {
      // Scaled by a product, so that the loop has no branch.
      uint16_t bits;
      std::memcpy(&bits, bytes + 2 * i, 2);
      uint32_t magnitude =
          floatToBits(bitsToFloat(uint32_t(bits & 0x7fff) << 13) * 0x1p112f);
      magnitude |= (bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
      values[i] = bitsToFloat(magnitude | uint32_t(bits & 0x8000) << 16);
    }
    return;
  case MmaElement::BF16:
    for (unsigned i = 0; i < count; ++i) {
      uint16_t bits;
      std::memcpy(&bits, bytes + 2 * i, 2);
      values[i] = bf16ToFloat(bits);
    }
    return;
  case MmaElement::TF32:
    for (unsigned i = 0; i < count; ++i) {
      uint32_t bits;
      std::memcpy(&bits, bytes + 4 * i, 4);
      values[i] = bitsToFloat(bits & 0xffffe000u);
    }
    return;
  case MmaElement::PackedE2M1:
    for (unsigned i = 0; i < count; ++i)
      values[i] = e2m1ToFloat(bytes[i / 2] >> (4 * (i % 2)));
    return;
  default: {
    const float *table = byteTable(element);
    for (unsigned i = 0; i < count; ++i)
      values[i] = table[bytes[i]];
  }
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static bool isByteFloat(MmaElement element) {
  return element == MmaElement::E4M3 || element == MmaElement::E5M2;
}

/// One window over columns `first`, `first + step`, … (`count` of them) of
/// a[16][k] and b[8][k], onto `cells`.
static void multiplyWindow(const WarpExact &work, const ExactModel &model,
                           ExactFormat a, ExactFormat b, const uint8_t *columns,
                           unsigned count, uint32_t *cells) {
  float aColumns[128 * 16], bRows[8 * 128];
  for (unsigned i = 0; i < count; ++i)
    for (unsigned row = 0; row < 16; ++row)
      aColumns[16 * i + row] = work.aValues[row * work.k + columns[i]];
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned i = 0; i < count; ++i)
      bRows[n * count + i] = work.bValues[n * work.k + columns[i]];
  uint32_t transposed[8 * 16];
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n)
      transposed[16 * n + row] = cells[8 * row + n];
  static const uint32_t noOffset[1] = {0};
  ExactMultiply exact;
  exact.work.a = aColumns;
  exact.work.b = {bRows, count, 1};
  exact.work.groups = 1;
  exact.work.n = 8;
  exact.work.k = count;
  exact.work.dColumnStride = 16;
  exact.work.laneOffset = noOffset;
  exact.work.accumulate = true;
  exact.cells = transposed;
  exact.model = model;
  exact.a = a;
  exact.b = b;
  multiplyExactly(exact);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n)
      cells[8 * row + n] = transposed[16 * n + row];
}

static uint32_t addF32(uint32_t x, uint32_t y) {
  float sum = bitsToFloat(x) + bitsToFloat(y);
  return std::isnan(sum) ? 0x7fffffffu : floatToBits(sum);
}

/// The exact sum of two f16 has at most 41 bits; f32 rounds it to 24, which
/// is wide enough for the second rounding to be right (24 >= 2 * 11 + 2).
static uint32_t addF16(uint32_t x, uint32_t y) {
  return floatToF16(f16ToFloat(uint16_t(x)) + f16ToFloat(uint16_t(y)));
}

/// 8-bit floating point on sm_90, by way of f16.
static void multiplyThroughF16(const WarpExact &work) {
  ExactModel model;
  model.output = work.toF16 ? ExactOutput::F16 : ExactOutput::F32;
  uint32_t cells[16 * 8] = {};
  for (unsigned half = 0; half < 2; ++half) {
    uint8_t columns[128];
    unsigned count = 0;
    for (unsigned k = 0; k < work.k; ++k)
      if (k % 4 / 2 == half)
        columns[count++] = uint8_t(k);
    multiplyWindow(work, model, exactF16, exactF16, columns, count, cells);
  }
  for (unsigned i = 0; i < 16 * 8; ++i)
    work.cells[i] = work.toF16 ? addF16(work.cells[i], cells[i])
                               : addF32(work.cells[i], cells[i]);
}

void warpMmaExactly(const WarpExact &work) {
  bool bytes = isByteFloat(work.a) && isByteFloat(work.b);
  if (work.arch >= 90 && work.arch < 100 && bytes)
    return multiplyThroughF16(work);
  ExactModel model;
  model.output = work.toF16 ? ExactOutput::F16 : ExactOutput::F32;
  unsigned window = work.k;
  if (work.arch < 90) {
    model.windowBits = work.arch < 75 ? 23 : 24;
    window = work.arch < 75 ? 4 : 128 / warpElementBits(work.a);
    if (work.sparse)
      window *= 2;
    if (bytes) {
      model.windowBits = 13;
      if (!work.toF16)
        model.output = ExactOutput::F32Short;
    }
  }
  for (unsigned first = 0; first < work.k; first += window) {
    uint8_t columns[128];
    unsigned count = std::min(window, work.k - first);
    for (unsigned i = 0; i < count; ++i)
      columns[i] = uint8_t(first + i);
    multiplyWindow(work, model, exactFormat(work.a), exactFormat(work.b),
                   columns, count, work.cells);
  }
}

//===----------------------------------------------------------------------===//
// Block scaling
//===----------------------------------------------------------------------===//

/// Powers of two on elements of 8 or fewer bits: they add to the exponents.
static uint32_t scaledDot(const WarpExact &work, const WarpScales &scales,
                          unsigned row, unsigned n) {
  ExactModel model;
  ExactTerm a[128], b[128];
  unsigned perBlock = work.k / scales.blocks;
  for (unsigned k = 0; k < work.k; ++k) {
    a[k] = exactElement(exactFormat(work.a), work.aValues[row * work.k + k]);
    b[k] = exactElement(exactFormat(work.b), work.bValues[n * work.k + k]);
    const ScaleFactor &ofA = scales.a[row * scales.blocks + k / perBlock];
    const ScaleFactor &ofB = scales.b[n * scales.blocks + k / perBlock];
    a[k].exponent += ofA.exponent + ofB.exponent;
    if (ofA.nan || ofB.nan)
      a[k].kind = ExactTerm::Class::NaN;
  }
  return exactDot(model, a, exactFormat(work.a), b, exactFormat(work.b), work.k,
                  exactAddend(model, work.cells[8 * row + n]));
}

/// Twice each element of `values`.
static void doubled(const float *values, unsigned count, int8_t *result) {
  for (unsigned i = 0; i < count; ++i)
    result[i] = int8_t(2 * values[i]);
}

void warpMmaScaledExactly(const WarpExact &work, const WarpScales &scales) {
  bool packed = work.a == MmaElement::PackedE2M1;
  int8_t a[16 * 128], b[8 * 128];
  if (packed) {
    doubled(work.aValues, 16 * work.k, a);
    doubled(work.bValues, 8 * work.k, b);
  }
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n) {
      uint32_t &cell = work.cells[8 * row + n];
      if (!packed) {
        cell = scaledDot(work, scales, row, n);
        continue;
      }
      ScaledDot dot;
      dot.a = a + row * work.k;
      dot.b = b + n * work.k;
      dot.depth = work.k;
      dot.scaleBlock = work.k / scales.blocks;
      dot.scaleA = scales.a + row * scales.blocks;
      dot.scaleB = scales.b + n * scales.blocks;
      dot.type = scales.type;
      cell = exactScaledDot(dot, cell);
    }
}

} // namespace bwgemm::emulator
