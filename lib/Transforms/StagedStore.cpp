//===- StagedStore.cpp - Results through shared memory and TMA ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedStore.h"

#include "ElementEpilogue.h"
#include "ResultReader.h"

#include "bwgemm/IR/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

ResultShape bwgemm::getResultShape(const ScheduleFields &fields) {
  int64_t rows = fields.getTileOfCta()[0];
  int64_t halves = fields.ctaGroup == 2 && rows == 64 ? 2 : 1;
  return {rows, fields.tile[1] / halves, halves};
}

TensorMapType bwgemm::getStoreMap(ResultShape shape, Type elementType) {
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  unsigned span = 128;
  while (span > 16 && shape.columns * elementBytes % span != 0)
    span /= 2;
  // Rows of 16 bytes, which are not swizzled, are the narrowest.
  auto swizzle =
      SwizzleAttr::getForSpan(elementType.getContext(), span == 16 ? 0 : span);
  return TensorMapType::get({shape.rows, span / elementBytes}, elementType,
                            swizzle);
}

SmemType bwgemm::getStagingTiles(TensorMapType map, ResultShape shape) {
  int64_t slices = shape.columns / map.getShape()[1];
  return SmemType::get({std::min<int64_t>(slices, 2) * shape.halves,
                        map.getShape()[0], map.getShape()[1]},
                       map.getElementType(), Major::K, map.getSwizzle());
}

namespace {

constexpr int32_t kBarrier = 1;

/// Elements of the epilogue's operands that a thread loads before it uses them.
constexpr size_t kLoadedTogether = 16;

/// Expands one store.
class StagedStore {
public:
  StagedStore(StoreOp store, TmemShape shape)
      : store(store), epilogue(store), reader(store, shape), builder(store),
        loc(store.getLoc()), map(cast<TensorMapType>(store.getMap().getType())),
        element(map.getElementType()),
        result{reader.getRows(), reader.getCellColumns(), reader.getHalves()},
        sliceColumns(map.getShape()[1]), slices(result.columns / sliceColumns) {
  }

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) {
    return builder.createOrFold<arith::MulIOp>(loc, lhs, constant(rhs));
  }
  void when(Value condition, llvm::function_ref<void()> body) {
    auto guard =
        scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    body();
  }
  void waitForStores(bool read) {
    when(issuer,
         [&] { TMAStoreWaitOp::create(builder, loc, /*pending=*/0, read); });
  }
  void barrier() {
    WarpsBarrierOp::create(builder, loc, kBarrier, 32 * reader.getWarps());
  }

  Value emitCondition();
  void emitSlices();
  void emitSlice(Value column, Value stage);
  /// Neighbours in a row of the result, f32, and the place of the first one in
  /// D.
  struct Piece {
    Value sums, row, column;
  };
  /// `width` elements of a fragment from `first` on.
  Value slice(Value fragment, int64_t first, int64_t width);
  void emitBounds();
  SmallVector<SmallVector<Value>> emitOperands(ArrayRef<Piece> pieces,
                                               int64_t width);
  SmallVector<Value> emitResults(ArrayRef<Piece> pieces, int64_t width);

  StoreOp store;
  ElementEpilogue epilogue;
  ResultReader reader;
  OpBuilder builder;
  Location loc;
  TensorMapType map;
  Type element;
  ResultShape result;
  int64_t sliceColumns, slices;
  /// Whether other results come after this one.
  bool isRepeated = false;
  /// Extents of D, and whether the whole tile is inside of it and the
  /// epilogue's operands are aligned; null if the epilogue has none in vectors.
  Value rows, columns, whole;
  /// `half` is the half that this warp's lanes hold; null if there is one.
  Value staging, issuer, lane, warpLane, warpRow, half;
};

/// Whether TMA may store the tile: its right edge is inside of D, or D's rows
/// end at a multiple of the 16 bytes that TMA writes at once.
Value StagedStore::emitCondition() {
  Value columns = builder.createOrFold<memref::DimOp>(loc, store.getD(), 1);
  int64_t unit = kTmaAlignment / map.getElementBytes();
  APInt known;
  if (matchPattern(columns, m_ConstantInt(&known)))
    return known.urem(unit) == 0
               ? Value()
               : arith::CmpIOp::create(
                     builder, loc, arith::CmpIPredicate::ule,
                     add(store.getN(), constant(reader.getColumns())), columns)
                     .getResult();
  Value rest = arith::RemUIOp::create(builder, loc, columns, constant(unit));
  Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      rest, constant(0));
  Value inside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule,
      add(store.getN(), constant(reader.getColumns())), columns);
  return arith::OrIOp::create(builder, loc, whole, inside);
}

Value StagedStore::slice(Value fragment, int64_t first, int64_t width) {
  SmallVector<Value> values;
  for (int64_t i = first; i < first + width; ++i)
    values.push_back(vector::ExtractOp::create(builder, loc, fragment, i));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get(width, builder.getF32Type()), values);
}

/// TMA leaves out what is outside of D; what the epilogue reads there must be
/// left out by the code.
void StagedStore::emitBounds() {
  if (epilogue.isRounding())
    return;
  rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  columns = builder.createOrFold<memref::DimOp>(loc, store.getD(), 1);
  if (!epilogue.hasOperandsAlongRows())
    return;
  int64_t width = reader.getShape() == TmemShape::Shape32x32b
                      ? 16 / map.getElementBytes()
                      : 2;
  auto inside = [&](Value first, int64_t extent, Value bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                 add(first, constant(extent)), bound);
  };
  Value all = arith::AndIOp::create(
      builder, loc, inside(store.getM(), reader.getRows(), rows),
      inside(store.getN(), reader.getColumns(), columns));
  if (Value aligned = epilogue.emitAligned(builder, loc, width))
    all = arith::AndIOp::create(builder, loc, all, aligned);
  whole = all;
}

/// What the epilogue's operands have for each piece.
SmallVector<SmallVector<Value>>
StagedStore::emitOperands(ArrayRef<Piece> pieces, int64_t width) {
  auto loadAll = [&](bool isInside) {
    SmallVector<Value> all;
    for (const Piece &piece : pieces)
      llvm::append_range(
          all, isInside
                   ? epilogue.load(builder, loc, piece.row, piece.column, width)
                   : epilogue.loadClamped(builder, loc, piece.row, piece.column,
                                          width, rows, columns));
    return all;
  };
  SmallVector<Value> flat;
  if (store.getExtras().empty()) {
    // There is nothing to load.
  } else if (!whole) {
    flat = loadAll(/*isInside=*/false);
  } else {
    auto yieldAll = [&](bool isInside) {
      return [&, isInside](OpBuilder &, Location) {
        scf::YieldOp::create(builder, loc, loadAll(isInside));
      };
    };
    auto choice =
        scf::IfOp::create(builder, loc, whole, yieldAll(true), yieldAll(false));
    llvm::append_range(flat, choice.getResults());
  }
  SmallVector<SmallVector<Value>> perPiece;
  size_t each = pieces.empty() ? 0 : flat.size() / pieces.size();
  for (size_t i = 0; i < pieces.size(); ++i)
    perPiece.emplace_back(ArrayRef(flat).slice(i * each, each));
  return perPiece;
}

/// What is stored for each piece, in the type of D.
SmallVector<Value> StagedStore::emitResults(ArrayRef<Piece> pieces,
                                            int64_t width) {
  // The loads of some pieces are under way together; all of them would take
  // more registers than there are.
  auto perPiece = static_cast<size_t>(width) *
                  std::max<size_t>(store.getExtras().size(), 1);
  size_t together = std::max<size_t>(kLoadedTogether / perPiece, 1);
  SmallVector<Value> results;
  for (; !pieces.empty(); pieces = pieces.drop_front(together)) {
    together = std::min(together, pieces.size());
    ArrayRef<Piece> some = pieces.take_front(together);
    for (auto [piece, elements] :
         llvm::zip_equal(some, emitOperands(some, width)))
      results.push_back(epilogue.compute(builder, loc, piece.sums, elements));
  }
  return results;
}

/// Fills a staging tile with the columns from `column` on.
void StagedStore::emitSlice(Value column, Value stage) {
  bool halfFilled = reader.getRowsOfWarp() == 16;
  auto put = [&](Value vector, Value row, Value at) {
    SmemStoreOp::create(builder, loc, vector, staging,
                        ValueRange{stage, row, at});
  };
  Value firstColumn = add(store.getN(), column);
  if (half)
    firstColumn = add(firstColumn, mul(half, result.columns));
  auto piece = [&](Value sums, Value row, Value at) {
    // Without operands places do not matter.
    if (epilogue.isRounding())
      return Piece{sums, Value(), Value()};
    return Piece{sums, add(store.getM(), row), add(firstColumn, at)};
  };
  if (reader.getShape() == TmemShape::Shape32x32b) {
    Value fragment = reader.finish(
        builder, loc,
        reader.start(builder, loc, warpLane, /*row=*/0, column, sliceColumns));
    int64_t width = 16 / map.getElementBytes();
    auto body = [&] {
      Value row = add(warpRow, lane);
      SmallVector<Piece> pieces;
      for (int64_t first = 0; first < sliceColumns; first += width)
        pieces.push_back(
            piece(slice(fragment, first, width), row, constant(first)));
      SmallVector<Value> results = emitResults(pieces, width);
      for (auto [index, vector] : llvm::enumerate(results))
        put(vector, row, constant(index * width));
    };
    if (!halfFilled)
      return body();
    return when(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      lane, constant(16)),
                body);
  }
  SmallVector<Value> fragments;
  for (int64_t half = 0; half < (halfFilled ? 16 : 32); half += 16)
    fragments.push_back(
        reader.start(builder, loc, warpLane, half, column, sliceColumns / 2));
  for (Value &fragment : fragments)
    fragment = reader.finish(builder, loc, fragment);
  int64_t repeats = sliceColumns / 8;
  for (auto [half, fragment] : llvm::enumerate(fragments)) {
    Value row = add(warpRow, constant(16 * half));
    if (!element.isF32() && epilogue.isRounding()) {
      // What 16x256b brings is the fragment that stmatrix takes.
      int64_t step = std::min<int64_t>(repeats, 2);
      for (int64_t repeat = 0; repeat < repeats; repeat += step)
        StMatrixOp::create(
            builder, loc,
            epilogue.compute(builder, loc,
                             slice(fragment, 4 * repeat, 4 * step),
                             /*elements=*/{}),
            staging, ValueRange{stage, row, constant(8 * repeat)});
      continue;
    }
    // Thread t = t0 + 4 t1 holds pairs of neighbouring columns.
    Value t0 = arith::RemUIOp::create(builder, loc, lane, constant(4));
    Value t1 = arith::DivUIOp::create(builder, loc, lane, constant(4));
    SmallVector<Piece> pieces;
    SmallVector<Value> rowsOfPairs, columnsOfPairs;
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
      for (int64_t upper = 0; upper < 2; ++upper) {
        rowsOfPairs.push_back(add(row, add(t1, constant(8 * upper))));
        columnsOfPairs.push_back(add(mul(t0, 2), constant(8 * repeat)));
        pieces.push_back(piece(slice(fragment, 4 * repeat + 2 * upper, 2),
                               rowsOfPairs.back(), columnsOfPairs.back()));
      }
    SmallVector<Value> results = emitResults(pieces, /*width=*/2);
    if (element.isF32()) {
      for (auto [pair, at, n] :
           llvm::zip_equal(results, rowsOfPairs, columnsOfPairs))
        put(pair, at, n);
      continue;
    }
    int64_t step = std::min<int64_t>(repeats, 2);
    for (int64_t repeat = 0; repeat < repeats; repeat += step) {
      SmallVector<Value> values;
      for (Value pair : ArrayRef(results).slice(2 * repeat, 2 * step))
        for (int64_t i = 0; i < 2; ++i)
          values.push_back(vector::ExtractOp::create(builder, loc, pair, i));
      Value packed = vector::FromElementsOp::create(
          builder, loc, VectorType::get(4 * step, element), values);
      StMatrixOp::create(builder, loc, packed, staging,
                         ValueRange{stage, row, constant(8 * repeat)});
    }
  }
}

void StagedStore::emitSlices() {
  reader.forColumns(builder, loc, sliceColumns, [&](Value column) {
    Value stage = constant(0);
    if (slices > 1) {
      Value slice = builder.createOrFold<arith::DivUIOp>(
          loc, column, constant(sliceColumns));
      stage = builder.createOrFold<arith::RemUIOp>(loc, slice, constant(2));
    }
    // Halves have staging tiles side by side.
    Value first = mul(stage, result.halves);
    emitSlice(column, half ? add(first, half) : first);
    FenceOp::create(builder, loc, FenceKind::AsyncShared);
    // Behind the barrier this tile is full, and the other one is free: it has
    // been read while this one was written.
    waitForStores(/*read=*/true);
    barrier();
    when(issuer, [&] {
      for (int64_t i = 0; i < result.halves; ++i) {
        Value n = add(store.getN(), constant(i * result.columns));
        TMAStoreOp::create(
            builder, loc, store.getMap(),
            ValueRange{store.getM(), add(n, column)}, staging,
            ValueRange{add(first, constant(i)), constant(0), constant(0)});
      }
      TMAStoreCommitOp::create(builder, loc);
    });
  });
  // The next result begins with the first staging tile. After an odd number of
  // slices that is the one that is being read.
  if (slices % 2 != 0 && isRepeated) {
    waitForStores(/*read=*/true);
    barrier();
  }
}

void StagedStore::emit() {
  auto kernel = store->getParentOfType<gpu::GPUFuncOp>();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  staging = SmemAllocOp::create(builder, loc, getStagingTiles(map, result),
                                IntegerAttr());
  // What concerns all results of these warps stands around their loop. One
  // thread starts every copy, since only it can wait for them.
  Operation *outermost = store;
  for (Operation *op = store; op != kernel; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      outermost = op;
  isRepeated = outermost != store.getOperation();
  builder.setInsertionPoint(outermost);
  Type index = builder.getIndexType();
  lane = gpu::LaneIdOp::create(builder, loc, index, /*upper_bound=*/nullptr);
  Value warp = WarpIdOp::create(builder, loc, index);
  Value elected = ElectOp::create(builder, loc, builder.getI1Type());
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      warp, constant(0));
  issuer = arith::AndIOp::create(builder, loc, first, elected);
  warpLane = mul(warp, 32);
  // Layout F (M = 64) keeps 16 rows in each quarter of the lanes, layout B
  // (folded) has all 64 in each half of them.
  int64_t warpsOfHalf = reader.getWarps() / result.halves;
  Value quarter = warp;
  if (result.halves == 2) {
    half = arith::DivUIOp::create(builder, loc, warp, constant(warpsOfHalf));
    quarter = arith::RemUIOp::create(builder, loc, warp, constant(warpsOfHalf));
  }
  warpRow = mul(quarter, reader.getRowsOfWarp());
  builder.setInsertionPointAfter(outermost);
  waitForStores(/*read=*/false);

  builder.setInsertionPoint(store);
  Value condition = emitCondition();
  if (!condition) {
    emitBounds();
    emitSlices();
    store.erase();
    return;
  }
  auto choice =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  store->moveBefore(choice.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.thenBlock());
  emitBounds();
  emitSlices();
  store.getMapMutable().clear();
}

} // namespace

void bwgemm::lowerStagedStore(StoreOp store, TmemShape shape) {
  StagedStore(store, shape).emit();
}
