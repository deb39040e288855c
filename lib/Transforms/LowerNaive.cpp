//===- LowerNaive.cpp - One thread per output ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "ModuleTarget.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOWERNAIVE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// The f32 that a number of 8 bits is. Not all targets convert it.
Value decodeFp8(OpBuilder &builder, Location loc, Value value) {
  bool isE4M3 = isa<Float8E4M3FNType>(value.getType());
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  };
  Value byte =
      arith::BitcastOp::create(builder, loc, builder.getI8Type(), value);
  Value bits = arith::ExtUIOp::create(builder, loc, i32, byte);
  Value magnitude = arith::AndIOp::create(builder, loc, bits, constant(0x7F));
  // With its bits in the place of those of an f32 a number is smaller by a
  // power of two, the difference of the biases; subnormal ones as well.
  int64_t shift = isE4M3 ? 20 : 21;
  float factor = isE4M3 ? 0x1p120f : 0x1p112f;
  Value small = arith::BitcastOp::create(
      builder, loc, f32,
      arith::ShLIOp::create(builder, loc, magnitude, constant(shift)));
  Value scaled = arith::MulFOp::create(
      builder, loc, small,
      arith::ConstantFloatOp::create(builder, loc, builder.getF32Type(),
                                     llvm::APFloat(factor)));
  Value word = arith::BitcastOp::create(builder, loc, i32, scaled);
  // Infinity and NaN of E5M2 have the largest exponent; E4M3 has one NaN.
  Value special =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, magnitude,
                            constant(isE4M3 ? 0x7F : 0x7C));
  word = arith::SelectOp::create(
      builder, loc, special,
      arith::OrIOp::create(builder, loc, word, constant(0x7F800000)), word);
  Value sign = arith::ShLIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, bits, constant(0x80)),
      constant(24));
  return arith::BitcastOp::create(
      builder, loc, f32, arith::OrIOp::create(builder, loc, word, sign));
}

/// An element that multiplies as `type`, in the type of sums.
Value widen(OpBuilder &builder, Location loc, Value value, Type type) {
  if (isFp8(type))
    return decodeFp8(builder, loc, value);
  Type sumType = getSumType(type);
  if (!isByteInteger(type))
    return widenToSum(builder, loc, value, sumType);
  if (type.isUnsignedInteger())
    return arith::ExtUIOp::create(builder, loc, sumType, value);
  return arith::ExtSIOp::create(builder, loc, sumType, value);
}

/// sum + left * right. In f32 that is a fused multiply-add; math.fma would
/// become a call of libdevice.
Value multiplyAdd(OpBuilder &builder, Location loc, Value sum, Value left,
                  Value right) {
  if (sum.getType().isInteger())
    return arith::AddIOp::create(
        builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
  auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(builder, loc, left, right, contract);
  return arith::AddFOp::create(builder, loc, sum, product, contract);
}

/// The body: bounds, a loop over K, one rounding.
void emitBody(GemmOp gemm, gpu::GPUFuncOp kernel, int64_t tile) {
  Location loc = gemm.getLoc();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value a = kernel.getArgument(0), b = kernel.getArgument(1);
  Value d = kernel.getArgument(2);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value depth = builder.createOrFold<memref::DimOp>(loc, a, gemm.getKDimOfA());
  auto [row, column, guard] = emitElementPlace(builder, loc, d, tile);
  builder.setInsertionPointToStart(guard.thenBlock());
  Value start = createZeroSum(builder, loc, gemm.getSumType());
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), depth, constant(1), ValueRange{start},
      [&](OpBuilder &body, Location loc, Value k, ValueRange sums) {
        auto load = [&](Value buffer, Value outer, bool transposed, Type type) {
          SmallVector<Value> index{outer, k};
          if (transposed)
            std::swap(index[0], index[1]);
          return widen(body, loc,
                       memref::LoadOp::create(body, loc, buffer, index), type);
        };
        Value left =
            load(a, row, gemm.getTransposeA(), gemm.getOperandTypeOfA());
        Value right =
            load(b, column, !gemm.getTransposeB(), gemm.getOperandTypeOfB());
        scf::YieldOp::create(body, loc,
                             multiplyAdd(body, loc, sums[0], left, right));
      });
  emitElement(builder, loc, gemm, loop.getResult(0), d,
              kernel.getArguments().drop_front(3), row, column);
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(builder, loc);
}

class LowerNaivePass : public bwgemm::impl::LowerNaiveBase<LowerNaivePass> {
public:
  void runOnOperation() override {
    if (failed(getModuleTarget(getOperation())))
      return signalPassFailure();
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (gemm.getSchedule() &&
          gemm.getSchedule()->getPreset() == Preset::Naive)
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms) {
      int64_t tile = gemm.getSchedule()->getTileM();
      int32_t threads = tile;
      gpu::GPUFuncOp kernel = createKernel(
          gemm,
          withExtraTypes({gemm.getAType(), gemm.getBType(), gemm.getDType()},
                         gemm),
          {threads, threads});
      emitBody(gemm, kernel, tile);
      replaceWithHostCode(gemm, [&](OpBuilder &builder, Location loc,
                                    const DeviceOperands &operands) {
        emitLaunch(builder, loc, kernel, operands, tile, tile,
                   withExtras({operands.a, operands.b, operands.d}, operands));
      });
    }
  }
};

} // namespace
