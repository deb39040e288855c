//===- Warpgroup.cpp - Fragments and wgmma to NVVM ------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "Patterns.h"

#include "bwgemm/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

struct ZeroLowering : OpConversionPattern<FragmentZeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FragmentZeroOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<LLVM::LLVMStructType>(
        getTypeConverter()->convertType(op.getFragment().getType()));
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, type);
    return success();
  }
};

struct ReadLowering : OpConversionPattern<FragmentReadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FragmentReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getPart().getType());
    // Four elements of a thread are of eight columns, for each 16 rows.
    int64_t perRows = op.getFragment().getType().getWarpColumns() / 2;
    int64_t first = static_cast<int64_t>(op.getRow()) / 16 * perRows +
                    static_cast<int64_t>(op.getColumn()) / 2;
    Value part = LLVM::PoisonOp::create(rewriter, loc, type);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value element = LLVM::ExtractValueOp::create(
          rewriter, loc, adaptor.getFragment(), first + i);
      part = LLVM::InsertElementOp::create(rewriter, loc, part, element,
                                           constantI32(rewriter, loc, i));
    }
    rewriter.replaceOp(op, part);
    return success();
  }
};

struct PromoteLowering : OpConversionPattern<PromoteOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PromoteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<LLVM::LLVMStructType>(
        getTypeConverter()->convertType(op.getSum().getType()));
    Value totals = LLVM::PoisonOp::create(rewriter, loc, type);
    Value starts = LLVM::ZeroOp::create(rewriter, loc, type);
    auto add = [&](Value lhs, Value rhs) -> Value {
      return LLVM::FAddOp::create(rewriter, loc, lhs, rhs);
    };
    auto subtract = [&](Value lhs, Value rhs) -> Value {
      return LLVM::FSubOp::create(rewriter, loc, lhs, rhs);
    };
    for (int64_t i = 0, e = type.getBody().size(); i < e; ++i) {
      Value sum =
          LLVM::ExtractValueOp::create(rewriter, loc, adaptor.getSum(), i);
      Value part =
          LLVM::ExtractValueOp::create(rewriter, loc, adaptor.getPart(), i);
      Value total = add(sum, part);
      totals = LLVM::InsertValueOp::create(rewriter, loc, totals, total, i);
      if (!op.getCompensated())
        continue;
      // Whichever of both is the larger one: what each of them lacks in the
      // total.
      Value added = subtract(total, sum);
      Value error =
          add(subtract(sum, subtract(total, added)), subtract(part, added));
      starts = LLVM::InsertValueOp::create(rewriter, loc, starts, error, i);
    }
    rewriter.replaceOp(op, {totals, starts});
    return success();
  }
};

/// Bits 62 and 63 of a descriptor (PTX ISA, wgmma, matrix descriptor).
uint64_t getLayoutCode(SwizzleAttr swizzle) {
  switch (swizzle.isNone() ? 0 : swizzle.getRowBytes()) {
  case 128:
    return 1;
  case 64:
    return 2;
  case 32:
    return 3;
  default:
    return 0;
  }
}

NVVM::WGMMATypes getInstructionType(Type element) {
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (element.isF32())
    return NVVM::WGMMATypes::tf32;
  if (isFp8(element))
    return isa<Float8E4M3FNType>(element) ? NVVM::WGMMATypes::e4m3
                                          : NVVM::WGMMATypes::e5m2;
  return element.isUnsignedInteger() ? NVVM::WGMMATypes::u8
                                     : NVVM::WGMMATypes::s8;
}

struct MmaLowering : OpConversionPattern<WarpgroupMmaOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The descriptor of a tile at `address`, a 32-bit shared address.
  static Value makeDescriptor(OpBuilder &builder, Location loc, SmemType type,
                              Value address) {
    auto [leading, stride] = getStrides(type);
    // Addresses and strides are in units of 16 bytes.
    uint64_t fields = static_cast<uint64_t>(leading >> 4) << 16 |
                      static_cast<uint64_t>(stride >> 4) << 32 |
                      getLayoutCode(type.getSwizzle()) << 62;
    Type i64 = builder.getI64Type();
    Value start = LLVM::LShrOp::create(builder, loc, address,
                                       constantI32(builder, loc, 4));
    // In a cluster the bits above the 18 of the address are the CTA's rank.
    start = LLVM::AndOp::create(builder, loc, start,
                                constantI32(builder, loc, (1 << 14) - 1));
    Value wide = LLVM::ZExtOp::create(builder, loc, i64, start);
    Value constant = LLVM::ConstantOp::create(
        builder, loc, i64,
        builder.getI64IntegerAttr(static_cast<int64_t>(fields)));
    return LLVM::OrOp::create(builder, loc, wide, constant);
  }

  LogicalResult
  matchAndRewrite(WarpgroupMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    SmemType a = op.getA().getType(), b = op.getB().getType();
    FragmentType acc = op.getAcc().getType();
    Type i32 = rewriter.getI32Type();
    auto addressOf = [&](Value tile) -> Value {
      return LLVM::PtrToIntOp::create(rewriter, loc, i32, tile);
    };
    Value addressA = addressOf(adaptor.getA());
    if (a.getMN() > 64) {
      Value rows = LLVM::MulOp::create(
          rewriter, loc, castToI32(rewriter, loc, adaptor.getWarpgroup()),
          constantI32(rewriter, loc, getRowOffset(a, 64)));
      addressA = LLVM::AddOp::create(rewriter, loc, addressA, rows);
    }
    Value descA = makeDescriptor(rewriter, loc, a, addressA);
    Value descB = makeDescriptor(rewriter, loc, b, addressOf(adaptor.getB()));
    auto advance = [&](Value descriptor, int64_t bytes) -> Value {
      if (bytes == 0)
        return descriptor;
      Value offset =
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                   rewriter.getI64IntegerAttr(bytes >> 4));
      return LLVM::AddOp::create(rewriter, loc, descriptor, offset);
    };
    auto instructionType = [&](SmemType tile) {
      return NVVM::WGMMATypesAttr::get(
          context, getInstructionType(tile.getElementType()));
    };
    auto sumType = NVVM::WGMMATypesAttr::get(
        context, acc.getElementType().isF32() ? NVVM::WGMMATypes::f32
                                              : NVVM::WGMMATypes::s32);
    auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto add = NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one);
    auto write =
        NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::zero);
    // Nothing is added to zeros, so that no register need be set to them.
    bool isFirst = bool(op.getAcc().getDefiningOp<FragmentZeroOp>());
    // Upstream's names are those of mma.sync: A is K-major as `row`, B as
    // `col`.
    auto layout = [&](SmemType type, NVVM::MMALayout kMajor,
                      NVVM::MMALayout mnMajor) {
      return NVVM::MMALayoutAttr::get(
          context, type.getMajor() == Major::K ? kMajor : mnMajor);
    };
    auto layoutA = layout(a, NVVM::MMALayout::row, NVVM::MMALayout::col);
    auto layoutB = layout(b, NVVM::MMALayout::col, NVVM::MMALayout::row);
    auto shape = NVVM::MMAShapeAttr::get(
        context, 64, acc.getColumns(), kInstructionBytes / a.getElementBytes());
    if (!op.getAsync())
      NVVM::WgmmaFenceAlignedOp::create(rewriter, loc);
    Value sum = adaptor.getAcc();
    if (isFirst)
      sum = LLVM::UndefOp::create(rewriter, loc, sum.getType());
    int64_t steps = a.getK() * a.getElementBytes() / kInstructionBytes;
    for (int64_t step = 0; step < steps; ++step)
      sum = NVVM::WgmmaMmaAsyncOp::create(
          rewriter, loc, sum.getType(), sum,
          advance(descA, getStepOffset(a, step)),
          advance(descB, getStepOffset(b, step)), shape, instructionType(a),
          instructionType(b), sumType, isFirst && step == 0 ? write : add, one,
          one, layoutA, layoutB, NVVM::MMAIntOverflowAttr());
    if (!op.getAsync()) {
      NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
      NVVM::WgmmaWaitGroupSyncOp::create(rewriter, loc, 0);
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

} // namespace

void bwgemm::populateWarpgroupPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<ZeroLowering, ReadLowering, PromoteLowering, MmaLowering>(
      converter, patterns.getContext());
}
