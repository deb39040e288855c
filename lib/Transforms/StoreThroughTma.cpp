//===- StoreThroughTma.cpp - Results leave by TMA -------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "StagedStore.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_STORETHROUGHTMA
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class StoreThroughTmaPass
    : public bwgemm::impl::StoreThroughTmaBase<StoreThroughTmaPass> {
public:
  void runOnOperation() override {
    FailureOr<const TargetInfo *> target = getModuleTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || schedule.getStore() != StoreKind::Tma)
        return WalkResult::skip();
      SmallVector<StoreOp> stores;
      kernel.walk([&](StoreOp store) {
        if (!store.getMap() && isa<AccType>(store.getAcc().getType()))
          stores.push_back(store);
      });
      for (StoreOp store : stores)
        if (failed(rewrite(kernel, store, schedule, (*target)->hasWgmma)))
          return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult rewrite(gpu::GPUFuncOp kernel, StoreOp store,
                        ScheduleAttr schedule, bool warpgroups) {
    auto d = dyn_cast<BlockArgument>(store.getD());
    if (!d || d.getOwner() != &kernel.getBody().front())
      return store.emitOpError("expects its memref to be an argument of the "
                               "kernel, for store = tma");
    if (store.getAccumulate())
      return store.emitOpError("adds to its memref, which store = tma does "
                               "not; store = direct does");
    TensorMapType map =
        getStoreMap(getResultShape(schedule.getFields(), warpgroups),
                    cast<MemRefType>(d.getType()).getElementType());
    unsigned position = kernel.getNumArguments();
    if (failed(kernel.insertArgument(position, map, /*argAttrs=*/{},
                                     store.getLoc())))
      return failure();
    store.getMapMutable().assign(kernel.getArgument(position));
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernel()) != kernel)
        return;
      OpBuilder builder(launch);
      Value encoded =
          TensorMapEncodeOp::create(builder, launch.getLoc(), map,
                                    launch.getKernelOperand(d.getArgNumber()),
                                    builder.getStringAttr("D"));
      launch.getKernelOperandsMutable().append(encoded);
    });
    return success();
  }
};

} // namespace
