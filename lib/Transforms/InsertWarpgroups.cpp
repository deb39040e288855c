//===- InsertWarpgroups.cpp - Tile programs to wgmma ----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ring program of targets with wgmma. The accumulator is in the registers
// of the warpgroups that multiply, so that they write the result as well:
//
//   load warp            warpgroups 0 to M / 64 - 1
//   acquire slot         wait for slot, sum = A * B, release slot
//   copy A and B into it loop: wait for slot, sum += A * B, release slot
//   commit               store sum
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "Outlining.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_INSERTWARPGROUPS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class WarpgroupProgram {
public:
  WarpgroupProgram(gpu::GPUFuncOp kernel, TileProgramOps ops,
                   ScheduleAttr schedule)
      : kernel(kernel), ops(ops), stages(schedule.getStages()),
        promotes(schedule.getPromote() != 0),
        warps(ops.accumulator.getAcc().getType().getRows() / 16),
        builder(ops.accumulator), loc(ops.mma.getLoc()) {}

  void emit() {
    emitPrologue();
    builder.setInsertionPoint(ops.store);
    emitLoad();
    emitMultiply();
    setBlockSize(kernel, 32 * (warps + 1));
    ops.store.erase();
    ops.mma.erase();
    ops.loadA.erase();
    ops.loadB.erase();
    ops.loop.erase();
    ops.accumulator.erase();
  }

private:
  void emitPrologue();
  void emitLoad();
  void emitMultiply();
  void role(StringRef name, int64_t first, int64_t last, bool elected,
            llvm::function_ref<void()> body) {
    auto role = RoleOp::create(builder, loc, name, first, last, elected);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
    body();
  }
  /// A loop over K from `first` on with `init`; `body` returns what it yields.
  scf::ForOp loop(Value first, ValueRange init,
                  llvm::function_ref<SmallVector<Value>(scf::ForOp)> body);

  gpu::GPUFuncOp kernel;
  TileProgramOps ops;
  int64_t stages;
  /// Whether blocks of K are summed apart.
  bool promotes;
  /// Those that multiply; the one behind them loads.
  int64_t warps;
  OpBuilder builder;
  Location loc;
  Value operands;
};

void WarpgroupProgram::emitPrologue() {
  auto ring = RingType::get(
      builder.getContext(), stages,
      {ops.loadA.getTile().getType(), ops.loadB.getTile().getType()});
  // One thread of each warp says that its warp has read a slot.
  operands = RingOp::create(builder, loc, ring, /*commits=*/1,
                            /*releases=*/warps);
  role("prefetch", warps, warps, /*elected=*/true, [&] {
    TensorMapPrefetchOp::create(builder, loc, ops.loadA.getMap());
    TensorMapPrefetchOp::create(builder, loc, ops.loadB.getMap());
    if (Value map = ops.store.getMap())
      TensorMapPrefetchOp::create(builder, loc, map);
  });
  gpu::BarrierOp::create(builder, loc);
}

scf::ForOp WarpgroupProgram::loop(
    Value first, ValueRange init,
    llvm::function_ref<SmallVector<Value>(scf::ForOp)> body) {
  auto loop =
      scf::ForOp::create(builder, ops.loop.getLoc(), first,
                         ops.loop.getUpperBound(), ops.loop.getStep(), init);
  loop->setAttrs(ops.loop->getAttrs());
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> yielded = body(loop);
  scf::YieldOp::create(builder, loc, yielded);
  return loop;
}

void WarpgroupProgram::emitLoad() {
  auto ringType = cast<RingType>(operands.getType());
  Type cursorType = CursorType::get(builder.getContext());
  role("load", warps, warps, /*elected=*/true, [&] {
    Value begin = RingBeginOp::create(builder, loc, cursorType, operands);
    loop(ops.loop.getLowerBound(), begin,
         [&](scf::ForOp loop) -> SmallVector<Value> {
           // Whatever else the loop computes is coordinates.
           ops.loop.getInductionVar().replaceAllUsesWith(
               loop.getInductionVar());
           loop.getBody()->getOperations().splice(
               loop.getBody()->end(), ops.loop.getBody()->getOperations(),
               ops.loop.getBody()->begin(),
               std::prev(ops.loop.getBody()->end()));
           Value cursor = loop.getRegionIterArg(0);
           RingAcquireOp::create(builder, loc, operands, cursor);
           RingCommitOp::create(builder, loc, operands, cursor, Agent::Tma,
                                /*mask=*/Value());
           auto slot = RingSlotOp::create(builder, loc, ringType.getBuffers(),
                                          operands, cursor, Value());
           auto full = RingFullOp::create(
               builder, loc, MBarrierType::get(builder.getContext(), stages),
               builder.getIndexType(), operands, cursor);
           auto copy = [&](LoadOp load, Value buffer) {
             emitCopies(builder, loc,
                        TileCopy(load, cast<TypedValue<SmemType>>(buffer),
                                 full.getBarriers(), full.getIndex()));
           };
           copy(ops.loadA, slot.getBuffers()[0]);
           copy(ops.loadB, slot.getBuffers()[1]);
           return {
               RingNextOp::create(builder, loc, cursorType, operands, cursor)};
         });
  });
}

void WarpgroupProgram::emitMultiply() {
  auto ringType = cast<RingType>(operands.getType());
  Type cursorType = CursorType::get(builder.getContext());
  AccType acc = ops.accumulator.getAcc().getType();
  auto fragment = FragmentType::get(builder.getContext(), acc.getRows(),
                                    acc.getColumns(), acc.getElementType());
  role("multiply", 0, warps - 1, /*elected=*/false, [&] {
    Value begin = RingBeginOp::create(builder, loc, cursorType, operands);
    Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
    Value warpgroup = arith::DivUIOp::create(
        builder, loc, warp, arith::ConstantIndexOp::create(builder, loc, 4));
    // A step along K. What `sum` is after it, and the next slot.
    auto step = [&](Value sum, Value cursor) -> SmallVector<Value> {
      RingWaitOp::create(builder, loc, operands, cursor);
      auto tiles = RingSlotOp::create(builder, loc, ringType.getBuffers(),
                                      operands, cursor, Value());
      Value next = WarpgroupMmaOp::create(builder, loc, fragment, sum,
                                          tiles.getBuffers()[0],
                                          tiles.getBuffers()[1], warpgroup);
      RingReleaseOp::create(builder, loc, operands, cursor, Agent::Warp,
                            /*mask=*/Value());
      return {next,
              RingNextOp::create(builder, loc, cursorType, operands, cursor)};
    };
    Value low = ops.loop.getLowerBound();
    SmallVector<Value> init{FragmentZeroOp::create(builder, loc, fragment),
                            begin};
    // There is a first step, which writes the sum that the others add to. Where
    // blocks of K are summed apart each has one.
    if (!promotes) {
      init = step(init[0], init[1]);
      low = builder.createOrFold<arith::AddIOp>(loc, low, ops.loop.getStep());
    }
    scf::ForOp sum = loop(low, init, [&](scf::ForOp loop) {
      return step(loop.getRegionIterArg(0), loop.getRegionIterArg(1));
    });
    ops.store.cloneFor(builder, sum.getResult(0));
  });
}

class InsertWarpgroupsPass
    : public bwgemm::impl::InsertWarpgroupsBase<InsertWarpgroupsPass> {
public:
  void runOnOperation() override {
    FailureOr<const TargetInfo *> target = getModuleTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!(*target)->hasWgmma)
      return;
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || !TileProgramOps::isTileProgram(kernel))
        return WalkResult::skip();
      FailureOr<TileProgramOps> ops = TileProgramOps::match(kernel);
      if (failed(ops))
        return WalkResult::interrupt();
      WarpgroupProgram(kernel, *ops, schedule).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
