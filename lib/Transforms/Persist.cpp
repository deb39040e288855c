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
#include "mlir/IR/IRMapping.h"

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
  /// Finds the ops beside the origin that compute what follows from it.
  void findDerived();
  /// The cursor after one tile.
  Value emitLast(RingBeginOp begin, Value cursor);

  gpu::GPUFuncOp kernel;
  TileCoordOp origin;
  OpBuilder builder;
  Location loc;
  /// What each tile computes anew: its part of K, where K is split.
  SmallVector<Operation *> derived;
};

void PersistentKernel::findDerived() {
  llvm::SmallPtrSet<Operation *, 16> found{origin};
  for (Operation &op : llvm::make_range(std::next(origin->getIterator()),
                                        origin->getBlock()->end())) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return found.contains(operand.getDefiningOp());
    });
    // Divisions are not speculatable, but each tile does what the one did.
    if (follows && op.getNumRegions() == 0 && isMemoryEffectFree(&op)) {
      found.insert(&op);
      derived.push_back(&op);
    }
  }
}

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
  IRMapping mapping;
  auto here = cast<TileCoordOp>(builder.clone(*origin, mapping));
  here.getTileMutable().assign(loop.getInductionVar());
  for (Operation *op : derived)
    builder.clone(*op, mapping);
  for (Operation *op : ops)
    op->moveBefore(loop.getBody(), builder.getInsertionPoint());
  auto inLoop = [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  };
  for (Value from : origin.getResults())
    from.replaceUsesWithIf(mapping.lookup(from), inLoop);
  for (Operation *op : derived)
    for (Value from : op->getResults())
      from.replaceUsesWithIf(mapping.lookup(from), inLoop);
  for (Operation *op : llvm::reverse(derived)) {
    Operation *clone = mapping.lookup(op);
    if (clone->use_empty())
      clone->erase();
  }
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
  findDerived();
  for (RoleOp role : roles)
    wrap(role, first, count, step);
  for (Operation *op : llvm::reverse(derived))
    if (op->use_empty())
      op->erase();
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
