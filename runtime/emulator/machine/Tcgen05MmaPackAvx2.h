//===- Tcgen05MmaPackAvx2.h - Operand conversion with AVX2 ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of 16-bit operands in shared memory to f32 panels, shared by the
// AVX2 and AVX-512 kernels. Only files of this folder that are guarded for
// x86-64 include it.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMAPACKAVX2_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMAPACKAVX2_H

#include "machine/Tcgen05MmaKernels.h"

#include <immintrin.h>

#define BWGEMM_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))

namespace bwgemm::emulator {

/// MmaKernels::packTransposed.
void packTransposedAvx2(const SharedMatrix &matrix, const std::byte *shared,
                        MmaElement element, uint32_t rows, float *panel);
/// MmaKernels::packB.
Panel packBAvx2(const SharedMatrix &matrix, const std::byte *shared,
                MmaElement element, uint32_t rows, uint32_t index,
                uint32_t chain, float *buffer);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMAPACKAVX2_H
