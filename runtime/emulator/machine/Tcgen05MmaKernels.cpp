//===- Tcgen05MmaKernels.cpp - Portable kernels, and the choice -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaKernels.h"
#include "machine/HalfConvert.h"

#include <cmath>
#include <cstring>

namespace bwgemm::emulator {

/// e4m3 has no infinity and one NaN per sign; e5m2 is the upper half of f16.
static float e4m3ToFloat(uint8_t bits) {
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  unsigned exponent = (bits >> 3) & 15, mantissa = bits & 7;
  if (exponent == 15 && mantissa == 7)
    return bitsToFloat(0x7fffffff);
  if (exponent == 0)
    return sign * std::ldexp(float(mantissa), -9);
  return sign * std::ldexp(float(8 + mantissa), int(exponent) - 10);
}

float loadMmaElement(MmaElement element, const std::byte *bytes) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::BF16: {
    uint16_t bits;
    std::memcpy(&bits, bytes, 2);
    return element == MmaElement::F16 ? f16ToFloat(bits) : bf16ToFloat(bits);
  }
  case MmaElement::TF32: {
    uint32_t bits;
    std::memcpy(&bits, bytes, 4);
    return bitsToFloat(bits & 0xffffe000u);
  }
  case MmaElement::E4M3:
    return e4m3ToFloat(uint8_t(*bytes));
  case MmaElement::E5M2:
    return f16ToFloat(uint16_t(uint16_t(*bytes) << 8));
  case MmaElement::U8:
    return float(uint8_t(*bytes));
  case MmaElement::S8:
    return float(int8_t(uint8_t(*bytes)));
  case MmaElement::E2M3:
  case MmaElement::E3M2:
  case MmaElement::E2M1:
  case MmaElement::PackedE2M1:
    break; // Do not lie side by side in bytes: loadMmaChunk.
  }
  return 0;
}

void packElements(const SharedMatrix &matrix, const std::byte *shared,
                  MmaElement element, uint32_t rows, uint32_t depth,
                  float *panel) {
  uint32_t perChunk = mmaElementsPerChunk(element);
  uint32_t indices = matrix.mnMajor ? depth : rows;
  uint32_t chunks = (matrix.mnMajor ? rows : depth) / perChunk;
  float values[maxElementsPerChunk];
  for (uint32_t s = 0; s < indices; ++s)
    for (uint32_t c = 0; c < chunks; ++c) {
      loadMmaChunk(element, shared + matrix.address(s, c), values);
      uint32_t along = c * perChunk;
      float *to =
          matrix.mnMajor ? panel + s * rows + along : panel + along * rows + s;
      uint32_t stride = matrix.mnMajor ? 1 : rows;
      for (uint32_t e = 0; e < perChunk; ++e)
        to[e * stride] = values[e];
    }
}

static void packAnyElement(const SharedMatrix &matrix, const std::byte *shared,
                           MmaElement element, uint32_t rows, float *panel) {
  packElements(matrix, shared, element, rows, 2 * mmaElementsPerChunk(element),
               panel);
}

static void multiplyPortable(const PanelMultiply &work) {
  uint32_t m = work.groups * 16;
  for (uint32_t n = 0; n < work.n; ++n)
    for (uint32_t g = 0; g < work.groups; ++g) {
      float *d = work.d + n * work.dColumnStride + work.laneOffset[g];
      float sum[16] = {};
      if (work.accumulate)
        std::memcpy(sum, d, sizeof(sum));
      for (uint32_t k = 0; k < work.k; ++k) {
        const float *a = work.a + k * m + g * 16;
        float b = work.b.data[n * work.b.rowStride + k * work.b.kStride];
        for (unsigned i = 0; i < 16; ++i)
          sum[i] = std::fma(a[i], b, sum[i]);
      }
      std::memcpy(d, sum, sizeof(sum));
    }
}

static Panel packBPortable(const SharedMatrix &matrix, const std::byte *shared,
                           MmaElement element, uint32_t rows, uint32_t index,
                           uint32_t, float *buffer) {
  packAnyElement(matrix, shared, element, rows, buffer + index * 16 * rows);
  return {buffer, 1, rows};
}

static const MmaKernels portableKernels = {"portable", packAnyElement,
                                           packBPortable, multiplyPortable};

const MmaKernels *const *availableMmaKernels() {
  struct List {
    const MmaKernels *entries[4] = {};
    List() {
      unsigned count = 0;
      if (const MmaKernels *kernels = avx512MmaKernels())
        entries[count++] = kernels;
      if (const MmaKernels *kernels = avx2MmaKernels())
        entries[count++] = kernels;
      entries[count++] = &portableKernels;
    }
  };
  static const List list;
  return list.entries;
}

const MmaKernels &mmaKernels() {
  static const MmaKernels &best = *availableMmaKernels()[0];
  return best;
}

} // namespace bwgemm::emulator
