//===- InsertRings.cpp - Tile programs to ring programs ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_INSERTRINGS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Warps of the epilogue: each reaches one quarter of the tensor memory's
/// lanes.
constexpr int64_t kEpilogueWarps = 4;

/// Rewrites one kernel.
class RingProgram {
public:
  RingProgram(TileProgramOps ops, int64_t stages, int64_t accumulators)
      : ops(ops), stages(stages), accumulators(accumulators),
        builder(ops.accumulator), loc(ops.mma.getLoc()) {}

  void emit() {
    emitPrologue();
    emitMainLoop();
    emitEpilogue();
    ops.accumulator.erase();
  }

private:
  void fence(FenceKind kind) { FenceOp::create(builder, loc, kind); }
  /// A barrier across which tensor-memory operations keep their order.
  void barrier() {
    fence(FenceKind::Tcgen05Before);
    gpu::BarrierOp::create(builder, loc);
    fence(FenceKind::Tcgen05After);
  }
  /// Emits `body` for warps `first` to `last`.
  void role(StringRef name, int64_t first, int64_t last, bool elected,
            llvm::function_ref<void()> body);
  void emitPrologue();
  void emitMainLoop();
  void emitEpilogue();

  TileProgramOps ops;
  int64_t stages, accumulators;
  OpBuilder builder;
  Location loc;
  Value operands, sums;
  Value slot, tensor;
};

void RingProgram::role(StringRef name, int64_t first, int64_t last,
                       bool elected, llvm::function_ref<void()> body) {
  auto role = RoleOp::create(builder, loc, name, first, last, elected);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
  body();
}

void RingProgram::emitPrologue() {
  MLIRContext *context = builder.getContext();
  auto operandRing = RingType::get(
      context, stages,
      {ops.loadA.getTile().getType(), ops.loadB.getTile().getType()});
  operands = RingOp::create(builder, loc, operandRing);
  AccType acc = ops.accumulator.getAcc().getType();
  auto sumType = TmemType::get(context, acc.getRows(), acc.getColumns(),
                               acc.getElementType());
  // One thread of each epilogue warp says that its part has been read.
  sums = RingOp::create(builder, loc,
                        RingType::get(context, accumulators, {sumType}),
                        /*commits=*/1, /*releases=*/kEpilogueWarps);
  auto tensorType =
      TmemType::get(context, acc.getRows(), acc.getColumns() * accumulators,
                    acc.getElementType());
  slot = TmemSlotOp::create(
      builder, loc,
      TmemSlotType::get(context, tensorType.getAllocatedColumns()),
      IntegerAttr());
  role("allocate", 0, 0, /*elected=*/false,
       [&] { TmemAllocOp::create(builder, loc, slot); });
  role("prefetch", 0, 0, /*elected=*/true, [&] {
    TensorMapPrefetchOp::create(builder, loc, ops.loadA.getMap());
    TensorMapPrefetchOp::create(builder, loc, ops.loadB.getMap());
    if (Value map = ops.store.getMap())
      TensorMapPrefetchOp::create(builder, loc, map);
  });
  barrier();
  tensor = TmemGetOp::create(builder, loc, tensorType, slot);
}

void RingProgram::emitMainLoop() {
  builder.setInsertionPoint(ops.loop);
  auto ringType = cast<RingType>(operands.getType());
  Type index = builder.getIndexType();
  auto barriers = MBarrierType::get(builder.getContext(), stages);
  role("load and multiply", 0, 0, /*elected=*/true, [&] {
    Type cursor = CursorType::get(builder.getContext());
    Value begin = RingBeginOp::create(builder, loc, cursor, operands);
    Value summing = RingBeginOp::create(builder, loc, cursor, sums);
    Value sum = RingSlotOp::create(builder, loc,
                                   cast<RingType>(sums.getType()).getBuffers(),
                                   sums, summing, tensor)
                    .getBuffers()
                    .front();
    RingAcquireOp::create(builder, loc, sums, summing);
    fence(FenceKind::Tcgen05After);
    auto loop = scf::ForOp::create(
        builder, ops.loop.getLoc(), ops.loop.getLowerBound(),
        ops.loop.getUpperBound(), ops.loop.getStep(), ValueRange{begin, begin});
    loop->setAttrs(ops.loop->getAttrs());
    ops.loop.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
    {
      OpBuilder::InsertionGuard restore(builder);
      // Whatever else the loop computes (coordinates) comes first.
      loop.getBody()->getOperations().splice(
          loop.getBody()->end(), ops.loop.getBody()->getOperations(),
          ops.loop.getBody()->begin(), std::prev(ops.loop.getBody()->end()));
      builder.setInsertionPointToEnd(loop.getBody());
      Value filling = loop.getRegionIterArg(0);
      Value using_ = loop.getRegionIterArg(1);
      RingAcquireOp::create(builder, loc, operands, filling);
      RingCommitOp::create(builder, loc, operands, filling, Agent::Tma,
                           /*mask=*/Value());
      auto empty = RingSlotOp::create(builder, loc, ringType.getBuffers(),
                                      operands, filling, Value());
      auto full =
          RingFullOp::create(builder, loc, barriers, index, operands, filling);
      auto copy = [&](LoadOp load, bool isA) {
        Value buffer = empty.getBuffers()[isA ? 0 : 1];
        emitCopies(builder, loc,
                   TileCopy(load, isA, cast<TypedValue<SmemType>>(buffer),
                            full.getBarriers(), full.getIndex()));
      };
      copy(ops.loadA, /*isA=*/true);
      copy(ops.loadB, /*isA=*/false);
      Value nextFilling =
          RingNextOp::create(builder, loc, cursor, operands, filling);

      RingWaitOp::create(builder, loc, operands, using_);
      fence(FenceKind::Tcgen05After);
      auto tiles = RingSlotOp::create(builder, loc, ringType.getBuffers(),
                                      operands, using_, Value());
      Value accumulate =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                loop.getInductionVar(), loop.getLowerBound());
      Tcgen05MmaOp::create(builder, loc, sum, tiles.getBuffers()[0],
                           tiles.getBuffers()[1], accumulate);
      RingReleaseOp::create(builder, loc, operands, using_, Agent::Mma,
                            /*mask=*/Value());
      Value nextUsing =
          RingNextOp::create(builder, loc, cursor, operands, using_);
      scf::YieldOp::create(builder, loc, ValueRange{nextFilling, nextUsing});
    }
    RingCommitOp::create(builder, loc, sums, summing, Agent::Mma,
                         /*mask=*/Value());
  });
  ops.mma.erase();
  ops.loadA.erase();
  ops.loadB.erase();
  ops.loop.erase();
}

void RingProgram::emitEpilogue() {
  builder.setInsertionPoint(ops.store);
  role("epilogue", 0, kEpilogueWarps - 1, /*elected=*/false, [&] {
    Value begin = RingBeginOp::create(
        builder, loc, CursorType::get(builder.getContext()), sums);
    RingWaitOp::create(builder, loc, sums, begin);
    fence(FenceKind::Tcgen05After);
    Value sum = RingSlotOp::create(builder, loc,
                                   cast<RingType>(sums.getType()).getBuffers(),
                                   sums, begin, tensor)
                    .getBuffers()
                    .front();
    ops.store.cloneFor(builder, sum);
    // The reads are over before another accumulator may take their place.
    fence(FenceKind::Tcgen05Before);
    Value elected = ElectOp::create(builder, loc, builder.getI1Type());
    auto one =
        scf::IfOp::create(builder, loc, elected, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(one.thenBlock());
    RingReleaseOp::create(builder, loc, sums, begin, Agent::Thread,
                          /*mask=*/Value());
  });
  // Every warp has read its part before the columns are freed.
  barrier();
  role("free", 0, 0, /*elected=*/false,
       [&] { TmemDeallocOp::create(builder, loc, tensor, slot); });
  ops.store.erase();
}

class InsertRingsPass : public bwgemm::impl::InsertRingsBase<InsertRingsPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getPreset() < Preset::Pipelined ||
          !TileProgramOps::isTileProgram(kernel))
        return WalkResult::skip();
      FailureOr<TileProgramOps> ops = TileProgramOps::matchTma(kernel);
      if (failed(ops))
        return WalkResult::interrupt();
      ResourcePlan plan = planResources(
          schedule.getFields(), ops->loadA.getTile().getType().getElementType(),
          cast<MemRefType>(ops->store.getD().getType()).getElementType());
      RingProgram(*ops, plan.stages, plan.accumulators).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
