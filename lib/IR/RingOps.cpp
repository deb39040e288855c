//===- RingOps.cpp - Verifiers of rings and roles ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult RingOp::verify() {
  // ring_c1: PTX ISA, mbarrier: the expected arrival count.
  constexpr int64_t maxCount = (1 << 20) - 1;
  for (int64_t count : {static_cast<int64_t>(getCommits()),
                        static_cast<int64_t>(getReleases())})
    if (count < 1 || count > maxCount)
      return emitOpError() << "expects 1 to " << maxCount
                           << " commits and releases, but got " << count;
  // ring_c3
  if (getCluster() && !getRing().getType().isWork())
    return emitOpError() << "expects responses of launch control in a ring of "
                            "a cluster, but got "
                         << getRing().getType();
  // ring_c2
  return verifyCtaGroup(*this, static_cast<int64_t>(getCtaGroup()));
}

LogicalResult RingSlotOp::verify() {
  RingType ring = getRing().getType();
  // ring_slot_c1
  if (!llvm::equal(getBuffers().getTypes(), ring.getBuffers())) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "expects the ring's buffers, (";
    llvm::interleaveComma(ring.getBuffers(), diagnostic);
    diagnostic << "), but got (";
    llvm::interleaveComma(getBuffers().getTypes(), diagnostic);
    return diagnostic << ")";
  }
  // ring_slot_c2
  if (ring.isTensorMemory() != bool(getTensor()))
    return emitOpError() << "expects tensor memory for slots that are "
                            "accumulators, and for no others";
  if (!getTensor())
    return success();
  auto slot = cast<TmemType>(ring.getBuffers().front());
  TmemType tensor = getTensor().getType();
  int64_t columns = slot.getColumns() * ring.getStages();
  // ring_slot_c3
  if (tensor.getRows() != slot.getRows() || tensor.getColumns() < columns ||
      tensor.getFolded() != slot.getFolded())
    return emitOpError() << "expects tensor memory of " << slot.getRows()
                         << " rows" << (slot.getFolded() ? ", folded," : "")
                         << " and at least " << columns << " columns for "
                         << ring.getStages() << " accumulators, but got "
                         << tensor;
  return success();
}

// ring_full_c1
LogicalResult RingFullOp::verify() {
  int64_t stages = getRing().getType().getStages();
  int64_t count = getBarriers().getType().getCount();
  if (count != stages)
    return emitOpError() << "expects " << stages
                         << " mbarriers, one for each slot, but got " << count;
  return success();
}

LogicalResult RingCommitOp::verify() {
  RingType ring = getRing().getType();
  // ring_commit_c1
  if (getBy() == Agent::Tma && ring.isTensorMemory())
    return emitOpError() << "expects a slot in shared memory for TMA, but got "
                         << ring;
  // ring_commit_c3
  if (getBy() == Agent::Warp && !ring.isTurns())
    return emitOpError("expects commit by tma, mma or thread, but got warp");
  // ring_commit_c4
  if (getBy() == Agent::Tma && ring.isTurns())
    return emitOpError() << "expects a slot with buffers for TMA, but got "
                         << ring;
  // ring_commit_c2
  if (getMask() && getBy() != Agent::Mma)
    return emitOpError() << "expects a commit by mma to other CTAs, but got "
                         << stringifyAgent(getBy());
  return success();
}

LogicalResult RingReleaseOp::verify() {
  // ring_release_c2
  if (getMask() && getBy() != Agent::Mma && getBy() != Agent::Warp)
    return emitOpError() << "expects a release by mma or warp to other CTAs, "
                            "but got "
                         << stringifyAgent(getBy());
  // ring_release_c1
  if (getBy() == Agent::Tma)
    return emitOpError()
           << "expects release by mma, thread or warp, but got tma";
  return success();
}

LogicalResult SmemSliceOp::verify() {
  SmemType tiles = getTiles().getType(), tile = getTile().getType();
  // smem_slice_c1
  if (!tiles.hasStages())
    return emitOpError() << "expects tiles with stages, but got " << tiles;
  // smem_slice_c2
  auto expected =
      SmemType::get(tiles.getShape().drop_front(), tiles.getElementType(),
                    tiles.getMajor(), tiles.getSwizzle());
  if (tile != expected)
    return emitOpError() << "expects a stage of type " << expected
                         << ", but got " << tile;
  // smem_slice_c3
  IntegerAttr constant;
  if (matchPattern(getStage(), m_Constant(&constant))) {
    int64_t stage = constant.getValue().getSExtValue();
    if (stage < 0 || stage >= tiles.getStages())
      return emitOpError() << "expects a stage of 0 to "
                           << tiles.getStages() - 1 << ", but got " << stage;
  }
  return success();
}

LogicalResult TmemSliceOp::verify() {
  TmemType tensor = getTensor().getType(), part = getPart().getType();
  // tmem_slice_c1
  if (part.getRows() != tensor.getRows() ||
      part.getColumns() > tensor.getColumns() ||
      part.getFolded() != tensor.getFolded() ||
      part.getElementType() != tensor.getElementType())
    return emitOpError() << "expects a part with the rows of " << tensor
                         << " and at most its columns, but got " << part;
  // tmem_slice_c2
  IntegerAttr constant;
  if (matchPattern(getColumn(), m_Constant(&constant))) {
    int64_t column = constant.getValue().getSExtValue();
    int64_t last = column + part.getCellColumns() - 1;
    if (column < 0 || last >= tensor.getCellColumns())
      return emitOpError() << "expects columns within "
                           << tensor.getCellColumns() << ", but got " << column
                           << " to " << last;
  }
  return success();
}

LogicalResult RoleOp::verify() {
  int64_t first = getFirst(), last = getLast();
  // role_c1: 1024 threads.
  if (first < 0 || last < first || last > 31)
    return emitOpError() << "expects warps within 0 to 31, but got " << first
                         << " to " << last;
  // role_c2
  if (getElected() && first != last)
    return emitOpError() << "expects one warp to elect a thread of, but got "
                         << getCount();
  // role_c3
  auto teams = static_cast<int64_t>(getTeams());
  if (teams < 1 || getCount() % teams != 0)
    return emitOpError() << "expects a number of teams that divides its "
                         << getCount() << " warps, but got " << teams;
  return success();
}
