//===- ReducePartials.h - Adding partial sums -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_REDUCEPARTIALS_H
#define BWGEMM_LIB_TRANSFORMS_REDUCEPARTIALS_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::bwgemm {

/// Partial sums of D in device memory, on the host side: slice i has the rows
/// from `i * sliceRows` on of a matrix of f32 without gaps, whose columns are a
/// multiple of 8 and at least those of D.
struct PartialSums {
  Value workspace;
  /// Slices, at least one.
  Value parts;
  /// Rows of one slice, at least those of D.
  Value sliceRows;
};

/// Emits a kernel beside `kernel`, named after it, and at `builder` its launch:
/// it adds the slices of `sums` in their order and writes the result, rounded
/// once, to `d`, a device view of D; with `accumulate` it adds what `d` held
/// before it rounds.
void emitReducePartials(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel,
                        const PartialSums &sums, Value d, bool accumulate);

/// What a kernel sees of a host-side index: a constant, or a new last argument
/// of `kernel` and of `launch`, which launches it.
Value passToKernel(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
                   Value value);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_REDUCEPARTIALS_H
