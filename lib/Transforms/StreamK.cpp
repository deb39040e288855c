//===- StreamK.cpp - The same number of steps for every CTA ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReducePartials.h"
#include "TileLoop.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_STREAMK
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Shares out the steps of one kernel, and follows with the host code of its
/// launch.
class StreamKernel {
public:
  StreamKernel(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
               TileOrigin origin, ScheduleAttr schedule, StoreOp store,
               BlockArgument depth)
      : kernel(kernel), launch(launch), origin(std::move(origin)),
        coord(this->origin.getCoord()), schedule(schedule), store(store),
        depth(depth), builder(kernel.getContext()), loc(kernel.getLoc()) {}

  void emit() {
    emitHost();
    emitDevice();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename Op> Value emit(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(loc, lhs, rhs);
  }
  Value ceilDiv(Value value, int64_t divisor) {
    return emit<arith::CeilDivUIOp>(value, constant(divisor));
  }

  void emitHost();
  void emitDevice();
  void wrap(RoleOp role);
  void restrict(scf::ForOp loop);
  void storeShare(StoreOp whole, Value tile);

  gpu::GPUFuncOp kernel;
  gpu::LaunchFuncOp launch;
  TileOrigin origin;
  TileCoordOp coord;
  ScheduleAttr schedule;
  StoreOp store;
  /// K.
  BlockArgument depth;
  OpBuilder builder;
  Location loc;
  BlockArgument workspace;
  /// In the kernel: steps along K of a tile, this CTA's number, its first step
  /// and the one behind its last, and the tiles that these lie in.
  Value depthTiles, cta, firstStep, endStep, firstTile, endTile;
  /// In the loop over tiles: the steps along K that this CTA has of the tile.
  Value from, to;
};

/// Bounds the grid, makes room for two shares of each CTA, and lets a second
/// kernel add them up.
void StreamKernel::emitHost() {
  builder.setInsertionPoint(launch);
  unsigned resultArgument = cast<BlockArgument>(store.getD()).getArgNumber();
  Value d = launch.getKernelOperand(resultArgument);
  TileShares shares;
  shares.tiles = launch.getGridSizeX();
  shares.depthTiles = ceilDiv(launch.getKernelOperand(depth.getArgNumber()),
                              schedule.getTileK());
  Value sms =
      MultiprocessorCountOp::create(builder, loc, builder.getIndexType());
  // A CTA without a step would have nothing to do.
  shares.ctas = emit<arith::MinUIOp>(
      emit<arith::MulIOp>(shares.tiles, shares.depthTiles), sms);
  Value rows =
      emit<arith::MulIOp>(shares.ctas, constant(2 * schedule.getTileM()));
  auto type = MemRefType::get({ShapedType::kDynamic, schedule.getTileN()},
                              store.getSumType());
  shares.workspace = WorkspaceAllocOp::create(
      builder, loc, type, rows,
      builder.getStringAttr("the shares of tiles of scheduler=stream_k"));
  launch.getGridSizeXMutable().assign(shares.ctas);
  builder.setInsertionPointAfter(launch);
  emitReduceShares(builder, loc, kernel, shares, coord, d, store,
                   getLaunchedExtras(launch, store));
  WorkspaceFreeOp::create(builder, loc, shares.workspace);
  workspace =
      cast<BlockArgument>(passToKernel(kernel, launch, shares.workspace));
}

void StreamKernel::emitDevice() {
  builder.setInsertionPointAfter(coord);
  Value rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  Value tiles = origin.emitCount(builder, rows);
  depthTiles = ceilDiv(depth, schedule.getTileK());
  Value steps = emit<arith::MulIOp>(tiles, depthTiles);
  cta = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value ctas = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  firstStep = emitFirstStep(builder, loc, steps, ctas, cta);
  endStep = emitFirstStep(builder, loc, steps, ctas,
                          emit<arith::AddIOp>(cta, constant(1)));
  firstTile = emit<arith::DivUIOp>(firstStep, depthTiles);
  endTile = emit<arith::CeilDivUIOp>(endStep, depthTiles);
  for (RoleOp role : findTileRoles(kernel))
    wrap(role);
  origin.eraseUnused();
}

void StreamKernel::wrap(RoleOp role) {
  OpBuilder::InsertionGuard restore(builder);
  RoleParts parts(role);
  builder.setInsertionPointAfter(coord);
  Value one = constant(1);
  scf::ForOp loop =
      parts.moveIntoLoop(builder, origin, firstTile, endTile, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getInductionVar();
  Value start = emit<arith::MulIOp>(tile, depthTiles);
  Value end = emit<arith::AddIOp>(start, depthTiles);
  from = emit<arith::SubIOp>(emit<arith::MaxUIOp>(firstStep, start), start);
  to = emit<arith::SubIOp>(emit<arith::MinUIOp>(endStep, end), start);
  for (Operation *op : parts.ops) {
    if (auto inner = dyn_cast<scf::ForOp>(op))
      restrict(inner);
    else if (auto whole = dyn_cast<StoreOp>(op))
      storeShare(whole, tile);
  }
}

/// Lets a loop over K do this CTA's steps.
void StreamKernel::restrict(scf::ForOp loop) {
  if (loop.getUpperBound() != depth)
    return;
  builder.setInsertionPoint(loop);
  Value tileK = constant(schedule.getTileK());
  Value lower = emit<arith::MulIOp>(from, tileK);
  Value upper = emit<arith::MulIOp>(to, tileK);
  // The first step of a share begins a new sum.
  loop.walk([&](Tcgen05MmaOp mma) {
    auto isLater = mma.getAccumulate().getDefiningOp<arith::CmpIOp>();
    if (isLater && isLater.getRhs() == loop.getLowerBound())
      isLater.getRhsMutable().assign(lower);
  });
  loop.setLowerBound(lower);
  loop.setUpperBound(upper);
}

/// A tile that this CTA has all steps of is written to D, of another one the
/// share to the workspace.
void StreamKernel::storeShare(StoreOp whole, Value tile) {
  builder.setInsertionPoint(whole);
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  };
  Value isWhole = compare(arith::CmpIPredicate::eq,
                          emit<arith::SubIOp>(to, from), depthTiles);
  auto choice =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  whole->moveBefore(choice.thenBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.elseBlock());
  Value other = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(),
      compare(arith::CmpIPredicate::ne, tile, firstTile));
  Value share =
      emit<arith::AddIOp>(emit<arith::MulIOp>(cta, constant(2)), other);
  Value row = emit<arith::MulIOp>(share, constant(schedule.getTileM()));
  StoreOp::create(builder, whole.getLoc(), whole.getAcc(), workspace, row,
                  constant(0), /*map=*/Value(), /*accumulate=*/false);
}

class StreamKPass : public bwgemm::impl::StreamKBase<StreamKPass> {
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
      if (schedule && schedule.getScheduler() == TileScheduler::StreamK)
        kernels.push_back(kernel);
    });
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(share(kernel, launches.lookup(kernel))))
        return signalPassFailure();
  }

private:
  static LogicalResult share(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch) {
    std::optional<TileOrigin> origin = TileOrigin::find(kernel);
    if (!origin)
      return success();
    SmallVector<StoreOp> stores;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](StoreOp store) { stores.push_back(store); });
    for (RoleOp role : findTileRoles(kernel))
      llvm::append_range(loops, role.getBody().getOps<scf::ForOp>());
    auto isArgument = [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument && argument.getOwner() == &kernel.getBody().front();
    };
    if (!launch || stores.size() != 1 || !isArgument(stores.front().getD()) ||
        loops.size() != 2 || !isArgument(loops[0].getUpperBound()) ||
        loops[0].getUpperBound() != loops[1].getUpperBound())
      return kernel.emitOpError(
          "expects a launch, and a ring program of which a role loads and one "
          "multiplies, both up to a K that is an argument, and one stores to "
          "an argument, to share out its steps");
    auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
    auto depth = cast<BlockArgument>(loops.front().getUpperBound());
    StreamKernel(kernel, launch, *origin, schedule, stores.front(), depth)
        .emit();
    return success();
  }
};

} // namespace
