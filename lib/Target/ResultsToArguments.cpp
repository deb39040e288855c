//===- ResultsToArguments.cpp - Returned buffers to arguments -------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Target/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_RESULTSTOARGUMENTS
#include "bwgemm/Target/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// A cast of a new buffer to a returned type hides the allocation from
/// upstream's rewriting, which would copy on the host instead.
void allocateReturnedType(func::FuncOp function) {
  function.walk([](func::ReturnOp returned) {
    for (Value operand : returned.getOperands()) {
      auto cast = operand.getDefiningOp<memref::CastOp>();
      auto alloc =
          cast ? cast.getSource().getDefiningOp<memref::AllocOp>() : nullptr;
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (!alloc || !type || !type.getLayout().isIdentity())
        continue;
      SmallVector<Value> sizes;
      unsigned next = 0;
      bool representable = true;
      for (auto [from, to] :
           llvm::zip_equal(alloc.getType().getShape(), type.getShape())) {
        if (ShapedType::isDynamic(from)) {
          Value size = alloc.getDynamicSizes()[next++];
          if (ShapedType::isDynamic(to))
            sizes.push_back(size);
        } else if (ShapedType::isDynamic(to)) {
          representable = false;
        }
      }
      if (!representable)
        continue;
      OpBuilder builder(alloc);
      Value wanted = memref::AllocOp::create(builder, alloc.getLoc(), type,
                                             sizes, alloc.getAlignmentAttr());
      Value old = memref::CastOp::create(builder, alloc.getLoc(),
                                         alloc.getType(), wanted);
      cast.replaceAllUsesWith(wanted);
      alloc.replaceAllUsesWith(old);
      cast.erase();
      alloc.erase();
    }
  });
}

/// Whether each result has memory of its own: upstream's rewriting gives it
/// that of the caller, and has but one place for a buffer.
LogicalResult checkResultsApart(func::FuncOp function) {
  WalkResult result = function.walk([](func::ReturnOp returned) {
    DenseMap<Value, unsigned> seen;
    for (auto [index, operand] : llvm::enumerate(returned.getOperands())) {
      Value buffer = operand;
      while (auto cast = buffer.getDefiningOp<memref::CastOp>())
        buffer = cast.getSource();
      if (!buffer.getDefiningOp<memref::AllocOp>())
        continue;
      auto [first, isNew] = seen.try_emplace(buffer, index);
      if (isNew)
        continue;
      returned.emitOpError()
          << "results " << first->second << " and " << index
          << " are one buffer, which cannot become two of the caller's; "
             "return it once";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

class ResultsToArgumentsPass
    : public bwgemm::impl::ResultsToArgumentsBase<ResultsToArgumentsPass> {
public:
  using ResultsToArgumentsBase::ResultsToArgumentsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Upstream's rewriting leaves public functions alone, because others might
    // call them as they are. Here their new form is the interface.
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isDeclaration())
        continue;
      if (mlir::failed(checkResultsApart(function)))
        return signalPassFailure();
      functions.push_back(function);
      allocateReturnedType(function);
      function.setPrivate();
    }
    bufferization::BufferResultsToOutParamsOpts options;
    options.hoistStaticAllocs = true;
    options.hoistDynamicAllocs = true;
    bool failed =
        mlir::failed(bufferization::dropEquivalentBufferResults(module)) ||
        mlir::failed(
            bufferization::promoteBufferResultsToOutParams(module, options));
    for (func::FuncOp function : functions)
      function.setPublic();
    if (failed)
      signalPassFailure();
  }
};

} // namespace
