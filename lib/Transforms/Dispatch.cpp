//===- Dispatch.cpp - Gemms with a fallback ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_DISPATCH
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class DispatchPass : public bwgemm::impl::DispatchBase<DispatchPass> {
public:
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (gemm.getFallback())
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms)
      dispatch(gemm);
  }

private:
  void dispatch(GemmOp gemm) {
    OpBuilder builder(gemm);
    Location loc = gemm.getLoc();
    auto addressable = [&](Value operand) -> Value {
      return TmaAddressableOp::create(builder, loc, builder.getI1Type(),
                                      operand);
    };
    Value a = addressable(gemm.getA()), b = addressable(gemm.getB());
    Value both = arith::AndIOp::create(builder, loc, a, b);
    auto choice =
        scf::IfOp::create(builder, loc, both, /*withElseRegion=*/true);
    ScheduleAttr fallback = *gemm.getFallback();
    gemm.removeFallbackAttr();
    builder.setInsertionPointToStart(choice.thenBlock());
    builder.clone(*gemm);
    builder.setInsertionPointToStart(choice.elseBlock());
    cast<GemmOp>(builder.clone(*gemm)).setScheduleAttr(fallback);
    gemm.erase();
  }
};

} // namespace
