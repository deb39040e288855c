//===- WarpMmaX86.h - Pieces of the x86 mma.sync kernels --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_WARPMMAX86_H
#define BWGEMM_EMULATOR_MACHINE_WARPMMAX86_H

#include <cstdint>
#include <immintrin.h>

#define BWGEMM_TARGET_WARP_AVX2 __attribute__((target("avx2,fma,f16c")))
#define BWGEMM_TARGET_WARP_AVX512                                              \
  __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq")))

namespace bwgemm::emulator {

/// WarpMmaKernels::floats and integers.
void warpFloatsAvx2(const float *a, const float *b, unsigned k, float *c);
void warpIntegersAvx2(const int16_t *a, const int16_t *b, unsigned k,
                      int32_t *c);

/// Eight 16-bit floating-point elements.
BWGEMM_TARGET_WARP_AVX2 inline __m256 widenHalves(const uint32_t *words,
                                                  bool bf16) {
  __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i *>(words));
  if (!bf16)
    return _mm256_cvtph_ps(bits);
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// to[i][j] = from[j][i].
BWGEMM_TARGET_WARP_AVX2 inline void transpose8(const __m256 *from, __m256 *to) {
  __m256 pair[8], quad[8];
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    pair[2 * i] = _mm256_unpacklo_ps(from[2 * i], from[2 * i + 1]);
    pair[2 * i + 1] = _mm256_unpackhi_ps(from[2 * i], from[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (unsigned i = 0; i < 2; ++i) {
    const __m256 *p = pair + 4 * i;
    quad[4 * i] = _mm256_shuffle_ps(p[0], p[2], 0x44);
    quad[4 * i + 1] = _mm256_shuffle_ps(p[0], p[2], 0xee);
    quad[4 * i + 2] = _mm256_shuffle_ps(p[1], p[3], 0x44);
    quad[4 * i + 3] = _mm256_shuffle_ps(p[1], p[3], 0xee);
  }
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    to[i] = _mm256_permute2f128_ps(quad[i], quad[4 + i], 0x20);
    to[4 + i] = _mm256_permute2f128_ps(quad[i], quad[4 + i], 0x31);
  }
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_WARPMMAX86_H
