//===- WarpgroupOps.cpp - Verifiers of wgmma and its fragments ------------===//
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

LogicalResult WarpgroupMmaOp::verify() {
  FragmentType acc = getAcc().getType();
  SmemType a = getA().getType(), b = getB().getType();
  // warpgroup_mma_c1: PTX ISA, wgmma.mma_async, shapes.
  if (!acc.isOfWarpgroups() || acc.getRows() % 64 != 0 ||
      acc.getColumns() > 256)
    return emitOpError()
           << "expects an accumulator of a multiple of 64 rows, "
              "16 for each warp, and at most 256 columns, but got "
           << acc;
  // warpgroup_mma_c4: an accumulator has blocks of the rows of A.
  int64_t rows = acc.getRows();
  if (a.getMN() > rows && a.getMN() % rows == 0)
    rows = a.getMN();
  if (failed(verifyMmaOperands(*this, rows, acc.getColumns(),
                               acc.getElementType(), a, b)))
    return failure();
  // warpgroup_mma_c2: PTX ISA, wgmma.mma_async, shapes of s8 and u8.
  if (acc.getElementType().isInteger() && !isIntegerWidth(acc.getColumns()))
    return emitOpError() << "expects N to be 8, 24 or a multiple of 16 for "
                            "integers, but got "
                         << acc.getColumns();
  // warpgroup_mma_c3: PTX ISA, wgmma.mma_async, imm-trans-a and -b.
  if (a.getElementBytes() != 2 &&
      (a.getMajor() != Major::K || b.getMajor() != Major::K))
    return emitOpError() << "expects operands of " << a.getElementType()
                         << " that are k_major, but got mn_major";
  return verifyInstructionTiles(*this, a, b);
}

LogicalResult PromoteOp::verify() {
  // promote_c1
  if (!getSum().getType().getElementType().isF32())
    return emitOpError() << "expects sums of f32, but got "
                         << getSum().getType();
  return success();
}

LogicalResult FragmentReadOp::verify() {
  FragmentType fragment = getFragment().getType();
  auto row = static_cast<int64_t>(getRow());
  auto column = static_cast<int64_t>(getColumn());
  int64_t elements = cast<VectorType>(getPart().getType()).getNumElements();
  // fragment_read_c1
  if (column < 0 || column % 8 != 0 || elements % 4 != 0)
    return emitOpError() << "expects a column that is a multiple of 8 and a "
                            "vector of a multiple of 4, but got column "
                         << column << " and " << elements << " elements";
  // fragment_read_c2: four elements of a thread are of eight columns.
  if (column + 2 * elements > fragment.getWarpColumns())
    return emitOpError() << "expects columns within the "
                         << fragment.getWarpColumns()
                         << " that a warp has, but got " << column << " to "
                         << column + 2 * elements - 1;
  // fragment_read_c4
  Type element = cast<VectorType>(getPart().getType()).getElementType();
  if (element != fragment.getElementType())
    return emitOpError() << "expects a vector of " << fragment.getElementType()
                         << ", but got " << element;
  // fragment_read_c3
  if (row < 0 || row % 16 != 0 || row >= fragment.getWarpRows())
    return emitOpError() << "expects a row that is a multiple of 16 within the "
                         << fragment.getWarpRows()
                         << " that a warp has, but got " << row;
  return success();
}
