//===- WarpgroupOps.cpp - Verifiers of wgmma and its fragments ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult WarpgroupMmaOp::verify() {
  FragmentType acc = getAcc().getType();
  SmemType a = getA().getType(), b = getB().getType();
  if (failed(verifyMmaOperands(*this, acc.getRows(), acc.getColumns(), a, b)))
    return failure();
  return verifyInstructionTiles(*this, a, b);
}

LogicalResult FragmentReadOp::verify() {
  FragmentType fragment = getFragment().getType();
  auto column = static_cast<int64_t>(getColumn());
  int64_t elements = cast<VectorType>(getPart().getType()).getNumElements();
  // fragment_read_c1
  if (column < 0 || column % 8 != 0 || elements % 4 != 0)
    return emitOpError() << "expects a column that is a multiple of 8 and a "
                            "vector of a multiple of 4, but got column "
                         << column << " and " << elements << " elements";
  // fragment_read_c2: four elements of a thread are of eight columns.
  if (column + 2 * elements > fragment.getColumns())
    return emitOpError() << "expects columns within the fragment's "
                         << fragment.getColumns() << ", but got " << column
                         << " to " << column + 2 * elements - 1;
  return success();
}
