//===- ElementKernel.h - One thread for each element of D -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_ELEMENTKERNEL_H
#define BWGEMM_LIB_TRANSFORMS_ELEMENTKERNEL_H

#include "Outlining.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {

/// The element of D that a thread has, and what is run where there is one.
struct ElementPlace {
  Value row, column;
  scf::IfOp guard;
};

/// Finds a thread's element of `d` in kernels of `tile` x `tile` threads.
ElementPlace emitElementPlace(OpBuilder &builder, Location loc, Value d,
                              int64_t tile);

/// Emits, at `row` and `column` of D, what follows the sum over K of one
/// element: the addition of what D held, if `gemm` accumulates, its epilogue
/// and the store. `extras` are the operands of the epilogue.
void emitElement(OpBuilder &builder, Location loc, GemmOp gemm, Value sum,
                 Value d, ValueRange extras, Value row, Value column);

/// Emits the kernel for a product without elements, K = 0, and its launch: the
/// epilogue of zero, or of what D held.
void emitEpilogueAlone(OpBuilder &builder, Location loc, GemmOp gemm,
                       const DeviceOperands &operands);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_ELEMENTKERNEL_H
