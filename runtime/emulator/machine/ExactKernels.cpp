//===- ExactKernels.cpp - Portable loops, and the choice --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define BWGEMM_VECTOR_BYTES 16
#define BWGEMM_BLOCK_COLUMNS 2
#include "machine/ExactKernelsBlock.h"

namespace bwgemm::emulator {

static const ExactKernels portableKernels = {"portable", blockRows,
                                             decomposeVariant, multiplyVariant};

const ExactKernels *const *availableExactKernels() {
  struct List {
    const ExactKernels *entries[4] = {};
    List() {
      unsigned count = 0;
      if (const ExactKernels *kernels = avx512ExactKernels())
        entries[count++] = kernels;
      if (const ExactKernels *kernels = avx2ExactKernels())
        entries[count++] = kernels;
      entries[count++] = &portableKernels;
    }
  };
  static const List list;
  return list.entries;
}

} // namespace bwgemm::emulator
