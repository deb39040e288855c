//===- Pipeline.cpp - Copies ahead of the multiplication ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's loop pipeliner would repeat the prologue once for every stage;
// here it is a loop, so that the program stays readable whatever the depth.
//
//===----------------------------------------------------------------------===//

#include "Sides.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PIPELINE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// The ring that a loop both fills and uses; null if there is none.
Value findRing(scf::ForOp loop) {
  Value ring;
  for (auto acquire : loop.getOps<RingAcquireOp>())
    for (auto wait : loop.getOps<RingWaitOp>())
      if (acquire.getRing() == wait.getRing())
        ring = acquire.getRing();
  return ring;
}

/// Lets the filling of slots run `ahead` iterations ahead of their use.
class PipelinedLoop {
public:
  PipelinedLoop(scf::ForOp loop, int64_t ahead)
      : loop(loop), ahead(ahead), builder(loop), loc(loop.getLoc()) {}

  LogicalResult emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Emits the filling side of one iteration; returns the next cursor.
  Value emitFilling(Value iteration, Value cursor);

  scf::ForOp loop;
  int64_t ahead;
  OpBuilder builder;
  Location loc;
  /// The iteration argument that is the cursor of the filling side.
  unsigned fillingIndex = 0;
};

Value PipelinedLoop::emitFilling(Value iteration, Value cursor) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  mapping.map(loop.getRegionIterArg(fillingIndex), cursor);
  Operation *next = loop.getYieldedValues()[fillingIndex].getDefiningOp();
  cloneSide(
      builder, *loop.getBody(),
      [&](Operation *op) { return fillsOperands(op) || op == next; }, mapping);
  return mapping.lookup(loop.getYieldedValues()[fillingIndex]);
}

LogicalResult PipelinedLoop::emit() {
  auto acquire = *loop.getOps<RingAcquireOp>().begin();
  auto cursor = dyn_cast<BlockArgument>(acquire.getCursor());
  if (!cursor || cursor.getOwner() != loop.getBody() ||
      cursor == loop.getInductionVar())
    return acquire.emitOpError(
        "expects its cursor to be an iteration argument of the loop");
  fillingIndex = cursor.getArgNumber() - loop.getNumInductionVars();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value distance =
      arith::MulIOp::create(builder, loc, loop.getStep(), constant(ahead));
  Value end = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, lower, distance),
      upper);
  Type cursorType = cursor.getType();
  auto prologue = scf::ForOp::create(
      builder, loc, lower, end, loop.getStep(),
      ValueRange{loop.getInitArgs()[fillingIndex]},
      [&](OpBuilder &body, Location, Value iteration, ValueRange cursors) {
        OpBuilder::InsertionGuard restore(builder);
        builder.setInsertionPointToEnd(body.getInsertionBlock());
        Value next = emitFilling(iteration, cursors.front());
        scf::YieldOp::create(builder, loc, next);
      });
  prologue->setAttrs(loop->getAttrs());
  SmallVector<Value> init(loop.getInitArgs());
  init[fillingIndex] = prologue.getResult(0);
  auto main = scf::ForOp::create(
      builder, loc, lower, upper, loop.getStep(), init,
      [&](OpBuilder &body, Location, Value iteration, ValueRange arguments) {
        OpBuilder::InsertionGuard restore(builder);
        builder.setInsertionPointToEnd(body.getInsertionBlock());
        Value later = arith::AddIOp::create(builder, loc, iteration, distance);
        Value more = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, later, upper);
        IRMapping mapping;
        mapping.map(loop.getInductionVar(), iteration);
        for (auto [from, to] :
             llvm::zip_equal(loop.getRegionIterArgs(), arguments))
          mapping.map(from, to);
        Operation *nextFilling =
            loop.getYieldedValues()[fillingIndex].getDefiningOp();
        cloneSide(
            builder, *loop.getBody(),
            [&](Operation *op) {
              return !fillsOperands(op) && op != nextFilling && !isPure(op);
            },
            mapping);
        // Filling waits for the multiplication before this one, while this one
        // is under way.
        Value filling = arguments[fillingIndex];
        auto fill = scf::IfOp::create(builder, loc, TypeRange{cursorType}, more,
                                      /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard inner(builder);
          builder.setInsertionPointToEnd(fill.thenBlock());
          scf::YieldOp::create(builder, loc, emitFilling(later, filling));
          builder.setInsertionPointToEnd(fill.elseBlock());
          scf::YieldOp::create(builder, loc, filling);
        }
        SmallVector<Value> yielded;
        for (auto [index, value] : llvm::enumerate(loop.getYieldedValues())) {
          if (index == fillingIndex) {
            yielded.push_back(fill.getResult(0));
            continue;
          }
          if (!mapping.contains(value) &&
              loop->isAncestor(value.getParentBlock()->getParentOp()))
            mapping.map(
                value,
                builder.clone(*value.getDefiningOp(), mapping)->getResult(0));
          yielded.push_back(mapping.lookupOrDefault(value));
        }
        scf::YieldOp::create(builder, loc, yielded);
      });
  main->setAttrs(loop->getAttrs());
  loop.replaceAllUsesWith(main.getResults());
  loop.erase();
  return success();
}

class PipelinePass : public bwgemm::impl::PipelineBase<PipelinePass> {
public:
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (schedule && schedule.getPreset() == Preset::Pipelined)
        kernel.walk([&](scf::ForOp loop) {
          if (findRing(loop))
            loops.push_back(loop);
        });
    });
    for (scf::ForOp loop : loops) {
      int64_t stages = cast<RingType>(findRing(loop).getType()).getStages();
      // The slot that is filled now has been used in the iteration before.
      if (stages > 1 && failed(PipelinedLoop(loop, stages - 1).emit()))
        return signalPassFailure();
    }
  }
};

} // namespace
