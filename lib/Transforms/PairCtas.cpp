//===- PairCtas.cpp - Two CTAs that multiply as one -----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "Outlining.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/OperandTile.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PAIRCTAS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Rewrites the ring program of one kernel.
class Pairing {
public:
  Pairing(gpu::GPUFuncOp kernel, ScheduleAttr schedule, RingOp operands,
          RingOp sums)
      : kernel(kernel), schedule(schedule), operands(operands), sums(sums) {}

  LogicalResult emit();

private:
  LogicalResult halveB();
  void pairOperands();
  void pairSums();
  /// The mask of both CTAs, before the role that multiplies, which holds `op`.
  Value getPair(Operation *op);

  gpu::GPUFuncOp kernel;
  ScheduleAttr schedule;
  RingOp operands, sums;
  Value pair;
};

/// Lets each CTA keep one half of the rows of B: the leader the first.
LogicalResult Pairing::halveB() {
  constexpr unsigned kB = 1;
  RingType ring = operands.getRing().getType();
  auto whole = cast<SmemType>(ring.getBuffers()[kB]);
  auto half = SmemType::getChecked(
      [&] { return operands.emitOpError(); }, kernel.getContext(),
      ArrayRef<int64_t>{whole.getMN() / 2, whole.getK()},
      whole.getElementType(), whole.getMajor(), whole.getSwizzle());
  if (!half)
    return failure();
  SmallVector<Type> buffers(ring.getBuffers());
  buffers[kB] = half;
  operands.getRing().setType(
      RingType::get(kernel.getContext(), ring.getStages(), buffers));
  for (Operation *user : operands.getRing().getUsers())
    if (auto slot = dyn_cast<RingSlotOp>(user))
      slot.getBuffers()[kB].setType(half);
  bool kMajor = half.getMajor() == Major::K;
  for (TileCopies &copies : findCopies(kernel)) {
    if (copies.operand != kB) {
      for (TMALoadOp load : copies.loads)
        load.setCtaGroup(2);
      continue;
    }
    TMALoadOp first = copies.loads.front();
    first.getMap().setType(getMapFor(half));
    OpBuilder builder(first);
    Location loc = first.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value member = arith::AndIOp::create(builder, loc, emitRank(builder, loc),
                                         constant(1));
    Value skipped =
        arith::MulIOp::create(builder, loc, member, constant(half.getMN()));
    TileCopy copy(first);
    Value &mn = copy.coordinates[kMajor ? 0 : 1];
    mn = arith::AddIOp::create(builder, loc, mn, skipped);
    copy.ctaGroup = 2;
    emitCopies(builder, loc, copy);
    for (TMALoadOp load : copies.loads)
      load.erase();
  }
  updateMaps(kernel);
  return success();
}

Value Pairing::getPair(Operation *op) {
  if (pair)
    return pair;
  OpBuilder builder(op->getParentOfType<RoleOp>());
  pair = ClusterMaskOp::create(builder, op->getLoc(), builder.getI16Type(),
                               ClusterSet::Pair, schedule.getCluster(),
                               /*ctaGroup=*/2);
  return pair;
}

void Pairing::pairOperands() {
  operands.setCtaGroup(2);
  kernel.walk([&](RingReleaseOp release) {
    if (release.getRing() == operands.getRing())
      release.getMaskMutable().assign(getPair(release));
  });
  kernel.walk([&](Tcgen05MmaOp mma) {
    mma.setCtaGroup(2);
    mma->getParentOfType<RoleOp>().setLeader(true);
  });
}

void Pairing::pairSums() {
  MLIRContext *context = kernel.getContext();
  RingType ring = sums.getRing().getType();
  sums.setCtaGroup(2);
  sums.setReleases(2 * sums.getReleases());
  auto fold = [&](TmemType type) {
    return TmemType::get(context, type.getRows(), type.getColumns(),
                         type.getElementType(),
                         /*folded=*/type.getRows() == 64);
  };
  TmemType sum = fold(cast<TmemType>(ring.getBuffers().front()));
  sums.getRing().setType(RingType::get(context, ring.getStages(), {sum}));
  for (Operation *user : sums.getRing().getUsers()) {
    if (auto slot = dyn_cast<RingSlotOp>(user))
      slot.getBuffers().front().setType(sum);
    if (auto commit = dyn_cast<RingCommitOp>(user))
      commit.getMaskMutable().assign(getPair(commit));
  }
  kernel.walk([&](TmemAllocOp alloc) {
    alloc.setCtaGroup(2);
    // Whoever allocates must know that the other CTA runs (PTX ISA,
    // tcgen05.alloc).
    Operation *outermost =
        kernel.getBody().front().findAncestorOpInBlock(*alloc);
    OpBuilder builder(outermost);
    ClusterBarrierOp::create(builder, alloc.getLoc());
  });
  kernel.walk([&](TmemDeallocOp dealloc) { dealloc.setCtaGroup(2); });
  kernel.walk([&](TmemGetOp get) {
    get.getTmem().setType(fold(get.getTmem().getType()));
    get.getSlot().setType(TmemSlotType::get(
        context, get.getTmem().getType().getAllocatedColumns()));
  });
}

LogicalResult Pairing::emit() {
  if (failed(halveB()))
    return failure();
  pairOperands();
  pairSums();
  joinCluster(kernel);
  return success();
}

class PairCtasPass : public bwgemm::impl::PairCtasBase<PairCtasPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getCtaGroup() != 2)
        return WalkResult::skip();
      RingOp operands = findOperandRing(kernel), sums = findSumRing(kernel);
      // Without rings it is no ring program, with a pair it has been here.
      if (!operands || !sums || operands.getCtaGroup() == 2)
        return WalkResult::skip();
      if (failed(checkRingProgram(kernel)) ||
          failed(Pairing(kernel, schedule, operands, sums).emit()))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
