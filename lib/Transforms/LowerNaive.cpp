//===- LowerNaive.cpp - One thread per output ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "ModuleTarget.h"
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

Value toF32(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
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
  Value start = arith::ConstantFloatOp::create(
      builder, loc, builder.getF32Type(), llvm::APFloat(0.0f));
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), depth, constant(1), ValueRange{start},
      [&](OpBuilder &body, Location loc, Value k, ValueRange sums) {
        auto load = [&](Value buffer, Value outer, bool transposed) {
          SmallVector<Value> index{outer, k};
          if (transposed)
            std::swap(index[0], index[1]);
          return toF32(body, loc,
                       memref::LoadOp::create(body, loc, buffer, index));
        };
        Value left = load(a, row, gemm.getTransposeA());
        Value right = load(b, column, !gemm.getTransposeB());
        // A fused multiply-add; math.fma would become a call of libdevice.
        auto contract = arith::FastMathFlags::contract;
        Value product = arith::MulFOp::create(body, loc, left, right, contract);
        Value sum =
            arith::AddFOp::create(body, loc, sums[0], product, contract);
        scf::YieldOp::create(body, loc, sum);
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
