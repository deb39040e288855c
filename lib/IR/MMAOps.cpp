//===- MMAOps.cpp - Verifiers of tensor-core ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult Tcgen05MmaOp::verify() {
  TmemType d = getD().getType();
  SmemType a = getA().getType(), b = getB().getType();
  if (failed(verifyMmaOperands(*this, d.getRows(), d.getColumns(), a, b)))
    return failure();
  // tcgen05_mma_c1: PTX ISA, tcgen05.mma shapes of kind::f16, cta_group::1.
  int64_t step = d.getRows() == 128 ? 16 : 8;
  if (d.getColumns() % step != 0 || d.getColumns() > 256)
    return emitOpError() << "expects N to be a multiple of " << step
                         << " up to 256 for M = " << d.getRows() << ", but got "
                         << d.getColumns();
  // tcgen05_mma_c2: one instruction covers 32 bytes of K.
  int64_t instructionK = 32 / a.getElementBytes();
  if (a.getK() % instructionK != 0)
    return emitOpError() << "expects K to be a multiple of " << instructionK
                         << " for " << a.getElementType() << ", but got "
                         << a.getK();
  for (SmemType tile : {a, b}) {
    // tcgen05_mma_c3
    if (!tile.getSwizzle().isHardwareMode())
      return emitOpError() << "expects a swizzle that matrix descriptors know "
                              "(none, 32B, 64B or 128B), but got "
                           << tile.getSwizzle().getName();
    // tcgen05_mma_c4
    if (tile.hasStages())
      return emitOpError() << "expects operand tiles of one stage, but got "
                           << tile.getStages();
  }
  return success();
}

LogicalResult Tcgen05CommitOp::verify() {
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}
