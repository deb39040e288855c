//===- TMA.cpp - TMA ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

struct PrefetchLowering : OpConversionPattern<TensorMapPrefetchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TensorMapPrefetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Maps are kernel parameters. Without saying so LLVM emits the prefetch
    // twice, once for each state space.
    rewriter.replaceOpWithNewOp<NVVM::PrefetchOp>(
        op, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(),
        adaptor.getMap(), /*predicate=*/Value(),
        /*tensormap=*/rewriter.getUnitAttr(), /*uniform=*/nullptr,
        /*in_param_space=*/rewriter.getUnitAttr());
    return success();
  }
};

/// The byte of a tile at which its element (stage, MN, K) lies before the
/// swizzle; see `!bwgemm.smem`.
Value getTileOffset(OpBuilder &builder, Location loc, SmemType type,
                    ValueRange origin) {
  auto mul = [&](Value value, int64_t factor) -> Value {
    return builder.createOrFold<arith::MulIOp>(
        loc, value, constantIndex(builder, loc, factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  };
  Value contiguous = origin.back(), row = origin.drop_back().back();
  if (type.getMajor() == Major::MN)
    std::swap(contiguous, row);
  // Origins are at the first element of a row of a column.
  Value column = builder.createOrFold<arith::DivUIOp>(
      loc, contiguous, constantIndex(builder, loc, type.getRowElements()));
  Value offset = add(mul(column, type.getColumnBytes()),
                     mul(row, type.getSwizzle().getRowBytes()));
  if (type.hasStages())
    offset = add(offset, mul(origin.front(), type.getStageBytes()));
  return offset;
}

/// The mbarrier at the same place in the leader of this CTA's pair, the one
/// with the even rank: an address in shared memory has the rank of its CTA from
/// bit 24 on (measured on an H200).
Value getLeaderBarrier(OpBuilder &builder, Location loc, Value barrier) {
  constexpr int64_t partnerBit = 1 << 24;
  Type i32 = builder.getI32Type();
  Value address = LLVM::PtrToIntOp::create(builder, loc, i32, barrier);
  Value leader = LLVM::AndOp::create(builder, loc, address,
                                     constantI32(builder, loc, ~partnerBit));
  return LLVM::IntToPtrOp::create(builder, loc, barrier.getType(), leader);
}

/// The policy for L2, of all lines alike, at the beginning of the kernel; null
/// for the usual one.
Value emitPolicy(OpBuilder &builder, Operation *op, L2Eviction eviction) {
  if (eviction == L2Eviction::Normal)
    return {};
  OpBuilder::InsertionGuard restore(builder);
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(&kernel.getFunctionBody().front());
  // There is no intrinsic for it.
  std::string text =
      ("createpolicy.fractional.L2::" + stringifyL2Eviction(eviction) +
       ".b64 $0;")
          .str();
  return LLVM::InlineAsmOp::create(
             builder, op->getLoc(), builder.getI64Type(), ValueRange(), text,
             "=l", /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(builder.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

struct LoadLowering : OpConversionPattern<TMALoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TMALoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value offset = getTileOffset(rewriter, loc, op.getTile().getType(),
                                 adaptor.getOrigin());
    Value destination = offsetPointer(rewriter, loc, adaptor.getTile(), offset);
    auto cluster =
        LLVM::LLVMPointerType::get(op.getContext(), kSharedClusterSpace);
    destination =
        LLVM::AddrSpaceCastOp::create(rewriter, loc, cluster, destination);
    // PTX names the contiguous coordinate first.
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(castToI32(rewriter, loc, coordinate));
    Value barrier = getBarrierAddress(rewriter, loc, adaptor.getBarriers(),
                                      adaptor.getIndex());
    NVVM::CTAGroupKindAttr group;
    if (op.getCtaGroup() == 2) {
      barrier = getLeaderBarrier(rewriter, loc, barrier);
      group = NVVM::CTAGroupKindAttr::get(op.getContext(),
                                          NVVM::CTAGroupKind::CTA_2);
    }
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
        op, destination, adaptor.getMap(), coordinates, barrier,
        /*im2colOffsets=*/ValueRange(), adaptor.getMask(),
        emitPolicy(rewriter, op, op.getEviction()), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, group, /*predicate=*/Value());
    return success();
  }
};

struct StoreLowering : OpConversionPattern<TMAStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TMAStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source =
        offsetPointer(rewriter, loc, adaptor.getTile(),
                      getTileOffset(rewriter, loc, op.getTile().getType(),
                                    adaptor.getOrigin()));
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(castToI32(rewriter, loc, coordinate));
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
        op, adaptor.getMap(), source, coordinates, /*l2CacheHint=*/Value(),
        NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
    return success();
  }
};

struct StoreCommitLowering : OpConversionPattern<TMAStoreCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TMAStoreCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkCommitGroupOp>(op);
    return success();
  }
};

struct StoreWaitLowering : OpConversionPattern<TMAStoreWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TMAStoreWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, op.getPendingAttr(), op.getReadAttr());
    return success();
  }
};

} // namespace

void bwgemm::populateTMAPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<PrefetchLowering, LoadLowering, StoreLowering,
               StoreCommitLowering, StoreWaitLowering>(converter,
                                                       patterns.getContext());
}
