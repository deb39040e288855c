//===- ColumnOperands.cpp - Operands of columns in registers --------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

static constexpr int64_t kWarpThreads = 32;

/// Columns that the lanes of a warp have in one place, two each.
static constexpr int64_t kPlaceColumns = 2 * kWarpThreads;

/// Registers for such operands. One for 256 columns takes four.
static constexpr int64_t kMostRegisters = 8;

/// Sums of a thread beside which they may be carried through the main loop:
/// with those of 128 x 256 a thread of two warpgroups has registers to spare,
/// with those of 256 x 192 none.
static constexpr int64_t kMostSumsBeside = 128;

/// The bits of an element in a word.
static Value toWord(OpBuilder &builder, Location loc, Value element) {
  Type word = builder.getI32Type();
  int64_t bits = element.getType().getIntOrFloatBitWidth();
  Value pattern = element;
  if (!element.getType().isInteger())
    pattern = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(bits), element);
  if (bits == 32)
    return pattern;
  return arith::ExtUIOp::create(builder, loc, word, pattern);
}

static Value fromWords(OpBuilder &builder, Location loc, ArrayRef<Value> words,
                       Type element) {
  int64_t bits = 2 * element.getIntOrFloatBitWidth();
  Type whole = builder.getI32Type();
  SmallVector<Value> parts(words);
  if (bits < 32) {
    whole = builder.getIntegerType(bits);
    parts = {arith::TruncIOp::create(builder, loc, whole, words[0])};
  }
  Value vector = vector::FromElementsOp::create(
      builder, loc, VectorType::get(parts.size(), whole), parts);
  return vector::BitCastOp::create(builder, loc, VectorType::get(2, element),
                                   vector);
}

/// Where the tile of `store` begins: in its block, behind what says which
/// columns these are. Null if that block is the kernel's own, where kernels
/// that depend on each other have not waited yet, if warps are side by side, or
/// registers are scarce; with extents that only the run tells, places take
/// them.
static Operation *getStartOfTile(StoreOp store, const ResultReader &reader) {
  Block *block = store->getBlock();
  int64_t sums =
      reader.getRowsOfWarp() * reader.getCellColumns() / kWarpThreads;
  if (isa<gpu::GPUFuncOp>(block->getParentOp()) || reader.getWarpsN() > 1 ||
      sums > kMostSumsBeside ||
      cast<MemRefType>(store.getD().getType()).isDynamicDim(1))
    return nullptr;
  Operation *origin = store.getN().getDefiningOp();
  if (origin && origin->getBlock() == block)
    return origin->getNextNode();
  return &block->front();
}

void ColumnOperands::load(OpBuilder &builder, StoreOp store,
                          Value firstColumn) {
  // Teams in turn hide what they load behind the other one's products, and a
  // shuffle waits in one queue with products that have been issued: theirs are
  // under way while a team says that it is the other one's turn.
  if (!reader.isInRegisters() || store.getTeams() > 1)
    return;
  Location loc = store.getLoc();
  int64_t places = llvm::divideCeil(reader.getCellColumns(), kPlaceColumns);
  int64_t count = 0;
  SmallVector<bool> isHere;
  for (unsigned index = 0; index < store.getExtras().size(); ++index) {
    isHere.push_back(epilogue.isOfColumns(index) &&
                     count + places <= kMostRegisters);
    if (isHere.back())
      count += places;
  }
  if (count == 0)
    return;
  d = store.getD();
  firstOfWarp = firstColumn;
  OpBuilder::InsertionGuard restore(builder);
  if (Operation *start = getStartOfTile(store, reader)) {
    builder.setInsertionPoint(start);
    firstColumn = store.getN();
  }
  for (auto [index, here] : llvm::enumerate(isHere)) {
    operands.emplace_back();
    if (!here)
      continue;
    epilogue.setGiven(index);
    for (int64_t place = 0; place < places; ++place)
      operands.back().firsts.push_back(
          loadElement(builder, loc, index, firstColumn, place, /*second=*/0));
  }
}

Value ColumnOperands::loadElement(OpBuilder &builder, Location loc,
                                  unsigned index, Value firstColumn,
                                  int64_t place, int64_t second) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  };
  Value lane = gpu::LaneIdOp::create(builder, loc, builder.getIndexType(),
                                     /*upper_bound=*/nullptr);
  Value own =
      add(firstColumn, arith::MulIOp::create(builder, loc, lane, constant(2)));
  Value column = add(own, constant(place * kPlaceColumns + second));
  Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
  return toWord(builder, loc,
                epilogue.loadOfColumn(builder, loc, index, column, columns));
}

/// The words of a place. All of its lines of memory have come with the first
/// elements, so that L1 has the second ones, and these need not take registers
/// of the main loop.
ArrayRef<Value> ColumnOperands::getWords(OpBuilder &builder, Location loc,
                                         unsigned index, int64_t place) {
  Operand &operand = operands[index];
  if (operand.place == place)
    return operand.words;
  operand.place = place;
  Value first = operand.firsts[place];
  Value second =
      loadElement(builder, loc, index, firstOfWarp, place, /*second=*/1);
  int64_t bits = epilogue.getOperandType(index).getIntOrFloatBitWidth();
  if (bits == 32) {
    operand.words = {first, second};
  } else {
    Value width = arith::ConstantOp::create(builder, loc,
                                            builder.getI32IntegerAttr(bits));
    operand.words = {arith::OrIOp::create(
        builder, loc, first,
        arith::ShLIOp::create(builder, loc, second, width))};
  }
  return operand.words;
}

SmallVector<SmallVector<Value>> ColumnOperands::get(OpBuilder &builder,
                                                    Location loc, Value column,
                                                    int64_t count) {
  SmallVector<SmallVector<Value>> all(count / 8);
  // Registers are read at columns that are known.
  APInt first;
  if (matchPattern(column, m_ConstantInt(&first)))
    for (auto [repeat, pairs] : llvm::enumerate(all))
      pairs = getPairs(builder, loc, first.getSExtValue() + 8 * repeat);
  return all;
}

SmallVector<Value> ColumnOperands::getPairs(OpBuilder &builder, Location loc,
                                            int64_t column) {
  // Thread t of a quad gets its pair from lane 4 i + t, where the quad's first
  // column is 8 i: the low two bits of the number are its own, and the others
  // are a constant (PTX ISA, shfl.sync: the segment mask).
  constexpr int32_t kOwnBits = 3 << 8, kLastLane = kWarpThreads - 1;
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  SmallVector<Value> pairs;
  for (unsigned index = 0; index < operands.size(); ++index) {
    if (operands[index].firsts.empty()) {
      pairs.push_back({});
      continue;
    }
    SmallVector<Value> got;
    for (Value word : getWords(builder, loc, index, column / kPlaceColumns))
      got.push_back(NVVM::ShflOp::create(
          builder, loc, word.getType(), constant(-1), word,
          constant(column % kPlaceColumns / 2), constant(kOwnBits | kLastLane),
          NVVM::ShflKind::idx, UnitAttr()));
    pairs.push_back(
        fromWords(builder, loc, got, epilogue.getOperandType(index)));
  }
  return pairs;
}
