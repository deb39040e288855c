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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  StagedLoop(scf::ForOp loop, int64_t stages, bool preloads)
      : loop(loop), outer(loop), stages(stages), preloads(preloads),
        builder(loop), loc(loop.getLoc()) {}

  /// Whether the loop is one to rewrite: tiles that are copied, waited for and
  /// multiplied in turn.
  bool match();
  void emit();

private:
  /// Whether `part` is what the loop sums up, perhaps extended to f32.
  bool isSumOf(Value part);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  }
  /// The stage behind `stage`.
  Value next(Value stage) {
    Value following = add(stage, constant(1));
    Value end = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      following, constant(stages));
    return arith::SelectOp::create(builder, loc, end, constant(0), following);
  }
  /// Of tiles, the copy of one operand's at `k`. A `whole` tile ends in front
  /// of the end of K.
  struct Tile {
    Value k, stage;
    bool whole;
  };
  void emitCopy(CopyTileOp copy, const Tile &tile, int64_t part = 0,
                int64_t parts = 1);
  /// Starts the first tiles.
  void emitStart();
  /// Waits until one tile more has come for all threads.
  void emitWait();
  Value emitLoad(LdMatrixOp load, Value stage);
  Value emitMma(Value sum, Value a, Value b) {
    return MmaSyncOp::create(builder, loc, sum.getType(), sum, a, b);
  }
  /// Where `whole` tiles that are started ahead end: a tile in front of it is
  /// multiplied while such a one is started.
  Value emitWholeEnd();
  /// Multiplies the tiles from `low` to in front of `high`. The state is the
  /// sum, the stage to read and the one to write, and with `preloads` the
  /// operands of the next step.
  SmallVector<Value> emitTiles(Value low, Value high, ValueRange state);
  /// The same, with an accumulator of its own for each block of K; the sum of
  /// all comes ahead of the state.
  SmallVector<Value> emitBlocks(Value low, Value high, ValueRange state);
  SmallVector<Value> emitLoop(Value low, Value high, ValueRange state,
                              bool whole);
  SmallVector<Value> emitTile(Value k, ValueRange state, bool whole);
  SmallVector<Value> emitPreloaded(Value k, ValueRange state, bool whole);

  scf::ForOp loop;
  /// The loop over blocks of K around it, if their sums are added apart; else
  /// the same.
  scf::ForOp outer;
  PromoteOp promote;
  int64_t stages;
  bool preloads;
  OpBuilder builder;
  Location loc;
  SmallVector<CopyTileOp> copies;
  SmallVector<Step> steps;
  /// From a tile to the one that is started beside it, along K.
  Value ahead;
  Value wholeEnd;
};

bool StagedLoop::isSumOf(Value part) {
  if (auto extension = part.getDefiningOp<FragmentExtendOp>())
    part = extension.getFragment();
  return part == loop.getResult(0);
}

bool StagedLoop::match() {
  for (auto copy : loop.getBody()->getOps<CopyTileOp>())
    copies.push_back(copy);
  for (auto mma : loop.getBody()->getOps<MmaSyncOp>())
    steps.push_back({mma.getA().getDefiningOp<LdMatrixOp>(),
                     mma.getB().getDefiningOp<LdMatrixOp>(), mma});
  if (copies.size() != 2 || steps.empty() || loop.getNumResults() != 1 ||
      !llvm::all_of(steps, [](Step &step) { return step.a && step.b; }))
    return false;
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (around && loop.getLowerBound() == around.getInductionVar())
    for (auto op : around.getBody()->getOps<PromoteOp>())
      if (isSumOf(op.getPart())) {
        promote = op;
        outer = around;
        builder.setInsertionPoint(outer);
      }
  return true;
}

/// Behind the end nothing is read and zeros are written, so that every stage is
/// a group and what is loaded ahead of the end is defined.
void StagedLoop::emitCopy(CopyTileOp copy, const Tile &tile, int64_t part,
                          int64_t parts) {
  SmallVector<Value> coordinates(copy.getCoordinates());
  for (Value &coordinate : coordinates)
    if (coordinate == loop.getInductionVar())
      coordinate = tile.k;
  auto moved = cast<CopyTileOp>(builder.clone(*copy.getOperation()));
  moved.getCoordinatesMutable().assign(coordinates);
  moved.getStageMutable().assign(tile.stage);
  if (tile.whole) {
    moved.getEndMutable().clear();
    moved.setWhole(true);
  }
  if (parts > 1)
    moved.setPart(ArrayRef<int64_t>{part, parts});
}

void StagedLoop::emitStart() {
  Value k = outer.getLowerBound();
  for (int64_t stage = 0; stage < stages - 1; ++stage) {
    for (CopyTileOp copy : copies)
      emitCopy(copy, {k, constant(stage), /*whole=*/false});
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
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

Value StagedLoop::emitWholeEnd() {
  // The tile at k starts the one at k + ahead, which is whole if that and a
  // step are not behind the end.
  Value end;
  for (CopyTileOp copy : copies) {
    bool kMajor = copy.getTile().getType().getMajor() == Major::K;
    Value depth = builder.createOrFold<memref::DimOp>(loc, copy.getSource(),
                                                      kMajor ? 1 : 0);
    if (Value until = copy.getEnd())
      depth = builder.createOrFold<arith::MinSIOp>(loc, depth, until);
    end = end ? builder.createOrFold<arith::MinSIOp>(loc, end, depth) : depth;
  }
  return subtract(end, subtract(add(ahead, loop.getStep()), constant(1)));
}

SmallVector<Value> StagedLoop::emitLoop(Value low, Value high, ValueRange state,
                                        bool whole) {
  auto staged =
      scf::ForOp::create(builder, loc, low, high, loop.getStep(), state);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToEnd(staged.getBody());
  auto emit = preloads ? &StagedLoop::emitPreloaded : &StagedLoop::emitTile;
  scf::YieldOp::create(builder, loc,
                       (this->*emit)(staged.getInductionVar(),
                                     staged.getRegionIterArgs(), whole));
  return llvm::to_vector_of<Value>(staged.getResults());
}

SmallVector<Value> StagedLoop::emitTiles(Value low, Value high,
                                         ValueRange state) {
  // Elements one by one go through registers, which a second loop would take
  // more of.
  if (llvm::any_of(copies, [](CopyTileOp copy) { return copy.getBytes() < 4; }))
    return emitLoop(low, high, state, /*whole=*/false);
  // Copies that have nothing to ask for are a loop of their own, which is all
  // but the last turns.
  Value middle = builder.createOrFold<arith::MinSIOp>(loc, high, wholeEnd);
  SmallVector<Value> between = emitLoop(low, middle, state, /*whole=*/true);
  Value span = builder.createOrFold<arith::MaxSIOp>(loc, subtract(middle, low),
                                                    constant(0));
  Value turns =
      builder.createOrFold<arith::CeilDivUIOp>(loc, span, loop.getStep());
  return emitLoop(add(low, multiply(turns, loop.getStep())), high, between,
                  /*whole=*/false);
}

SmallVector<Value> StagedLoop::emitBlocks(Value low, Value high,
                                          ValueRange state) {
  SmallVector<Value> init{outer.getInitArgs()[0]};
  llvm::append_range(init, state);
  auto staged =
      scf::ForOp::create(builder, loc, low, high, outer.getStep(), init);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToEnd(staged.getBody());
  Value block = staged.getInductionVar();
  Value next = add(block, outer.getStep());
  SmallVector<Value> after =
      emitTiles(block, builder.createOrFold<arith::MinSIOp>(loc, next, high),
                staged.getRegionIterArgs().drop_front());
  Value part = after.front();
  Type wide = promote.getPart().getType();
  bool isExtended = part.getType() != wide;
  if (isExtended)
    part = FragmentExtendOp::create(builder, loc, wide, part);
  auto total =
      PromoteOp::create(builder, loc, wide, wide, staged.getRegionIterArg(0),
                        part, promote.getCompensated());
  // Where a sum of f16 begins is zero, not of the type of what is added.
  SmallVector<Value> yielded{total.getTotal(),
                             isExtended ? state.front() : total.getStart()};
  yielded.append(after.begin() + 1, after.end());
  scf::YieldOp::create(builder, loc, yielded);
  return llvm::to_vector_of<Value>(staged.getResults());
}

SmallVector<Value> StagedLoop::emitTile(Value k, ValueRange state, bool whole) {
  Value sum = state[0], read = state[1], write = state[2];
  emitWait();
  Tile started = {add(k, ahead), write, whole};
  for (CopyTileOp copy : copies)
    emitCopy(copy, started);
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  for (Step &step : steps) {
    Value a = emitLoad(step.a, read), b = emitLoad(step.b, read);
    sum = emitMma(sum, a, b);
  }
  return {sum, next(read), read};
}

SmallVector<Value> StagedLoop::emitPreloaded(Value k, ValueRange state,
                                             bool whole) {
  Value sum = state[0], read = state[1], write = state[2];
  Value a = state[3], b = state[4];
  Tile started = {add(k, ahead), write, whole};
  Value following = next(read);
  // All copies are started ahead of the last step, half of them beside each of
  // the first two: a warp that starts many in a row waits for room in the
  // queue, but each time copies follow loads of shared memory something is lost
  // too.
  int64_t parts = steps.size() > 2 ? 2 : 1;
  // Loads of shared memory stay behind copies to it in the order of the
  // program: each step's loads go first, so that they do not wait for the
  // addresses of copies.
  int64_t part = 0;
  auto emitPart = [&] {
    if (part == parts)
      return;
    for (CopyTileOp copy : copies)
      emitCopy(copy, started, part, parts);
    ++part;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    bool last = i + 1 == steps.size();
    if (last) {
      emitPart();
      NVVM::CpAsyncCommitGroupOp::create(builder, loc);
      emitWait();
    }
    Step &step = last ? steps.front() : steps[i + 1];
    Value stage = last ? following : read;
    Value nextA = emitLoad(step.a, stage), nextB = emitLoad(step.b, stage);
    if (!last)
      emitPart();
    sum = emitMma(sum, a, b);
    a = nextA;
    b = nextB;
  }
  return {sum, following, read, a, b};
}

void StagedLoop::emit() {
  ahead = builder.createOrFold<arith::MulIOp>(loc, loop.getStep(),
                                              constant(stages - 1));
  wholeEnd = emitWholeEnd();
  emitStart();
  // Around blocks the sum of all comes first.
  SmallVector<Value> state{outer.getInitArgs()[promote ? 1 : 0], constant(0),
                           constant(stages - 1)};
  if (preloads) {
    emitWait();
    Value zero = constant(0);
    state.push_back(emitLoad(steps.front().a, zero));
    state.push_back(emitLoad(steps.front().b, zero));
  }
  Value low = outer.getLowerBound(), high = outer.getUpperBound();
  SmallVector<Value> end =
      promote ? emitBlocks(low, high, state) : emitTiles(low, high, state);
  // No copy is under way when the shared memory changes hands.
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  outer.getResult(0).replaceAllUsesWith(end.front());
  outer.erase();
}

class MultistagePass : public bwgemm::impl::MultistageBase<MultistagePass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || !usesMmaSync(schedule.getPreset()) ||
          schedule.getStages() < 2)
        return;
      // Those within others come first, whose loops they may replace.
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](MmaSyncOp mma) {
        if (auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
            loop && !llvm::is_contained(loops, loop))
          loops.push_back(loop);
      });
      for (scf::ForOp loop : loops) {
        StagedLoop staged(loop, schedule.getStages(),
                          schedule.getPreset() == Preset::Multistage);
        if (staged.match())
          staged.emit();
      }
    });
  }
};

} // namespace
