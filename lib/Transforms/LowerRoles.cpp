//===- LowerRoles.cpp - Roles of warps to branches ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOWERROLES
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class LowerRolesPass : public bwgemm::impl::LowerRolesBase<LowerRolesPass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<RoleOp> roles;
      kernel.walk([&](RoleOp role) { roles.push_back(role); });
      if (roles.empty())
        return;
      OpBuilder builder(kernel.getContext());
      builder.setInsertionPointToStart(&kernel.getBody().front());
      Value warp =
          WarpIdOp::create(builder, kernel.getLoc(), builder.getIndexType());
      int64_t warps = 1024 / 32;
      if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize())
        warps = (*block)[0] / 32;
      for (RoleOp role : roles)
        lower(role, warp, warps);
    });
  }

private:
  static void lower(RoleOp role, Value warp, int64_t warps) {
    OpBuilder builder(role);
    Location loc = role.getLoc();
    auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
      return arith::CmpIOp::create(
          builder, loc, predicate, warp,
          arith::ConstantIndexOp::create(builder, loc, bound));
    };
    auto enter = [&](Value condition) {
      auto guard = scf::IfOp::create(builder, loc, condition,
                                     /*withElseRegion=*/false);
      builder.setInsertionPointToStart(guard.thenBlock());
    };
    auto first = static_cast<int64_t>(role.getFirst());
    auto last = static_cast<int64_t>(role.getLast());
    if (first == last) {
      enter(compare(arith::CmpIPredicate::eq, first));
    } else {
      if (first > 0)
        enter(compare(arith::CmpIPredicate::uge, first));
      if (last + 1 < warps)
        enter(compare(arith::CmpIPredicate::ule, last));
    }
    if (role.getLeader())
      enter(emitIsLeader(builder, loc));
    if (role.getElected())
      enter(ElectOp::create(builder, loc, builder.getI1Type()));
    Block *block = builder.getInsertionBlock();
    block->getOperations().splice(builder.getInsertionPoint(),
                                  role.getBody().front().getOperations());
    role.erase();
  }
};

} // namespace
