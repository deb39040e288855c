//===- Buffers.cpp - Which ops touch which memory -------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// The buffer that a view looks at.
static Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

bool bwgemm::mayAlias(Value lhs, Value rhs) {
  Value left = getRoot(lhs), right = getRoot(rhs);
  auto isKnown = [](Value root) {
    return isa<BlockArgument>(root) || root.getDefiningOp<memref::AllocOp>();
  };
  return left == right || !isKnown(left) || !isKnown(right);
}

bool bwgemm::touches(Operation *op, Value buffer) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return false;
  if (op->getNumRegions() == 0 || isa<linalg::LinalgOp, GemmOp>(op)) {
    if (isa<MemoryEffectOpInterface>(op))
      return llvm::any_of(op->getOperands(), [&](Value operand) {
        return isa<BaseMemRefType>(operand.getType()) &&
               mayAlias(operand, buffer);
      });
  }
  return true;
}

bool bwgemm::mayWrite(Operation *op, Value buffer) {
  if (!touches(op, buffer))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const auto &instance) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(
               instance.getEffect()) &&
           (!instance.getValue() || mayAlias(instance.getValue(), buffer));
  });
}
