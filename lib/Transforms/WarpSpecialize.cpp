//===- WarpSpecialize.cpp - A warp for every role ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "Sides.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_WARPSPECIALIZE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// The role that both fills and uses slots of operand tiles; null if there is
/// none.
RoleOp findMerged(gpu::GPUFuncOp kernel) {
  RoleOp merged;
  kernel.walk([&](RoleOp role) {
    bool fills = false, multiplies = false;
    role.walk([&](Operation *op) {
      fills |= fillsOperands(op);
      multiplies |= isa<Tcgen05MmaOp>(op);
    });
    if (fills && multiplies)
      merged = role;
  });
  return merged;
}

class WarpSpecializePass
    : public bwgemm::impl::WarpSpecializeBase<WarpSpecializePass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (schedule && schedule.getPreset() >= Preset::WarpSpecialized)
        specialize(kernel);
    });
  }

private:
  void specialize(gpu::GPUFuncOp kernel) {
    RoleOp merged = findMerged(kernel);
    if (!merged)
      return;
    int64_t last = 0;
    kernel.walk(
        [&](RoleOp role) { last = std::max<int64_t>(last, role.getLast()); });
    // Effects that belong to neither side, such as fences, stay with the
    // multiplication.
    emitRole(merged, "load", last + 1, fillsOperands);
    emitRole(merged, "multiply", last + 2,
             [](Operation *op) { return !fillsOperands(op) && !isPure(op); });
    merged.erase();
    setBlockSize(kernel, 32 * (last + 3));
  }

  static void emitRole(RoleOp merged, StringRef name, int64_t warp,
                       llvm::function_ref<bool(Operation *)> keep) {
    OpBuilder builder(merged);
    auto role = RoleOp::create(builder, merged.getLoc(), name, warp, warp,
                               /*elected=*/true);
    builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
    IRMapping mapping;
    cloneSide(builder, merged.getBody().front(), keep, mapping);
  }
};

} // namespace
