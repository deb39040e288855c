//===- MMAOps.cpp - Verifiers of tensor-core ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult Tcgen05MmaOp::verify() {
  TmemType d = getD().getType();
  SmemType a = getA().getType(), b = getB().getType();
  auto group = static_cast<int64_t>(getCtaGroup());
  // tcgen05_mma_c5
  if (failed(verifyCtaGroup(*this, group)))
    return failure();
  if (failed(verifyMmaOperands(*this, d.getRows(), d.getColumns(),
                               d.getElementType(), a, b, group)))
    return failure();
  // tcgen05_mma_c1: PTX ISA, tcgen05.mma shapes of kind::f16. The ISA's table
  // has steps of 16 for a pair; those of 32 are what every source agrees on.
  int64_t m = d.getRows() * group;
  bool narrowRows = b.getElementBytes() == 1 && b.getMajor() == Major::MN;
  int64_t step = group == 2 ? 32 : m == 128 || narrowRows ? 16 : 8;
  if (d.getColumns() % step != 0 || d.getColumns() > 256)
    return emitOpError() << "expects N to be a multiple of " << step
                         << " up to 256 for M = " << m << ", but got "
                         << d.getColumns();
  // tcgen05_mma_c7: PTX ISA, tcgen05.mma, shapes of kind::i8.
  if (d.getElementType().isInteger() && !isIntegerWidth(d.getColumns()))
    return emitOpError() << "expects N to be 8, 24 or a multiple of 16 for "
                            "integers, but got "
                         << d.getColumns();
  // tcgen05_mma_c8: PTX ISA, tcgen05.mma, transposes of kind::tf32: these take
  // a swizzle of chunks of 32 bytes.
  if (a.getElementType().isF32() &&
      (a.getMajor() != Major::K || b.getMajor() != Major::K))
    return emitOpError("expects operands of f32 that are k_major, but got "
                       "mn_major");
  // tcgen05_mma_c6: data path layouts A, B, D and F.
  if (bool folded = group == 2 && m == 128; folded != d.getFolded())
    return emitOpError() << "expects an accumulator that is "
                         << (folded ? "" : "not ") << "folded for M = " << m
                         << " and cta_group " << group << ", but got " << d;
  return verifyInstructionTiles(*this, a, b);
}

LogicalResult Tcgen05CommitOp::verify() {
  // tcgen05_commit_c1
  if (failed(verifyCtaGroup(*this, static_cast<int64_t>(getCtaGroup()))))
    return failure();
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}
