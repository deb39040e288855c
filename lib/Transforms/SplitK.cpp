//===- SplitK.cpp - Several CTAs for the sum over K of a tile -------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReducePartials.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_SPLITK
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Splits one kernel's sum over K, and follows with the host code of its
/// launch.
class SplitKernel {
public:
  SplitKernel(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
              TileProgramOps ops, TileCoordOp origin, ScheduleAttr schedule)
      : kernel(kernel), launch(launch), ops(ops), origin(origin),
        schedule(schedule), loc(kernel.getLoc()) {}

  LogicalResult emit();

private:
  void emitHost(unsigned resultArgument);
  void emitDevice(unsigned resultArgument);
  void dropEpilogue();

  gpu::GPUFuncOp kernel;
  gpu::LaunchFuncOp launch;
  TileProgramOps ops;
  TileCoordOp origin;
  ScheduleAttr schedule;
  Location loc;
  PartialSums sums;
};

LogicalResult SplitKernel::emit() {
  auto d = dyn_cast<BlockArgument>(ops.store.getD());
  if (!d || d.getOwner() != &kernel.getBody().front())
    return ops.store.emitOpError("expects its memref to be an argument of the "
                                 "kernel, for a split of K");
  emitHost(d.getArgNumber());
  emitDevice(d.getArgNumber());
  return success();
}

/// Makes the workspace, launches one CTA for each part of each tile, and lets a
/// second kernel add the parts.
void SplitKernel::emitHost(unsigned resultArgument) {
  OpBuilder builder(launch);
  Value d = launch.getKernelOperand(resultArgument);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto tiles = [&](Value extent, int64_t tile) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(loc, extent,
                                                    constant(tile));
  };
  auto mul = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  };
  // Whole tiles, so that slices do not share a tile. A cluster's CTAs, which
  // share operands, then also work at the same part of K.
  auto roundUp = [&](Value extent, int64_t unit) -> Value {
    return mul(tiles(extent, unit), constant(unit));
  };
  auto [clusterM, clusterN] = schedule.getCluster();
  Value rows = builder.createOrFold<memref::DimOp>(loc, d, 0);
  Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
  auto depth = cast<BlockArgument>(ops.loop.getUpperBound());
  Value depthTiles =
      tiles(launch.getKernelOperand(depth.getArgNumber()), schedule.getTileK());
  // Each part has a tile of K: one without would leave its slice unwritten.
  sums.parts = builder.createOrFold<arith::MinUIOp>(
      loc, depthTiles, constant(schedule.getSplitK()));
  sums.sliceRows = roundUp(rows, schedule.getTileOfCta()[0] * clusterM);
  Value width = roundUp(columns, schedule.getTileN() * clusterN);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (Value extent : {mul(sums.parts, sums.sliceRows), width}) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      sizes.push_back(extent);
  }
  sums.workspace = WorkspaceAllocOp::create(
      builder, loc, MemRefType::get(shape, ops.store.getSumType()), sizes,
      builder.getStringAttr("the partial sums of split_k=" +
                            Twine(schedule.getSplitK())));
  launch.getGridSizeXMutable().assign(mul(launch.getGridSizeX(), sums.parts));
  launch.getKernelOperandsMutable()
      .slice(resultArgument, 1)
      .assign(sums.workspace);
  builder.setInsertionPointAfter(launch);
  emitReducePartials(builder, loc, kernel, sums, d, ops.store,
                     getLaunchedExtras(launch, ops.store));
  WorkspaceFreeOp::create(builder, loc, sums.workspace);
}

/// Lets a CTA work at the part of K that the row of its tile says.
void SplitKernel::emitDevice(unsigned resultArgument) {
  BlockArgument workspace = kernel.getArgument(resultArgument);
  workspace.setType(cast<MemRefType>(sums.workspace.getType()));
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getBody().front().getArgumentTypes(),
      /*results=*/{}));
  Value parts = passToKernel(kernel, launch, sums.parts);
  Value sliceRows = passToKernel(kernel, launch, sums.sliceRows);
  dropEpilogue();

  OpBuilder builder(origin);
  origin.getColumnsMutable().assign(
      builder.createOrFold<memref::DimOp>(loc, workspace, 1));
  if (origin.getRows())
    origin.getRowsMutable().assign(
        builder.createOrFold<memref::DimOp>(loc, workspace, 0));

  builder.setInsertionPointAfter(origin);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  };
  auto mul = [&](Value lhs, Value rhs) -> Value {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  };
  Value row = origin.getM();
  Value part = arith::DivUIOp::create(builder, loc, row, sliceRows);
  Value m = arith::RemUIOp::create(builder, loc, row, sliceRows);
  // The first ones are one tile longer where it does not divide.
  Value step = constant(schedule.getTileK());
  Value depthTiles = builder.createOrFold<arith::CeilDivUIOp>(
      loc, ops.loop.getUpperBound(), step);
  Value each = arith::DivUIOp::create(builder, loc, depthTiles, parts);
  Value longer = arith::RemUIOp::create(builder, loc, depthTiles, parts);
  auto firstTile = [&](Value of) {
    Value shorter = mul(of, each);
    return add(shorter, arith::MinUIOp::create(builder, loc, of, longer));
  };
  Value begin = mul(firstTile(part), step);
  Value end = mul(firstTile(add(part, constant(1))), step);
  row.replaceUsesWithIf(m, [&](OpOperand &use) {
    return ops.loop->isProperAncestor(use.getOwner());
  });
  ops.loop.setLowerBound(begin);
  ops.loop.setUpperBound(end);
}

/// The kernel stores sums; what is done with them is left to the other one.
void SplitKernel::dropEpilogue() {
  StoreOp store = ops.store;
  store.setAccumulate(false);
  if (!store.hasEpilogue())
    return;
  SmallVector<unsigned> arguments;
  for (Value extra : store.getExtras())
    arguments.push_back(cast<BlockArgument>(extra).getArgNumber());
  store.getExtrasMutable().clear();
  store.removeEpilogueMapsAttr();
  store.getEpilogue().getBlocks().clear();
  llvm::sort(arguments, std::greater<>());
  for (unsigned argument : arguments) {
    launch.getKernelOperandsMutable().erase(argument);
    (void)kernel.eraseArgument(argument);
  }
}

class SplitKPass : public bwgemm::impl::SplitKBase<SplitKPass> {
public:
  void runOnOperation() override {
    DenseMap<Operation *, gpu::LaunchFuncOp> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()))
        launches[kernel] = launch;
    });
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (schedule && schedule.getSplitK() > 1 &&
          TileProgramOps::isTileProgram(kernel))
        kernels.push_back(kernel);
    });
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(split(kernel, launches.lookup(kernel))))
        return signalPassFailure();
  }

private:
  static LogicalResult split(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch) {
    FailureOr<TileProgramOps> ops = TileProgramOps::match(kernel);
    if (failed(ops))
      return failure();
    // One whose loop does not go over all of K is split already.
    if (!isConstantIntValue(ops->loop.getLowerBound(), 0))
      return success();
    auto origin = ops->store.getM().getDefiningOp<TileCoordOp>();
    if (!launch || !origin || !isa<BlockArgument>(ops->loop.getUpperBound()))
      return kernel.emitOpError(
          "expects a launch, a tile_coord that says where to store, and K as "
          "an argument, for a split of K");
    auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
    return SplitKernel(kernel, launch, *ops, origin, schedule).emit();
  }
};

} // namespace
