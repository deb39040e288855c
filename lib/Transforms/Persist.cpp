//===- Persist.cpp - CTAs that stay for many tiles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PERSIST
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Wraps the roles of one kernel in loops over tiles.
class PersistentKernel {
public:
  PersistentKernel(gpu::GPUFuncOp kernel, TileOrigin origin)
      : kernel(kernel), origin(std::move(origin)),
        coord(this->origin.getCoord()), builder(coord), loc(coord.getLoc()) {}

  LogicalResult emit();

private:
  /// Emits the number of tiles; of those of clusters, where there are.
  Value emitCount(Value rows);
  void wrap(RoleOp role, Value first, Value count, Value step);

  gpu::GPUFuncOp kernel;
  TileOrigin origin;
  TileCoordOp coord;
  OpBuilder builder;
  Location loc;
};

Value PersistentKernel::emitCount(Value rows) {
  auto tiles = [&](Value extent, int64_t tile) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(
        loc, extent, arith::ConstantIndexOp::create(builder, loc, tile));
  };
  auto [clusterM, clusterN] = coord.getClusterShape();
  return builder.createOrFold<arith::MulIOp>(
      loc, tiles(rows, coord.getTileM() * clusterM),
      tiles(coord.getColumns(), coord.getTileN() * clusterN));
}

void PersistentKernel::wrap(RoleOp role, Value first, Value count, Value step) {
  RoleParts parts(role);
  SmallVector<Value> init;
  for (RingBeginOp begin : parts.begins)
    init.push_back(begin.getCursor());
  if (parts.begins.empty())
    builder.setInsertionPointToStart(&role.getBody().front());
  else
    builder.setInsertionPointAfter(parts.begins.back());
  auto loop = scf::ForOp::create(builder, loc, first, count, step, init);
  // Without iteration arguments the builder has made the terminator.
  if (!init.empty())
    builder.setInsertionPointToEnd(loop.getBody());
  else
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> last = parts.moveInto(
      builder, origin, loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, last);
  // What comes after the last tile goes on from the last cursor.
  for (RingDrainOp drain : parts.drains) {
    auto cursor = llvm::find(last, drain.getCursor());
    drain.getCursorMutable().assign(loop.getResult(cursor - last.begin()));
  }
}

LogicalResult PersistentKernel::emit() {
  StoreOp store;
  kernel.walk([&](StoreOp op) { store = op; });
  if (!store)
    return kernel.emitOpError("expects a bwgemm.store in a persistent kernel");
  builder.setInsertionPointAfter(coord);
  Value rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  Value count = emitCount(rows);
  Value first = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  if (int64_t size = coord.getClusterSize(); size > 1) {
    Value ctas = arith::ConstantIndexOp::create(builder, loc, size);
    first = arith::DivUIOp::create(builder, loc, first, ctas);
    step = arith::DivUIOp::create(builder, loc, step, ctas);
  }
  for (RoleOp role : findTileRoles(kernel))
    wrap(role, first, count, step);
  origin.eraseUnused();
  return success();
}

class PersistPass : public bwgemm::impl::PersistBase<PersistPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getPreset() < Preset::Persistent ||
          schedule.getScheduler() != TileScheduler::Static)
        return WalkResult::skip();
      std::optional<TileOrigin> origin = TileOrigin::find(kernel);
      if (!origin)
        return WalkResult::skip();
      if (failed(PersistentKernel(kernel, *origin).emit()))
        return WalkResult::interrupt();
      boundGrid(kernel);
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// At most one CTA for each multiprocessor, in whole clusters.
  void boundGrid(gpu::GPUFuncOp kernel) {
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()) != kernel)
        return;
      OpBuilder builder(launch);
      Location loc = launch.getLoc();
      Value sms =
          MultiprocessorCountOp::create(builder, loc, builder.getIndexType());
      Value most = sms;
      if (Value size = launch.getClusterSizeX()) {
        Value clusters = arith::DivUIOp::create(builder, loc, sms, size);
        // A grid without CTAs would pass for one that has nothing to do.
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        clusters = arith::MaxUIOp::create(builder, loc, clusters, one);
        most = arith::MulIOp::create(builder, loc, clusters, size);
      }
      launch.getGridSizeXMutable().assign(
          arith::MinUIOp::create(builder, loc, launch.getGridSizeX(), most));
    });
  }
};

} // namespace
