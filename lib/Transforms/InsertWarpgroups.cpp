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
//   load warp            warpgroups
//   acquire slot         wait for slot, sum = A * B, release slot
//   copy A and B into it loop: wait for slot, sum += A * B, release slot
//   commit               store sum
//
// A tile of up to 128 rows has a warpgroup for every 64 of them. One of 256
// rows has two, each of which multiplies blocks of 64 rows in both halves: as
// many registers as two accumulators need come from the warps that load.
//
// Two teams, of a warpgroup each, take tiles in turn (ping-pong). The turn goes
// on to the other team once the last products are under way.
//
// Where two warpgroups multiply each step waits for its products, since the
// other one keeps the tensor cores busy. One alone waits for those of the step
// before.
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "Outlining.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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
        plan(planWarpgroups(schedule.getFields())), builder(ops.accumulator),
        loc(ops.mma.getLoc()) {
    AccType acc = ops.accumulator.getAcc().getType();
    fragment = FragmentType::get(builder.getContext(),
                                 WarpgroupPlan::kBlockRows * plan.groups,
                                 acc.getColumns(), acc.getElementType());
  }

  void emit() {
    emitPrologue();
    builder.setInsertionPoint(ops.store);
    emitLoad();
    emitMultiply();
    setBlockSize(kernel, 32 * (plan.getWarps() + plan.getLoadWarps()));
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
  void emitTeams(Value begin, Value team);
  void emitTurn(Value isFirst, llvm::function_ref<void()> first,
                llvm::function_ref<void()> second);
  SmallVector<Value> emitZeros();
  SmallVector<Value> emitProducts(ValueRange sums, Value cursor);
  SmallVector<Value> emitPipelined(Value begin);
  SmallVector<Value> emitLast(SmallVector<Value> sumsAndCursor);
  SmallVector<Value> emitWaiting(Value begin);
  void emitStores(ValueRange sums);
  RoleOp role(StringRef name, int64_t first, int64_t last, bool elected,
              llvm::function_ref<void()> body) {
    auto role = RoleOp::create(builder, loc, name, first, last, elected);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
    body();
    return role;
  }
  /// A loop over K from `first` on with `init`; `body` returns what it yields.
  scf::ForOp loop(Value first, ValueRange init,
                  llvm::function_ref<SmallVector<Value>(scf::ForOp)> body);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value next(Value cursor) {
    return RingNextOp::create(builder, loc, cursor.getType(), operands, cursor);
  }
  void release(Value cursor) {
    RingReleaseOp::create(builder, loc, operands, cursor, Agent::Warp,
                          /*mask=*/Value());
  }
  void waitForGroups(int64_t pending) {
    NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, pending);
  }
  /// The end of the first step, which writes the sums.
  Value getSecond() {
    return builder.createOrFold<arith::AddIOp>(loc, ops.loop.getLowerBound(),
                                               ops.loop.getStep());
  }

  gpu::GPUFuncOp kernel;
  TileProgramOps ops;
  int64_t stages;
  /// Whether blocks of K are summed apart.
  bool promotes;
  WarpgroupPlan plan;
  OpBuilder builder;
  Location loc;
  /// A block's accumulator: 64 rows of each warpgroup of a team.
  FragmentType fragment;
  Value operands;
  /// Turns of two teams, null for one.
  Value turns;
  /// That of this warp in its team.
  Value warpgroup;
};

void WarpgroupProgram::emitPrologue() {
  MLIRContext *context = builder.getContext();
  auto ring = RingType::get(
      context, stages,
      {ops.loadA.getTile().getType(), ops.loadB.getTile().getType()});
  // One thread of each warp says that its warp has read a slot.
  int64_t readers = 4 * plan.groups;
  operands = RingOp::create(builder, loc, ring, /*commits=*/1,
                            /*releases=*/readers);
  if (plan.teams > 1)
    turns = RingOp::create(builder, loc, RingType::get(context, 1, {}),
                           /*commits=*/readers, /*releases=*/readers);
  int64_t first = plan.getWarps();
  role("prefetch", first, first, /*elected=*/true, [&] {
    TensorMapPrefetchOp::create(builder, loc, ops.loadA.getMap());
    TensorMapPrefetchOp::create(builder, loc, ops.loadB.getMap());
    if (Value map = ops.store.getMap())
      TensorMapPrefetchOp::create(builder, loc, map);
  });
  gpu::BarrierOp::create(builder, loc);
  if (!plan.isReallocating())
    return;
  role("give registers", first, first + plan.getLoadWarps() - 1,
       /*elected=*/false, [&] {
         NVVM::SetMaxRegisterOp::create(builder, loc, plan.getLoadRegisters(),
                                        NVVM::SetMaxRegisterAction::decrease);
       });
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
  int64_t warp = plan.getWarps();
  role("load", warp, warp, /*elected=*/true, [&] {
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
           auto copy = [&](LoadOp load, bool isA) {
             Value buffer = slot.getBuffers()[isA ? 0 : 1];
             emitCopies(builder, loc,
                        TileCopy(load, isA, cast<TypedValue<SmemType>>(buffer),
                                 full.getBarriers(), full.getIndex()));
           };
           copy(ops.loadA, /*isA=*/true);
           copy(ops.loadB, /*isA=*/false);
           return {next(cursor)};
         });
  });
}

/// Sums that have not begun, one for each block.
SmallVector<Value> WarpgroupProgram::emitZeros() {
  SmallVector<Value> zeros;
  for (int64_t block = 0; block < plan.blocks; ++block)
    zeros.push_back(FragmentZeroOp::create(builder, loc, fragment));
  return zeros;
}

/// Waits for a slot and starts the products of its tiles, those of all blocks
/// in one group. What the sums are after it.
SmallVector<Value> WarpgroupProgram::emitProducts(ValueRange sums,
                                                  Value cursor) {
  RingWaitOp::create(builder, loc, operands, cursor);
  auto ring = cast<RingType>(operands.getType());
  auto tiles = RingSlotOp::create(builder, loc, ring.getBuffers(), operands,
                                  cursor, Value());
  Value a = tiles.getBuffers()[0], b = tiles.getBuffers()[1];
  // One block alone waits for its products by itself.
  bool async = plan.blocks > 1 || plan.isPipelined;
  if (async)
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  SmallVector<Value> results;
  for (auto [block, sum] : llvm::enumerate(sums)) {
    Value place = builder.createOrFold<arith::AddIOp>(
        loc, warpgroup, constant(int64_t(block) * plan.groups));
    results.push_back(WarpgroupMmaOp::create(builder, loc, fragment, sum, a, b,
                                             place, async));
  }
  if (async)
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return results;
}

/// Each step waits for its products. Other warpgroups multiply meanwhile.
SmallVector<Value> WarpgroupProgram::emitWaiting(Value begin) {
  auto step = [&](ValueRange sums, Value cursor) {
    SmallVector<Value> results = emitProducts(sums, cursor);
    if (plan.blocks > 1)
      waitForGroups(0);
    release(cursor);
    results.push_back(next(cursor));
    return results;
  };
  Value low = ops.loop.getLowerBound();
  SmallVector<Value> init = emitZeros();
  init.push_back(begin);
  // There is a first step, which writes the sum that the others add to. Where
  // blocks of K are summed apart each has one.
  if (!promotes) {
    init = step(ArrayRef(init).drop_back(), begin);
    low = getSecond();
  }
  scf::ForOp steps = loop(low, init, [&](scf::ForOp loop) {
    ValueRange carried = loop.getRegionIterArgs();
    return step(carried.drop_back(), carried.back());
  });
  return SmallVector<Value>(steps.getResults().drop_back());
}

/// Each step waits for the products of the step before, so that tensor cores
/// have the next ones when these end.
SmallVector<Value> WarpgroupProgram::emitPipelined(Value begin) {
  SmallVector<Value> init = emitProducts(emitZeros(), begin);
  // What the loop carries: sums, the slot that is being read, the next one.
  init.append({begin, next(begin)});
  scf::ForOp steps = loop(getSecond(), init, [&](scf::ForOp loop) {
    ValueRange carried = loop.getRegionIterArgs();
    Value cursor = carried.back();
    SmallVector<Value> results = emitProducts(carried.drop_back(2), cursor);
    waitForGroups(1);
    release(carried.drop_back().back());
    results.append({cursor, next(cursor)});
    return results;
  });
  return SmallVector<Value>(steps.getResults().drop_back());
}

/// What the sums are when all products are done, which releases the last slot.
SmallVector<Value>
WarpgroupProgram::emitLast(SmallVector<Value> sumsAndCursor) {
  waitForGroups(0);
  release(sumsAndCursor.pop_back_val());
  return sumsAndCursor;
}

/// A block's rows of D begin where the rows of all warpgroups of the one before
/// end.
void WarpgroupProgram::emitStores(ValueRange sums) {
  for (auto [block, sum] : llvm::enumerate(sums)) {
    StoreOp store = ops.store.cloneFor(builder, sum);
    store.setTeams(plan.teams);
    if (block == 0)
      continue;
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPoint(store);
    store.getMMutable().assign(
        arith::AddIOp::create(builder, loc, store.getM(),
                              constant(int64_t(block) * fragment.getRows())));
  }
}

/// The first team's turn comes first: the slot of a turn is empty then, and it
/// is full when the second one's turn comes.
void WarpgroupProgram::emitTurn(Value isFirst, llvm::function_ref<void()> first,
                                llvm::function_ref<void()> second) {
  auto choice =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  first();
  builder.setInsertionPointToStart(choice.elseBlock());
  second();
}

void WarpgroupProgram::emitMultiply() {
  int64_t warps = plan.getWarps();
  // Ahead of the loop over tiles that a persistent role becomes.
  if (plan.isReallocating())
    role("take registers", 0, warps - 1, /*elected=*/false, [&] {
      NVVM::SetMaxRegisterOp::create(builder, loc, plan.getMultiplyRegisters(),
                                     NVVM::SetMaxRegisterAction::increase);
    });
  RoleOp multiply = role("multiply", 0, warps - 1, /*elected=*/false, [&] {
    Type cursorType = CursorType::get(builder.getContext());
    Value begin = RingBeginOp::create(builder, loc, cursorType, operands);
    Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
    Value group = arith::DivUIOp::create(builder, loc, warp, constant(4));
    if (plan.groups > 1) {
      warpgroup = group;
      return emitStores(emitWaiting(begin));
    }
    warpgroup = constant(0);
    if (plan.teams > 1)
      return emitTeams(begin, group);
    emitStores(plan.isPipelined ? emitLast(emitPipelined(begin))
                                : emitWaiting(begin));
  });
  multiply.setTeams(plan.teams);
}

void WarpgroupProgram::emitTeams(Value begin, Value team) {
  Value turn = RingBeginOp::create(
      builder, loc, CursorType::get(builder.getContext()), turns);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        team, constant(0));
  emitTurn(
      isFirst, [&] { RingAcquireOp::create(builder, loc, turns, turn); },
      [&] { RingWaitOp::create(builder, loc, turns, turn); });
  SmallVector<Value> results = emitPipelined(begin);
  emitTurn(
      isFirst,
      [&] {
        RingCommitOp::create(builder, loc, turns, turn, Agent::Warp,
                             /*mask=*/Value());
      },
      [&] {
        RingReleaseOp::create(builder, loc, turns, turn, Agent::Warp,
                              /*mask=*/Value());
      });
  emitStores(emitLast(results));
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
      FailureOr<TileProgramOps> ops = TileProgramOps::matchTma(kernel);
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
