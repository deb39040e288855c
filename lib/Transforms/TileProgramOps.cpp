//===- TileProgramOps.cpp - The parts of a tile program ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProgramOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

void bwgemm::emitCopies(OpBuilder &builder, Location loc, LoadOp load,
                        Value tile, Value barriers, Value index) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmemType type = load.getTile().getType();
  TensorMapType map = load.getMap().getType();
  bool kMajor = type.getMajor() == Major::K;
  int64_t boxRows = map.getShape()[0];
  for (int64_t column = 0; column < type.getColumns(); ++column) {
    for (int64_t row = 0; row < type.getRows(); row += boxRows) {
      // Offsets along memory: row of the other mode, element of the
      // contiguous one.
      int64_t offsets[] = {row, column * type.getRowElements()};
      SmallVector<Value> coordinates;
      for (auto [start, offset] :
           llvm::zip_equal(load.getCoordinates(), offsets))
        coordinates.push_back(
            offset == 0
                ? start
                : arith::AddIOp::create(builder, loc, start, constant(offset))
                      .getResult());
      SmallVector<Value> origin{constant(offsets[0]), constant(offsets[1])};
      if (!kMajor)
        std::swap(origin[0], origin[1]);
      TMALoadOp::create(builder, loc, load.getMap(), coordinates, tile, origin,
                        barriers, index);
    }
  }
}
