//===- LaunchControl.cpp - Cluster launch control ===//
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

struct WorkSliceLowering : OpConversionPattern<WorkSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WorkSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value bytes = rewriter.createOrFold<arith::MulIOp>(
        loc, adaptor.getIndex(),
        constantIndex(rewriter, loc, WorkType::kResponseBytes));
    rewriter.replaceOp(
        op, offsetPointer(rewriter, loc, adaptor.getResponses(), bytes));
    return success();
  }
};

struct RequestLowering : OpConversionPattern<LaunchControlRequestOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LaunchControlRequestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value barrier = getBarrierAddress(
        rewriter, op.getLoc(), adaptor.getBarriers(), adaptor.getIndex());
    rewriter.replaceOpWithNewOp<NVVM::ClusterLaunchControlTryCancelOp>(
        op, op.getMulticastAttr(), adaptor.getResponse(), barrier);
    return success();
  }
};

struct ReadLowering : OpConversionPattern<LaunchControlReadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LaunchControlReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getAnswer().getType(),
                                              adaptor.getResponse(),
                                              WorkType::kResponseBytes);
    return success();
  }
};

struct IsCanceledLowering : OpConversionPattern<LaunchControlIsCanceledOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LaunchControlIsCanceledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterLaunchControlQueryCancelOp>(
        op, rewriter.getI1Type(),
        NVVM::ClusterLaunchControlQueryType::IS_CANCELED, adaptor.getAnswer());
    return success();
  }
};

struct FirstCtaLowering : OpConversionPattern<LaunchControlFirstCtaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LaunchControlFirstCtaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = NVVM::ClusterLaunchControlQueryCancelOp::create(
        rewriter, op.getLoc(), rewriter.getI32Type(),
        NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_X,
        adaptor.getAnswer());
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(
        op, rewriter.getIndexType(), x);
    return success();
  }
};

} // namespace

void bwgemm::populateLaunchControlPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<WorkSliceLowering, RequestLowering, ReadLowering,
               IsCanceledLowering, FirstCtaLowering>(converter,
                                                     patterns.getContext());
}
