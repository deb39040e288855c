//===- Clusters.h - Programs of CTAs that work together ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_CLUSTERS_H
#define BWGEMM_LIB_TRANSFORMS_CLUSTERS_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::bwgemm {

/// The rank of this CTA in its cluster. Clusters are along x.
Value emitRank(OpBuilder &builder, Location loc);
/// Whether this CTA is the leader of its pair: the one with the even rank.
Value emitIsLeader(OpBuilder &builder, Location loc);
/// The rank of the leader of this CTA's pair.
Value emitLeaderRank(OpBuilder &builder, Location loc);

/// The ring of operand tiles of a ring program, and that of accumulators; null
/// if there is none.
RingOp findOperandRing(gpu::GPUFuncOp kernel);
RingOp findSumRing(gpu::GPUFuncOp kernel);

/// Whether a kernel with rings is as `bwgemm-insert-rings` and what follows it
/// make it: slots hold a tile of A and one of B, and what moves and multiplies
/// them is in roles, with cursors that loops carry. An error if it is not.
LogicalResult checkRingProgram(gpu::GPUFuncOp kernel);

/// The copies that fill one slot with one operand's tile.
struct TileCopies {
  /// Starts at the tile's first element; the others are offsets from it.
  SmallVector<TMALoadOp> loads;
  /// Which buffer of the slot it is: 0 for A, 1 for B.
  unsigned operand;
};
SmallVector<TileCopies> findCopies(gpu::GPUFuncOp kernel);

/// Lets the CTAs of a cluster use each other's memory and mbarriers: barriers
/// of the CTA become those of the cluster, so that no CTA begins before the
/// mbarriers of all are initialised, and none leaves before all are done; and
/// who fills operand tiles waits for their last release, which comes from
/// others. Does nothing the second time.
void joinCluster(gpu::GPUFuncOp kernel);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_CLUSTERS_H
