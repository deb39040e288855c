//===- ProgrammaticLaunch.cpp - Kernels that begin early ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/Passes.h"

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PROGRAMMATICLAUNCH
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class ProgrammaticLaunchPass
    : public bwgemm::impl::ProgrammaticLaunchBase<ProgrammaticLaunchPass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      bool isDone = kernel
                        .walk([](NVVM::GriddepcontrolOp) {
                          return WalkResult::interrupt();
                        })
                        .wasInterrupted();
      if (schedule && schedule.getPdl() && !isDone)
        convert(kernel);
    });
  }

private:
  void convert(gpu::GPUFuncOp kernel) {
    if (!emitWait(kernel))
      return;
    emitSignal(kernel);
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()) != kernel)
        return;
      OpBuilder builder(launch);
      ProgrammaticLaunchOp::create(builder, launch.getLoc());
    });
  }

  static bool touchesGlobalMemory(Operation *op) {
    return isa<TMALoadOp, TMAStoreOp, CpAsyncOp, StoreOp>(op);
  }

  /// All threads wait ahead of the first access of any of them. False if there
  /// is none.
  static bool emitWait(gpu::GPUFuncOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      WalkResult found = op.walk([](Operation *inner) {
        return touchesGlobalMemory(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      });
      if (!found.wasInterrupted())
        continue;
      OpBuilder builder(&op);
      NVVM::GriddepcontrolOp::create(builder, op.getLoc(),
                                     NVVM::GridDepActionKind::wait);
      return true;
    }
    return false;
  }

  /// The threads that load signal behind their loop, or the choice of one.
  static void emitSignal(gpu::GPUFuncOp kernel) {
    Operation *last = nullptr;
    kernel.walk([&](Operation *op) {
      if (isa<TMALoadOp, CpAsyncOp>(op))
        last = op;
    });
    if (!last)
      return;
    for (Operation *op = last; op != kernel; op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op) ||
          (isa<scf::IfOp>(op) && op->getNumResults() != 0))
        last = op;
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    NVVM::GriddepcontrolOp::create(builder, last->getLoc(),
                                   NVVM::GridDepActionKind::launch_dependents);
  }
};

} // namespace
