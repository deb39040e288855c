//===- Sides.cpp - One side of producers and consumers ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sides.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::bwgemm;

bool bwgemm::fillsOperands(Operation *op) {
  if (auto acquire = dyn_cast<RingAcquireOp>(op))
    return !acquire.getRing().getType().isTensorMemory();
  if (auto commit = dyn_cast<RingCommitOp>(op))
    return commit.getBy() == Agent::Tma;
  return isa<TMALoadOp>(op);
}

namespace {

/// Finds what one side of a block needs.
class Liveness {
public:
  Liveness(Block &block, llvm::function_ref<bool(Operation *)> keep)
      : root(block) {
    block.walk([&](Operation *op) {
      if (!isa<scf::ForOp, scf::IfOp>(op) &&
          !op->hasTrait<OpTrait::IsTerminator>() && keep(op))
        addOp(op);
    });
    while (!worklist.empty())
      addValue(worklist.pop_back_val());
  }

  bool contains(Operation *op) const { return ops.contains(op); }
  bool contains(scf::ForOp loop, unsigned argument) const {
    return arguments.contains({loop, argument});
  }

private:
  bool isInside(Operation *op) const {
    return root.getParent()->isAncestor(op->getParentRegion());
  }

  void addOp(Operation *op) {
    if (!isInside(op) || !ops.insert(op).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      worklist.append(
          {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else
      worklist.append(op->operand_begin(), op->operand_end());
    if (op->getBlock() != &root)
      addOp(op->getParentOp());
  }

  void addArgument(scf::ForOp loop, unsigned index) {
    addOp(loop);
    if (!arguments.insert({loop, index}).second)
      return;
    worklist.push_back(loop.getInitArgs()[index]);
    worklist.push_back(loop.getYieldedValues()[index]);
  }

  void addValue(Value value) {
    if (auto result = dyn_cast<OpResult>(value)) {
      auto loop = dyn_cast<scf::ForOp>(result.getOwner());
      if (loop && isInside(loop))
        addArgument(loop, result.getResultNumber());
      else
        addOp(result.getOwner());
      return;
    }
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !isInside(loop))
      return;
    if (argument == loop.getInductionVar())
      addOp(loop);
    else
      addArgument(loop, argument.getArgNumber() - loop.getNumInductionVars());
  }

  Block &root;
  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<std::pair<Operation *, unsigned>> arguments;
  SmallVector<Value> worklist;
};

void cloneBlock(OpBuilder &builder, Block &block, const Liveness &live,
                IRMapping &mapping);

void cloneLoop(OpBuilder &builder, scf::ForOp loop, const Liveness &live,
               IRMapping &mapping) {
  SmallVector<unsigned> kept;
  SmallVector<Value> init;
  for (auto [index, value] : llvm::enumerate(loop.getInitArgs())) {
    if (!live.contains(loop, index))
      continue;
    kept.push_back(index);
    init.push_back(mapping.lookupOrDefault(value));
  }
  auto clone = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), init);
  clone->setAttrs(loop->getAttrs());
  mapping.map(loop.getInductionVar(), clone.getInductionVar());
  for (auto [position, index] : llvm::enumerate(kept)) {
    mapping.map(loop.getRegionIterArg(index), clone.getRegionIterArg(position));
    mapping.map(loop.getResult(index), clone.getResult(position));
  }
  OpBuilder::InsertionGuard restore(builder);
  // Without iteration arguments the builder has made the terminator.
  if (kept.empty())
    builder.setInsertionPoint(clone.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(clone.getBody());
  cloneBlock(builder, *loop.getBody(), live, mapping);
  if (kept.empty())
    return;
  SmallVector<Value> yielded;
  for (unsigned index : kept)
    yielded.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[index]));
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
}

void cloneBlock(OpBuilder &builder, Block &block, const Liveness &live,
                IRMapping &mapping) {
  for (Operation &op : block) {
    if (!live.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      cloneLoop(builder, loop, live, mapping);
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      auto clone =
          scf::IfOp::create(builder, choice.getLoc(),
                            mapping.lookupOrDefault(choice.getCondition()),
                            /*withElseRegion=*/false);
      OpBuilder::InsertionGuard restore(builder);
      builder.setInsertionPointToStart(clone.thenBlock());
      cloneBlock(builder, *choice.thenBlock(), live, mapping);
    } else {
      builder.clone(op, mapping);
    }
  }
}

} // namespace

void bwgemm::cloneSide(OpBuilder &builder, Block &block,
                       llvm::function_ref<bool(Operation *)> keep,
                       IRMapping &mapping) {
  Liveness live(block, keep);
  cloneBlock(builder, block, live, mapping);
}
