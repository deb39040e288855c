//===- WarpMmaAvx512.cpp - mma.sync kernels for AVX-512 ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector holds two rows of D, r and r + 8, interleaved: what A has there is
// broadcast with one load of a pair.
//
//===----------------------------------------------------------------------===//

#include "machine/WarpMmaKernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

// GCC 12 takes the undefined operands of its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "machine/WarpMmaX86.h"

namespace bwgemm::emulator {

BWGEMM_TARGET_WARP_AVX512 static inline __m512 widen16(__m256i bits,
                                                       bool bf16) {
  if (!bf16)
    return _mm512_cvtph_ps(bits);
  return _mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

/// Four rows of four 128-bit pieces, transposed.
BWGEMM_TARGET_WARP_AVX512 static inline void transposePieces(const __m512 *from,
                                                             __m512 *to) {
  __m512 t0 = _mm512_shuffle_f32x4(from[0], from[1], 0x44);
  __m512 t1 = _mm512_shuffle_f32x4(from[0], from[1], 0xee);
  __m512 t2 = _mm512_shuffle_f32x4(from[2], from[3], 0x44);
  __m512 t3 = _mm512_shuffle_f32x4(from[2], from[3], 0xee);
  to[0] = _mm512_shuffle_f32x4(t0, t2, 0x88);
  to[1] = _mm512_shuffle_f32x4(t0, t2, 0xdd);
  to[2] = _mm512_shuffle_f32x4(t1, t3, 0x88);
  to[3] = _mm512_shuffle_f32x4(t1, t3, 0xdd);
}

/// Rows r and r + 8 of A as pairs, eight of K.
BWGEMM_TARGET_WARP_AVX512 static inline void pairRows(const uint32_t *low,
                                                      const uint32_t *high,
                                                      bool bf16, float *pairs,
                                                      unsigned stride) {
  for (unsigned row = 0; row < 8; row += 2) {
    __m256i l =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(low + 4 * row));
    __m256i h =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(high + 4 * row));
    __m256i first = _mm256_unpacklo_epi16(l, h);
    __m256i second = _mm256_unpackhi_epi16(l, h);
    __m256i row0 = _mm256_permute2x128_si256(first, second, 0x20);
    __m256i row1 = _mm256_permute2x128_si256(first, second, 0x31);
    _mm512_storeu_ps(pairs + row * stride, widen16(row0, bf16));
    _mm512_storeu_ps(pairs + (row + 1) * stride, widen16(row1, bf16));
  }
}

BWGEMM_TARGET_WARP_AVX512 static void halves(const HalfFragments &work) {
  alignas(64) float a[8 * 32];
  __m512 b[16], c[8];
  const unsigned k = 8 * work.blocks;
  const __m512i twice =
      _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  for (unsigned block = 0; block < work.blocks; ++block) {
    pairRows(work.a[2 * block], work.a[2 * block + 1], work.bf16,
             a + 16 * block, 2 * k);
    // Columns in the order in which C's registers are interleaved below: the
    // even ones, then the odd.
    __m256 columns[8], steps[8];
#pragma GCC unroll 8
    for (unsigned n = 0; n < 8; ++n)
      columns[n % 2 * 4 + n / 2] =
          widenHalves(work.b[block] + 4 * n, work.bf16);
    transpose8(columns, steps);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i)
      b[8 * block + i] =
          _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(steps[i]));
  }
  for (unsigned half = 0; half < 2; ++half) {
    __m512 reg[4], piece[4];
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r)
      reg[r] = _mm512_loadu_ps(work.c[r] + 16 * half);
    piece[0] = _mm512_unpacklo_ps(reg[0], reg[2]);
    piece[1] = _mm512_unpackhi_ps(reg[0], reg[2]);
    piece[2] = _mm512_unpacklo_ps(reg[1], reg[3]);
    piece[3] = _mm512_unpackhi_ps(reg[1], reg[3]);
    transposePieces(piece, c + 4 * half);
  }
  __m512 sum[8];
#pragma GCC unroll 8
  for (unsigned r = 0; r < 8; ++r)
    sum[r] = c[r];
  for (unsigned i = 0; i < k; ++i) {
    const float *pair = a + 2 * i;
    __m512 value = b[i];
#pragma GCC unroll 8
    for (unsigned r = 0; r < 8; ++r) {
      __m512d two =
          _mm512_set1_pd(*reinterpret_cast<const double *>(pair + r * 2 * k));
      sum[r] = _mm512_fmadd_ps(_mm512_castpd_ps(two), value, sum[r]);
    }
  }
  for (unsigned half = 0; half < 2; ++half) {
    __m512 piece[4], rows[4];
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r)
      rows[r] = sum[4 * half + r];
    transposePieces(rows, piece);
    // The even elements of two pieces are a row of four columns.
    _mm512_storeu_ps(work.d[0] + 16 * half,
                     _mm512_shuffle_ps(piece[0], piece[1], 0x88));
    _mm512_storeu_ps(work.d[2] + 16 * half,
                     _mm512_shuffle_ps(piece[0], piece[1], 0xdd));
    _mm512_storeu_ps(work.d[1] + 16 * half,
                     _mm512_shuffle_ps(piece[2], piece[3], 0x88));
    _mm512_storeu_ps(work.d[3] + 16 * half,
                     _mm512_shuffle_ps(piece[2], piece[3], 0xdd));
  }
}

const WarpMmaKernels *avx512WarpMmaKernels() {
  static const WarpMmaKernels kernels = {"avx512", halves, warpFloatsAvx2,
                                         warpIntegersAvx2};
  __builtin_cpu_init();
  bool supported = avx2WarpMmaKernels() && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const WarpMmaKernels *avx512WarpMmaKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
