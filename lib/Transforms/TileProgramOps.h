//===- TileProgramOps.h - The parts of a tile program -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_TILEPROGRAMOPS_H
#define BWGEMM_LIB_TRANSFORMS_TILEPROGRAMOPS_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {

/// The ops of a tile program: one accumulator, one loop over K of two loads
/// and an MMA, one store.
struct TileProgramOps {
  AccumulatorOp accumulator;
  scf::ForOp loop;
  LoadOp loadA, loadB;
  MmaOp mma;
  StoreOp store;

  /// Whether a kernel is a tile program that is to become an asynchronous one.
  static bool isTileProgram(gpu::GPUFuncOp kernel);
  /// The parts of a kernel; an error if it is not made as said above.
  static FailureOr<TileProgramOps> match(gpu::GPUFuncOp kernel);
};

/// Starts the TMA copies of all boxes of a tile, which signal mbarrier `index`
/// of `barriers`.
void emitCopies(OpBuilder &builder, Location loc, LoadOp load, Value tile,
                Value barriers, Value index);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_TILEPROGRAMOPS_H
