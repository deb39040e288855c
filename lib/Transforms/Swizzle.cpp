//===- Swizzle.cpp - Swizzled layouts for operand tiles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
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
      signalPassFailure();
  }

private:
  /// Rewrites the tiles of a kernel's loads and the maps that they come from.
  LogicalResult swizzle(gpu::GPUFuncOp kernel, SwizzleAttr swizzle) {
    WalkResult result = kernel.walk([&](LoadOp load) {
      SmemType old = load.getTile().getType();
      SwizzleAttr fitting = swizzle;
      // Threads that copy take each operand as it is; TMA's presets have chosen
      // a swizzle that fits both.
      if (isa<MemRefType>(load.getSource().getType()))
        fitting = SwizzleAttr::getForSpan(
            kernel.getContext(),
            getWidestSwizzle(swizzle.getRowBytes(),
                             old.getContiguous() * old.getElementBytes()));
      auto tile = SmemType::getChecked(
          [&] { return load.emitOpError(); }, kernel.getContext(),
          old.getShape(), old.getElementType(), old.getMajor(), fitting);
      if (!tile)
        return WalkResult::interrupt();
      load.getTile().setType(tile);
      if (isa<TensorMapType>(load.getSource().getType()))
        load.getMap().setType(getMapFor(tile));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    updateMaps(kernel);
    return success();
  }
};

} // namespace
