//===- LowerRings.cpp - Rings to buffers, mbarriers and phases ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cursor becomes one i32: the slot in the low half, the parity of the turn
// in bit 16. So an advance takes no division, and a loop carries one register.
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOWERRINGS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

constexpr int64_t kTurnBit = 1 << 16;

/// What a ring consists of.
struct RingParts {
  /// Staged tiles, or responses; empty for a ring of accumulators.
  SmallVector<Value> buffers;
  Value full, empty;
  /// CTAs that the ring serves.
  int64_t ctaGroup = 1;
  /// Whether it serves all of a cluster.
  bool cluster = false;
};
using RingMap = DenseMap<Value, RingParts>;

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

/// Allocates a ring's buffers and mbarriers; one thread initialises these.
RingParts emitRing(RingOp ring) {
  OpBuilder builder(ring);
  Location loc = ring.getLoc();
  RingType type = ring.getRing().getType();
  MLIRContext *context = ring.getContext();
  RingParts parts;
  parts.ctaGroup = static_cast<int64_t>(ring.getCtaGroup());
  parts.cluster = ring.getCluster();
  for (Type buffer : type.getBuffers()) {
    auto tile = dyn_cast<SmemType>(buffer);
    if (!tile)
      continue;
    SmallVector<int64_t> shape{type.getStages()};
    llvm::append_range(shape, tile.getShape());
    parts.buffers.push_back(
        SmemAllocOp::create(builder, loc,
                            SmemType::get(shape, tile.getElementType(),
                                          tile.getMajor(), tile.getSwizzle()),
                            IntegerAttr()));
  }
  if (type.isWork())
    parts.buffers.push_back(WorkAllocOp::create(
        builder, loc, WorkType::get(context, type.getStages()), IntegerAttr()));
  auto barriers = MBarrierType::get(context, type.getStages());
  parts.full = MBarrierAllocOp::create(builder, loc, barriers, IntegerAttr());
  parts.empty = MBarrierAllocOp::create(builder, loc, barriers, IntegerAttr());
  auto role = RoleOp::create(builder, loc, "initialize", 0, 0,
                             /*elected=*/true);
  builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
  for (int64_t stage = 0; stage < type.getStages(); ++stage) {
    Value index = constantIndex(builder, loc, stage);
    MBarrierInitOp::create(builder, loc, parts.full, index, ring.getCommits());
    MBarrierInitOp::create(builder, loc, parts.empty, index,
                           ring.getReleases());
  }
  FenceOp::create(builder, loc, FenceKind::MBarrierInit);
  return parts;
}

/// The slot of a lowered cursor.
Value getStage(OpBuilder &builder, Location loc, RingType type, Value cursor) {
  if (type.getStages() == 1)
    return constantIndex(builder, loc, 0);
  Value stage = arith::AndIOp::create(builder, loc, cursor,
                                      constantI32(builder, loc, kTurnBit - 1));
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      stage);
}

/// The parity of a lowered cursor's turn, or that of the turn before.
Value getParity(OpBuilder &builder, Location loc, Value cursor, bool before) {
  Value parity = arith::ShRUIOp::create(builder, loc, cursor,
                                        constantI32(builder, loc, 16));
  if (!before)
    return parity;
  return arith::XOrIOp::create(builder, loc, parity,
                               constantI32(builder, loc, 1));
}

/// Whether this thread arrives for its warp, and in the CTA of which rank; null
/// for its own. Both are the same for all slots, and stand ahead of the loops
/// of `op`'s role.
std::pair<Value, Value> emitArriver(OpBuilder &builder, Operation *op,
                                    Value mask) {
  OpBuilder::InsertionGuard restore(builder);
  if (auto role = op->getParentOfType<RoleOp>())
    builder.setInsertionPointToStart(&role.getBody().front());
  Location loc = op->getLoc();
  if (!mask)
    return {ElectOp::create(builder, loc, builder.getI1Type()), Value()};
  Value lane = gpu::LaneIdOp::create(builder, loc, builder.getIndexType(),
                                     /*upper_bound=*/nullptr);
  Value wide =
      arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), mask);
  Value shifted = arith::ShRUIOp::create(builder, loc, wide, lane);
  Value bit = arith::AndIOp::create(builder, loc, shifted,
                                    constantIndex(builder, loc, 1));
  // The other threads have a rank too, since LLVM may compute the address of
  // its mbarrier for them.
  Value ctas = gpu::ClusterDimBlocksOp::create(builder, loc, gpu::Dimension::x);
  Value last =
      arith::SubIOp::create(builder, loc, ctas, constantIndex(builder, loc, 1));
  return {arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit,
                                constantIndex(builder, loc, 0)),
          arith::MinUIOp::create(builder, loc, lane, last)};
}

template <typename Op> struct RingPattern : OpConversionPattern<Op> {
  RingPattern(const TypeConverter &converter, MLIRContext *context,
              const RingMap &rings)
      : OpConversionPattern<Op>(converter, context), rings(rings) {}

  const RingParts &getParts(Op op) const {
    return rings.find(op.getRing())->second;
  }
  const RingMap &rings;
};

struct BeginLowering : OpConversionPattern<RingBeginOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingBeginOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, constantI32(rewriter, op.getLoc(), 0));
    return success();
  }
};

struct NextLowering : OpConversionPattern<RingNextOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingNextOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t stages = op.getRing().getType().getStages();
    Value cursor = adaptor.getCursor();
    Value turn = constantI32(rewriter, loc, kTurnBit);
    // Of the last slot only the turn is kept, and changes.
    auto wrapped = [&]() -> Value {
      Value kept = arith::AndIOp::create(rewriter, loc, cursor, turn);
      return arith::XOrIOp::create(rewriter, loc, kept, turn);
    };
    if (stages == 1) {
      rewriter.replaceOp(op, wrapped());
      return success();
    }
    Value stage = arith::AndIOp::create(
        rewriter, loc, cursor, constantI32(rewriter, loc, kTurnBit - 1));
    Value isLast =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, stage,
                              constantI32(rewriter, loc, stages - 1));
    Value next = arith::AddIOp::create(rewriter, loc, cursor,
                                       constantI32(rewriter, loc, 1));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLast, wrapped(), next);
    return success();
  }
};

struct SkipLowering : OpConversionPattern<RingSkipOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingSkipOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value stages =
        constantI32(rewriter, loc, op.getRing().getType().getStages());
    Value cursor = adaptor.getCursor();
    Value stage = arith::AndIOp::create(
        rewriter, loc, cursor, constantI32(rewriter, loc, kTurnBit - 1));
    Value slots = arith::IndexCastUIOp::create(
        rewriter, loc, rewriter.getI32Type(), adaptor.getSlots());
    Value reached = arith::AddIOp::create(rewriter, loc, stage, slots);
    // Each time round the ring is a turn, of which the parity counts.
    Value rounds = arith::DivUIOp::create(rewriter, loc, reached, stages);
    Value turns = arith::ShLIOp::create(rewriter, loc, rounds,
                                        constantI32(rewriter, loc, 16));
    Value turn = arith::AndIOp::create(
        rewriter, loc, arith::XOrIOp::create(rewriter, loc, cursor, turns),
        constantI32(rewriter, loc, kTurnBit));
    Value left = arith::RemUIOp::create(rewriter, loc, reached, stages);
    rewriter.replaceOpWithNewOp<arith::OrIOp>(op, turn, left);
    return success();
  }
};

struct SlotLowering : RingPattern<RingSlotOp> {
  using RingPattern::RingPattern;
  LogicalResult
  matchAndRewrite(RingSlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingType type = op.getRing().getType();
    Value stage = getStage(rewriter, loc, type, adaptor.getCursor());
    if (type.isTensorMemory()) {
      auto part = cast<TmemType>(op.getBuffers().front().getType());
      Value column = rewriter.createOrFold<arith::MulIOp>(
          loc, stage, constantIndex(rewriter, loc, part.getCellColumns()));
      if (part == op.getTensor().getType())
        rewriter.replaceOp(op, op.getTensor());
      else
        rewriter.replaceOpWithNewOp<TmemSliceOp>(op, part, op.getTensor(),
                                                 column);
      return success();
    }
    if (type.isWork()) {
      rewriter.replaceOpWithNewOp<WorkSliceOp>(
          op, op.getBuffers().front().getType(), getParts(op).buffers.front(),
          stage);
      return success();
    }
    SmallVector<Value> buffers;
    for (auto [tiles, buffer] :
         llvm::zip_equal(getParts(op).buffers, op.getBuffers()))
      buffers.push_back(SmemSliceOp::create(
          rewriter, loc, cast<SmemType>(buffer.getType()), tiles, stage));
    rewriter.replaceOp(op, buffers);
    return success();
  }
};

struct FullLowering : RingPattern<RingFullOp> {
  using RingPattern::RingPattern;
  LogicalResult
  matchAndRewrite(RingFullOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value stage = getStage(rewriter, op.getLoc(), op.getRing().getType(),
                           adaptor.getCursor());
    rewriter.replaceOp(op, {getParts(op).full, stage});
    return success();
  }
};

/// `ring.acquire` waits for the turn before, `ring.wait` for this one.
template <typename Op, bool isAcquire> struct WaitLowering : RingPattern<Op> {
  using RingPattern<Op>::RingPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value cursor = adaptor.getCursor();
    const RingParts &parts = this->getParts(op);
    RingType type = op.getRing().getType();
    Value stage = getStage(rewriter, loc, type, cursor);
    // Threads of both CTAs of a pair release an accumulator, those of all CTAs
    // of a cluster a response.
    bool cluster =
        isAcquire &&
        (parts.cluster || (type.isTensorMemory() && parts.ctaGroup == 2));
    rewriter.replaceOpWithNewOp<MBarrierWaitOp>(
        op, isAcquire ? parts.empty : parts.full, stage,
        getParity(rewriter, loc, cursor, /*before=*/isAcquire), cluster);
    return success();
  }
};

/// Acquires one slot after the other, for a whole turn.
struct DrainLowering : OpConversionPattern<RingDrainOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingDrainOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t stages = op.getRing().getType().getStages();
    scf::ForOp::create(
        rewriter, loc, constantIndex(rewriter, loc, 0),
        constantIndex(rewriter, loc, stages), constantIndex(rewriter, loc, 1),
        ValueRange{op.getCursor()},
        [&](OpBuilder &builder, Location loc, Value, ValueRange cursors) {
          Value cursor = cursors.front();
          RingAcquireOp::create(builder, loc, op.getRing(), cursor);
          Value next = RingNextOp::create(builder, loc, cursor.getType(),
                                          op.getRing(), cursor);
          scf::YieldOp::create(builder, loc, next);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

/// `ring.commit` signals that a slot is full, `ring.release` that it is empty.
template <typename Op, bool isCommit> struct SignalLowering : RingPattern<Op> {
  using RingPattern<Op>::RingPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const RingParts &parts = this->getParts(op);
    RingType type = op.getRing().getType();
    Value barriers = isCommit ? parts.full : parts.empty;
    Value stage = getStage(rewriter, loc, type, adaptor.getCursor());
    switch (op.getBy()) {
    case Agent::Tma: {
      // The copies of both CTAs of a pair signal the leader's mbarrier.
      if (parts.ctaGroup == 2) {
        auto leader =
            scf::IfOp::create(rewriter, loc, emitIsLeader(rewriter, loc),
                              /*withElseRegion=*/false);
        rewriter.setInsertionPointToStart(leader.thenBlock());
      }
      MBarrierArriveExpectTxOp::create(rewriter, loc, barriers, stage,
                                       type.getSlotBytes() * parts.ctaGroup);
      rewriter.eraseOp(op);
      break;
    }
    case Agent::Mma:
      rewriter.replaceOpWithNewOp<Tcgen05CommitOp>(
          op, barriers, stage, adaptor.getMask(), parts.ctaGroup);
      break;
    case Agent::Thread: {
      Value rank;
      if (parts.cluster)
        rank = constantIndex(rewriter, loc, 0);
      else if (parts.ctaGroup == 2)
        rank = emitLeaderRank(rewriter, loc);
      rewriter.replaceOpWithNewOp<MBarrierArriveOp>(op, barriers, stage, rank,
                                                    /*readers=*/false);
      break;
    }
    case Agent::Warp: {
      auto [arrives, rank] = emitArriver(rewriter, op, adaptor.getMask());
      auto one = scf::IfOp::create(rewriter, loc, arrives,
                                   /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(one.thenBlock());
      MBarrierArriveOp::create(rewriter, loc, barriers, stage, rank,
                               /*readers=*/bool(rank));
      rewriter.eraseOp(op);
      break;
    }
    }
    return success();
  }
};

class LowerRingsPass : public bwgemm::impl::LowerRingsBase<LowerRingsPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      return failed(lower(kernel)) ? WalkResult::interrupt()
                                   : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult lower(gpu::GPUFuncOp kernel) {
    MLIRContext *context = &getContext();
    SmallVector<RingOp> ops;
    RingMap rings;
    kernel.walk([&](RingOp ring) { ops.push_back(ring); });
    for (RingOp ring : ops)
      rings[ring.getRing()] = emitRing(ring);
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](CursorType type) -> Type {
      return IntegerType::get(type.getContext(), 32);
    });
    ConversionTarget target(*context);
    RewritePatternSet patterns(context);
    patterns.add<BeginLowering, NextLowering, SkipLowering, DrainLowering>(
        converter, context);
    patterns.add<SlotLowering, FullLowering, WaitLowering<RingAcquireOp, true>,
                 WaitLowering<RingWaitOp, false>,
                 SignalLowering<RingCommitOp, true>,
                 SignalLowering<RingReleaseOp, false>>(converter, context,
                                                       rings);
    target.addIllegalOp<RingBeginOp, RingNextOp, RingSkipOp, RingSlotOp,
                        RingFullOp, RingAcquireOp, RingWaitOp, RingCommitOp,
                        RingReleaseOp, RingDrainOp>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
      return failure();
    for (RingOp ring : ops)
      ring.erase();
    return success();
  }
};

} // namespace
