//===- BufferizeTensors.cpp - Tensors to memrefs --------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Conversion/Passes.h"
#include "bwgemm/Target/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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

/// Gives each use of a filled tensor a fill of its own: the value that several
/// products begin with, once common subexpressions are one, would be copied.
static void separateFills(ModuleOp module) {
  SmallVector<linalg::FillOp> fills;
  module.walk([&](linalg::FillOp fill) {
    if (fill.getNumResults() == 1)
      fills.push_back(fill);
  });
  for (linalg::FillOp fill : fills)
    while (!fill.getResult(0).use_empty() && !fill.getResult(0).hasOneUse()) {
      OpOperand &use = *fill.getResult(0).use_begin();
      OpBuilder builder(use.getOwner());
      IRMapping mapping;
      Value init = fill.getDpsInits().front();
      if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
        mapping.map(init, builder.clone(*empty)->getResult(0));
      use.set(builder.clone(*fill, mapping)->getResult(0));
    }
}

/// Fills what an op would begin with that is a constant of one number:
/// constants lie in memory that nobody may write.
static void fillConstantInits(ModuleOp module) {
  module.walk([](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto constant = init.get().getDefiningOp<arith::ConstantOp>();
      auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                            : DenseElementsAttr();
      if (!value || !value.isSplat())
        continue;
      OpBuilder builder(op);
      Location loc = constant.getLoc();
      auto type = cast<RankedTensorType>(constant.getType());
      Value number = arith::ConstantOp::create(
          builder, loc, value.getSplatValue<TypedAttr>());
      Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType());
      init.set(
          linalg::FillOp::create(builder, loc, number, empty).getResult(0));
    }
  });
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
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() override {
    OpPassManager manager(ModuleOp::getOperationName());
    if (hasTensors(getOperation())) {
      fillConstantInits(getOperation());
      separateFills(getOperation());
      buildPipeline(manager);
      auto unit = UnitAttr::get(&getContext());
      getOperation()->setAttr(kBufferizedAttr, unit);
      getOperation().walk([&](func::FuncOp func) {
        for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
          if (isa<BaseMemRefType>(type))
            func.setArgAttr(index, kCallersBufferAttr, unit);
      });
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
    getOperation().walk([&](func::FuncOp func) {
      for (unsigned index = 0; index < func.getNumArguments(); ++index)
        func.removeArgAttr(index, kCallersBufferAttr);
    });
    OpPassManager manager(ModuleOp::getOperationName());
    buildDeallocationPipeline(manager);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};
} // namespace
