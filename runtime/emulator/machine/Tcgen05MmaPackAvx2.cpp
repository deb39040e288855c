//===- Tcgen05MmaPackAvx2.cpp - Operand conversion with AVX2 ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && defined(__GNUC__)

#include "machine/Tcgen05MmaPackAvx2.h"

namespace bwgemm::emulator {

static constexpr uint32_t depth = 16; ///< K of an mma of 16-bit elements.

/// Eight 16-bit elements to f32.
template <bool isBf16>
BWGEMM_TARGET_AVX2 static inline __m256 widen(__m128i elements) {
  if (isBf16)
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(elements), 16));
  return _mm256_cvtph_ps(elements);
}

BWGEMM_TARGET_AVX2 static inline __m128i
chunk(const SharedMatrix &matrix, const std::byte *shared, uint32_t linear) {
  return _mm_loadu_si128(
      reinterpret_cast<const __m128i *>(shared + matrix.swizzledBy16(linear)));
}

/// MN-major: chunks run along the rows, so (row, k) goes to panel[k * rows +
/// row] without a transposition.
template <bool isBf16>
BWGEMM_TARGET_AVX2 static void packAlongRows(const SharedMatrix &matrix,
                                             const std::byte *shared,
                                             uint32_t rows, float *panel) {
  for (uint32_t k = 0; k < depth; ++k) {
    uint32_t base = matrix.linear(k, 0);
    uint32_t inSpan = 0, group = base;
    for (uint32_t row = 0; row < rows; row += 8) {
      __m128i elements = chunk(matrix, shared, group + inSpan * matrix.chunk);
      _mm256_storeu_ps(panel + k * rows + row, widen<isBf16>(elements));
      if (++inSpan == matrix.chunkWrap) {
        inSpan = 0;
        group += matrix.chunkGroup;
      }
    }
  }
}

/// K-major to panel[k * rows + row]: eight rows by eight k at a time, which is
/// the core matrix of the layout, transposed in registers.
template <bool isBf16>
BWGEMM_TARGET_AVX2 static void packTransposing(const SharedMatrix &matrix,
                                               const std::byte *shared,
                                               uint32_t rows, float *panel) {
  for (uint32_t row = 0; row < rows; row += 16)
    for (uint32_t c = 0; c < depth / 8; ++c) {
      uint32_t low = matrix.linear(row, c);
      uint32_t high = matrix.linear(row + 8, c);
      __m256i in[8], t[8];
#pragma GCC unroll 8
      for (unsigned i = 0; i < 8; ++i)
        in[i] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(
                chunk(matrix, shared, low + i * matrix.within8)),
            chunk(matrix, shared, high + i * matrix.within8), 1);
    // Three rounds of interleaving: pairs, quadruples, octuples of rows.
#pragma GCC unroll 4
      for (unsigned i = 0; i < 4; ++i) {
        t[i] = _mm256_unpacklo_epi16(in[2 * i], in[2 * i + 1]);
        t[i + 4] = _mm256_unpackhi_epi16(in[2 * i], in[2 * i + 1]);
      }
#pragma GCC unroll 2
      for (unsigned h = 0; h < 2; ++h) {
        __m256i low0 = _mm256_unpacklo_epi32(t[4 * h], t[4 * h + 1]);
        __m256i low1 = _mm256_unpacklo_epi32(t[4 * h + 2], t[4 * h + 3]);
        __m256i high0 = _mm256_unpackhi_epi32(t[4 * h], t[4 * h + 1]);
        __m256i high1 = _mm256_unpackhi_epi32(t[4 * h + 2], t[4 * h + 3]);
        in[4 * h] = _mm256_unpacklo_epi64(low0, low1);
        in[4 * h + 1] = _mm256_unpackhi_epi64(low0, low1);
        in[4 * h + 2] = _mm256_unpacklo_epi64(high0, high1);
        in[4 * h + 3] = _mm256_unpackhi_epi64(high0, high1);
      }
#pragma GCC unroll 8
      for (unsigned i = 0; i < 8; ++i) {
        float *to = panel + (8 * c + i) * rows + row;
        _mm256_storeu_ps(to, widen<isBf16>(_mm256_castsi256_si128(in[i])));
        _mm256_storeu_ps(to + 8,
                         widen<isBf16>(_mm256_extracti128_si256(in[i], 1)));
      }
    }
}

/// K-major to panel[row * rowStride + k].
template <bool isBf16>
BWGEMM_TARGET_AVX2 static void
packAlongK(const SharedMatrix &matrix, const std::byte *shared, uint32_t rows,
           uint32_t rowStride, float *panel) {
  uint32_t nextChunk = matrix.linear(0, 1) - matrix.linear(0, 0);
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t base = matrix.linear(row, 0);
    float *to = panel + row * rowStride;
    _mm256_storeu_ps(to, widen<isBf16>(chunk(matrix, shared, base)));
    _mm256_storeu_ps(to + 8,
                     widen<isBf16>(chunk(matrix, shared, base + nextChunk)));
  }
}

BWGEMM_TARGET_AVX2 void packTransposedAvx2(const SharedMatrix &matrix,
                                           const std::byte *shared,
                                           MmaElement element, uint32_t rows,
                                           float *panel) {
  bool isBf16 = element == MmaElement::BF16;
  if (matrix.mnMajor)
    (isBf16 ? packAlongRows<true> : packAlongRows<false>)(matrix, shared, rows,
                                                          panel);
  else
    (isBf16 ? packTransposing<true> : packTransposing<false>)(matrix, shared,
                                                              rows, panel);
}

BWGEMM_TARGET_AVX2 Panel packBAvx2(const SharedMatrix &matrix,
                                   const std::byte *shared, MmaElement element,
                                   uint32_t rows, uint32_t index,
                                   uint32_t chain, float *buffer) {
  bool isBf16 = element == MmaElement::BF16;
  if (matrix.mnMajor) {
    (isBf16 ? packAlongRows<true>
            : packAlongRows<false>)(matrix, shared, rows,
                                    buffer + index * depth * rows);
    return {buffer, 1, rows};
  }
  uint32_t rowStride = depth * chain;
  (isBf16 ? packAlongK<true> : packAlongK<false>)(matrix, shared, rows,
                                                  rowStride,
                                                  buffer + index * depth);
  return {buffer, rowStride, 1};
}

} // namespace bwgemm::emulator

#endif
