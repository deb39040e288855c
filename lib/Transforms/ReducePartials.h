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
/// it adds the slices of `sums` in their order and does with them what `store`
/// in `kernel` would do with its accumulator. `d` is a device view of D, and
/// `extras` are the operands of the epilogue on the host side.
void emitReducePartials(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel,
                        const PartialSums &sums, Value d, StoreOp store,
                        ValueRange extras);

/// Shares of tiles of D in device memory, on the host side. Each of the CTAs
/// has whole tiles first, as many as `emitWholeTiles` says: tile c + i * CTAs
/// of CTA c. All steps along K of the other tiles are numbered, tile after
/// tile, and it has those from `emitFirstStep(c)` to `emitFirstStep(c + 1)`,
/// too. Of a tile that it has not all steps of, its share is `tileM` rows of a
/// matrix of f32 that is `tileN` wide: number 2c for the first tile that its
/// steps are in, 2c + 1 for another one.
struct TileShares {
  Value workspace;
  /// CTAs, tiles of D, and steps along K of one tile; all at least one.
  Value ctas, tiles, depthTiles;
};

/// Whole tiles that each of `ctas` CTAs has before steps of others are shared
/// out: so many that these are fewer than two for each CTA, and all if they are
/// as many for each. With most tiles whole, CTAs work at neighbouring ones, and
/// find each other's operands in L2 (Osama, Merrill, Cecka, Garland and Owens,
/// Stream-K, PPoPP 2023, "two-tile hybrid").
Value emitWholeTiles(OpBuilder &builder, Location loc, Value tiles, Value ctas);

/// The first of `steps` steps that CTA `cta` of `ctas` has: the first ones have
/// one more where it does not divide.
Value emitFirstStep(OpBuilder &builder, Location loc, Value steps, Value ctas,
                    Value cta);

/// Emits a kernel beside `kernel`, named after it, and at `builder` its launch:
/// of each tile of which several CTAs have a share it adds these in the order
/// of K and writes it as `emitReducePartials` writes a result. `coord` says
/// where tiles lie.
void emitReduceShares(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel,
                      const TileShares &shares, TileCoordOp coord, Value d,
                      StoreOp store, ValueRange extras);

/// What `launch` passes to its kernel for the operands of the epilogue of
/// `store`, which are arguments of the kernel.
SmallVector<Value> getLaunchedExtras(gpu::LaunchFuncOp launch, StoreOp store);

/// What a kernel sees of a host-side index: a constant, or a new last argument
/// of `kernel` and of `launch`, which launches it.
Value passToKernel(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
                   Value value);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_REDUCEPARTIALS_H
