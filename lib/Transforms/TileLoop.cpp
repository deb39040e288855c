//===- TileLoop.cpp - Roles that work on many tiles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::bwgemm;

std::optional<TileOrigin> TileOrigin::find(gpu::GPUFuncOp kernel) {
  TileOrigin origin;
  kernel.walk([&](TileCoordOp op) {
    if (!op.getTile())
      origin.coord = op;
  });
  if (!origin.coord)
    return std::nullopt;
  llvm::SmallPtrSet<Operation *, 16> found{origin.coord};
  for (Operation &op : llvm::make_range(std::next(origin.coord->getIterator()),
                                        origin.coord->getBlock()->end())) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return found.contains(operand.getDefiningOp());
    });
    // Divisions are not speculatable, but each tile does what the one did.
    if (follows && op.getNumRegions() == 0 && isMemoryEffectFree(&op)) {
      found.insert(&op);
      origin.derived.push_back(&op);
    }
  }
  return origin;
}

Value TileOrigin::emitCount(OpBuilder &builder, Value rows) const {
  TileCoordOp op = coord;
  Location loc = op.getLoc();
  auto tiles = [&](Value extent, int64_t tile) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(
        loc, extent, arith::ConstantIndexOp::create(builder, loc, tile));
  };
  auto [clusterM, clusterN] = op.getClusterShape();
  return builder.createOrFold<arith::MulIOp>(
      loc, tiles(rows, op.getTileM() * clusterM),
      tiles(op.getColumns(), op.getTileN() * clusterN));
}

void TileOrigin::emitAt(OpBuilder &builder, Value tile) const {
  IRMapping mapping;
  Block *block = builder.getInsertionBlock();
  auto here = cast<TileCoordOp>(builder.clone(*getCoord(), mapping));
  here.getTileMutable().assign(tile);
  for (Operation *op : derived)
    builder.clone(*op, mapping);
  auto isBehind = [&](OpOperand &use) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    return user && here->isBeforeInBlock(user);
  };
  auto replace = [&](Operation *op) {
    for (Value from : op->getResults())
      from.replaceUsesWithIf(mapping.lookup(from), isBehind);
  };
  replace(getCoord());
  llvm::for_each(derived, replace);
  for (Operation *op : llvm::reverse(derived)) {
    Operation *clone = mapping.lookup(op);
    if (clone->use_empty())
      clone->erase();
  }
}

void TileOrigin::eraseUnused() {
  for (Operation *op : llvm::reverse(derived))
    if (op->use_empty())
      op->erase();
  if (coord->use_empty())
    coord.erase();
}

SmallVector<RoleOp> bwgemm::findTileRoles(gpu::GPUFuncOp kernel) {
  SmallVector<RoleOp> roles;
  kernel.walk([&](RoleOp role) {
    bool works = false;
    role.walk(
        [&](Operation *op) { works |= isa<RingAcquireOp, RingWaitOp>(op); });
    if (works)
      roles.push_back(role);
  });
  return roles;
}

RoleParts::RoleParts(RoleOp role) : role(role) {
  Block &body = role.getBody().front();
  for (Operation &op : body) {
    if (auto begin = dyn_cast<RingBeginOp>(op))
      begins.push_back(begin);
    else if (auto drain = dyn_cast<RingDrainOp>(op))
      drains.push_back(drain);
    else
      ops.push_back(&op);
  }
  for (RingBeginOp begin : llvm::reverse(begins))
    begin->moveBefore(&body, body.begin());
}

/// The cursor behind a tile that began at `cursor`.
static Value emitLast(OpBuilder &builder, Location loc, RingBeginOp begin,
                      Value cursor) {
  // Steps and loops over steps advance the cursor; where there are none the
  // tile has taken one slot.
  Value last = cursor;
  for (bool more = true; more;) {
    more = false;
    // A loop may carry the slot that a step still reads beside the next one.
    for (Operation *user : last.getUsers())
      if (auto next = dyn_cast<RingNextOp>(user)) {
        last = next.getNext();
        more = true;
        break;
      }
    if (more)
      continue;
    for (OpOperand &use : last.getUses()) {
      auto loop = dyn_cast<scf::ForOp>(use.getOwner());
      if (!loop || use.getOperandNumber() < loop.getNumControlOperands())
        continue;
      last = loop.getTiedLoopResult(&use);
      more = true;
      break;
    }
  }
  if (last != cursor)
    return last;
  return RingNextOp::create(builder, loc, cursor.getType(), begin.getRing(),
                            cursor);
}

SmallVector<Value> RoleParts::moveInto(OpBuilder &builder,
                                       const TileOrigin &origin, Value tile,
                                       ValueRange cursors) {
  Block *block = builder.getInsertionBlock();
  Block::iterator place = builder.getInsertionPoint();
  for (Operation *op : ops)
    op->moveBefore(block, place);
  for (auto [begin, cursor] : llvm::zip_equal(begins, cursors))
    begin.getCursor().replaceUsesWithIf(cursor, [&](OpOperand &use) {
      return block->findAncestorOpInBlock(*use.getOwner()) != nullptr;
    });
  Location loc = origin.getCoord().getLoc();
  {
    OpBuilder::InsertionGuard restore(builder);
    if (!ops.empty())
      builder.setInsertionPoint(ops.front());
    origin.emitAt(builder, tile);
  }
  SmallVector<Value> last;
  for (auto [begin, cursor] : llvm::zip_equal(begins, cursors))
    last.push_back(emitLast(builder, loc, begin, cursor));
  return last;
}

void RoleParts::redirectDrains(ArrayRef<Value> last, ValueRange results) {
  for (RingDrainOp drain : drains) {
    auto cursor = llvm::find(last, drain.getCursor());
    drain.getCursorMutable().assign(results[cursor - last.begin()]);
  }
}

scf::ForOp RoleParts::moveIntoLoop(OpBuilder &builder, const TileOrigin &origin,
                                   Value first, Value end, Value step,
                                   llvm::function_ref<Value(Value)> getTile) {
  OpBuilder::InsertionGuard restore(builder);
  Location loc = origin.getCoord().getLoc();
  SmallVector<Value> init;
  for (RingBeginOp begin : begins)
    init.push_back(begin.getCursor());
  if (begins.empty())
    builder.setInsertionPointToStart(&role.getBody().front());
  else
    builder.setInsertionPointAfter(begins.back());
  auto loop = scf::ForOp::create(builder, loc, first, end, step, init);
  // Without iteration arguments the builder has made the terminator.
  if (!init.empty())
    builder.setInsertionPointToEnd(loop.getBody());
  else
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value tile = loop.getInductionVar();
  if (getTile)
    tile = getTile(tile);
  SmallVector<Value> last =
      moveInto(builder, origin, tile, loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, last);
  redirectDrains(last, loop.getResults());
  return loop;
}
