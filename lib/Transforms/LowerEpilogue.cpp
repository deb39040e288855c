//===- LowerEpilogue.cpp - From tensor memory to global memory ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnOperands.h"
#include "ElementEpilogue.h"
#include "ResultReader.h"
#include "StagedStore.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOWEREPILOGUE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Columns that one step of the epilogue brings into registers.
constexpr int64_t kStepColumns = 32;

/// Expands one store of an accumulator in tensor memory or in registers.
class Epilogue {
public:
  Epilogue(StoreOp store, TmemShape shape)
      : store(store), epilogue(store), reader(store, shape),
        operands(epilogue, reader), shape(reader.getShape()), builder(store),
        loc(store.getLoc()), type(cast<MemRefType>(store.getD().getType())) {}

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) {
    return arith::MulIOp::create(builder, loc, lhs, constant(rhs));
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  /// Emits `body` where `condition` holds; everywhere if it is null.
  void when(Value condition, llvm::function_ref<void()> body) {
    if (!condition)
      return body();
    auto guard =
        scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    body();
  }

  /// The sum of `sums` and of what D held.
  Value addToOld(Value sums, Value old) {
    return addSums(builder, loc, sums,
                   widenToSum(builder, loc, old, sums.getType()));
  }

  /// Neighbouring elements of one row that this thread holds. `active` says
  /// whether the thread's lane holds a row at all; null if it does.
  struct Segment {
    Value active, row, column;
    SmallVector<Value> values;
    /// For pairs: their elements of the operands of columns.
    SmallVector<Value> known;
  };

  void emitColumns(int64_t first, int64_t end);
  Value emitWholeTileCheck(int64_t vectorBytes);
  SmallVector<Value> emitLoad(int64_t row, Value column, int64_t elements);
  SmallVector<Segment> emitLoads(Value column);
  void emitVectors(const Segment &segment);
  bool canExchange();
  Value emitResult(const Segment &pair);
  void emitExchanged(ArrayRef<Segment> segments, Value column);
  void exchange(MutableArrayRef<Value> words, Value quadLane);
  bool canShift();
  Value emitWord(const Segment &pair);
  void emitShifted(ArrayRef<Segment> segments);
  void emitScalars(const Segment &segment);

  StoreOp store;
  ElementEpilogue epilogue;
  ResultReader reader;
  ColumnOperands operands;
  TmemShape shape;
  OpBuilder builder;
  Location loc;
  MemRefType type;
  /// Extents of D, and the lane and first row of this thread's warp.
  Value rows, columns, lane, warpLane, warpRow;
  /// The column of D at which the columns of this warp's lanes begin.
  Value firstColumn;
  /// Whether vectors are aligned, those of the epilogue's operands too, and the
  /// whole tile is inside of D, unless `guarded`; null if D's rows are not
  /// contiguous.
  Value wholeTile;
  /// Whether each vector is asked whether it is inside of D.
  bool guarded = false;
  int64_t stepColumns = kStepColumns;
};

/// Elements of one store: 16 bytes where a thread holds that many neighbours.
int64_t getVectorElements(TmemShape shape, Type element) {
  return shape == TmemShape::Shape16x256b
             ? 2
             : 128 / element.getIntOrFloatBitWidth();
}

Value Epilogue::emitWholeTileCheck(int64_t vectorBytes) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides[1] != 1)
    return {};
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                              store.getD());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, store.getD());
  Value address = add(base, mul(metadata.getOffset(), elementBytes));
  Value pitch = mul(metadata.getStrides()[0], elementBytes);
  Value bits = arith::OrIOp::create(builder, loc, address, pitch);
  Value low =
      arith::AndIOp::create(builder, loc, bits, constant(vectorBytes - 1));
  Value aligned = compare(arith::CmpIPredicate::eq, low, constant(0));
  if (guarded)
    return aligned;
  Value inside =
      both(compare(arith::CmpIPredicate::ule,
                   add(store.getM(), constant(reader.getRows())), rows),
           compare(arith::CmpIPredicate::ule,
                   add(store.getN(), constant(reader.getColumns())), columns));
  Value whole = both(aligned, inside);
  if (Value operands =
          epilogue.emitAligned(builder, loc, vectorBytes / elementBytes))
    whole = both(whole, operands);
  return whole;
}

/// Writes a segment that is inside of D and aligned.
void Epilogue::emitVectors(const Segment &segment) {
  Type element = type.getElementType();
  int64_t width = getVectorElements(shape, element);
  auto alignment =
      llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8);
  when(segment.active, [&] {
    for (size_t first = 0; first < segment.values.size(); first += width) {
      Value vector = vector::FromElementsOp::create(
          builder, loc, VectorType::get(width, reader.getSumType()),
          ArrayRef(segment.values).slice(first, width));
      SmallVector<Value> at{segment.row, add(segment.column, constant(first))};
      if (store.getAccumulate()) {
        Value old = vector::LoadOp::create(
            builder, loc, VectorType::get(width, element), store.getD(), at,
            /*nontemporal=*/false, alignment);
        vector = addToOld(vector, old);
      }
      Value result = epilogue.compute(
          builder, loc, vector,
          epilogue.load(builder, loc, at[0], at[1], width, segment.known));
      vector::StoreOp::create(builder, loc, result, store.getD(), at,
                              /*nontemporal=*/false, alignment);
    }
  });
}

/// Whether threads exchange what they hold of 16-bit results, so that each
/// stores 16 bytes: four pairs of neighbours are in four threads of a quad.
bool Epilogue::canExchange() {
  return shape == TmemShape::Shape16x256b && !store.getAccumulate() &&
         stepColumns == kExchangedColumns && hasWidePitch(type);
}

/// What is stored for a pair of neighbours that nothing is added to.
Value Epilogue::emitResult(const Segment &pair) {
  Value sums = vector::FromElementsOp::create(
      builder, loc, VectorType::get(2, reader.getSumType()), pair.values);
  return epilogue.compute(builder, loc, sums,
                          epilogue.load(builder, loc, pair.row, pair.column,
                                        /*width=*/2, pair.known));
}

/// As above, of 16-bit results in a word.
Value Epilogue::emitWord(const Segment &pair) {
  Value word = vector::BitCastOp::create(
      builder, loc, VectorType::get(1, builder.getI32Type()), emitResult(pair));
  return vector::ExtractOp::create(builder, loc, word, 0);
}

/// Whether words are stored although every other row of D begins in the middle
/// of one.
bool Epilogue::canShift() {
  SmallVector<int64_t> strides;
  int64_t offset;
  return shape == TmemShape::Shape16x256b && !store.getAccumulate() &&
         epilogue.isRounding() && stepColumns == kExchangedColumns &&
         type.getElementTypeBitWidth() == 16 &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[1] == 1 && strides[0] % 2 != 0;
}

/// Writes what `emitLoads` of some columns gave, which are inside of D, a word
/// at a time. Where a row begins in the middle of a word, a thread's word is
/// its second element and the first one of the next thread.
void Epilogue::emitShifted(ArrayRef<Segment> segments) {
  Type word = builder.getI32Type();
  auto constantWord = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  auto pick = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  auto isQuadLane = [&](int64_t which) -> Value {
    Value quadLane = arith::RemUIOp::create(builder, loc, lane, constant(4));
    return compare(arith::CmpIPredicate::eq, quadLane, constant(which));
  };
  Value isFirst = isQuadLane(0), isLast = isQuadLane(3);
  // The next lane of the quad, which for the last one is its first one.
  Value next =
      arith::AndIOp::create(builder, loc, add(lane, constant(1)), constant(3));
  next = arith::OrIOp::create(
      builder, loc, next,
      arith::AndIOp::create(builder, loc, lane, constant(~int64_t(3))));
  next = arith::IndexCastUIOp::create(builder, loc, word, next);
  Value width = constantWord(32), half = constantWord(16);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                              store.getD());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, store.getD());
  Value origin = add(base, mul(metadata.getOffset(), 2));
  // Of each 16 rows there are pairs of columns in the upper 8 and the lower
  // ones.
  size_t repeats = kExchangedColumns / 8;
  for (size_t block = 0; block < segments.size(); block += 2 * repeats) {
    for (size_t upper = 0; upper < 2; ++upper) {
      auto at = [&](size_t repeat) -> const Segment & {
        return segments[block + 2 * repeat + upper];
      };
      SmallVector<Value> words, shifted;
      for (size_t repeat = 0; repeat < repeats; ++repeat)
        words.push_back(emitWord(at(repeat)));
      for (size_t repeat = 0; repeat < repeats; ++repeat) {
        // What follows a block's last column is the next block's first one.
        Value sent =
            pick(isFirst, words[(repeat + 1) % repeats], words[repeat]);
        Value got = gpu::ShuffleOp::create(builder, loc, sent, next, width,
                                           gpu::ShuffleMode::IDX)
                        .getShuffleResult();
        shifted.push_back(arith::OrIOp::create(
            builder, loc,
            arith::ShRUIOp::create(builder, loc, words[repeat], half),
            arith::ShLIOp::create(builder, loc, got, half)));
      }
      const Segment &first = at(0), &last = at(repeats - 1);
      Value address =
          add(add(origin, mul(first.column, 2)),
              arith::MulIOp::create(
                  builder, loc, mul(metadata.getStrides()[0], 2), first.row));
      Value odd =
          compare(arith::CmpIPredicate::ne,
                  arith::AndIOp::create(builder, loc, address, constant(2)),
                  constant(0));
      Value skip = pick(odd, constant(1), constant(0));
      when(compare(arith::CmpIPredicate::ult, first.row, rows), [&] {
        auto put = [&](size_t repeat) {
          Value vector = vector::BroadcastOp::create(
              builder, loc, VectorType::get(1, word),
              pick(odd, shifted[repeat], words[repeat]));
          vector = vector::BitCastOp::create(
              builder, loc, VectorType::get(2, type.getElementType()), vector);
          vector::StoreOp::create(
              builder, loc, vector, store.getD(),
              ValueRange{first.row, add(at(repeat).column, skip)},
              /*nontemporal=*/false, llvm::MaybeAlign(4));
        };
        for (size_t repeat = 0; repeat + 1 < repeats; ++repeat)
          put(repeat);
        Value isWhole = arith::XOrIOp::create(
            builder, loc, both(odd, isLast),
            arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
        when(isWhole, [&] { put(repeats - 1); });
        // The ends of a shifted row are left over.
        when(both(odd, arith::OrIOp::create(builder, loc, isFirst, isLast)),
             [&] {
               Value results[] = {emitResult(first), emitResult(last)};
               Value value =
                   pick(isFirst,
                        vector::ExtractOp::create(builder, loc, results[0], 0),
                        vector::ExtractOp::create(builder, loc, results[1], 1));
               Value column =
                   pick(isFirst, first.column, add(last.column, constant(1)));
               memref::StoreOp::create(builder, loc, value, store.getD(),
                                       ValueRange{first.row, column});
             });
      });
    }
  }
}

/// Transposes four words of the four threads of a quad: word i of thread t
/// becomes word t of thread i.
void Epilogue::exchange(MutableArrayRef<Value> words, Value quadLane) {
  for (int32_t distance : {1, 2}) {
    Value mask =
        arith::AndIOp::create(builder, loc, quadLane, constant(distance));
    Value upper = compare(arith::CmpIPredicate::ne, mask, constant(0));
    for (int32_t i = 0; i < 4; ++i) {
      if (i & distance)
        continue;
      Value &first = words[i], &second = words[i | distance];
      auto pick = [&](Value ifUpper, Value otherwise) -> Value {
        return arith::SelectOp::create(builder, loc, upper, ifUpper, otherwise);
      };
      Value got =
          gpu::ShuffleOp::create(builder, loc, pick(first, second), distance,
                                 /*width=*/32, gpu::ShuffleMode::XOR)
              .getShuffleResult();
      Value newFirst = pick(got, first);
      second = pick(second, got);
      first = newFirst;
    }
  }
}

/// Writes what `emitLoads` of these columns gave, all of it inside of D, or
/// those pieces that are.
void Epilogue::emitExchanged(ArrayRef<Segment> segments, Value column) {
  Type element = type.getElementType(), word = builder.getI32Type();
  Value quadLane = arith::RemUIOp::create(builder, loc, lane, constant(4));
  Value at = add(add(firstColumn, column), mul(quadLane, 8));
  Value inside;
  if (guarded)
    inside = compare(arith::CmpIPredicate::ult, at, columns);
  // Of each 16 rows there are four pairs of columns in the upper 8 and four in
  // the lower ones.
  for (size_t block = 0; block < segments.size(); block += 8) {
    for (size_t upper = 0; upper < 2; ++upper) {
      SmallVector<Value, 4> words;
      for (size_t repeat = 0; repeat < 4; ++repeat) {
        words.push_back(emitWord(segments[block + 2 * repeat + upper]));
      }
      exchange(words, quadLane);
      Value vector = vector::FromElementsOp::create(
          builder, loc, VectorType::get(4, word), words);
      vector = vector::BitCastOp::create(builder, loc,
                                         VectorType::get(8, element), vector);
      Value row = segments[block + upper].row;
      Value valid =
          inside ? both(inside, compare(arith::CmpIPredicate::ult, row, rows))
                 : Value();
      when(valid, [&] {
        vector::StoreOp::create(builder, loc, vector, store.getD(),
                                ValueRange{row, at}, /*nontemporal=*/false,
                                llvm::MaybeAlign(16));
      });
    }
  }
}

/// Writes what of a segment is inside of D, element by element.
void Epilogue::emitScalars(const Segment &segment) {
  Value valid = compare(arith::CmpIPredicate::ult, segment.row, rows);
  if (segment.active)
    valid = both(segment.active, valid);
  when(valid, [&] {
    for (auto [index, value] : llvm::enumerate(segment.values)) {
      Value column = add(segment.column, constant(index));
      when(compare(arith::CmpIPredicate::ult, column, columns), [&] {
        Value at[] = {segment.row, column};
        Value sum = value;
        if (store.getAccumulate())
          sum = addToOld(
              sum, memref::LoadOp::create(builder, loc, store.getD(), at));
        SmallVector<Value> known = segment.known;
        for (Value &pair : known)
          if (pair)
            pair = vector::ExtractOp::create(builder, loc, pair, index);
        Value result =
            epilogue.compute(builder, loc, sum,
                             epilogue.load(builder, loc, segment.row, column,
                                           /*width=*/0, known));
        memref::StoreOp::create(builder, loc, result, store.getD(), at);
      });
    }
  });
}

SmallVector<Value> Epilogue::emitLoad(int64_t row, Value column,
                                      int64_t elements) {
  Value ready = reader.finish(
      builder, loc,
      reader.start(builder, loc, warpLane, row, column, elements));
  SmallVector<Value> values;
  for (int64_t i = 0; i < elements; ++i)
    values.push_back(vector::ExtractOp::create(builder, loc, ready, i));
  return values;
}

/// Brings `stepColumns` columns from `column` on into registers.
SmallVector<Epilogue::Segment> Epilogue::emitLoads(Value column) {
  bool halfFilled = reader.getRowsOfWarp() == 16;
  Value memoryColumn = add(firstColumn, column);
  SmallVector<Segment> segments;
  if (shape == TmemShape::Shape32x32b) {
    Value active;
    if (halfFilled)
      active = compare(arith::CmpIPredicate::ult, lane, constant(16));
    segments.push_back({active, add(warpRow, lane), memoryColumn,
                        emitLoad(/*row=*/0, column, stepColumns),
                        /*known=*/{}});
    return segments;
  }
  // 16x256b: thread t = t0 + 4 t1 holds pairs of neighbouring columns.
  Value t0 = arith::RemUIOp::create(builder, loc, lane, constant(4));
  Value t1 = arith::DivUIOp::create(builder, loc, lane, constant(4));
  Value pairColumn = add(memoryColumn, mul(t0, 2));
  SmallVector<SmallVector<Value>> known =
      operands.get(builder, loc, column, stepColumns);
  for (int64_t block = 0; block < reader.getRowsOfWarp(); block += 16) {
    SmallVector<Value> values = emitLoad(block, column, stepColumns / 2);
    for (int64_t repeat = 0; repeat < stepColumns / 8; ++repeat) {
      for (int64_t upper = 0; upper < 2; ++upper) {
        ArrayRef<Value> pair =
            ArrayRef(values).slice(4 * repeat + 2 * upper, 2);
        segments.push_back({/*active=*/Value(),
                            add(warpRow, add(t1, constant(block + 8 * upper))),
                            add(pairColumn, constant(8 * repeat)),
                            SmallVector<Value>(pair), known[repeat]});
      }
    }
  }
  return segments;
}

void Epilogue::emit() {
  Type index = builder.getIndexType();
  rows = builder.createOrFold<memref::DimOp>(loc, store.getD(), 0);
  columns = builder.createOrFold<memref::DimOp>(loc, store.getD(), 1);
  lane = gpu::LaneIdOp::create(builder, loc, index, /*upper_bound=*/nullptr);
  Value warp = emitWarpOfStore(builder, store);
  warpLane = mul(warp, 32);
  // Layout F (M = 64) keeps 16 rows in each quarter of the lanes, layout B
  // (folded) has all 64 in each half of them, of which the second holds the
  // columns on the right.
  firstColumn = store.getN();
  if (reader.getHalves() == 2) {
    Value half = arith::DivUIOp::create(builder, loc, warp, constant(2));
    firstColumn = add(firstColumn, mul(half, reader.getCellColumns()));
    Value quarter = arith::RemUIOp::create(builder, loc, warp, constant(2));
    warpRow = add(store.getM(), mul(quarter, 32));
  } else {
    Value place = warp;
    if (int64_t along = reader.getWarpsN(); along > 1) {
      place = arith::DivUIOp::create(builder, loc, warp, constant(along));
      Value aside = arith::RemUIOp::create(builder, loc, warp, constant(along));
      firstColumn = add(firstColumn, mul(aside, reader.getCellColumns()));
    }
    warpRow = add(store.getM(), mul(place, reader.getRowsOfWarp()));
  }
  operands.load(builder, store, firstColumn);
  // Of registers, whose numbers are known, as many columns as there are whole
  // steps, and then the others.
  int64_t all = reader.getCellColumns(), whole = all;
  if (reader.isInRegisters() && all > kStepColumns)
    whole = all / kStepColumns * kStepColumns;
  emitColumns(0, whole);
  emitColumns(whole, all);
  store.erase();
}

/// Writes the columns of this warp from `first` to `end`.
void Epilogue::emitColumns(int64_t first, int64_t end) {
  if (first == end)
    return;
  stepColumns = kStepColumns;
  while ((end - first) % stepColumns != 0)
    stepColumns /= 2;
  Type element = type.getElementType();
  int64_t vectorBytes =
      getVectorElements(shape, element) * element.getIntOrFloatBitWidth() / 8;
  bool exchanges = canExchange(), shifts = canShift();
  // Operands of an epilogue are read where the tile is whole.
  guarded = exchanges && hasWidePieces(type) && epilogue.isRounding();
  wholeTile = emitWholeTileCheck(exchanges ? 16 : vectorBytes);
  reader.forColumns(builder, loc, first, end, stepColumns, [&](Value column) {
    SmallVector<Segment> segments = emitLoads(column);
    auto forEach = [&](void (Epilogue::*write)(const Segment &)) {
      for (const Segment &segment : segments)
        (this->*write)(segment);
    };
    if (!wholeTile)
      return forEach(&Epilogue::emitScalars);
    Value condition = wholeTile;
    if (shifts)
      condition = compare(arith::CmpIPredicate::ule,
                          add(add(firstColumn, column), constant(stepColumns)),
                          columns);
    auto choice =
        scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    if (shifts)
      emitShifted(segments);
    else if (exchanges)
      emitExchanged(segments, column);
    else
      forEach(&Epilogue::emitVectors);
    builder.setInsertionPointToStart(choice.elseBlock());
    forEach(&Epilogue::emitScalars);
  });
}

class LowerEpiloguePass
    : public bwgemm::impl::LowerEpilogueBase<LowerEpiloguePass> {
public:
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      TmemShape shape =
          schedule ? schedule.getTmemLoad() : TmemShape::Shape32x32b;
      int64_t staging =
          schedule ? schedule.getStaging() : ScheduleFields().staging;
      SmallVector<StoreOp> staged;
      for (StoreOp store : findStores(kernel))
        if (store.getMap())
          staged.push_back(store);
      StagingPlace place;
      place.isRepeated = staged.size() > 1;
      for (StoreOp store : staged)
        lowerStagedStore(store, shape, staging, place);
      for (StoreOp store : findStores(kernel))
        Epilogue(store, shape).emit();
    });
  }

private:
  static SmallVector<StoreOp> findStores(gpu::GPUFuncOp kernel) {
    SmallVector<StoreOp> stores;
    kernel.walk([&](StoreOp store) {
      if (isa<TmemType, FragmentType>(store.getAcc().getType()))
        stores.push_back(store);
    });
    return stores;
  }
};

} // namespace
