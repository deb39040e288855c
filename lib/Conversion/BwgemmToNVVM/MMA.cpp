//===- MMA.cpp - Tensor core ops ===//
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

/// Bits 61 to 63 of the descriptor.
int64_t getLayoutCode(SwizzleAttr swizzle) {
  switch (swizzle.isNone() ? 0 : swizzle.getRowBytes()) {
  case 128:
    return 2;
  case 64:
    return 4;
  case 32:
    return 6;
  default:
    return 0;
  }
}

NVVM::Tcgen05MMAKind getKind(Type element) {
  if (isByteInteger(element))
    return NVVM::Tcgen05MMAKind::I8;
  if (isFp8(element))
    return NVVM::Tcgen05MMAKind::F8F6F4;
  return element.isF32() ? NVVM::Tcgen05MMAKind::TF32
                         : NVVM::Tcgen05MMAKind::F16;
}

/// The type of A or B in an instruction descriptor; each kind has its own codes
/// (PTX ISA, instruction descriptor of kinds f16, tf32, f8f6f4 and i8).
int64_t getElementCode(Type element) {
  if (element.isF32())
    return 2;
  bool isSecond = element.isBF16() || element.isSignlessInteger(8) ||
                  isa<Float8E5M2Type>(element);
  return isSecond ? 1 : 0;
}

int64_t getInstructionDescriptor(TmemType d, SmemType a, SmemType b,
                                 int64_t ctaGroup) {
  auto elementCode = [](SmemType type) {
    return getElementCode(type.getElementType());
  };
  auto transpose = [](SmemType type) -> int64_t {
    return type.getMajor() == Major::MN ? 1 : 0;
  };
  int64_t sumCode = d.getElementType().isF32() ? 1 : 2;
  return sumCode << 4 | elementCode(a) << 7 | elementCode(b) << 10 |
         transpose(a) << 15 | transpose(b) << 16 | (d.getColumns() >> 3) << 17 |
         (d.getRows() * ctaGroup >> 4) << 24;
}

struct MmaLowering : OpConversionPattern<Tcgen05MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  static Value makeDescriptor(OpBuilder &builder, Location loc, SmemType type,
                              Value tile) {
    Type i32 = builder.getI32Type(), i8 = builder.getI8Type();
    auto [leading, stride] = getStrides(type);
    auto byte = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, i8,
                                      builder.getI8IntegerAttr(value));
    };
    // All three are in units of 16 bytes.
    Value address = LLVM::PtrToIntOp::create(builder, loc, i32, tile);
    Value start = LLVM::LShrOp::create(builder, loc, address,
                                       constantI32(builder, loc, 4));
    Value relative = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                              builder.getBoolAttr(false));
    return NVVM::Tcgen05MmaSmemDescOp::create(
        builder, loc, builder.getI64Type(), start,
        constantI32(builder, loc, leading >> 4),
        constantI32(builder, loc, stride >> 4), /*baseOffset=*/byte(0),
        /*leadingDimMode=*/relative, byte(getLayoutCode(type.getSwizzle())));
  }

  LogicalResult
  matchAndRewrite(Tcgen05MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmemType a = op.getA().getType(), b = op.getB().getType();
    Value descA = makeDescriptor(rewriter, loc, a, adaptor.getA());
    Value descB = makeDescriptor(rewriter, loc, b, adaptor.getB());
    auto group = static_cast<int64_t>(op.getCtaGroup());
    Value instruction =
        constantI32(rewriter, loc,
                    getInstructionDescriptor(op.getD().getType(), a, b, group));
    Value always = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                            rewriter.getBoolAttr(true));
    auto advance = [&](Value descriptor, int64_t bytes) -> Value {
      if (bytes == 0)
        return descriptor;
      Value offset =
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                   rewriter.getI64IntegerAttr(bytes >> 4));
      return LLVM::AddOp::create(rewriter, loc, descriptor, offset);
    };
    int64_t steps = a.getK() * a.getElementBytes() / kInstructionBytes;
    for (int64_t step = 0; step < steps; ++step) {
      Value stepA = advance(descA, getStepOffset(a, step));
      Value stepB = advance(descB, getStepOffset(b, step));
      NVVM::Tcgen05MMAOp::create(
          rewriter, loc, getKind(a.getElementType()), getCtaGroup(group),
          NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false,
          adaptor.getD(), stepA, stepB, instruction,
          step == 0 ? adaptor.getAccumulate() : always,
          /*scaleInputD=*/Value(), /*disableOutputLane=*/Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitLowering : OpConversionPattern<Tcgen05CommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Tcgen05CommitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = getBarrierAddress(
        rewriter, op.getLoc(), adaptor.getBarriers(), adaptor.getIndex());
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05CommitOp>(
        op, address, adaptor.getMask(), getCtaGroup(op.getCtaGroup()));
    return success();
  }
};

} // namespace

void bwgemm::populateMMAPatterns(const TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<MmaLowering, CommitLowering>(converter, patterns.getContext());
}
