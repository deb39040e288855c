//===- WarpMmaKernels.cpp - Portable kernels, choice of a variant *- C++ -*-==//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/WarpMmaKernels.h"

#include "machine/HalfConvert.h"

#include <cmath>
#include <cstring>

namespace bwgemm::emulator {

static void floats(const float *a, const float *b, unsigned k, float *c) {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n) {
      float sum = c[8 * row + n];
      for (unsigned i = 0; i < k; ++i)
        sum = std::fma(a[row * k + i], b[n * k + i], sum);
      c[8 * row + n] = sum;
    }
}

static void integers(const int16_t *a, const int16_t *b, unsigned k,
                     int32_t *c) {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < 8; ++n) {
      uint32_t sum = uint32_t(c[8 * row + n]);
      for (unsigned i = 0; i < k; ++i)
        sum += uint32_t(int32_t(a[row * k + i]) * b[n * k + i]);
      c[8 * row + n] = int32_t(sum);
    }
}

static void halves(const HalfFragments &work) {
  const unsigned k = 8 * work.blocks;
  float a[16 * 16], b[8 * 16], c[16 * 8];
  auto widen = [&](const uint32_t *reg, float *rows) {
    uint16_t bits[64];
    std::memcpy(bits, reg, sizeof(bits));
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned i = 0; i < 8; ++i) {
        uint16_t value = bits[8 * row + i];
        rows[row * k + i] = work.bf16 ? bf16ToFloat(value) : f16ToFloat(value);
      }
  };
  for (unsigned block = 0; block < work.blocks; ++block) {
    widen(work.a[2 * block], a + 8 * block);
    widen(work.a[2 * block + 1], a + 8 * k + 8 * block);
    widen(work.b[block], b + 8 * block);
  }
  for (unsigned reg = 0; reg < 4; ++reg)
    for (unsigned l = 0; l < 32; ++l)
      c[8 * (8 * (reg / 2) + l / 4) + 2 * (l % 4) + reg % 2] =
          bitsToFloat(work.c[reg][l]);
  floats(a, b, k, c);
  for (unsigned reg = 0; reg < 4; ++reg)
    for (unsigned l = 0; l < 32; ++l)
      work.d[reg][l] =
          floatToBits(c[8 * (8 * (reg / 2) + l / 4) + 2 * (l % 4) + reg % 2]);
}

static const WarpMmaKernels portable = {"portable", halves, floats, integers};

const WarpMmaKernels *const *availableWarpMmaKernels() {
  static const WarpMmaKernels *list[4] = {};
  static const bool filled = [] {
    unsigned count = 0;
    if (const WarpMmaKernels *kernels = avx512WarpMmaKernels())
      list[count++] = kernels;
    if (const WarpMmaKernels *kernels = avx2WarpMmaKernels())
      list[count++] = kernels;
    list[count] = &portable;
    return true;
  }();
  (void)filled;
  return list;
}

const WarpMmaKernels &warpMmaKernels() {
  static const WarpMmaKernels &best = *availableWarpMmaKernels()[0];
  return best;
}

} // namespace bwgemm::emulator
