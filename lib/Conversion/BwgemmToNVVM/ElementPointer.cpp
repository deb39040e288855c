//===- ElementPointer.cpp - Where elements of a tile lie ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementPointer.h"

using namespace mlir;
using namespace mlir::bwgemm;

Value bwgemm::swizzleOffset(const Words &words, SwizzleAttr swizzle,
                            Value offset) {
  if (swizzle.isNone())
    return offset;
  int64_t mask = ((int64_t(1) << swizzle.getBits()) - 1) << swizzle.getBase();
  Value bits = words.emit<arith::ShRUIOp>(offset, swizzle.getShift());
  return words.emit<arith::XOrIOp>(offset,
                                   words.emit<arith::AndIOp>(bits, mask));
}

Value bwgemm::getElementPointer(OpBuilder &builder, Location loc, SmemType type,
                                Value tile, Value stage, Value mn, Value k) {
  Words words{builder, loc};
  Value row = mn, column = k;
  if (type.getMajor() == Major::MN)
    std::swap(row, column);
  int64_t rowBytes = type.getSwizzle().getRowBytes();
  Value x = words.emit<arith::MulIOp>(column, type.getElementBytes());
  Value offset = words.emit<arith::MulIOp>(row, rowBytes);
  if (type.getColumns() > 1) {
    Value along = words.emit<arith::DivUIOp>(x, rowBytes);
    x = words.emit<arith::RemUIOp>(x, rowBytes);
    offset = words.emit<arith::AddIOp>(
        offset, words.emit<arith::MulIOp>(along, type.getColumnBytes()));
  }
  offset = swizzleOffset(words, type.getSwizzle(),
                         words.emit<arith::AddIOp>(offset, x));
  if (stage)
    offset = words.emit<arith::AddIOp>(
        offset, words.emit<arith::MulIOp>(stage, type.getStageBytes()));
  return LLVM::GEPOp::create(builder, loc, tile.getType(), builder.getI8Type(),
                             tile, ArrayRef<LLVM::GEPArg>{offset});
}
