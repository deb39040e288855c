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
#include "mlir/IR/Matchers.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PERSIST
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Slots of operands that a tile takes: the steps of the loop that loads. Null
/// if these differ from tile to tile.
Value emitSteps(OpBuilder &builder, Location loc, ArrayRef<RoleOp> roles) {
  scf::ForOp loop;
  for (RoleOp role : roles)
    role.walk([&](RingAcquireOp acquire) {
      if (!acquire.getRing().getType().isTurns())
        loop = acquire->getParentOfType<scf::ForOp>();
    });
  auto isOfKernel = [](Value value) {
    Operation *op = value.getParentRegion()->getParentOp();
    return isa<gpu::GPUFuncOp>(op) || matchPattern(value, m_Constant());
  };
  if (!loop || !isOfKernel(loop.getLowerBound()) ||
      !isOfKernel(loop.getUpperBound()) || !isOfKernel(loop.getStep()))
    return {};
  Value depth = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(),
                                                    loop.getLowerBound());
  return builder.createOrFold<arith::CeilDivUIOp>(loc, depth, loop.getStep());
}

/// The number of this warp's team in its role.
Value emitTeam(OpBuilder &builder, RoleOp role) {
  Location loc = role.getLoc();
  Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
  if (auto first = static_cast<int64_t>(role.getFirst()))
    warp = arith::SubIOp::create(
        builder, loc, warp,
        arith::ConstantIndexOp::create(builder, loc, first));
  int64_t warps = role.getCount() / static_cast<int64_t>(role.getTeams());
  return arith::DivUIOp::create(
      builder, loc, warp, arith::ConstantIndexOp::create(builder, loc, warps));
}

/// Moves a role of teams into a loop over each team's tiles. It begins at the
/// slots of its first one, `steps` slots for each tile, and passes over those
/// of the others' tiles.
void moveTeamsIntoLoop(OpBuilder &builder, RoleOp role,
                       const TileOrigin &origin, Value first, Value count,
                       Value step, Value steps) {
  Location loc = role.getLoc();
  auto teams = static_cast<int64_t>(role.getTeams());
  RoleParts parts(role);
  builder.setInsertionPointToStart(&role.getBody().front());
  Value team = emitTeam(builder, role);
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  };
  Value own =
      builder.createOrFold<arith::AddIOp>(loc, first, multiply(team, step));
  Value ahead = multiply(team, steps);
  Value others =
      multiply(arith::ConstantIndexOp::create(builder, loc, teams - 1), steps);
  Value round =
      multiply(arith::ConstantIndexOp::create(builder, loc, teams), step);
  scf::ForOp loop = parts.moveIntoLoop(builder, origin, own, count, round);
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [index, begin] : llvm::enumerate(parts.begins)) {
    if (begin.getRing().getType().isTurns())
      continue;
    auto skip = [&](Value cursor, Value slots) -> Value {
      return RingSkipOp::create(builder, loc, cursor.getType(), begin.getRing(),
                                cursor, slots);
    };
    OpOperand &init = loop.getInitArgsMutable()[index];
    builder.setInsertionPoint(loop);
    init.set(skip(init.get(), ahead));
    builder.setInsertionPoint(yield);
    yield->setOperand(index, skip(yield->getOperand(index), others));
  }
}

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
  SmallVector<RoleOp> roles = findTileRoles(kernel);
  for (RoleOp role : roles) {
    if (role.getTeams() == 1) {
      RoleParts(role).moveIntoLoop(builder, origin, first, count, step);
      continue;
    }
    // Behind the role that loads, whose bounds are known here.
    builder.setInsertionPoint(role);
    Value steps = emitSteps(builder, loc, roles);
    if (!steps)
      return role.emitOpError("expects a loop over K with as many steps for "
                              "all tiles, which teams take in turn");
    moveTeamsIntoLoop(builder, role, origin, first, count, step, steps);
  }
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
  /// At most one CTA for each multiprocessor, in whole clusters, and of those
  /// of more than two CTAs, which may leave multiprocessors over, as many as
  /// run at once. Two CTAs find their place on any chip: multiprocessors come
  /// in pairs. Of these no more than it takes: if some have one tile more than
  /// the others, fewer of them may have as many each, and are done as soon.
  /// Then none idles in the last turn, and each turn walks over the same rows.
  void boundGrid(gpu::GPUFuncOp kernel) {
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()) != kernel)
        return;
      OpBuilder builder(launch);
      Location loc = launch.getLoc();
      auto constant = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(builder, loc, value);
      };
      // Of a grid without CTAs, too, which has nothing to do.
      auto atLeastOne = [&](Value value) -> Value {
        return arith::MaxUIOp::create(builder, loc, value, constant(1));
      };
      Value tiles = launch.getGridSizeX();
      Value most =
          MultiprocessorCountOp::create(builder, loc, builder.getIndexType());
      Value size = launch.getClusterSizeX();
      if (size) {
        tiles = arith::DivUIOp::create(builder, loc, tiles, size);
        most = atLeastOne(arith::DivUIOp::create(builder, loc, most, size));
        APInt ctas;
        if (!matchPattern(size, m_ConstantInt(&ctas)) || ctas.ugt(2))
          ResidentLaunchOp::create(builder, loc);
      }
      Value waves = arith::CeilDivUIOp::create(builder, loc, tiles, most);
      Value grid =
          arith::CeilDivUIOp::create(builder, loc, tiles, atLeastOne(waves));
      if (size)
        grid = arith::MulIOp::create(builder, loc, grid, size);
      launch.getGridSizeXMutable().assign(grid);
    });
  }
};

} // namespace
