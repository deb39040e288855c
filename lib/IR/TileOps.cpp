//===- TileOps.cpp - Verifiers of the synchronous tile program ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/Epilogue.h"
#include "bwgemm/IR/TargetInfo.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult TileCoordOp::verify() {
  // tile_coord_c1
  auto tileM = static_cast<int64_t>(getTileM());
  auto tileN = static_cast<int64_t>(getTileN());
  for (int64_t extent : {tileM, tileN})
    if (extent < 1 || extent > kMaxTileExtent)
      return emitOpError() << "expects tile extents of 1 to " << kMaxTileExtent
                           << ", but got " << tileM << " x " << tileN;
  // tile_coord_c2
  auto raster = static_cast<int64_t>(getRaster());
  if (raster < 1 || raster > kMaxTileExtent)
    return emitOpError() << "expects a raster of 1 to " << kMaxTileExtent
                         << " rows of tiles, but got " << raster;
  // tile_coord_c3
  if (raster != 1 && !getRows())
    return emitOpError("expects the rows of the result for a raster");
  // tile_coord_c5
  if (getOrder() == TileOrder::Hilbert && !isHilbertRaster(raster))
    return emitOpError() << "expects a raster that is a power of two, 2 at "
                            "least, for order hilbert, but got "
                         << raster;
  // tile_coord_c4
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster())
    return verifyCluster(*this, *cluster);
  return success();
}

LogicalResult LoadOp::verify() {
  SmemType tile = getTile().getType();
  if (auto matrix = dyn_cast<MemRefType>(getSource().getType())) {
    // load_c3
    if (matrix.getRank() != 2 || getCoordinates().size() != 2)
      return emitOpError() << "expects a matrix and two coordinates, but got "
                              "rank "
                           << matrix.getRank() << " and "
                           << getCoordinates().size() << " coordinates";
    // load_c4
    if (matrix.getElementType() != getMemoryType(tile.getElementType()))
      return emitOpError() << "expects a tile of the matrix's element type ("
                           << matrix.getElementType() << "), but got "
                           << tile.getElementType();
    // load_c2
    if (tile.hasStages())
      return emitOpError() << "expects a tile of one stage, but got "
                           << tile.getStages();
    return success();
  }
  TensorMapType map = getMap().getType();
  // load_c1
  if (getCoordinates().size() != map.getShape().size())
    return emitOpError() << "expects one coordinate for each of the map's "
                         << map.getShape().size() << " dimensions, but got "
                         << getCoordinates().size();
  // load_c2
  if (tile.hasStages())
    return emitOpError() << "expects a tile of one stage, but got "
                         << tile.getStages();
  return verifyBoxFillsTile(*this, map, tile);
}

LogicalResult MmaOp::verify() {
  AccType acc = getAcc().getType();
  SmemType a = getA().getType(), b = getB().getType();
  // mma_c1
  if (a.hasStages() || b.hasStages())
    return emitOpError("expects operand tiles of one stage");
  return verifyMmaOperands(*this, acc.getRows(), acc.getColumns(),
                           acc.getElementType(), a, b);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value acc,
                    Value d, Value m, Value n, Value map, bool accumulate) {
  build(builder, state, acc, d, m, n, map, /*extras=*/ValueRange(), accumulate,
        /*epilogueMaps=*/ArrayAttr());
}

StoreOp StoreOp::cloneFor(OpBuilder &builder, Value acc) {
  auto clone = cast<StoreOp>(builder.clone(*getOperation()));
  clone.getAccMutable().assign(acc);
  return clone;
}

Type StoreOp::getSumType() {
  Type type = getAcc().getType();
  if (auto acc = dyn_cast<AccType>(type))
    return acc.getElementType();
  if (auto fragment = dyn_cast<FragmentType>(type))
    return fragment.getElementType();
  return cast<TmemType>(type).getElementType();
}

LogicalResult StoreOp::verify() {
  auto type = cast<MemRefType>(getD().getType());
  // store_c10
  if (auto teams = static_cast<int64_t>(getTeams());
      teams != 1 && (teams != 2 || !isa<FragmentType>(getAcc().getType())))
    return emitOpError() << "expects one team, or two of an accumulator in "
                            "registers, but got "
                         << teams << " of " << getAcc().getType();
  // store_c1
  if (type.getRank() != 2)
    return emitOpError() << "expects a matrix (rank 2), but got rank "
                         << type.getRank();
  // store_c2
  Type element = type.getElementType(), sum = getSumType();
  // store_c9
  if (sum.isF16())
    return emitOpError() << "expects sums of f32 or i32, but got f16, of which "
                            "bwgemm.fragment_extend makes f32";
  if (sum.isInteger() && !hasEpilogue() && element != sum)
    return emitOpError() << "expects i32 in memory for sums of i32, but got "
                         << element << "; an epilogue may convert";
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !(sum.isInteger() && element == sum))
    return emitOpError() << "expects f32, f16 or bf16"
                         << (sum.isInteger() ? " or i32" : "")
                         << " in memory, but got " << element;
  // store_c8
  if (getAccumulate() && sum.isInteger() && element != sum)
    return emitOpError() << "expects i32 in memory for sums of i32 that are "
                            "added to it, but got "
                         << element;
  if (failed(verifyEpilogue(*this, getExtras(), getEpilogueMapsAttr(),
                            getEpilogue(), type, sum)))
    return failure();
  if (!getMap())
    return success();
  TensorMapType map = getMap().getType();
  // store_c3
  if (getAccumulate())
    return emitOpError("expects no map for a store that accumulates");
  // store_c4
  if (map.getElementType() != element)
    return emitOpError() << "expects a map of " << element << ", but got "
                         << map.getElementType();
  // Warpgroups, of 64 rows each, store for themselves; whether an accumulator
  // becomes theirs is not known before it has a place.
  constexpr int64_t warpgroupRows = 64;
  int64_t rows, columns;
  bool ofWarpgroup = false;
  if (auto acc = dyn_cast<AccType>(getAcc().getType())) {
    rows = acc.getRows();
    columns = acc.getColumns();
    ofWarpgroup =
        rows % warpgroupRows == 0 && map.getShape().front() == warpgroupRows;
  } else if (auto fragment = dyn_cast<FragmentType>(getAcc().getType())) {
    rows = std::min(fragment.getRows(), warpgroupRows);
    columns = fragment.getColumns();
  } else {
    auto tmem = cast<TmemType>(getAcc().getType());
    rows = tmem.getRows();
    // Slices lie side by side in tensor memory.
    columns = tmem.getCellColumns();
  }
  // store_c5
  ArrayRef<int64_t> box = map.getShape();
  if (ofWarpgroup)
    rows = warpgroupRows;
  if (box.size() != 2 || box[0] != rows || columns % box[1] != 0)
    return emitOpError() << "expects a box of " << rows
                         << " rows whose columns divide the accumulator's "
                         << columns << ", but got " << map;
  // store_c6
  int64_t rowBytes = map.getSwizzle().getRowBytes();
  if (box[1] * map.getElementBytes() != rowBytes)
    return emitOpError() << "expects box rows of " << rowBytes
                         << " bytes, one row of the map's swizzle, but got "
                         << box[1] * map.getElementBytes();
  // store_c7: staging tiles have whole groups of 8 rows, and fragments 16.
  if (rows % 64 != 0 || rows > 128)
    return emitOpError() << "expects an accumulator of 64 or 128 rows, but got "
                         << rows;
  return success();
}
