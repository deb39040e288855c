//===- MmaSyncOps.cpp - Verifiers of cp.async, ldmatrix and mma.sync ------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult AlignedOp::verify() {
  // aligned_c1
  auto type = cast<MemRefType>(getSource().getType());
  if (type.getRank() != 2 || !type.isLastDimUnitStride())
    return emitOpError() << "expects a matrix with contiguous rows, but got "
                         << type;
  // aligned_c2
  auto bytes = static_cast<int64_t>(getBytes());
  if (bytes < 1 || bytes > 16 || !llvm::isPowerOf2_64(bytes))
    return emitOpError() << "expects 1, 2, 4, 8 or 16 bytes, but got " << bytes;
  return success();
}

/// What bwgemm.copy_tile and bwgemm.cp_async have in common: where they copy
/// from, into what, and how many bytes at once.
static LogicalResult verifyThreadCopy(Operation *op, MemRefType source,
                                      OperandRange coordinates, SmemType tile,
                                      int64_t bytes) {
  // thread_copy_c1
  if (source.getRank() != 2 || coordinates.size() != 2)
    return op->emitOpError()
           << "expects a matrix and two coordinates, but got rank "
           << source.getRank() << " and " << coordinates.size()
           << " coordinates";
  // thread_copy_c2
  if (source.getElementType() != getMemoryType(tile.getElementType()))
    return op->emitOpError()
           << "expects a tile of the source's element type ("
           << source.getElementType() << "), but got " << tile.getElementType();
  // thread_copy_c3: PTX ISA, cp.async, cp-size; the swizzle keeps 16 bytes
  // together.
  if (bytes != 4 && bytes != 8 && bytes != 16 &&
      bytes != tile.getElementBytes())
    return op->emitOpError() << "expects to copy 4, 8 or 16 bytes at once, or "
                                "one element, but got "
                             << bytes;
  // thread_copy_c4: rows of one element each need no contiguous source.
  if (bytes != tile.getElementBytes() && !source.isLastDimUnitStride())
    return op->emitOpError()
           << "expects a source with contiguous rows for copies of " << bytes
           << " bytes, but got " << source;
  return success();
}

LogicalResult CopyTileOp::verify() {
  SmemType tile = getTile().getType();
  if (failed(verifyThreadCopy(*this, cast<MemRefType>(getSource().getType()),
                              getCoordinates(), tile,
                              static_cast<int64_t>(getBytes()))))
    return failure();
  // copy_tile_c1
  if (tile.hasStages() != bool(getStage()))
    return emitOpError() << "expects "
                         << (tile.hasStages() ? "a stage" : "no stage")
                         << " for a tile of " << tile;
  // copy_tile_c2
  if (std::optional<ArrayRef<int64_t>> part = getPart();
      part && (part->size() != 2 || (*part)[0] < 0 || (*part)[0] >= (*part)[1]))
    return emitOpError() << "expects the number of a part and that of all "
                            "parts, [0, 3] for the first of three, but got ["
                         << *part << "]";
  // copy_tile_c3
  if (getWhole() && getEnd())
    return emitOpError("expects no end of K for a whole tile");
  return success();
}

LogicalResult CpAsyncOp::verify() {
  SmemType tile = getTile().getType();
  auto bytes = static_cast<int64_t>(getBytes());
  if (failed(verifyThreadCopy(*this, cast<MemRefType>(getSource().getType()),
                              getCoordinates(), tile, bytes)))
    return failure();
  int64_t along = bytes / tile.getElementBytes();
  bool kMajor = tile.getMajor() == Major::K;
  int64_t rows = kMajor ? 1 : along, columns = kMajor ? along : 1;
  return verifyOrigin(*this, tile, getOrigin(), rows, columns, rows, columns);
}

LogicalResult LdMatrixOp::verify() {
  SmemType tile = getTile().getType();
  OperandType operand = getOperand().getType();
  // ldmatrix_c1
  if (tile.getElementType() != operand.getElementType())
    return emitOpError() << "expects an operand of the tile's element type ("
                         << tile.getElementType() << "), but got "
                         << operand.getElementType();
  // ldmatrix_c2: a row of a matrix is 16 bytes that a swizzle keeps together.
  if (!tile.getSwizzle().isHardwareMode())
    return emitOpError() << "expects a swizzle of 16-byte chunks (none, 32B, "
                            "64B or 128B), but got "
                         << tile.getSwizzle().getName();
  return verifyOrigin(*this, tile, getOrigin(), operand.getRows(),
                      operand.getColumns(), /*rowStep=*/8,
                      /*columnStep=*/operand.getColumns());
}

LogicalResult MmaSyncOp::verify() {
  FragmentType acc = getAcc().getType();
  OperandType a = getA().getType(), b = getB().getType();
  Type sum = acc.getElementType();
  // mma_sync_c4: PTX ISA, mma.m16n8k16, types of D and C.
  if (sum.isF16()) {
    for (Type element : {a.getElementType(), b.getElementType()})
      if (!element.isF16())
        return emitOpError() << "expects operands of f16 for an accumulator of "
                                "f16, but got "
                             << element;
    sum = getSumType(a.getElementType());
  }
  if (failed(verifyProduct(*this, a.getElementType(), b.getElementType(), sum)))
    return failure();
  // mma_sync_c3
  if (a.getSide() != OperandSide::A || b.getSide() != OperandSide::B)
    return emitOpError() << "expects an operand of a and one of b, but got "
                         << a << " and " << b;
  // mma_sync_c2
  if (a.getRows() != acc.getWarpRows() || b.getRows() != acc.getWarpColumns())
    return emitOpError() << "expects operands of " << acc.getWarpRows()
                         << " and " << acc.getWarpColumns()
                         << " rows, those of a warp's part of the accumulator, "
                            "but got "
                         << a.getRows() << " and " << b.getRows();
  return success();
}

LogicalResult FragmentExtendOp::verify() {
  FragmentType from = getFragment().getType(), to = getResult().getType();
  // fragment_extend_c1
  if (!from.getElementType().isF16() || !to.getElementType().isF32())
    return emitOpError() << "expects to make f32 of f16, but got "
                         << to.getElementType() << " of "
                         << from.getElementType();
  // fragment_extend_c2
  if (from.getRows() != to.getRows() || from.getColumns() != to.getColumns() ||
      from.getWarpsM() != to.getWarpsM() || from.getWarpsN() != to.getWarpsN())
    return emitOpError() << "expects the same elements in the same warps, but "
                            "got "
                         << from << " and " << to;
  return success();
}
