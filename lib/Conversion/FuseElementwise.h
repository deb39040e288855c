//===- FuseElementwise.h - Elementwise ops into epilogues -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_CONVERSION_FUSEELEMENTWISE_H
#define BWGEMM_LIB_CONVERSION_FUSEELEMENTWISE_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// Why ops are not in the epilogue of the gemm whose result they read.
using NotFused = llvm::DenseMap<Operation *, std::string>;

/// Moves the elementwise linalg ops that read the result of `gemm`, one after
/// the other, into its epilogue, and `gemm` to where the last of them stood. A
/// reason why the next one has to stay goes to `notFused`. `fromTensors` says
/// that what a function leaves in its arguments matters only where it is
/// returned.
void fuseElementwise(GemmOp gemm, bool fromTensors, NotFused &notFused);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_CONVERSION_FUSEELEMENTWISE_H
