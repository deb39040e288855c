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
LogicalResult persist(gpu::GPUFuncOp kernel, TileOrigin origin) {
  StoreOp store;
  kernel.walk([&](StoreOp op) { store = op; });
  if (!store)
    return kernel.emitOpError("expects a bwgemm.store in a persistent kernel");
  TileCoordOp coord = origin.getCoord();
  Location loc = coord.getLoc();
  OpBuilder builder(coord.getContext());
  builder.setInsertionPointAfter(coord);
  Value rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  Value count = origin.emitCount(builder, rows);
  Value first = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  if (int64_t size = coord.getClusterSize(); size > 1) {
    Value ctas = arith::ConstantIndexOp::create(builder, loc, size);
    first = arith::DivUIOp::create(builder, loc, first, ctas);
    step = arith::DivUIOp::create(builder, loc, step, ctas);
  }
  for (RoleOp role : findTileRoles(kernel))
    RoleParts(role).moveIntoLoop(builder, origin, first, count, step);
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
      if (failed(persist(kernel, *origin)))
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
