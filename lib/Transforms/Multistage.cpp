//===- Multistage.cpp - Let copies of cp.async run ahead ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the loops of bwgemm-insert-warps. With S stages S - 1 tiles are
// under way, each a cp.async group of its own:
//
//   start tiles 0 to S - 2
//   loop over tiles i                     stages = 2: double_buffered
//     wait for tile i, barrier
//     start tile i + S - 1, where tile i - 1 was
//     multiply tile i
//
// `multistage` has the operands of a step in registers before the step begins,
// across tiles too, so that no mma.sync waits for shared memory:
//
//   start tiles 0 to S - 2, wait for tile 0, barrier, load step 0
//   loop over tiles i
//     for all steps but the last: load the next step, start a part of tile
//       i + S - 1, multiply this step
//     wait for tile i + 1, barrier, load its step 0, multiply the last step
//
// One barrier is enough: before it a warp has loaded all that it reads of a
// tile, and what overwrites the tile starts behind it.
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_MULTISTAGE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// One step of K in a loop's body.
struct Step {
  LdMatrixOp a, b;
  MmaSyncOp mma;
};

class StagedLoop {
public:
  StagedLoop(scf::ForOp loop, int64_t stages)
      : loop(loop), stages(stages), builder(loop), loc(loop.getLoc()) {}

  /// Whether the loop is one to rewrite: tiles that are copied, waited for and
  /// multiplied in turn.
  bool match();
  void emitDoubleBuffered();
  void emitPreloaded();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  /// The stage behind `stage`.
  Value next(Value stage) {
    Value following = add(stage, constant(1));
    Value end = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      following, constant(stages));
    return arith::SelectOp::create(builder, loc, end, constant(0), following);
  }
  /// The copy of one operand's tile at `k`.
  void emitCopy(CopyTileOp copy, Value k, Value stage);
  /// Copies of the tiles at `k`, as a group.
  void emitCopies(Value k, Value stage) {
    for (CopyTileOp copy : copies)
      emitCopy(copy, k, stage);
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  }
  /// Starts the first tiles.
  void emitStart();
  /// Waits until one tile more has come for all threads.
  void emitWait();
  Value emitLoad(LdMatrixOp load, Value stage);
  Value emitMma(Value sum, Value a, Value b) {
    return MmaSyncOp::create(builder, loc, sum.getType(), sum, a, b);
  }
  /// The new loop with `init`, from `body`, which returns what it yields.
  void emitLoop(ValueRange init,
                llvm::function_ref<SmallVector<Value>(scf::ForOp)> body);

  scf::ForOp loop;
  int64_t stages;
  OpBuilder builder;
  Location loc;
  SmallVector<CopyTileOp> copies;
  SmallVector<Step> steps;
};

bool StagedLoop::match() {
  for (auto copy : loop.getBody()->getOps<CopyTileOp>())
    copies.push_back(copy);
  for (auto mma : loop.getBody()->getOps<MmaSyncOp>())
    steps.push_back({mma.getA().getDefiningOp<LdMatrixOp>(),
                     mma.getB().getDefiningOp<LdMatrixOp>(), mma});
  return copies.size() == 2 && !steps.empty() && loop.getNumResults() == 1 &&
         llvm::all_of(steps, [](Step &step) { return step.a && step.b; });
}

/// Behind the end nothing is read and zeros are written, so that every stage is
/// a group and what is loaded ahead of the end is defined.
void StagedLoop::emitCopy(CopyTileOp copy, Value k, Value stage) {
  SmallVector<Value> coordinates(copy.getCoordinates());
  for (Value &coordinate : coordinates)
    if (coordinate == loop.getInductionVar())
      coordinate = k;
  CopyTileOp::create(builder, loc, copy.getSource(), coordinates,
                     copy.getTile(), stage, copy.getEnd(), copy.getBytes());
}

void StagedLoop::emitStart() {
  Value k = loop.getLowerBound();
  for (int64_t stage = 0; stage < stages - 1; ++stage) {
    emitCopies(k, constant(stage));
    k = add(k, loop.getStep());
  }
}

void StagedLoop::emitWait() {
  NVVM::CpAsyncWaitGroupOp::create(builder, loc,
                                   static_cast<uint32_t>(stages - 2));
  gpu::BarrierOp::create(builder, loc);
}

Value StagedLoop::emitLoad(LdMatrixOp load, Value stage) {
  SmallVector<Value> origin(load.getOrigin());
  origin.front() = stage;
  // The step's place in the tile is a constant of the old loop's body.
  for (Value &coordinate : origin)
    if (Operation *op = coordinate.getDefiningOp();
        op && op->getParentOp() == loop)
      coordinate = builder.clone(*op)->getResult(0);
  return LdMatrixOp::create(builder, loc, load.getOperand().getType(),
                            load.getTile(), origin);
}

void StagedLoop::emitLoop(
    ValueRange init, llvm::function_ref<SmallVector<Value>(scf::ForOp)> body) {
  auto staged = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), init);
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToEnd(staged.getBody());
    SmallVector<Value> yielded = body(staged);
    scf::YieldOp::create(builder, loc, yielded);
  }
  // No copy is under way when the shared memory changes hands.
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  loop.getResult(0).replaceAllUsesWith(staged.getResult(0));
  loop.erase();
}

void StagedLoop::emitDoubleBuffered() {
  emitStart();
  Value ahead =
      arith::MulIOp::create(builder, loc, loop.getStep(), constant(stages - 1));
  Value init[] = {loop.getInitArgs()[0], constant(0), constant(stages - 1)};
  emitLoop(init, [&](scf::ForOp staged) -> SmallVector<Value> {
    Value sum = staged.getRegionIterArg(0);
    Value read = staged.getRegionIterArg(1), write = staged.getRegionIterArg(2);
    emitWait();
    emitCopies(add(staged.getInductionVar(), ahead), write);
    for (Step &step : steps) {
      Value a = emitLoad(step.a, read), b = emitLoad(step.b, read);
      sum = emitMma(sum, a, b);
    }
    return {sum, next(read), read};
  });
}

void StagedLoop::emitPreloaded() {
  emitStart();
  Value ahead =
      arith::MulIOp::create(builder, loc, loop.getStep(), constant(stages - 1));
  emitWait();
  Value zero = constant(0);
  Value init[] = {loop.getInitArgs()[0], zero, constant(stages - 1),
                  emitLoad(steps.front().a, zero),
                  emitLoad(steps.front().b, zero)};
  emitLoop(init, [&](scf::ForOp staged) -> SmallVector<Value> {
    Value sum = staged.getRegionIterArg(0);
    Value read = staged.getRegionIterArg(1), write = staged.getRegionIterArg(2);
    Value a = staged.getRegionIterArg(3), b = staged.getRegionIterArg(4);
    Value k = add(staged.getInductionVar(), ahead);
    Value following = next(read);
    // Loads of shared memory stay behind copies to it in the order of the
    // program: each step's loads go first, so that they do not wait for the
    // addresses of copies.
    auto remaining = copies.begin();
    for (size_t i = 0; i < steps.size(); ++i) {
      bool last = i + 1 == steps.size();
      if (last) {
        while (remaining != copies.end())
          emitCopy(*remaining++, k, write);
        NVVM::CpAsyncCommitGroupOp::create(builder, loc);
        emitWait();
      }
      Step &step = last ? steps.front() : steps[i + 1];
      Value stage = last ? following : read;
      Value nextA = emitLoad(step.a, stage), nextB = emitLoad(step.b, stage);
      // All copies are started ahead of the last step.
      size_t share = last ? 0
                          : llvm::divideCeil(copies.end() - remaining,
                                             steps.size() - 1 - i);
      for (; share > 0; --share)
        emitCopy(*remaining++, k, write);
      sum = emitMma(sum, a, b);
      a = nextA;
      b = nextB;
    }
    return {sum, following, read, a, b};
  });
}

class MultistagePass : public bwgemm::impl::MultistageBase<MultistagePass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || !usesMmaSync(schedule.getPreset()) ||
          schedule.getStages() < 2)
        return;
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        StagedLoop staged(loop, schedule.getStages());
        if (!staged.match())
          continue;
        if (schedule.getPreset() == Preset::Multistage)
          staged.emitPreloaded();
        else
          staged.emitDoubleBuffered();
      }
    });
  }
};

} // namespace
