//===- SharedMemory.cpp - Shared memory, fences, threads ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::bwgemm;

Value bwgemm::constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32Type(),
      builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value bwgemm::constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value bwgemm::castToI32(OpBuilder &builder, Location loc, Value index) {
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(),
                                                  index);
}

Value bwgemm::offsetPointer(OpBuilder &builder, Location loc, Value pointer,
                            Value bytes) {
  APInt constant;
  Type i8 = builder.getI8Type();
  if (matchPattern(bytes, m_ConstantInt(&constant))) {
    if (constant.isZero())
      return pointer;
    return LLVM::GEPOp::create(
        builder, loc, pointer.getType(), i8, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant.getSExtValue())});
  }
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), i8, pointer,
      ArrayRef<LLVM::GEPArg>{castToI32(builder, loc, bytes)});
}

void bwgemm::addTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([](TmemType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kTensorSpace);
  });
  converter.addConversion([](FragmentType type) -> Type {
    // A struct, since LLVM keeps its members in registers across MMAs.
    MLIRContext *context = type.getContext();
    Type each = type.getElementType();
    if (type.getPacked() > 1)
      each = VectorType::get(type.getPacked(), each);
    SmallVector<Type> elements(type.getWarpRows() * type.getWarpColumns() /
                                   (32 * type.getPacked()),
                               each);
    return LLVM::LLVMStructType::getLiteral(context, elements);
  });
  converter.addConversion([](OperandType type) -> Type {
    MLIRContext *context = type.getContext();
    SmallVector<Type> registers(type.getRegisters(),
                                IntegerType::get(context, 32));
    return LLVM::LLVMStructType::getLiteral(context, registers);
  });
  auto shared = [](Type type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  };
  converter.addConversion([=](SmemType type) { return shared(type); });
  converter.addConversion([=](MBarrierType type) { return shared(type); });
  converter.addConversion([=](TmemSlotType type) { return shared(type); });
  converter.addConversion([=](WorkType type) { return shared(type); });
}

namespace {

/// An allocation becomes its planned place in the dynamic shared memory.
template <typename Op> struct AllocLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("has no offset in shared memory; run "
                            "bwgemm-plan-resources first");
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext(), kSharedSpace);
    Value base =
        LLVM::AddressOfOp::create(rewriter, loc, pointer, kDynamicShared);
    rewriter.replaceOp(
        op, offsetPointer(rewriter, loc, base,
                          constantIndex(rewriter, loc, *op.getOffset())));
    return success();
  }
};

struct SliceLowering : OpConversionPattern<SmemSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SmemSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value bytes = rewriter.createOrFold<arith::MulIOp>(
        loc, adaptor.getStage(),
        constantIndex(rewriter, loc, op.getTile().getType().getBytes()));
    rewriter.replaceOp(op,
                       offsetPointer(rewriter, loc, adaptor.getTiles(), bytes));
    return success();
  }
};

struct FenceLowering : OpConversionPattern<FenceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    switch (op.getKind()) {
    case FenceKind::MBarrierInit:
      rewriter.replaceOpWithNewOp<NVVM::FenceMbarrierInitOp>(op);
      break;
    case FenceKind::AsyncShared:
      rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
          op, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
      break;
    case FenceKind::Tcgen05Before:
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05FenceOp>(
          op, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
      break;
    case FenceKind::Tcgen05After:
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05FenceOp>(
          op, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
      break;
    }
    return success();
  }
};

struct ElectLowering : OpConversionPattern<ElectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ElectOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ElectSyncOp>(op, rewriter.getI1Type(),
                                                   /*membermask=*/Value());
    return success();
  }
};

struct WarpIdLowering : OpConversionPattern<WarpIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WarpIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value thread = NVVM::ThreadIdXOp::create(rewriter, loc, i32);
    Value warp = LLVM::LShrOp::create(rewriter, loc, thread,
                                      constantI32(rewriter, loc, 5));
    Value uniform = NVVM::ShflOp::create(
        rewriter, loc, i32, constantI32(rewriter, loc, -1), warp,
        constantI32(rewriter, loc, 0), constantI32(rewriter, loc, 31),
        NVVM::ShflKind::idx, /*return_value_and_is_valid=*/nullptr);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    uniform);
    return success();
  }
};

} // namespace

void bwgemm::populateSharedMemoryPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<AllocLowering<SmemAllocOp>, AllocLowering<MBarrierAllocOp>,
               AllocLowering<TmemSlotOp>, AllocLowering<WorkAllocOp>,
               SliceLowering, FenceLowering, ElectLowering, WarpIdLowering>(
      converter, patterns.getContext());
}
