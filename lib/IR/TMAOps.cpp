//===- TMAOps.cpp - Verifiers of TMA ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult TMALoadOp::verify() {
  TensorMapType map = getMap().getType();
  SmemType tile = getTile().getType();
  // tma_load_c1
  if (getCoordinates().size() != map.getShape().size())
    return emitOpError() << "expects one coordinate for each of the map's "
                         << map.getShape().size() << " dimensions, but got "
                         << getCoordinates().size();
  // tma_load_c2
  size_t originRank = tile.hasStages() ? 3 : 2;
  if (getOrigin().size() != originRank)
    return emitOpError() << "expects an origin of " << originRank
                         << " coordinates in the tile, but got "
                         << getOrigin().size();
  if (failed(verifyBoxFillsTile(*this, map, tile)))
    return failure();
  // tma_load_c3: a box begins at the first element of a row of a column.
  bool kMajor = tile.getMajor() == Major::K;
  for (auto [index, value] : llvm::enumerate(getOrigin())) {
    IntegerAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      continue;
    int64_t position = constant.getValue().getSExtValue();
    int64_t extent = tile.getShape()[index];
    if (position < 0 || position >= extent)
      return emitOpError() << "expects an origin within the tile's extent of "
                           << extent << ", but got " << position;
    bool isK = index + 1 == originRank, isStage = index + 2 < originRank;
    if (isStage)
      continue;
    int64_t step = isK == kMajor ? tile.getRowElements() : map.getShape()[0];
    if (position % step != 0)
      return emitOpError() << "expects an origin that is a multiple of the "
                           << "box's extent of " << step << ", but got "
                           << position;
  }
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}
