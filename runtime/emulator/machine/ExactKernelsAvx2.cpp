//===- ExactKernelsAvx2.cpp - The integer model with AVX2 -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactKernels.h"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#pragma GCC push_options
#pragma GCC target("avx2")
#define BWGEMM_VECTOR_BYTES 32
#define BWGEMM_BLOCK_COLUMNS 2
#include "machine/ExactKernelsBlock.h"
#pragma GCC pop_options

namespace bwgemm::emulator {

const ExactKernels *avx2ExactKernels() {
  static const ExactKernels kernels = {"avx2", blockRows, decomposeVariant,
                                       multiplyVariant};
  __builtin_cpu_init();
  bool supported = __builtin_cpu_supports("avx2");
  return supported ? &kernels : nullptr;
}

} // namespace bwgemm::emulator

#else

namespace bwgemm::emulator {
const ExactKernels *avx2ExactKernels() { return nullptr; }
} // namespace bwgemm::emulator

#endif
