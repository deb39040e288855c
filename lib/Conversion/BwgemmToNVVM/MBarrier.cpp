//===- MBarrier.cpp - mbarrier ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::bwgemm;

Value bwgemm::getBarrierAddress(OpBuilder &builder, Location loc,
                                Value barriers, Value index) {
  Value bytes = builder.createOrFold<arith::MulIOp>(
      loc, index, constantIndex(builder, loc, 8));
  return offsetPointer(builder, loc, barriers, bytes);
}

namespace {

struct InitLowering : OpConversionPattern<MBarrierInitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MBarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getBarrierAddress(rewriter, loc, adaptor.getBarriers(),
                                      adaptor.getIndex());
    rewriter.replaceOpWithNewOp<NVVM::MBarrierInitOp>(
        op, address, constantI32(rewriter, loc, op.getCount()),
        /*predicate=*/Value());
    return success();
  }
};

struct InvalLowering : OpConversionPattern<MBarrierInvalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MBarrierInvalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::MBarrierInvalOp>(
        op, getBarrierAddress(rewriter, op.getLoc(), adaptor.getBarriers(),
                              adaptor.getIndex()));
    return success();
  }
};

struct ArriveLowering : OpConversionPattern<MBarrierArriveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MBarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getBarrierAddress(rewriter, loc, adaptor.getBarriers(),
                                      adaptor.getIndex());
    if (Value rank = adaptor.getRank()) {
      auto cluster =
          LLVM::LLVMPointerType::get(op.getContext(), kSharedClusterSpace);
      Value remote = NVVM::MapaOp::create(rewriter, loc, cluster, address,
                                          castToI32(rewriter, loc, rank));
      NVVM::MBarrierArriveOp::create(rewriter, loc, TypeRange(), remote,
                                     /*count=*/Value(),
                                     op.getReaders()
                                         ? NVVM::MemScopeKind::CTA
                                         : NVVM::MemScopeKind::CLUSTER);
    } else {
      NVVM::MBarrierArriveOp::create(rewriter, loc, rewriter.getI64Type(),
                                     address, /*count=*/Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveExpectTxLowering : OpConversionPattern<MBarrierArriveExpectTxOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MBarrierArriveExpectTxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getBarrierAddress(rewriter, loc, adaptor.getBarriers(),
                                      adaptor.getIndex());
    NVVM::MBarrierArriveExpectTxOp::create(
        rewriter, loc, rewriter.getI64Type(), address,
        constantI32(rewriter, loc, op.getBytes()), NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// A loop in the IR rather than upstream's inline loop: inline PTX is not
/// convergent for LLVM, which then may merge or duplicate it.
struct WaitLowering : OpConversionPattern<MBarrierWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MBarrierWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getBarrierAddress(rewriter, loc, adaptor.getBarriers(),
                                      adaptor.getIndex());
    auto scope =
        op.getCluster() ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
    scf::WhileOp::create(
        rewriter, loc, TypeRange(), ValueRange(),
        [&](OpBuilder &builder, Location loc, ValueRange) {
          Type i1 = builder.getI1Type();
          Value done = NVVM::MBarrierTryWaitOp::create(
              builder, loc, i1, address, adaptor.getParity(),
              /*ticks=*/Value(), scope);
          Value yes = arith::ConstantOp::create(builder, loc,
                                                builder.getBoolAttr(true));
          Value again = arith::XOrIOp::create(builder, loc, done, yes);
          scf::ConditionOp::create(builder, loc, again, ValueRange());
        },
        [](OpBuilder &builder, Location loc, ValueRange) {
          scf::YieldOp::create(builder, loc);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void bwgemm::populateMBarrierPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<InitLowering, InvalLowering, ArriveLowering,
               ArriveExpectTxLowering, WaitLowering>(converter,
                                                     patterns.getContext());
}
