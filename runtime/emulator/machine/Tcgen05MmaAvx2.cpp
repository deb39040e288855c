//===- Tcgen05MmaAvx2.cpp - MMA kernels for AVX2 and FMA --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaKernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "machine/Tcgen05MmaPackAvx2.h"

namespace bwgemm::emulator {

/// 16 rows of 4 columns: eight accumulators, which hides the latency of the
/// multiply-adds.
BWGEMM_TARGET_AVX2 static void block(const PanelMultiply &work, uint32_t group,
                                     uint32_t n) {
  uint32_t m = work.groups * 16;
  float *d = work.d + size_t(n) * work.dColumnStride + work.laneOffset[group];
  const float *a = work.a + group * 16;
  const float *b = work.b.data + size_t(n) * work.b.rowStride;
  __m256 sum[4][2];
#pragma GCC unroll 4
  for (unsigned j = 0; j < 4; ++j)
#pragma GCC unroll 2
    for (unsigned v = 0; v < 2; ++v)
      sum[j][v] = work.accumulate
                      ? _mm256_loadu_ps(d + j * work.dColumnStride + 8 * v)
                      : _mm256_setzero_ps();
  for (uint32_t k = 0; k < work.k; ++k) {
    __m256 a0 = _mm256_loadu_ps(a), a1 = _mm256_loadu_ps(a + 8);
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; ++j) {
      __m256 value = _mm256_broadcast_ss(b + j * work.b.rowStride);
      sum[j][0] = _mm256_fmadd_ps(a0, value, sum[j][0]);
      sum[j][1] = _mm256_fmadd_ps(a1, value, sum[j][1]);
    }
    a += m;
    b += work.b.kStride;
  }
#pragma GCC unroll 4
  for (unsigned j = 0; j < 4; ++j)
#pragma GCC unroll 2
    for (unsigned v = 0; v < 2; ++v)
      _mm256_storeu_ps(d + j * work.dColumnStride + 8 * v, sum[j][v]);
}

BWGEMM_TARGET_AVX2 static void multiply(const PanelMultiply &work) {
  // A's rows of one block stay in the first-level cache.
  for (uint32_t group = 0; group < work.groups; ++group)
    for (uint32_t n = 0; n < work.n; n += 4)
      block(work, group, n);
}

const MmaKernels *avx2MmaKernels() {
  static const MmaKernels kernels = {"avx2", packTransposedAvx2, packBAvx2,
                                     multiply};
  __builtin_cpu_init();
  bool supported = __builtin_cpu_supports("avx2") &&
                   __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("f16c");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const MmaKernels *avx2MmaKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
