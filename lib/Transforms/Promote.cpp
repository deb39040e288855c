//===- Promote.cpp - Sum blocks of K apart --------------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PROMOTE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// The extension to f32 that a sum of f16 goes to and nothing else; null for
/// other values.
FragmentExtendOp getExtension(Value sum) {
  return sum.hasOneUse() ? dyn_cast<FragmentExtendOp>(*sum.user_begin())
                         : FragmentExtendOp();
}

/// Which of the values that a loop carries is an accumulator that begins at
/// zero, if one is. Loops over blocks have theirs.
std::optional<unsigned> findAccumulator(scf::ForOp loop) {
  if (!loop.getBody()->getOps<PromoteOp>().empty())
    return std::nullopt;
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs()))
    if (auto zero = init.getDefiningOp<FragmentZeroOp>())
      if (!zero.getType().getElementType().isF16() ||
          getExtension(loop.getResult(index)))
        return index;
  return std::nullopt;
}

/// Makes `loop` the inner one of two, of which the outer one goes from block to
/// block.
void sumInBlocks(scf::ForOp loop, unsigned accumulator, ScheduleAttr schedule) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value zero = loop.getInitArgs()[accumulator];
  Value step =
      arith::ConstantIndexOp::create(builder, loc, schedule.getPromote());
  // Of blocks in f16 each is extended and added to a sum of f32, whose error
  // the next one could not hold: it begins at zero.
  Value part = loop.getResult(accumulator), first = zero;
  FragmentExtendOp extension = getExtension(part);
  if (extension) {
    part = extension.getResult();
    first = FragmentZeroOp::create(builder, loc, part.getType());
  }
  // The sum comes ahead of what the loop carries.
  SmallVector<Value> init{first};
  llvm::append_range(init, loop.getInitArgs());
  auto blocks = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), step, init);
  part.replaceAllUsesWith(blocks.getResult(0));
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (i != accumulator)
      loop.getResult(i).replaceAllUsesWith(blocks.getResult(i + 1));
  builder.setInsertionPointToEnd(blocks.getBody());
  Value block = blocks.getInductionVar();
  Value next = arith::AddIOp::create(builder, loc, block, step);
  Value end = arith::MinSIOp::create(builder, loc, next, loop.getUpperBound());
  loop->moveBefore(blocks.getBody(), blocks.getBody()->end());
  loop.setLowerBound(block);
  loop.setUpperBound(end);
  loop.getInitArgsMutable().assign(blocks.getRegionIterArgs().drop_front());
  // A block of one step writes its sum. As a value that is carried it would be
  // moved to registers of wgmma behind the fence that is ahead of it.
  if (schedule.getPromote() == schedule.getTileK() &&
      !schedule.getCompensated()) {
    builder.setInsertionPointToStart(loop.getBody());
    Value none = FragmentZeroOp::create(builder, loc, zero.getType());
    loop.getRegionIterArg(accumulator).replaceAllUsesWith(none);
    builder.setInsertionPointToEnd(blocks.getBody());
  }
  if (extension)
    extension->moveBefore(blocks.getBody(), blocks.getBody()->end());
  auto total = PromoteOp::create(builder, loc, first.getType(), first.getType(),
                                 blocks.getRegionIterArg(0), part,
                                 schedule.getCompensated());
  SmallVector<Value> yielded{total.getTotal()};
  llvm::append_range(yielded, loop.getResults());
  yielded[accumulator + 1] = extension ? zero : total.getStart();
  scf::YieldOp::create(builder, loc, yielded);
}

class PromotePass : public bwgemm::impl::PromoteBase<PromotePass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getPromote() == 0)
        return WalkResult::skip();
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        if (std::optional<unsigned> accumulator = findAccumulator(loop))
          sumInBlocks(loop, *accumulator, schedule);
      if (!has<MmaSyncOp, WarpgroupMmaOp>(kernel) || has<PromoteOp>(kernel))
        return WalkResult::skip();
      kernel.emitOpError(
          "expects a loop over K with an accumulator that begins "
          "at zero, for a schedule with promote");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  template <typename... Ops> static bool has(gpu::GPUFuncOp kernel) {
    return kernel
        .walk([](Operation *op) {
          return isa<Ops...>(op) ? WalkResult::interrupt()
                                 : WalkResult::advance();
        })
        .wasInterrupted();
  }
};

} // namespace
