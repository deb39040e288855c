//===- Swizzle.cpp - Swizzled layouts for operand tiles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/OperandTile.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_SWIZZLE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class SwizzlePass : public bwgemm::impl::SwizzleBase<SwizzlePass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getSwizzle().isNone())
        return WalkResult::advance();
      if (failed(swizzle(kernel, schedule.getSwizzle())))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](gpu::LaunchFuncOp launch) { follow(launch); });
  }

private:
  /// Rewrites the tiles of a kernel's loads and the maps that they come from.
  LogicalResult swizzle(gpu::GPUFuncOp kernel, SwizzleAttr swizzle) {
    WalkResult result = kernel.walk([&](LoadOp load) {
      SmemType old = load.getTile().getType();
      auto tile = SmemType::getChecked(
          [&] { return load.emitOpError(); }, kernel.getContext(),
          old.getShape(), old.getElementType(), old.getMajor(), swizzle);
      if (!tile)
        return WalkResult::interrupt();
      load.getTile().setType(tile);
      load.getMap().setType(getMapFor(tile));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    kernel.setFunctionType(FunctionType::get(
        kernel.getContext(), kernel.getBody().front().getArgumentTypes(),
        /*results=*/{}));
    return success();
  }

  /// Makes the host encode the maps that the kernel now expects.
  void follow(gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernel());
    if (!kernel)
      return;
    for (auto [operand, argument] :
         llvm::zip_equal(launch.getKernelOperands(), kernel.getArguments()))
      if (auto encode = operand.getDefiningOp<TensorMapEncodeOp>())
        encode.getMap().setType(cast<TensorMapType>(argument.getType()));
  }
};

} // namespace
