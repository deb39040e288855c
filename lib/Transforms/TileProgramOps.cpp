//===- TileProgramOps.cpp - The parts of a tile program ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProgramOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::bwgemm;

bool TileProgramOps::isTileProgram(gpu::GPUFuncOp kernel) {
  return kernel.walk([](AccumulatorOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The one op of type `Op` under `root`, or an error.
template <typename Op> static FailureOr<Op> getOnly(Operation *root) {
  SmallVector<Op> found;
  root->walk([&](Op op) { found.push_back(op); });
  if (found.size() == 1)
    return found.front();
  root->emitOpError() << "expects one " << Op::getOperationName()
                      << " in a tile program, but got " << found.size();
  return failure();
}

FailureOr<TileProgramOps> TileProgramOps::match(gpu::GPUFuncOp kernel) {
  TileProgramOps ops;
  auto accumulator = getOnly<AccumulatorOp>(kernel);
  auto mma = getOnly<MmaOp>(kernel);
  auto store = getOnly<StoreOp>(kernel);
  if (failed(accumulator) || failed(mma) || failed(store))
    return failure();
  ops.accumulator = *accumulator;
  ops.mma = *mma;
  ops.store = *store;
  ops.loop = dyn_cast<scf::ForOp>(ops.mma->getParentOp());
  if (!ops.loop || ops.loop->getNumResults() != 0)
    return ops.mma.emitOpError(
        "expects to be directly in an scf.for over K without results");
  ops.loadA = ops.mma.getA().getDefiningOp<LoadOp>();
  ops.loadB = ops.mma.getB().getDefiningOp<LoadOp>();
  if (!ops.loadA || !ops.loadB || ops.loadA->getParentOp() != ops.loop ||
      ops.loadB->getParentOp() != ops.loop || ops.loadA == ops.loadB ||
      !ops.loadA->hasOneUse() || !ops.loadB->hasOneUse())
    return ops.mma.emitOpError(
        "expects operands from two bwgemm.load in the same loop, each used "
        "once");
  if (ops.accumulator->getBlock() != ops.loop->getBlock() ||
      ops.store->getBlock() != ops.loop->getBlock() ||
      !ops.accumulator->isBeforeInBlock(ops.loop) ||
      !ops.loop->isBeforeInBlock(ops.store))
    return ops.loop.emitOpError(
        "expects the accumulator before and the store after the loop, in one "
        "block");
  return ops;
}

FailureOr<TileProgramOps> TileProgramOps::matchTma(gpu::GPUFuncOp kernel) {
  FailureOr<TileProgramOps> ops = match(kernel);
  if (failed(ops))
    return failure();
  for (LoadOp load : {ops->loadA, ops->loadB})
    if (!isa<TensorMapType>(load.getSource().getType()))
      return load.emitOpError()
             << "expects a tensor map to load through, but got "
             << load.getSource().getType()
             << "; tiles that threads copy are for bwgemm-insert-warps";
  return ops;
}

static L2Eviction getEviction(LoadOp load, bool isA) {
  auto kernel = load->getParentOfType<gpu::GPUFuncOp>();
  auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
  if (!schedule || schedule.getL2Keep() == L2Keep::None)
    return L2Eviction::Normal;
  bool stays = isA == (schedule.getL2Keep() == L2Keep::A);
  return stays ? L2Eviction::Last : L2Eviction::First;
}

TileCopy::TileCopy(LoadOp load, bool isA, TypedValue<SmemType> tile,
                   Value barriers, Value index)
    : map(load.getMap()), coordinates(load.getCoordinates()), tile(tile),
      barriers(barriers), index(index), rows(tile.getType().getRows()),
      columns(tile.getType().getColumns()), eviction(getEviction(load, isA)) {}

TileCopy::TileCopy(TMALoadOp load)
    : map(load.getMap()), coordinates(load.getCoordinates()),
      tile(load.getTile()), barriers(load.getBarriers()),
      index(load.getIndex()), rows(tile.getType().getRows()),
      columns(tile.getType().getColumns()), mask(load.getMask()),
      ctaGroup(static_cast<int64_t>(load.getCtaGroup())),
      eviction(load.getEviction()) {}

void bwgemm::emitCopies(OpBuilder &builder, Location loc,
                        const TileCopy &copy) {
  SmemType type = copy.tile.getType();
  bool kMajor = type.getMajor() == Major::K;
  int64_t rowElements = type.getRowElements();
  int64_t boxRows = cast<TensorMapType>(copy.map.getType()).getShape()[0];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    if (!lhs || isConstantIntValue(rhs, 0))
      return lhs ? lhs : rhs;
    if (isConstantIntValue(lhs, 0))
      return rhs;
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  };
  Value firstElement = copy.firstColumn;
  if (firstElement)
    firstElement = arith::MulIOp::create(builder, loc, firstElement,
                                         constant(rowElements));
  for (int64_t column = 0; column < copy.columns; ++column) {
    for (int64_t row = 0; row < copy.rows; row += boxRows) {
      // Offsets along memory: row of the other mode, element of the
      // contiguous one.
      Value offsets[] = {add(copy.firstRow, constant(row)),
                         add(firstElement, constant(column * rowElements))};
      SmallVector<Value> coordinates;
      for (auto [start, offset] : llvm::zip_equal(copy.coordinates, offsets))
        coordinates.push_back(add(start, offset));
      SmallVector<Value> origin{offsets[0], offsets[1]};
      if (!kMajor)
        std::swap(origin[0], origin[1]);
      TMALoadOp::create(builder, loc, copy.map, coordinates, copy.tile, origin,
                        copy.barriers, copy.index, copy.mask, copy.ctaGroup,
                        copy.eviction);
    }
  }
}
