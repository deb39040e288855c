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
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
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
  // The argument of another block stands for whatever is passed to it.
  auto isArgument = [](Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    return argument && argument.getOwner()->isEntryBlock() &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  };
  auto isKnown = [&](Value root) {
    return isArgument(root) || root.getDefiningOp<memref::AllocOp>();
  };
  return left == right || !isKnown(left) || !isKnown(right);
}

bool bwgemm::overlaps(Value lhs, Value rhs) {
  auto skipCasts = [](Value buffer) {
    while (auto cast = buffer.getDefiningOp<memref::CastOp>())
      buffer = cast.getSource();
    return buffer;
  };
  Value left = skipCasts(lhs), right = skipCasts(rhs);
  if (getRoot(left) != getRoot(right))
    return false;
  if (left == right)
    return true;
  auto leftPart = left.getDefiningOp<memref::SubViewOp>();
  auto rightPart = right.getDefiningOp<memref::SubViewOp>();
  // Of parts that nothing is known of it is not certain.
  if (!leftPart || !rightPart || leftPart.getSource() != rightPart.getSource())
    return (leftPart && leftPart.getSource() == right) ||
           (rightPart && rightPart.getSource() == left);
  FailureOr<bool> meet = ValueBoundsConstraintSet::areOverlappingSlices(
      lhs.getContext(), HyperrectangularSlice(leftPart),
      HyperrectangularSlice(rightPart));
  return succeeded(meet) && *meet;
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
