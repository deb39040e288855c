//===- Tcgen05MmaAvx512.cpp - MMA kernels for AVX-512 -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaKernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "machine/Tcgen05MmaPackAvx2.h"

#define BWGEMM_TARGET_AVX512                                                   \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))

namespace bwgemm::emulator {

/// 64 rows of 4 columns: sixteen accumulators; each value of A that is loaded
/// serves four multiply-adds, and each of B as well.
BWGEMM_TARGET_AVX512 static void block(const PanelMultiply &work,
                                       uint32_t group, uint32_t n) {
  const uint32_t m = work.groups * 16;
  const size_t stride = work.dColumnStride;
  const uint32_t *lane = work.laneOffset + group;
  float *d = work.d + n * stride;
  const float *a = work.a + group * 16;
  const float *b = work.b.data + size_t(n) * work.b.rowStride;
  const size_t bRow = work.b.rowStride, bK = work.b.kStride;
  __m512 sum[4][4];
#pragma GCC unroll 4
  for (unsigned j = 0; j < 4; ++j)
#pragma GCC unroll 4
    for (unsigned v = 0; v < 4; ++v)
      sum[j][v] = work.accumulate ? _mm512_loadu_ps(d + j * stride + lane[v])
                                  : _mm512_setzero_ps();
  for (uint32_t k = 0; k < work.k; ++k) {
    __m512 values[4];
#pragma GCC unroll 4
    for (unsigned v = 0; v < 4; ++v)
      values[v] = _mm512_loadu_ps(a + 16 * v);
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; ++j) {
      __m512 value = _mm512_set1_ps(b[j * bRow]);
#pragma GCC unroll 4
      for (unsigned v = 0; v < 4; ++v)
        sum[j][v] = _mm512_fmadd_ps(values[v], value, sum[j][v]);
    }
    a += m;
    b += bK;
  }
#pragma GCC unroll 4
  for (unsigned j = 0; j < 4; ++j)
#pragma GCC unroll 4
    for (unsigned v = 0; v < 4; ++v)
      _mm512_storeu_ps(d + j * stride + lane[v], sum[j][v]);
}

BWGEMM_TARGET_AVX512 static void multiply(const PanelMultiply &work) {
  // The M = 32 of .ws has two groups.
  if (work.groups % 4 != 0) {
    avx2MmaKernels()->multiply(work);
    return;
  }
  // A's rows of one block stay in the first-level cache.
  for (uint32_t group = 0; group < work.groups; group += 4)
    for (uint32_t n = 0; n < work.n; n += 4)
      block(work, group, n);
}

const MmaKernels *avx512MmaKernels() {
  static const MmaKernels kernels = {"avx512", packTransposedAvx2, packBAvx2,
                                     multiply};
  __builtin_cpu_init();
  bool supported = avx2MmaKernels() && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const MmaKernels *avx512MmaKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
