//===- TileCoord.cpp - Which tile a number stands for ---------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here is searched or looped over: every order is arithmetic on the
// number, with as many steps as there are bits in the side of a square for
// Hilbert's curve.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// A place in a grid of tiles.
struct Place {
  Value row, column;
};

/// Emits the places of tiles in one order.
class Walk {
public:
  Walk(OpBuilder &builder, Location loc, TileOrder order, int64_t raster)
      : builder(builder), loc(loc), order(order), raster(raster) {}

  /// The place of tile `number` in a grid of `columns` columns. `rows`, which
  /// is not called for a raster of 1, gives its number of rows.
  Place emit(Value number, Value columns, function_ref<Value()> rows);

private:
  Value constant(int64_t value) { return constantIndex(builder, loc, value); }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  Value div(Value lhs, Value rhs) {
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
  Value rem(Value lhs, Value rhs) {
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  /// Whether bit `bit` of `value` is set.
  Value test(Value value, int64_t bit) {
    Value masked =
        arith::AndIOp::create(builder, loc, value, constant(int64_t(1) << bit));
    return compare(arith::CmpIPredicate::ne, masked, constant(0));
  }
  /// `place` of `count`, counted from the other end where `turn` is odd.
  Value emitTurned(Value place, Value count, Value turn) {
    return select(test(turn, 0), sub(sub(count, constant(1)), place), place);
  }
  Place emitCurve(Value number);

  OpBuilder &builder;
  Location loc;
  TileOrder order;
  int64_t raster;
};

/// The place of `number` on Hilbert's curve through a square of `raster` rows,
/// from the first column of its first row to the last column of that row.
Place Walk::emitCurve(Value number) {
  Place place{constant(0), constant(0)};
  // Two bits of the number say which quarter of the next larger square it is
  // in: down the left side, and up the right one. The curves of the first and
  // the last quarter lie on their sides.
  for (int64_t level = 0, levels = llvm::Log2_64(raster); level < levels;
       ++level) {
    Value low = test(number, 2 * level), right = test(number, 2 * level + 1);
    Value down = arith::XOrIOp::create(builder, loc, low, right);
    Value side = constant(int64_t(1) << level);
    if (level > 0) {
      Value most = constant((int64_t(1) << level) - 1);
      // Of an upper quarter rows and columns are exchanged, and both counted
      // from the far end in the right one.
      Value row = select(right, sub(most, place.column), place.column);
      Value column = select(right, sub(most, place.row), place.row);
      place = {select(down, place.row, row),
               select(down, place.column, column)};
    }
    place = {select(down, add(place.row, side), place.row),
             select(right, add(place.column, side), place.column)};
  }
  return place;
}

Place Walk::emit(Value number, Value columns, function_ref<Value()> rows) {
  if (raster == 1) {
    Value row = div(number, columns), column = rem(number, columns);
    if (order != TileOrder::Straight)
      column = emitTurned(column, columns, row);
    return {row, column};
  }
  Value extent = constant(raster);
  Value perGroup = mul(columns, extent);
  Value group = div(number, perGroup), within = rem(number, perGroup);
  Value first = mul(group, extent);
  Value left = sub(rows(), first);
  Value height = arith::MinUIOp::create(builder, loc, left, extent);
  Place place{rem(within, height), div(within, height)};
  if (order != TileOrder::Straight)
    place.row = emitTurned(place.row, height, place.column);
  if (order == TileOrder::Hilbert) {
    Value perSquare = constant(raster * raster);
    Value start = mul(div(within, perSquare), extent);
    Place curve = emitCurve(rem(within, perSquare));
    // Where a square is not whole its columns are walked one by one.
    Value isHigh = compare(arith::CmpIPredicate::eq, height, extent);
    Value isWide =
        compare(arith::CmpIPredicate::ule, add(start, extent), columns);
    Value isWhole = arith::AndIOp::create(builder, loc, isHigh, isWide);
    place = {select(isWhole, curve.row, place.row),
             select(isWhole, add(start, curve.column), place.column)};
  }
  if (order != TileOrder::Straight)
    place.column = emitTurned(place.column, columns, group);
  return {add(first, place.row), place.column};
}

struct TileCoordLowering : OpConversionPattern<TileCoordOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TileCoordOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // Of a cluster, the tile of all its CTAs.
    auto [clusterM, clusterN] = op.getClusterShape();
    Value tileM = constantIndex(rewriter, loc, op.getTileM() * clusterM);
    Value tileN = constantIndex(rewriter, loc, op.getTileN() * clusterN);
    Value number = adaptor.getTile();
    if (!number) {
      number = gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x);
      if (int64_t size = op.getClusterSize(); size > 1)
        number = arith::DivUIOp::create(rewriter, loc, number,
                                        constantIndex(rewriter, loc, size));
    }
    Value columns = rewriter.createOrFold<arith::CeilDivUIOp>(
        loc, adaptor.getColumns(), tileN);
    Walk walk(rewriter, loc, op.getOrder(),
              static_cast<int64_t>(op.getRaster()));
    Place place = walk.emit(number, columns, [&] {
      return rewriter.createOrFold<arith::CeilDivUIOp>(loc, adaptor.getRows(),
                                                       tileM);
    });
    Value m = arith::MulIOp::create(rewriter, loc, place.row, tileM);
    Value n = arith::MulIOp::create(rewriter, loc, place.column, tileN);
    Value rank;
    // This CTA's tile within that of its cluster.
    auto advance = [&](Value origin, int64_t extent, int64_t tile,
                       auto getPlace) -> Value {
      if (extent == 1)
        return origin;
      if (!rank)
        rank = gpu::ClusterBlockIdOp::create(rewriter, loc, gpu::Dimension::x);
      Value offset = arith::MulIOp::create(rewriter, loc, getPlace(),
                                           constantIndex(rewriter, loc, tile));
      return arith::AddIOp::create(rewriter, loc, origin, offset);
    };
    Value along = constantIndex(rewriter, loc, clusterM);
    m = advance(m, clusterM, op.getTileM(), [&]() -> Value {
      return arith::RemUIOp::create(rewriter, loc, rank, along);
    });
    n = advance(n, clusterN, op.getTileN(), [&]() -> Value {
      return arith::DivUIOp::create(rewriter, loc, rank, along);
    });
    rewriter.replaceOp(op, {m, n});
    return success();
  }
};

} // namespace

void bwgemm::populateTileCoordPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<TileCoordLowering>(converter, patterns.getContext());
}
