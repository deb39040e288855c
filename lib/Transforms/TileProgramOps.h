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
  /// The same, of a kernel that loads through tensor maps.
  static FailureOr<TileProgramOps> matchTma(gpu::GPUFuncOp kernel);
};

/// TMA copies of a tile, or of a part of it, see `bwgemm.tma_load`.
struct TileCopy {
  /// What `load`, of A or else of B, asks for. The kernel's schedule says
  /// whether it stays in L2.
  TileCopy(LoadOp load, bool isA, TypedValue<SmemType> tile, Value barriers,
           Value index);
  /// As `load` starts it, whose origin is the tile's first element, for the
  /// whole tile.
  explicit TileCopy(TMALoadOp load);

  Value map;
  /// Of the tile's first element.
  SmallVector<Value> coordinates;
  TypedValue<SmemType> tile;
  Value barriers, index;
  /// Which rows of the tile's columns, and which columns, are copied; null for
  /// a first one of zero.
  Value firstRow, firstColumn;
  int64_t rows, columns;
  /// The CTAs that receive it; null if that is only this one.
  Value mask;
  int64_t ctaGroup = 1;
  L2Eviction eviction = L2Eviction::Normal;
};

/// Starts the copies of all boxes of a tile.
void emitCopies(OpBuilder &builder, Location loc, const TileCopy &copy);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_TILEPROGRAMOPS_H
