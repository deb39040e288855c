//===- Clusters.cpp - Programs of CTAs that work together -----------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::bwgemm;

static Value emitConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value bwgemm::emitRank(OpBuilder &builder, Location loc) {
  return gpu::ClusterBlockIdOp::create(builder, loc, gpu::Dimension::x);
}

Value bwgemm::emitIsLeader(OpBuilder &builder, Location loc) {
  Value member = arith::AndIOp::create(builder, loc, emitRank(builder, loc),
                                       emitConstant(builder, loc, 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, member,
                               emitConstant(builder, loc, 0));
}

Value bwgemm::emitLeaderRank(OpBuilder &builder, Location loc) {
  return arith::AndIOp::create(builder, loc, emitRank(builder, loc),
                               emitConstant(builder, loc, ~int64_t(1)));
}

/// The ring whose slots are buffers of type `Buffer`.
template <typename Buffer> static RingOp findRing(gpu::GPUFuncOp kernel) {
  RingOp found;
  kernel.walk([&](RingOp ring) {
    RingType type = ring.getRing().getType();
    if (!type.isTurns() && isa<Buffer>(type.getBuffers().front()))
      found = ring;
  });
  return found;
}

RingOp bwgemm::findOperandRing(gpu::GPUFuncOp kernel) {
  return findRing<SmemType>(kernel);
}

RingOp bwgemm::findSumRing(gpu::GPUFuncOp kernel) {
  return findRing<TmemType>(kernel);
}

LogicalResult bwgemm::checkRingProgram(gpu::GPUFuncOp kernel) {
  RingOp operands = findOperandRing(kernel);
  if (ArrayRef<Type> tiles = operands.getRing().getType().getBuffers();
      tiles.size() != 2)
    return operands.emitOpError()
           << "expects slots of a tile of A and one of B in a cluster, but got "
           << tiles.size() << " tiles";
  WalkResult result = kernel.walk([&](Operation *op) {
    bool isPart = isa<TMALoadOp, Tcgen05MmaOp, RingAcquireOp, RingCommitOp,
                      RingReleaseOp>(op);
    if (isPart && !op->getParentOfType<RoleOp>()) {
      op->emitOpError("expects to be in a bwgemm.role, in a cluster");
      return WalkResult::interrupt();
    }
    auto acquire = dyn_cast<RingAcquireOp>(op);
    if (!acquire || acquire.getRing() != operands.getRing())
      return WalkResult::advance();
    auto cursor = dyn_cast<BlockArgument>(acquire.getCursor());
    if (cursor && isa<scf::ForOp>(cursor.getOwner()->getParentOp()))
      return WalkResult::advance();
    acquire.emitOpError("expects its cursor to be an iteration argument of a "
                        "loop, in a cluster");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<TileCopies> bwgemm::findCopies(gpu::GPUFuncOp kernel) {
  llvm::MapVector<Value, TileCopies> copies;
  kernel.walk([&](TMALoadOp load) {
    auto tile = dyn_cast<OpResult>(load.getTile());
    if (!tile || !isa<RingSlotOp>(tile.getOwner()))
      return;
    TileCopies &ofTile = copies[tile];
    ofTile.loads.push_back(load);
    ofTile.operand = tile.getResultNumber();
  });
  SmallVector<TileCopies> result;
  for (auto &[tile, ofTile] : copies)
    result.push_back(std::move(ofTile));
  return result;
}

/// The cursor with which a role ends, given that of an acquire in its loops.
static Value findLastCursor(RingAcquireOp acquire) {
  auto argument = cast<BlockArgument>(acquire.getCursor());
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  Value cursor = loop.getTiedLoopResult(argument);
  // A loop that fills slots ahead passes its cursor on to the next.
  for (bool more = true; more;) {
    more = false;
    for (OpOperand &use : cursor.getUses()) {
      auto next = dyn_cast<scf::ForOp>(use.getOwner());
      if (!next || use.getOperandNumber() < next.getNumControlOperands())
        continue;
      cursor = next.getTiedLoopResult(&use);
      more = true;
      break;
    }
  }
  return cursor;
}

void bwgemm::joinCluster(gpu::GPUFuncOp kernel) {
  SmallVector<gpu::BarrierOp> barriers;
  kernel.walk([&](gpu::BarrierOp barrier) { barriers.push_back(barrier); });
  if (barriers.empty())
    return;
  for (gpu::BarrierOp barrier : barriers) {
    OpBuilder builder(barrier);
    ClusterBarrierOp::create(builder, barrier.getLoc());
    barrier.erase();
  }
  RingOp operands = findOperandRing(kernel);
  kernel.walk([&](RoleOp role) {
    RingAcquireOp last;
    role.walk([&](RingAcquireOp acquire) {
      if (acquire.getRing() == operands.getRing())
        last = acquire;
    });
    if (!last)
      return;
    auto builder = OpBuilder::atBlockEnd(&role.getBody().front());
    RingDrainOp::create(builder, last.getLoc(), last.getRing(),
                        findLastCursor(last));
  });
}
