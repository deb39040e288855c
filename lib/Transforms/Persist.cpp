//===- Persist.cpp - CTAs that stay for many tiles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  PersistentKernel(gpu::GPUFuncOp kernel, TileCoordOp origin)
      : kernel(kernel), origin(origin), builder(origin), loc(origin.getLoc()) {}

  LogicalResult emit();

private:
  /// Emits the number of tiles.
  Value emitCount(Value rows);
  void wrap(RoleOp role, Value first, Value count, Value step);
  /// The cursor after one tile.
  Value emitLast(RingBeginOp begin, Value cursor);

  gpu::GPUFuncOp kernel;
  TileCoordOp origin;
  OpBuilder builder;
  Location loc;
};

Value PersistentKernel::emitCount(Value rows) {
  auto tiles = [&](Value extent, int64_t tile) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(
        loc, extent, arith::ConstantIndexOp::create(builder, loc, tile));
  };
  return builder.createOrFold<arith::MulIOp>(
      loc, tiles(rows, origin.getTileM()),
      tiles(origin.getColumns(), origin.getTileN()));
}

Value PersistentKernel::emitLast(RingBeginOp begin, Value cursor) {
  // Where a loop advances the cursor its result is the last one; else the tile
  // has taken one slot.
  for (OpOperand &use : cursor.getUses()) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner());
    if (loop && use.getOperandNumber() >= loop.getNumControlOperands())
      return loop.getTiedLoopResult(&use);
  }
  return RingNextOp::create(builder, loc, cursor.getType(), begin.getRing(),
                            cursor);
}

void PersistentKernel::wrap(RoleOp role, Value first, Value count, Value step) {
  Block &body = role.getBody().front();
  SmallVector<RingBeginOp> begins(body.getOps<RingBeginOp>());
  SmallVector<Value> init;
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (!isa<RingBeginOp>(op))
      ops.push_back(&op);
  for (RingBeginOp begin : llvm::reverse(begins))
    begin->moveBefore(&body, body.begin());
  for (RingBeginOp begin : begins)
    init.push_back(begin.getCursor());
  if (begins.empty())
    builder.setInsertionPointToStart(&body);
  else
    builder.setInsertionPointAfter(begins.back());
  auto loop = scf::ForOp::create(builder, loc, first, count, step, init);
  // Without iteration arguments the builder has made the terminator.
  if (!begins.empty())
    builder.setInsertionPointToEnd(loop.getBody());
  else
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto here = cast<TileCoordOp>(builder.clone(*origin));
  here.getTileMutable().assign(loop.getInductionVar());
  for (Operation *op : ops)
    op->moveBefore(loop.getBody(), builder.getInsertionPoint());
  auto inLoop = [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  };
  for (auto [from, to] :
       llvm::zip_equal(origin.getResults(), here.getResults()))
    from.replaceUsesWithIf(to, inLoop);
  for (auto [begin, cursor] : llvm::zip_equal(begins, loop.getRegionIterArgs()))
    begin.getCursor().replaceUsesWithIf(cursor, inLoop);
  if (begins.empty())
    return;
  SmallVector<Value> last;
  for (auto [begin, cursor] : llvm::zip_equal(begins, loop.getRegionIterArgs()))
    last.push_back(emitLast(begin, cursor));
  scf::YieldOp::create(builder, loc, last);
}

LogicalResult PersistentKernel::emit() {
  StoreOp store;
  kernel.walk([&](StoreOp op) { store = op; });
  if (!store)
    return kernel.emitOpError("expects a bwgemm.store in a persistent kernel");
  builder.setInsertionPointAfter(origin);
  Value rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  Value count = emitCount(rows);
  Value first = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  SmallVector<RoleOp> roles;
  kernel.walk([&](RoleOp role) {
    bool works = false;
    role.walk(
        [&](Operation *op) { works |= isa<RingAcquireOp, RingWaitOp>(op); });
    if (works)
      roles.push_back(role);
  });
  for (RoleOp role : roles)
    wrap(role, first, count, step);
  if (origin->use_empty())
    origin.erase();
  return success();
}

class PersistPass : public bwgemm::impl::PersistBase<PersistPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getPreset() < Preset::Persistent)
        return WalkResult::skip();
      // One that has a loop already names its tile.
      TileCoordOp origin;
      kernel.walk([&](TileCoordOp op) {
        if (!op.getTile())
          origin = op;
      });
      if (!origin)
        return WalkResult::skip();
      if (failed(PersistentKernel(kernel, origin).emit()))
        return WalkResult::interrupt();
      boundGrid(kernel);
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// At most one CTA for each multiprocessor.
  void boundGrid(gpu::GPUFuncOp kernel) {
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()) != kernel)
        return;
      OpBuilder builder(launch);
      Location loc = launch.getLoc();
      Value sms =
          MultiprocessorCountOp::create(builder, loc, builder.getIndexType());
      launch.getGridSizeXMutable().assign(
          arith::MinUIOp::create(builder, loc, launch.getGridSizeX(), sms));
    });
  }
};

} // namespace
