//===- CheckArguments.cpp - Functions check what they are given -----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_CHECKARGUMENTS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class CheckArgumentsPass
    : public bwgemm::impl::CheckArgumentsBase<CheckArgumentsPass> {
public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isDeclaration())
        continue;
      bool hasGemm =
          function.walk([](GemmOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (hasGemm)
        check(function);
    }
  }

private:
  void check(func::FuncOp function) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      // One that is checked already is so from an earlier run.
      if (!type || llvm::any_of(argument.getUsers(), [](Operation *user) {
            return isa<RequireLayoutOp>(user);
          }))
        continue;
      std::string what = "argument " + std::to_string(argument.getArgNumber()) +
                         " of '" + function.getName().str() + "'";
      RequireLayoutOp::create(builder, function.getLoc(), argument,
                              builder.getStringAttr(what));
    }
  }
};

} // namespace
