//===- LowerCopies.cpp - Copies of a CTA to copies of its threads ---------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOWERCOPIES
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Copies of one thread that are written out rather than made by a loop.
constexpr int64_t kMostUnrolled = 16;

class Copy {
public:
  Copy(CopyTileOp op, int64_t threads)
      : op(op), builder(op), loc(op.getLoc()), type(op.getTile().getType()),
        threads(threads),
        elements(static_cast<int64_t>(op.getBytes()) / type.getElementBytes()),
        perRow(type.getContiguous() / elements),
        pieces(type.getRows() * perRow) {}

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value below(Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lhs,
                                 rhs);
  }
  /// How many of the elements from `first` on are in front of `end`.
  Value countBelow(Value first, Value end);
  /// The copy with number `round` of this thread.
  void emitRound(Value round);
  void emitPiece(Value row, Value column);

  CopyTileOp op;
  OpBuilder builder;
  Location loc;
  SmemType type;
  int64_t threads;
  /// Elements of one copy, copies of one row, and copies of the tile.
  int64_t elements, perRow, pieces;
  Value thread, rows, columns;
};

Value Copy::countBelow(Value first, Value end) {
  Value left = arith::SubIOp::create(builder, loc, end, first);
  Value some = arith::MaxSIOp::create(builder, loc, left, constant(0));
  return arith::MinSIOp::create(builder, loc, some, constant(elements));
}

void Copy::emitPiece(Value row, Value column) {
  bool kMajor = type.getMajor() == Major::K;
  Value firstRow = op.getCoordinates()[0], firstColumn = op.getCoordinates()[1];
  Value valid, from = row;
  // K is what the rows are made of, or what they are counted by.
  bool allOfRow = kMajor ? op.getWhole() : op.getInside();
  bool allRows = kMajor ? op.getInside() : op.getWhole();
  if (!allOfRow)
    valid = countBelow(add(firstColumn, column), columns);
  if (!allRows && kMajor) {
    Value left = arith::SubIOp::create(builder, loc, rows, firstRow);
    Value last = arith::SubIOp::create(builder, loc, left, constant(1));
    from = arith::MinUIOp::create(builder, loc, row, last);
  } else if (!allRows) {
    valid = arith::SelectOp::create(
        builder, loc, below(add(firstRow, row), rows),
        valid ? valid : constant(elements), constant(0));
  }
  SmallVector<Value> origin{row, column};
  if (!kMajor)
    std::swap(origin[0], origin[1]);
  if (op.getStage())
    origin.insert(origin.begin(), op.getStage());
  CpAsyncOp::create(builder, loc, op.getSource(), op.getCoordinates(), from,
                    op.getTile(), origin, valid, op.getBytes());
}

void Copy::emitRound(Value round) {
  auto div = [&](Value value) -> Value {
    return builder.createOrFold<arith::DivUIOp>(loc, value, constant(perRow));
  };
  auto rem = [&](Value value) -> Value {
    return builder.createOrFold<arith::RemUIOp>(loc, value, constant(perRow));
  };
  auto mul = [&](Value value, int64_t by) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, value, constant(by));
  };
  Value row, column, piece;
  if (threads % perRow == 0) {
    // A thread stays in its column, and neighbours copy neighbours.
    row = add(div(thread), mul(round, threads / perRow));
    column = mul(rem(thread), elements);
  } else {
    piece = add(thread, mul(round, threads));
    row = div(piece);
    column = mul(rem(piece), elements);
  }
  if (pieces % threads == 0)
    return emitPiece(row, column);
  // Not all threads have one in the last round.
  if (!piece)
    piece = add(thread, mul(round, threads));
  auto guard = scf::IfOp::create(builder, loc, below(piece, constant(pieces)),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  emitPiece(row, column);
}

void Copy::emit() {
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  auto source = op.getSource();
  rows = builder.createOrFold<memref::DimOp>(loc, source, 0);
  columns = builder.createOrFold<memref::DimOp>(loc, source, 1);
  if (Value end = op.getEnd()) {
    Value &depth = type.getMajor() == Major::K ? columns : rows;
    depth = arith::MinUIOp::create(builder, loc, depth, end);
  }
  // One of several that a loop chooses from is for rows that are not aligned,
  // and their addresses would take the registers of the others.
  bool isChoice = isa<scf::IfOp>(op->getParentOp()) &&
                  op->getParentOfType<scf::ForOp>() != nullptr;
  int64_t rounds = llvm::divideCeil(pieces, threads);
  int64_t first = 0, end = rounds;
  if (std::optional<ArrayRef<int64_t>> part = op.getPart()) {
    auto [index, parts] = std::pair((*part)[0], (*part)[1]);
    first = rounds * index / parts;
    end = rounds * (index + 1) / parts;
  }
  if (end - first <= kMostUnrolled && !isChoice) {
    for (int64_t round = first; round < end; ++round)
      emitRound(constant(round));
  } else {
    auto loop = scf::ForOp::create(builder, loc, constant(first), constant(end),
                                   constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    emitRound(loop.getInductionVar());
  }
  op.erase();
}

class LowerCopiesPass : public bwgemm::impl::LowerCopiesBase<LowerCopiesPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<CopyTileOp> copies;
      kernel.walk([&](CopyTileOp copy) { copies.push_back(copy); });
      if (copies.empty())
        return WalkResult::skip();
      std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
      if (!block) {
        copies.front().emitOpError("expects a kernel whose block size is known "
                                   "(known_block_size)");
        return WalkResult::interrupt();
      }
      for (CopyTileOp copy : copies)
        Copy(copy, block->front()).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
