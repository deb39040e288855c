//===- ExactKernelsAvx512.cpp - The integer model with AVX-512 --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactKernels.h"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")
#define BWGEMM_TRUNCATE_TO_FLOATS(sum)                                         \
  _mm512_maskz_cvt_roundepi32_ps(0xffff, (__m512i)(sum),                       \
                                 _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define BWGEMM_VECTOR_BYTES 64
#define BWGEMM_BLOCK_COLUMNS 4
#include "machine/ExactKernelsBlock.h"
#pragma GCC pop_options

namespace bwgemm::emulator {

const ExactKernels *avx512ExactKernels() {
  static const ExactKernels kernels = {"avx512", blockRows, decomposeVariant,
                                       multiplyVariant};
  __builtin_cpu_init();
  bool supported =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const ExactKernels *avx512ExactKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
