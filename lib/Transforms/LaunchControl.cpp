//===- LaunchControl.cpp - CTAs that ask for their next tile ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "Sides.h"
#include "TileLoop.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LAUNCHCONTROL
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Wraps the roles of one kernel in loops over tiles that the hardware names.
class LaunchControlKernel {
public:
  LaunchControlKernel(gpu::GPUFuncOp kernel, TileOrigin origin)
      : kernel(kernel), origin(std::move(origin)),
        clusterSize(this->origin.getCoord().getClusterSize()),
        builder(this->origin.getCoord()),
        loc(this->origin.getCoord().getLoc()) {}

  LogicalResult emit();

private:
  void wrap(RoleOp role, Value first);
  Value next(Value cursor) {
    return RingNextOp::create(builder, loc, cursor.getType(), work, cursor);
  }
  Value getSlot(Value cursor) {
    return RingSlotOp::create(builder, loc, work.getType().getBuffers(), work,
                              cursor, /*tensor=*/Value())
        .getBuffers()
        .front();
  }
  void emitRequest(Value cursor);
  Value getTile(Value cta);
  Value emitAnswer(RoleOp role, Value cursor);

  gpu::GPUFuncOp kernel;
  TileOrigin origin;
  int64_t clusterSize;
  OpBuilder builder;
  Location loc;
  TypedValue<RingType> work;
};

bool asks(RoleOp role) {
  return role
      .walk([](Operation *op) {
        return fillsOperands(op) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

void LaunchControlKernel::emitRequest(Value cursor) {
  auto commit = [&] {
    RingCommitOp::create(builder, loc, work, cursor, Agent::Tma,
                         /*mask=*/Value());
  };
  auto barriers =
      MBarrierType::get(builder.getContext(), work.getType().getStages());
  auto request = [&](bool multicast) {
    auto full = RingFullOp::create(builder, loc, barriers,
                                   builder.getIndexType(), work, cursor);
    LaunchControlRequestOp::create(builder, loc, getSlot(cursor),
                                   full.getBarriers(), full.getIndex(),
                                   multicast);
  };
  if (clusterSize == 1) {
    RingAcquireOp::create(builder, loc, work, cursor);
    commit();
    return request(/*multicast=*/false);
  }
  // The answer lands in every CTA; this thread has read the one before it in
  // its slot, and the first CTA waits for the others' readers.
  commit();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        emitRank(builder, loc), zero);
  auto one = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(one.thenBlock());
  RingAcquireOp::create(builder, loc, work, cursor);
  request(/*multicast=*/true);
}

/// The number of a tile, or of the tiles of a cluster, given the number of its
/// first CTA.
Value LaunchControlKernel::getTile(Value cta) {
  if (clusterSize == 1)
    return cta;
  Value size = arith::ConstantIndexOp::create(builder, loc, clusterSize);
  return arith::DivUIOp::create(builder, loc, cta, size);
}

/// Every thread of the role reads the answer; one of each warp gives the slot
/// back.
Value LaunchControlKernel::emitAnswer(RoleOp role, Value cursor) {
  RingWaitOp::create(builder, loc, work, cursor);
  Value answer = LaunchControlReadOp::create(
      builder, loc, builder.getIntegerType(128), getSlot(cursor));
  // The next answer is written by the async proxy.
  FenceOp::create(builder, loc, FenceKind::AsyncShared);
  OpBuilder::InsertionGuard restore(builder);
  if (!role.getElected()) {
    WarpBarrierOp::create(builder, loc);
    Value elected = ElectOp::create(builder, loc, builder.getI1Type());
    auto one =
        scf::IfOp::create(builder, loc, elected, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(one.thenBlock());
  }
  RingReleaseOp::create(builder, loc, work, cursor, Agent::Thread,
                        /*mask=*/Value());
  return answer;
}

void LaunchControlKernel::wrap(RoleOp role, Value first) {
  RoleParts parts(role);
  if (parts.begins.empty())
    builder.setInsertionPointToStart(&role.getBody().front());
  else
    builder.setInsertionPointAfter(parts.begins.back());
  SmallVector<Value> init;
  for (RingBeginOp begin : parts.begins)
    init.push_back(begin.getCursor());
  size_t ringCount = init.size();
  Value begin = RingBeginOp::create(
      builder, loc, CursorType::get(builder.getContext()), work);
  bool isAsking = asks(role);
  // The answer that is read, and the one that is asked for.
  init.append(isAsking ? 2 : 1, begin);
  SmallVector<Type> cursorTypes(init.size(), begin.getType());
  SmallVector<Location> locations(init.size() + 1, loc);
  SmallVector<Type> before{builder.getIndexType()},
      after{builder.getIntegerType(128)};
  llvm::append_range(before, cursorTypes);
  llvm::append_range(after, cursorTypes);
  init.insert(init.begin(), first);
  auto loop = scf::WhileOp::create(builder, loc, after, init);

  Block *body = builder.createBlock(&loop.getBefore(), {}, before, locations);
  ValueRange arguments = body->getArguments();
  ValueRange cursors = arguments.slice(1, ringCount);
  Value reading = arguments[1 + ringCount];
  if (isAsking)
    emitRequest(arguments.back());
  SmallVector<Value> last =
      parts.moveInto(builder, origin, arguments.front(), cursors);
  Value answer = emitAnswer(role, reading);
  parts.redirectDrains(last, loop.getResults().drop_front());
  last.push_back(next(reading));
  if (isAsking)
    last.push_back(next(arguments.back()));
  Value more = LaunchControlIsCanceledOp::create(builder, loc,
                                                 builder.getI1Type(), answer);
  last.insert(last.begin(), answer);
  scf::ConditionOp::create(builder, loc, more, last);

  Block *onward = builder.createBlock(&loop.getAfter(), {}, after, locations);
  SmallVector<Value> yielded(onward->getArguments());
  yielded.front() = getTile(LaunchControlFirstCtaOp::create(
      builder, loc, builder.getIndexType(), yielded.front()));
  scf::YieldOp::create(builder, loc, yielded);
}

LogicalResult LaunchControlKernel::emit() {
  SmallVector<RoleOp> roles = findTileRoles(kernel);
  RingOp lastRing;
  int64_t accumulators = 1;
  kernel.walk([&](RingOp ring) {
    RingType type = ring.getRing().getType();
    if (type.isTensorMemory())
      accumulators = type.getStages();
    lastRing = ring;
  });
  if (!lastRing || llvm::count_if(roles, asks) != 1)
    return kernel.emitOpError(
        "expects a ring program in which one role brings operands");
  // Roles of leaders are those of every other CTA.
  int64_t readers = 0;
  for (RoleOp role : roles)
    readers +=
        role.getCount() * (role.getLeader() ? clusterSize / 2 : clusterSize);
  builder.setInsertionPointAfter(lastRing);
  MLIRContext *context = builder.getContext();
  auto type = RingType::get(context, getWorkSlots(accumulators),
                            {WorkType::get(context, 1)});
  work = RingOp::create(builder, loc, type, /*commits=*/1, readers,
                        /*ctaGroup=*/1, /*cluster=*/clusterSize > 1)
             .getRing();
  builder.setInsertionPointAfter(origin.getCoord());
  Value first =
      getTile(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x));
  for (RoleOp role : roles)
    wrap(role, first);
  origin.eraseUnused();
  return success();
}

class LaunchControlPass
    : public bwgemm::impl::LaunchControlBase<LaunchControlPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getScheduler() != TileScheduler::Clc)
        return WalkResult::skip();
      std::optional<TileOrigin> origin = TileOrigin::find(kernel);
      if (origin && failed(LaunchControlKernel(kernel, *origin).emit()))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
