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
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value ceilDiv(Value value, int64_t divisor) {
    return emit<arith::CeilDivUIOp>(value, constant(divisor));
  }

  void emitHost();
  void emitDevice();
  void wrap(RoleOp role);
  void restrict(scf::ForOp loop);
  void storeShare(MutableArrayRef<StoreOp> blocks, Value isFirst);

  gpu::GPUFuncOp kernel;
  gpu::LaunchFuncOp launch;
  TileOrigin origin;
  TileCoordOp coord;
  ScheduleAttr schedule;
  /// Of a tile, or of its first block.
  StoreOp store;
  /// K.
  BlockArgument depth;
  OpBuilder builder;
  Location loc;
  BlockArgument workspace;
  /// In the kernel: steps along K of a tile, this CTA's number, that of all
  /// CTAs, and how many tiles each of these has for itself.
  Value depthTiles, cta, ctas, wholeTiles;
  /// Of the steps that are shared out, this CTA's first one and the one behind
  /// its last, and the first and the number of the tiles that these lie in.
  /// Steps and tiles count from those that are shared out on.
  Value firstStep, endStep, firstTile, tiles;
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
  Value all = origin.emitCount(builder, rows);
  depthTiles = ceilDiv(depth, schedule.getTileK());
  cta = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  ctas = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  wholeTiles = emitWholeTiles(builder, loc, all, ctas);
  Value shared =
      emit<arith::SubIOp>(all, emit<arith::MulIOp>(wholeTiles, ctas));
  Value steps = emit<arith::MulIOp>(shared, depthTiles);
  firstStep = emitFirstStep(builder, loc, steps, ctas, cta);
  endStep = emitFirstStep(builder, loc, steps, ctas,
                          emit<arith::AddIOp>(cta, constant(1)));
  firstTile = emit<arith::DivUIOp>(firstStep, depthTiles);
  Value endTile = emit<arith::CeilDivUIOp>(endStep, depthTiles);
  tiles =
      emit<arith::AddIOp>(wholeTiles, emit<arith::SubIOp>(endTile, firstTile));
  for (RoleOp role : findTileRoles(kernel))
    wrap(role);
  origin.eraseUnused();
}

void StreamKernel::wrap(RoleOp role) {
  OpBuilder::InsertionGuard restore(builder);
  RoleParts parts(role);
  builder.setInsertionPointAfter(coord);
  Value isFirst;
  parts.moveIntoLoop(
      builder, origin, constant(0), tiles, constant(1), [&](Value turn) {
        auto select = [&](Value isWhole, Value whole, Value part) -> Value {
          return arith::SelectOp::create(builder, loc, isWhole, whole, part);
        };
        Value isWhole = compare(arith::CmpIPredicate::ult, turn, wholeTiles);
        isFirst = compare(arith::CmpIPredicate::eq, turn, wholeTiles);
        Value tile = emit<arith::AddIOp>(firstTile,
                                         emit<arith::SubIOp>(turn, wholeTiles));
        Value start = emit<arith::MulIOp>(tile, depthTiles);
        Value end = emit<arith::AddIOp>(start, depthTiles);
        from = select(
            isWhole, constant(0),
            emit<arith::SubIOp>(emit<arith::MaxUIOp>(firstStep, start), start));
        to = select(
            isWhole, depthTiles,
            emit<arith::SubIOp>(emit<arith::MinUIOp>(endStep, end), start));
        Value number = emit<arith::AddIOp>(
            select(isWhole, cta, tile),
            emit<arith::MulIOp>(select(isWhole, turn, wholeTiles), ctas));
        return number;
      });
  SmallVector<StoreOp> blocks;
  for (Operation *op : parts.ops) {
    if (auto inner = dyn_cast<scf::ForOp>(op))
      restrict(inner);
    else if (auto block = dyn_cast<StoreOp>(op))
      blocks.push_back(block);
  }
  if (!blocks.empty())
    storeShare(blocks, isFirst);
}

/// Lets a loop over K do this CTA's steps, of which it has one at least. One
/// that begins behind steps that are ahead of it leaves out as many of these.
void StreamKernel::restrict(scf::ForOp loop) {
  if (loop.getUpperBound() != depth)
    return;
  builder.setInsertionPoint(loop);
  Value tileK = constant(schedule.getTileK());
  Value lower = emit<arith::AddIOp>(emit<arith::MulIOp>(from, tileK),
                                    loop.getLowerBound());
  Value upper = emit<arith::MulIOp>(to, tileK);
  // The first step of a share begins a new sum.
  loop.walk([&](Tcgen05MmaOp mma) {
    auto isLater = mma.getAccumulate().getDefiningOp<arith::CmpIOp>();
    if (isLater && isLater.getRhs() == loop.getLowerBound())
      isLater.getRhsMutable().assign(lower);
  });
  loop.setLowerBound(lower);
  // Its own, and those of blocks of K that end with it.
  depth.replaceUsesWithIf(
      upper, [&](OpOperand &use) { return loop->isAncestor(use.getOwner()); });
}

/// A tile that this CTA has all steps of is written to D, of another one the
/// share to the workspace; `isFirst` says whether it is the first tile that its
/// shared steps lie in. Each of its blocks of rows has an accumulator.
void StreamKernel::storeShare(MutableArrayRef<StoreOp> blocks, Value isFirst) {
  builder.setInsertionPoint(blocks.back());
  Value isWhole = compare(arith::CmpIPredicate::eq,
                          emit<arith::SubIOp>(to, from), depthTiles);
  auto choice =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  for (StoreOp whole : blocks)
    whole->moveBefore(choice.thenBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.elseBlock());
  Value other =
      arith::SelectOp::create(builder, loc, isFirst, constant(0), constant(1));
  Value share =
      emit<arith::AddIOp>(emit<arith::MulIOp>(cta, constant(2)), other);
  Value row = emit<arith::MulIOp>(share, constant(schedule.getTileM()));
  Value firstRow = blocks.front().getM();
  for (StoreOp whole : blocks) {
    Value below = emit<arith::SubIOp>(whole.getM(), firstRow);
    StoreOp::create(builder, whole.getLoc(), whole.getAcc(), workspace,
                    emit<arith::AddIOp>(row, below), constant(0),
                    /*map=*/Value(), /*accumulate=*/false);
  }
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
    auto isElsewhere = [&](StoreOp store) {
      return store.getD() != stores.front().getD() ||
             store->getBlock() != stores.front()->getBlock();
    };
    if (!launch || stores.empty() || !isArgument(stores.front().getD()) ||
        llvm::any_of(stores, isElsewhere) || loops.size() != 2 ||
        !isArgument(loops[0].getUpperBound()) ||
        loops[0].getUpperBound() != loops[1].getUpperBound())
      return kernel.emitOpError(
          "expects a launch, and a ring program of which a role loads and one "
          "multiplies, both up to a K that is an argument, and one stores "
          "whole tiles to an argument, to share out its steps");
    auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
    auto depth = cast<BlockArgument>(loops.front().getUpperBound());
    StreamKernel(kernel, launch, *origin, schedule, stores.front(), depth)
        .emit();
    return success();
  }
};

} // namespace
