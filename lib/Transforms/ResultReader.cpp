//===- ResultReader.cpp - Where an epilogue finds the result --------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

bool bwgemm::hasWidePitch(MemRefType d) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return d.getElementTypeBitWidth() == 16 &&
         succeeded(d.getStridesAndOffset(strides, offset)) && strides[1] == 1 &&
         !ShapedType::isDynamic(strides[0]) && strides[0] % 8 == 0;
}

bool bwgemm::hasWidePieces(MemRefType d) {
  int64_t columns = d.getDimSize(1);
  return hasWidePitch(d) && !ShapedType::isDynamic(columns) && columns % 8 == 0;
}

Value bwgemm::emitWarpOfStore(OpBuilder &builder, StoreOp store) {
  Location loc = store.getLoc();
  Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
  if (store.getTeams() == 1)
    return warp;
  int64_t warps = cast<FragmentType>(store.getAcc().getType()).getWarps();
  return arith::RemUIOp::create(
      builder, loc, warp, arith::ConstantIndexOp::create(builder, loc, warps));
}

ResultReader::ResultReader(StoreOp store, TmemShape shape)
    : acc(store.getAcc()), sumType(store.getSumType()), shape(shape) {
  if (auto fragment = dyn_cast<FragmentType>(acc.getType())) {
    this->shape = TmemShape::Shape16x256b;
    rows = fragment.getRows();
    columns = fragment.getColumns();
    warps = fragment.getWarps();
    warpsN = fragment.getWarpsN();
    return;
  }
  auto tmem = cast<TmemType>(acc.getType());
  rows = tmem.getRows();
  columns = tmem.getColumns();
  halves = tmem.getFolded() ? 2 : 1;
}

void ResultReader::forColumns(
    OpBuilder &builder, Location loc, int64_t first, int64_t end, int64_t step,
    llvm::function_ref<void(Value column)> body) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (isInRegisters()) {
    for (int64_t column = first; column < end; column += step)
      body(constant(column));
    return;
  }
  auto loop = scf::ForOp::create(builder, loc, constant(first), constant(end),
                                 constant(step));
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value ResultReader::start(OpBuilder &builder, Location loc, Value lane,
                          int64_t row, Value column, int64_t elements) const {
  auto type = VectorType::get(elements, sumType);
  if (!isInRegisters()) {
    if (row != 0)
      lane = builder.createOrFold<arith::AddIOp>(
          loc, lane, arith::ConstantIndexOp::create(builder, loc, row));
    return TmemLoadOp::create(builder, loc, type, acc, lane, column, shape);
  }
  APInt known;
  bool isConstant = matchPattern(column, m_ConstantInt(&known));
  assert(isConstant && "registers are read at columns of forColumns");
  (void)isConstant;
  return FragmentReadOp::create(builder, loc, type, acc, row,
                                known.getZExtValue());
}

Value ResultReader::finish(OpBuilder &builder, Location loc,
                           Value fragment) const {
  if (isInRegisters())
    return fragment;
  return TmemWaitOp::create(builder, loc, fragment.getType(), fragment);
}
