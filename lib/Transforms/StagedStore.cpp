//===- StagedStore.cpp - Results through shared memory and TMA ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedStore.h"

#include "ColumnOperands.h"
#include "ElementEpilogue.h"
#include "ResultReader.h"

#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

ResultShape bwgemm::getResultShape(const ScheduleFields &fields,
                                   bool warpgroups) {
  int64_t rows = fields.getTileOfCta()[0];
  if (warpgroups) {
    WarpgroupPlan plan = planWarpgroups(fields);
    return {WarpgroupPlan::kBlockRows, fields.tile[1],
            plan.groups * plan.teams};
  }
  int64_t halves = fields.ctaGroup == 2 && rows == 64 ? 2 : 1;
  return {rows, fields.tile[1] / halves, halves};
}

int64_t bwgemm::getSliceBytes(int64_t bytes) {
  int64_t span = 128;
  while (span > 16 && bytes % span != 0)
    span /= 2;
  return span;
}

TensorMapType bwgemm::getStoreMap(ResultShape shape, Type elementType) {
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  unsigned span = getSliceBytes(shape.columns * elementBytes);
  // Rows of 16 bytes, which are not swizzled, are the narrowest.
  auto swizzle =
      SwizzleAttr::getForSpan(elementType.getContext(), span == 16 ? 0 : span);
  return TensorMapType::get({shape.rows, span / elementBytes}, elementType,
                            swizzle);
}

int64_t bwgemm::getStagedSlices(TensorMapType map, int64_t columns,
                                int64_t staging) {
  return std::min(columns / map.getShape()[1], staging);
}

SmemType bwgemm::getStagingTiles(TensorMapType map, ResultShape shape,
                                 int64_t staging) {
  return SmemType::get(
      {getStagedSlices(map, shape.columns, staging) * shape.parts,
       map.getShape()[0], map.getShape()[1]},
      map.getElementType(), Major::K, map.getSwizzle());
}

namespace {

constexpr int32_t kBarrier = 1;

/// Elements of the epilogue's operands that a thread loads before it uses them.
constexpr size_t kLoadedTogether = 8;

/// Expands one store.
class StagedStore {
public:
  StagedStore(StoreOp store, TmemShape shape, int64_t staging,
              StagingPlace &shared)
      : store(store), epilogue(store), reader(store, shape),
        operands(epilogue, reader), builder(store), loc(store.getLoc()),
        map(cast<TensorMapType>(store.getMap().getType())),
        element(map.getElementType()),
        teams(static_cast<int64_t>(store.getTeams())),
        result{map.getShape()[0], reader.getCellColumns(),
               reader.isInRegisters()
                   ? teams * reader.getRows() / map.getShape()[0]
                   : reader.getHalves()},
        sliceColumns(map.getShape()[1]), slices(result.columns / sliceColumns),
        staged(getStagedSlices(map, result.columns, staging)), shared(shared),
        isRepeated(shared.isRepeated) {}

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
  void waitForStores(bool read, int64_t pending = 0) {
    when(issuer, [&] { TMAStoreWaitOp::create(builder, loc, pending, read); });
  }
  /// Of the warps that share staging tiles. Warpgroups go their own ways.
  void barrier() {
    int64_t warps =
        reader.isInRegisters() ? getWarpsOfPart() : reader.getWarps();
    WarpsBarrierOp::create(builder, loc, kBarrier, 32 * warps, group);
  }

  int64_t getWarpsOfPart() const {
    return teams * reader.getWarps() / result.parts;
  }

  Value emitCondition();
  void emitSlices();
  void emitSlice(Value column, Value stage);
  void emitCopies(Value column, Value first, Value tile);
  void emitTogether();
  /// Neighbours in a row of the result, sums, and the place of the first one in
  /// D; for pairs also their elements of the operands of columns.
  struct Piece {
    Value sums, row, column;
    SmallVector<Value> known;
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
  ColumnOperands operands;
  OpBuilder builder;
  Location loc;
  TensorMapType map;
  Type element;
  /// Teams of warps, each with a result.
  int64_t teams;
  /// Its parts are those of all teams.
  ResultShape result;
  int64_t sliceColumns, slices;
  /// Those of them that have staging tiles.
  int64_t staged;
  StagingPlace &shared;
  /// Whether other results come after this one.
  bool isRepeated;
  /// Extents of D, and whether the whole tile is inside of it and the
  /// epilogue's operands are aligned; null if the epilogue has none in vectors.
  Value rows, columns, whole;
  /// The part of the result that this warp has, null if there is one: `half` of
  /// tensor memory or `group` of a warpgroup, in which `warpRow` is the warp's
  /// first row.
  Value half, group;
  /// The first row of D that this warp's part has.
  Value firstRow;
  Value staging, issuer, lane, warpLane, warpRow;
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
      builder, loc, VectorType::get(width, reader.getSumType()), values);
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
                   ? epilogue.load(builder, loc, piece.row, piece.column, width,
                                   piece.known)
                   : epilogue.loadClamped(builder, loc, piece.row, piece.column,
                                          width, rows, columns, piece.known));
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
  auto piece = [&](Value sums, Value row, Value at,
                   ArrayRef<Value> known = {}) {
    // Without operands places do not matter.
    if (epilogue.isRounding())
      return Piece{sums, Value(), Value(), {}};
    return Piece{sums, add(firstRow, row), add(firstColumn, at),
                 SmallVector<Value>(known)};
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
  SmallVector<SmallVector<Value>> known =
      operands.get(builder, loc, column, sliceColumns);
  for (auto [half, fragment] : llvm::enumerate(fragments)) {
    Value row = add(warpRow, constant(16 * half));
    bool isWord = element.getIntOrFloatBitWidth() == 32;
    if (!isWord && epilogue.isRounding()) {
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
                               rowsOfPairs.back(), columnsOfPairs.back(),
                               known[repeat]));
      }
    SmallVector<Value> results = emitResults(pieces, /*width=*/2);
    if (isWord) {
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

/// Starts to store the slice from `column` on out of staging tile `tile`.
/// `first` is that of its first part.
void StagedStore::emitCopies(Value column, Value first, Value tile) {
  auto copy = [&](Value tile, Value n) {
    TMAStoreOp::create(builder, loc, store.getMap(),
                       ValueRange{firstRow, add(n, column)}, staging,
                       ValueRange{tile, constant(0), constant(0)});
  };
  if (!half)
    copy(tile, store.getN());
  // One thread stores both halves.
  for (int64_t i = 0; half && i < result.parts; ++i)
    copy(add(first, constant(i)),
         add(store.getN(), constant(i * result.columns)));
}

/// All slices of registers have staging tiles: they are written without a
/// barrier between them.
void StagedStore::emitTogether() {
  if (isRepeated) {
    waitForStores(/*read=*/true);
    barrier();
  }
  auto forSlices = [&](llvm::function_ref<void(Value, Value, Value)> body) {
    for (int64_t slice = 0; slice < slices; ++slice) {
      Value first = constant(slice * result.parts);
      body(constant(slice * sliceColumns), first,
           group ? add(first, group) : first);
    }
  };
  forSlices([&](Value column, Value, Value tile) { emitSlice(column, tile); });
  FenceOp::create(builder, loc, FenceKind::AsyncShared);
  barrier();
  when(issuer, [&] {
    forSlices([&](Value column, Value first, Value tile) {
      emitCopies(column, first, tile);
    });
    TMAStoreCommitOp::create(builder, loc);
  });
}

void StagedStore::emitSlices() {
  // Of an epilogue that computes, slices apart from each other take fewer
  // registers.
  if (reader.isInRegisters() && staged == slices && epilogue.isRounding())
    return emitTogether();
  reader.forColumns(builder, loc, sliceColumns, [&](Value column) {
    Value stage = constant(0);
    if (slices > 1) {
      Value slice = builder.createOrFold<arith::DivUIOp>(
          loc, column, constant(sliceColumns));
      stage =
          builder.createOrFold<arith::RemUIOp>(loc, slice, constant(staged));
    }
    // The parts of a slice have staging tiles side by side.
    Value first = mul(stage, result.parts);
    Value part = group ? group : half;
    Value tile = part ? add(first, part) : first;
    emitSlice(column, tile);
    FenceOp::create(builder, loc, FenceKind::AsyncShared);
    // Behind the barrier this tile is full, and the next one is free: it has
    // been read while others were written.
    waitForStores(/*read=*/true, std::max<int64_t>(staged - 2, 0));
    barrier();
    when(issuer, [&] {
      emitCopies(column, first, tile);
      TMAStoreCommitOp::create(builder, loc);
    });
  });
  // The next result begins with the first staging tile. Unless it is its turn,
  // that may be one that is being read.
  if (isRepeated && (slices % staged != 0 || staged == 1)) {
    waitForStores(/*read=*/true);
    barrier();
  }
}

void StagedStore::emit() {
  auto kernel = store->getParentOfType<gpu::GPUFuncOp>();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  if (!shared.tiles)
    shared.tiles = SmemAllocOp::create(
        builder, loc, getStagingTiles(map, result, staged), IntegerAttr());
  staging = shared.tiles;
  // What concerns all results of these warps stands around their loop. One
  // thread starts every copy, since only it can wait for them.
  Operation *outermost = store;
  for (Operation *op = store; op != kernel; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      outermost = op;
  isRepeated |= outermost != store.getOperation();
  builder.setInsertionPoint(outermost);
  Type index = builder.getIndexType();
  if (!shared.lane) {
    shared.lane =
        gpu::LaneIdOp::create(builder, loc, index, /*upper_bound=*/nullptr);
    shared.warp = WarpIdOp::create(builder, loc, index);
    shared.elected = ElectOp::create(builder, loc, builder.getI1Type());
  }
  lane = shared.lane;
  Value warp = shared.warp, elected = shared.elected;
  // Layout F (M = 64) keeps 16 rows in each quarter of the lanes, layout B
  // (folded) has all 64 in each half of them.
  Value place = warp;
  if (result.parts > 1) {
    Value warps = constant(getWarpsOfPart());
    Value part = arith::DivUIOp::create(builder, loc, warp, warps);
    place = arith::RemUIOp::create(builder, loc, warp, warps);
    (reader.isInRegisters() ? group : half) = part;
  }
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      group ? place : warp, constant(0));
  issuer = arith::AndIOp::create(builder, loc, first, elected);
  warpLane = mul(warp, 32);
  warpRow = mul(place, reader.getRowsOfWarp());
  builder.setInsertionPointAfter(outermost);
  waitForStores(/*read=*/false);

  builder.setInsertionPoint(store);
  firstRow = store.getM();
  if (group && teams == 1)
    firstRow = add(firstRow, mul(group, result.rows));
  Value condition = emitCondition();
  operands.load(builder, store, store.getN());
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

void bwgemm::lowerStagedStore(StoreOp store, TmemShape shape, int64_t staging,
                              StagingPlace &place) {
  StagedStore(store, shape, staging, place).emit();
}
