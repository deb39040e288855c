//===- BufferizeTensors.cpp - Tensors to memrefs --------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Conversion/Passes.h"
#include "bwgemm/Target/Passes.h"

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_BUFFERIZETENSORS
#define GEN_PASS_DEF_DEALLOCATEBUFFERS
#include "bwgemm/Target/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

static void buildPipeline(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(createResultsToArguments());
}

static void buildDeallocationPipeline(OpPassManager &manager) {
  bufferization::buildBufferDeallocationPipeline(
      manager, bufferization::BufferDeallocationPipelineOptions());
}

/// Whether a block or an op of `module` has a tensor.
static bool hasTensors(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return module
      .walk([&](Operation *op) {
        if (llvm::any_of(op->getResultTypes(), isTensor))
          return WalkResult::interrupt();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            if (llvm::any_of(block.getArgumentTypes(), isTensor))
              return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class BufferizeTensorsPass
    : public bwgemm::impl::BufferizeTensorsBase<BufferizeTensorsPass> {
public:
  using BufferizeTensorsBase::BufferizeTensorsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager manager(ModuleOp::getOperationName());
    buildPipeline(manager);
    manager.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager manager(ModuleOp::getOperationName());
    if (hasTensors(getOperation())) {
      buildPipeline(manager);
      getOperation()->setAttr(kBufferizedAttr, UnitAttr::get(&getContext()));
    } else {
      manager.addPass(createResultsToArguments());
    }
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

class DeallocateBuffersPass
    : public bwgemm::impl::DeallocateBuffersBase<DeallocateBuffersPass> {
public:
  using DeallocateBuffersBase::DeallocateBuffersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager manager(ModuleOp::getOperationName());
    buildDeallocationPipeline(manager);
    manager.getDependentDialects(registry);
  }

  void runOnOperation() override {
    // Of hand-written buffers deallocation would ask of every op what it does
    // to memory.
    if (!getOperation()->removeAttr(kBufferizedAttr))
      return;
    OpPassManager manager(ModuleOp::getOperationName());
    buildDeallocationPipeline(manager);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};
} // namespace
