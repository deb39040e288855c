//===- TensorMemory.cpp - Tensor memory ops ===//
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

struct AllocLowering : OpConversionPattern<TmemAllocOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemAllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    NVVM::CTAGroupKind group = getCtaGroup(op.getCtaGroup());
    NVVM::Tcgen05AllocOp::create(
        rewriter, loc, adaptor.getSlot(),
        constantI32(rewriter, loc, op.getSlot().getType().getColumns()), group);
    NVVM::Tcgen05RelinquishAllocPermitOp::create(rewriter, loc, group);
    rewriter.eraseOp(op);
    return success();
  }
};

struct GetLowering : OpConversionPattern<TmemGetOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemGetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = LLVM::LoadOp::create(
        rewriter, op.getLoc(), rewriter.getI32Type(), adaptor.getSlot());
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, LLVM::LLVMPointerType::get(op.getContext(), kTensorSpace), address);
    return success();
  }
};

/// Columns are the low half of a tensor-memory address.
struct SliceLowering : OpConversionPattern<TmemSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                          adaptor.getTensor());
    Value address = LLVM::AddOp::create(
        rewriter, loc, base, castToI32(rewriter, loc, adaptor.getColumn()));
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, adaptor.getTensor().getType(), address);
    return success();
  }
};

struct DeallocLowering : OpConversionPattern<TmemDeallocOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemDeallocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05DeallocOp>(
        op, adaptor.getTmem(),
        constantI32(rewriter, loc, op.getSlot().getType().getColumns()),
        getCtaGroup(op.getCtaGroup()));
    return success();
  }
};

struct LoadLowering : OpConversionPattern<TmemLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    // A tensor-memory address holds the lane above bit 16 and the column below.
    Value base =
        LLVM::PtrToIntOp::create(rewriter, loc, i32, adaptor.getTmem());
    Value lane = LLVM::ShlOp::create(
        rewriter, loc, castToI32(rewriter, loc, adaptor.getLane()),
        constantI32(rewriter, loc, 16));
    Value column = castToI32(rewriter, loc, adaptor.getColumn());
    Value address = LLVM::AddOp::create(
        rewriter, loc, LLVM::AddOp::create(rewriter, loc, base, lane), column);
    Value pointer = LLVM::IntToPtrOp::create(
        rewriter, loc, adaptor.getTmem().getType(), address);
    // The instruction yields words.
    VectorType type = op.getFragment().getType();
    bool single = type.getNumElements() == 1;
    Type words = single ? i32 : Type(type.clone(i32));
    auto shape = op.getShape() == TmemShape::Shape32x32b
                     ? NVVM::Tcgen05LdStShape::SHAPE_32X32B
                     : NVVM::Tcgen05LdStShape::SHAPE_16X256B;
    Value loaded = NVVM::Tcgen05LdOp::create(rewriter, loc, words,
                                             /*pack=*/false, shape, pointer,
                                             /*offset=*/Value());
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, loaded);
    return success();
  }
};

/// The wait, and then an empty inline assembly through which every register
/// passes: LLVM sees no dependence between a load and the wait, and would
/// otherwise read the registers (to pack two into one, say) before it.
struct WaitLowering : OpConversionPattern<TmemWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TmemWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getReady().getType();
    int64_t count = type.getNumElements();
    Type i32 = rewriter.getI32Type();
    Value words = rewriter.createOrFold<LLVM::BitcastOp>(loc, type.clone(i32),
                                                         adaptor.getFragment());
    NVVM::Tcgen05WaitOp::create(rewriter, loc, NVVM::Tcgen05WaitKind::LOAD);
    SmallVector<Value> registers;
    std::string outputs, inputs;
    for (int64_t i = 0; i < count; ++i) {
      registers.push_back(LLVM::ExtractElementOp::create(
          rewriter, loc, words, constantI32(rewriter, loc, i)));
      outputs += "=r,";
      inputs += (i ? "," : "") + std::to_string(i);
    }
    SmallVector<Type> types(count, i32);
    Type result =
        count == 1 ? i32
                   : LLVM::LLVMStructType::getLiteral(op.getContext(), types);
    auto pass = LLVM::InlineAsmOp::create(
        rewriter, loc, result, registers, /*asm_string=*/"",
        /*constraints=*/outputs + inputs, /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
    Value ready = LLVM::PoisonOp::create(rewriter, loc, type.clone(i32));
    for (int64_t i = 0; i < count; ++i) {
      Value word = pass.getResult(0);
      if (count != 1)
        word = LLVM::ExtractValueOp::create(rewriter, loc, word, i);
      ready = LLVM::InsertElementOp::create(rewriter, loc, ready, word,
                                            constantI32(rewriter, loc, i));
    }
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, ready);
    return success();
  }
};

} // namespace

void bwgemm::populateTensorMemoryPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<AllocLowering, GetLowering, SliceLowering, DeallocLowering,
               LoadLowering, WaitLowering>(converter, patterns.getContext());
}
