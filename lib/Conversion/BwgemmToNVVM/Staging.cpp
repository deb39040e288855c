//===- Staging.cpp - Threads that write tiles in shared memory ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementPointer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

struct StMatrixLowering : OpConversionPattern<StMatrixOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Words words{rewriter, loc};
    SmemType type = op.getTile().getType();
    TileOrigin origin = getTileOrigin(words, type, adaptor.getOrigin());
    Value lane = words.fromIndex(
        gpu::LaneIdOp::create(rewriter, loc, rewriter.getIndexType(),
                              /*upper_bound=*/nullptr));
    // Thread t gives the address of row t mod 8 of matrix t / 8. The matrices
    // are the upper and the lower half of 8 columns, then those of the next 8.
    origin.mn = words.emit<arith::AddIOp>(origin.mn,
                                          words.emit<arith::AndIOp>(lane, 15));
    int64_t count = op.getFragment().getType().getNumElements() / 2;
    if (count == 4) {
      Value half = words.emit<arith::ShRUIOp>(lane, 4);
      origin.k = words.emit<arith::AddIOp>(origin.k,
                                           words.emit<arith::MulIOp>(half, 8));
    }
    Value pointer = getElementPointer(words, type, adaptor.getTile(), origin);
    Type i32 = rewriter.getI32Type();
    Value pairs = LLVM::BitcastOp::create(
        rewriter, loc, VectorType::get(count, i32), adaptor.getFragment());
    SmallVector<Value> sources;
    for (int64_t i = 0; i < count; ++i)
      sources.push_back(LLVM::ExtractElementOp::create(
          rewriter, loc, pairs, constantI32(rewriter, loc, i)));
    MLIRContext *context = op.getContext();
    rewriter.replaceOpWithNewOp<NVVM::StMatrixOp>(
        op, pointer, sources, NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
    return success();
  }
};

struct SmemStoreLowering : OpConversionPattern<SmemStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SmemStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Words words{rewriter, loc};
    SmemType type = op.getTile().getType();
    Value pointer =
        getElementPointer(words, type, adaptor.getTile(),
                          getTileOrigin(words, type, adaptor.getOrigin()));
    VectorType vector = op.getVector().getType();
    unsigned bytes =
        vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getVector(), pointer,
                                               /*alignment=*/bytes);
    return success();
  }
};

struct WarpsBarrierLowering : OpConversionPattern<WarpsBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WarpsBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value id = constantI32(rewriter, loc, op.getId());
    if (Value group = adaptor.getGroup())
      id = LLVM::AddOp::create(rewriter, loc, id,
                               castToI32(rewriter, loc, group));
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(
        op, TypeRange(), id, constantI32(rewriter, loc, op.getThreads()),
        NVVM::BarrierReductionAttr(), /*reductionPredicate=*/Value());
    return success();
  }
};

struct WarpBarrierLowering : OpConversionPattern<WarpBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WarpBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(
        op, constantI32(rewriter, op.getLoc(), -1));
    return success();
  }
};

} // namespace

void bwgemm::populateStagingPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<StMatrixLowering, SmemStoreLowering, WarpsBarrierLowering,
               WarpBarrierLowering>(converter, patterns.getContext());
}
