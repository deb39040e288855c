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

TileOrigin bwgemm::getTileOrigin(const Words &words, SmemType type,
                                 ValueRange coordinates) {
  TileOrigin origin;
  if (type.hasStages())
    origin.stage = words.fromIndex(coordinates.front());
  origin.mn = words.fromIndex(coordinates.drop_back().back());
  origin.k = words.fromIndex(coordinates.back());
  return origin;
}

Value bwgemm::getElementPointer(const Words &words, SmemType type, Value tile,
                                const TileOrigin &origin) {
  Value row = origin.mn, column = origin.k;
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
  if (origin.stage)
    offset = words.emit<arith::AddIOp>(
        offset, words.emit<arith::MulIOp>(origin.stage, type.getStageBytes()));
  return LLVM::GEPOp::create(words.builder, words.loc, tile.getType(),
                             words.builder.getI8Type(), tile,
                             ArrayRef<LLVM::GEPArg>{offset});
}
