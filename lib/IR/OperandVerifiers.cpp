//===- OperandVerifiers.cpp - Rules that several ops share ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"

#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult bwgemm::verifyBoxFillsTile(Operation *op, TensorMapType map,
                                         SmemType tile) {
  // box_c1
  if (map.getElementType() != tile.getElementType())
    return op->emitOpError()
           << "expects the tile's element type to be the map's ("
           << map.getElementType() << "), but got " << tile.getElementType();
  // box_c2
  if (map.getSwizzle() != tile.getSwizzle())
    return op->emitOpError() << "expects the tile's swizzle to be the map's ("
                             << map.getSwizzle().getName() << "), but got "
                             << tile.getSwizzle().getName();
  ArrayRef<int64_t> box = map.getShape();
  // box_c3
  if (box.size() != 2)
    return op->emitOpError()
           << "expects a box of 2 dimensions, but got " << box.size();
  // box_c4: a narrower box would leave gaps, since TMA pads rows to the span.
  if (box[1] != tile.getRowElements())
    return op->emitOpError()
           << "expects a box row of " << tile.getRowElements()
           << " elements, one row of the tile's columns, but got " << box[1];
  // box_c5
  if (tile.getRows() % box[0] != 0 || box[0] % 8 != 0)
    return op->emitOpError()
           << "expects box rows that are a multiple of 8 and divide the tile's "
           << tile.getRows() << " rows, but got " << box[0];
  return success();
}

LogicalResult bwgemm::verifyCopy(Operation *op, TensorMapType map,
                                 OperandRange coordinates, SmemType tile,
                                 OperandRange origin) {
  // copy_c1
  if (coordinates.size() != map.getShape().size())
    return op->emitOpError() << "expects one coordinate for each of the map's "
                             << map.getShape().size() << " dimensions, but got "
                             << coordinates.size();
  // copy_c2
  size_t originRank = tile.hasStages() ? 3 : 2;
  if (origin.size() != originRank)
    return op->emitOpError()
           << "expects an origin of " << originRank
           << " coordinates in the tile, but got " << origin.size();
  if (failed(verifyBoxFillsTile(op, map, tile)))
    return failure();
  // copy_c3: a box begins at the first element of a row of a column.
  bool kMajor = tile.getMajor() == Major::K;
  for (auto [index, value] : llvm::enumerate(origin)) {
    IntegerAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      continue;
    int64_t position = constant.getValue().getSExtValue();
    int64_t extent = tile.getShape()[index];
    if (position < 0 || position >= extent)
      return op->emitOpError() << "expects an origin within the tile's extent "
                               << "of " << extent << ", but got " << position;
    bool isK = index + 1 == originRank, isStage = index + 2 < originRank;
    if (isStage)
      continue;
    int64_t step = isK == kMajor ? tile.getRowElements() : map.getShape()[0];
    if (position % step != 0)
      return op->emitOpError()
             << "expects an origin that is a multiple of the "
             << "box's extent of " << step << ", but got " << position;
  }
  return success();
}

LogicalResult bwgemm::verifyOrigin(Operation *op, SmemType tile,
                                   OperandRange origin, int64_t rows,
                                   int64_t columns, int64_t rowStep,
                                   int64_t columnStep) {
  // origin_c1
  ArrayRef<int64_t> shape = tile.getShape();
  if (origin.size() != shape.size())
    return op->emitOpError()
           << "expects an origin of " << shape.size()
           << " coordinates in the tile, but got " << origin.size();
  SmallVector<int64_t> extents(shape.size() - 2, 1), steps(extents);
  extents.append({rows, columns});
  steps.append({rowStep, columnStep});
  for (auto [value, room, extent, step] :
       llvm::zip_equal(origin, shape, extents, steps)) {
    // origin_c2
    if (extent > room)
      return op->emitOpError() << "expects a tile of at least " << extent
                               << " elements along each mode it touches, but "
                               << "got " << room;
    IntegerAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      continue;
    // origin_c3
    int64_t position = constant.getValue().getSExtValue();
    if (position < 0 || position > room - extent || position % step != 0)
      return op->emitOpError()
             << "expects an origin of 0 to " << room - extent
             << " that is a multiple of " << step << ", but got " << position;
  }
  return success();
}

LogicalResult bwgemm::verifyTileWrite(Operation *op, SmemType tile,
                                      OperandRange origin, Type elementType,
                                      int64_t rows, int64_t columns,
                                      int64_t rowStep, int64_t columnStep) {
  // tile_write_c1
  if (tile.getElementType() != elementType)
    return op->emitOpError() << "expects a tile of " << elementType
                             << ", but got " << tile.getElementType();
  // tile_write_c2
  if (tile.getMajor() != Major::K)
    return op->emitOpError("expects a tile that is k_major, but got mn_major");
  return verifyOrigin(op, tile, origin, rows, columns, rowStep, columnStep);
}

LogicalResult bwgemm::verifyInstructionTiles(Operation *op, SmemType a,
                                             SmemType b) {
  // instruction_tiles_c1: one instruction covers 32 bytes of K.
  int64_t instructionK = 32 / a.getElementBytes();
  if (a.getK() % instructionK != 0)
    return op->emitOpError()
           << "expects K to be a multiple of " << instructionK << " for "
           << a.getElementType() << ", but got " << a.getK();
  for (SmemType tile : {a, b}) {
    // instruction_tiles_c2
    if (!tile.getSwizzle().isHardwareMode())
      return op->emitOpError() << "expects a swizzle that matrix descriptors "
                                  "know (none, 32B, 64B "
                                  "or 128B), but got "
                               << tile.getSwizzle().getName();
    // instruction_tiles_c3
    if (tile.hasStages())
      return op->emitOpError() << "expects operand tiles of one stage, but got "
                               << tile.getStages();
  }
  return success();
}

LogicalResult bwgemm::verifyProduct(Operation *op, Type a, Type b, Type sum) {
  // product_c1
  if (!isOperandPair(a, b))
    return op->emitOpError()
           << "expects A and B of one element type, or both of 8-bit floats or "
              "both of 8-bit integers, but got "
           << a << " and " << b;
  // product_c2
  if (!isOperandType(a))
    return op->emitOpError()
           << "expects operands of " << kOperandTypes << ", but got " << a;
  // product_c3
  if (sum != getSumType(a))
    return op->emitOpError() << "expects an accumulator of " << getSumType(a)
                             << " for operands of " << a << ", but got " << sum;
  return success();
}

LogicalResult bwgemm::verifyMmaOperands(Operation *op, int64_t rows,
                                        int64_t columns, Type sum, SmemType a,
                                        SmemType b, int64_t ctaGroup) {
  if (failed(verifyProduct(op, a.getElementType(), b.getElementType(), sum)))
    return failure();
  // mma_operands_c3
  if (a.getK() != b.getK())
    return op->emitOpError() << "expects A and B to agree on K, but got "
                             << a.getK() << " and " << b.getK();
  // mma_operands_c4
  int64_t expected = b.getMN() * ctaGroup;
  if (a.getMN() != rows || expected != columns)
    return op->emitOpError()
           << "expects an accumulator of " << a.getMN() << "x" << expected
           << " for these operands, but got " << rows << "x" << columns;
  return success();
}

LogicalResult bwgemm::verifyCtaGroup(Operation *op, int64_t ctaGroup) {
  if (ctaGroup != 1 && ctaGroup != 2)
    return op->emitOpError()
           << "expects a cta_group of 1 or 2, but got " << ctaGroup;
  return success();
}

LogicalResult bwgemm::verifyCluster(Operation *op, ArrayRef<int64_t> cluster) {
  if (cluster.size() != 2)
    return op->emitOpError()
           << "expects a cluster of two extents (M and N), but got "
           << cluster.size();
  int64_t m = cluster[0], n = cluster[1];
  if (m < 1 || n < 1 || m > kMaxClusterSize || n > kMaxClusterSize ||
      m * n > kMaxClusterSize)
    return op->emitOpError() << "expects a cluster of 1 to " << kMaxClusterSize
                             << " CTAs, but got " << m << "x" << n;
  return success();
}

LogicalResult bwgemm::verifyBarrierIndex(Operation *op, MBarrierType barriers,
                                         Value index) {
  IntegerAttr constant;
  if (!matchPattern(index, m_Constant(&constant)))
    return success();
  int64_t value = constant.getValue().getSExtValue();
  if (value < 0 || value >= barriers.getCount())
    return op->emitOpError()
           << "expects an index of 0 to " << barriers.getCount() - 1
           << ", but got " << value;
  return success();
}

LogicalResult bwgemm::verifyOffset(Operation *op,
                                   std::optional<uint64_t> offset,
                                   int64_t alignment, int64_t bytes) {
  if (!offset)
    return success();
  auto value = static_cast<int64_t>(*offset);
  if (value < 0 || value % alignment != 0)
    return op->emitOpError() << "expects an offset that is a multiple of "
                             << alignment << " bytes, but got " << value;
  if (value > kMaxSharedBytes - bytes)
    return op->emitOpError()
           << "expects an offset of at most " << kMaxSharedBytes - bytes
           << ", so that its " << bytes << " bytes end within shared memory ("
           << kMaxSharedBytes << "), but got " << value;
  return success();
}
