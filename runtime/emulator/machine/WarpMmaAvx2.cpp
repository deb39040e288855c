//===- WarpMmaAvx2.cpp - mma.sync kernels for AVX2 and FMA ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector holds a row of D: eight columns. B is transposed so that each step
// of K has its eight columns in a vector; A's elements are broadcast from
// memory.
//
//===----------------------------------------------------------------------===//

#include "machine/WarpMmaKernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "machine/WarpMmaX86.h"

namespace bwgemm::emulator {

/// c[16][8] += a[16][stride] * b[steps], eight rows at a time.
BWGEMM_TARGET_WARP_AVX2 static inline void multiply(const float *a,
                                                    unsigned stride,
                                                    const __m256 *b,
                                                    unsigned steps, __m256 *c) {
  for (unsigned half = 0; half < 2; ++half) {
    const float *rows = a + 8 * half * stride;
    __m256 sum[8];
#pragma GCC unroll 8
    for (unsigned r = 0; r < 8; ++r)
      sum[r] = c[8 * half + r];
    for (unsigned k = 0; k < steps; ++k) {
      __m256 value = b[k];
#pragma GCC unroll 8
      for (unsigned r = 0; r < 8; ++r)
        sum[r] = _mm256_fmadd_ps(_mm256_broadcast_ss(rows + r * stride + k),
                                 value, sum[r]);
    }
#pragma GCC unroll 8
    for (unsigned r = 0; r < 8; ++r)
      c[8 * half + r] = sum[r];
  }
}

BWGEMM_TARGET_WARP_AVX2 static void halves(const HalfFragments &work) {
  alignas(32) float a[16 * 16];
  __m256 b[16], c[16];
  const unsigned k = 8 * work.blocks;
  for (unsigned block = 0; block < work.blocks; ++block) {
    for (unsigned row = 0; row < 16; ++row)
      _mm256_store_ps(
          a + row * k + 8 * block,
          widenHalves(work.a[2 * block + row / 8] + 4 * (row % 8), work.bf16));
    // Columns in the order of C's registers: the even ones, then the odd.
    __m256 columns[8];
    for (unsigned n = 0; n < 8; ++n)
      columns[n % 2 * 4 + n / 2] =
          widenHalves(work.b[block] + 4 * n, work.bf16);
    transpose8(columns, b + 8 * block);
  }
  for (unsigned row = 0; row < 16; ++row) {
    const float *even = reinterpret_cast<const float *>(work.c[row / 8 * 2]);
    const float *odd = reinterpret_cast<const float *>(work.c[row / 8 * 2 + 1]);
    c[row] = _mm256_set_m128(_mm_loadu_ps(odd + row % 8 * 4),
                             _mm_loadu_ps(even + row % 8 * 4));
  }
  multiply(a, k, b, k, c);
  for (unsigned row = 0; row < 16; ++row) {
    float *even = reinterpret_cast<float *>(work.d[row / 8 * 2]);
    float *odd = reinterpret_cast<float *>(work.d[row / 8 * 2 + 1]);
    _mm_storeu_ps(even + row % 8 * 4, _mm256_castps256_ps128(c[row]));
    _mm_storeu_ps(odd + row % 8 * 4, _mm256_extractf128_ps(c[row], 1));
  }
}

BWGEMM_TARGET_WARP_AVX2 void warpFloatsAvx2(const float *a, const float *b,
                                            unsigned k, float *c) {
  __m256 columns[128], sums[16];
  unsigned whole = k / 8 * 8;
  for (unsigned at = 0; at < whole; at += 8) {
    __m256 rows[8];
    for (unsigned n = 0; n < 8; ++n)
      rows[n] = _mm256_loadu_ps(b + n * k + at);
    transpose8(rows, columns + at);
  }
  for (unsigned at = whole; at < k; ++at)
    columns[at] = _mm256_setr_ps(b[at], b[k + at], b[2 * k + at], b[3 * k + at],
                                 b[4 * k + at], b[5 * k + at], b[6 * k + at],
                                 b[7 * k + at]);
  for (unsigned row = 0; row < 16; ++row)
    sums[row] = _mm256_loadu_ps(c + 8 * row);
  multiply(a, k, columns, k, sums);
  for (unsigned row = 0; row < 16; ++row)
    _mm256_storeu_ps(c + 8 * row, sums[row]);
}

BWGEMM_TARGET_WARP_AVX2 void
warpIntegersAvx2(const int16_t *a, const int16_t *b, unsigned k, int32_t *c) {
  // A step of K is a pair of elements, which madd multiplies and adds.
  __m256 columns[128];
  const unsigned steps = k / 2;
  for (unsigned at = 0; at < steps; at += 8) {
    __m256 rows[8];
    for (unsigned n = 0; n < 8; ++n)
      rows[n] =
          _mm256_loadu_ps(reinterpret_cast<const float *>(b + n * k + 2 * at));
    transpose8(rows, columns + at);
  }
  const int32_t *pairs = reinterpret_cast<const int32_t *>(a);
  for (unsigned first = 0; first < 16; first += 4) {
    __m256i sum[4];
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r)
      sum[r] = _mm256_loadu_si256(
          reinterpret_cast<const __m256i *>(c + 8 * (first + r)));
    for (unsigned s = 0; s < steps; ++s) {
      __m256i value = _mm256_castps_si256(columns[s]);
#pragma GCC unroll 4
      for (unsigned r = 0; r < 4; ++r) {
        __m256i pair = _mm256_set1_epi32(pairs[(first + r) * steps + s]);
        sum[r] = _mm256_add_epi32(sum[r], _mm256_madd_epi16(pair, value));
      }
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r)
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(c + 8 * (first + r)),
                          sum[r]);
  }
}

const WarpMmaKernels *avx2WarpMmaKernels() {
  static const WarpMmaKernels kernels = {"avx2", halves, warpFloatsAvx2,
                                         warpIntegersAvx2};
  __builtin_cpu_init();
  bool supported = __builtin_cpu_supports("avx2") &&
                   __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("f16c");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const WarpMmaKernels *avx2WarpMmaKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
