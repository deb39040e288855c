//===- Multicast.cpp - Load what CTAs of a cluster share once -------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "Outlining.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/OperandTile.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_MULTICAST
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// How a tile is cut in `parts`, each of `rows` rows of `columns` columns.
struct Cut {
  int64_t parts, rows, columns;
};

/// As many parts as divide the number of CTAs and the tile. Of an MN-major tile
/// a part is whole columns where that is possible, which takes fewer copies.
Cut cutTile(SmemType tile, int64_t ctas) {
  int64_t rows = tile.getRows(), columns = tile.getColumns();
  for (int64_t parts = ctas; parts > 1; --parts) {
    if (ctas % parts != 0)
      continue;
    if (tile.getMajor() == Major::MN && columns % parts == 0)
      return {parts, rows, columns / parts};
    if (rows % (8 * parts) == 0)
      return {parts, rows / parts, columns};
  }
  return {1, rows, columns};
}

/// Rewrites the ring program of one kernel.
class Multicasting {
public:
  Multicasting(gpu::GPUFuncOp kernel, ScheduleAttr schedule, RingOp operands)
      : kernel(kernel), operands(operands),
        cluster{schedule.getCluster()[0], schedule.getCluster()[1]},
        ctaGroup(schedule.getCtaGroup()) {}

  void emit();

private:
  void shareCopies(const TileCopies &copies);
  Value emitMask(Operation *op, ClusterSet set);

  gpu::GPUFuncOp kernel;
  RingOp operands;
  int64_t cluster[2];
  int64_t ctaGroup;
};

/// The mask stands before the role that holds `op`.
Value Multicasting::emitMask(Operation *op, ClusterSet set) {
  OpBuilder builder(op->getParentOfType<RoleOp>());
  return ClusterMaskOp::create(builder, op->getLoc(), builder.getI16Type(), set,
                               cluster, ctaGroup);
}

void Multicasting::shareCopies(const TileCopies &copies) {
  bool isA = copies.operand == 0;
  int64_t ctas = isA ? cluster[1] : cluster[0] / ctaGroup;
  if (ctas == 1)
    return;
  TMALoadOp first = copies.loads.front();
  OpBuilder builder(first);
  Location loc = first.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // Which of those that share the tile this CTA is.
  Value rank = emitRank(builder, loc), place;
  if (isA) {
    place = arith::DivUIOp::create(builder, loc, rank, constant(cluster[0]));
  } else {
    place = arith::RemUIOp::create(builder, loc, rank, constant(cluster[0]));
    if (ctaGroup != 1)
      place = arith::DivUIOp::create(builder, loc, place, constant(ctaGroup));
  }
  SmemType tile = first.getTile().getType();
  Cut cut = cutTile(tile, ctas);
  if (cut.rows != tile.getRows())
    first.getMap().setType(getMapFor(tile, cut.rows));
  auto skip = [&](int64_t extent, int64_t whole) -> Value {
    if (extent == whole)
      return {};
    return arith::MulIOp::create(builder, loc, place, constant(extent));
  };
  TileCopy copy(first);
  copy.rows = cut.rows;
  copy.columns = cut.columns;
  copy.firstRow = skip(cut.rows, tile.getRows());
  copy.firstColumn = skip(cut.columns, tile.getColumns());
  copy.mask = emitMask(first, isA ? ClusterSet::Row : ClusterSet::Column);
  if (cut.parts != ctas) {
    Value loads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        place, constant(cut.parts));
    auto some =
        scf::IfOp::create(builder, loc, loads, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(some.thenBlock());
  }
  emitCopies(builder, loc, copy);
  for (TMALoadOp load : copies.loads)
    load.erase();
}

void Multicasting::emit() {
  for (const TileCopies &copies : findCopies(kernel))
    shareCopies(copies);
  updateMaps(kernel);
  // Readers are those of each CTA, or pair, whose slot this CTA fills.
  operands.setReleases(operands.getReleases() *
                       (cluster[0] / ctaGroup + cluster[1] - 1));
  kernel.walk([&](RingReleaseOp release) {
    if (release.getRing() == operands.getRing())
      release.getMaskMutable().assign(emitMask(release, ClusterSet::Cross));
  });
  joinCluster(kernel);
}

class MulticastPass : public bwgemm::impl::MulticastBase<MulticastPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      RingOp operands = findOperandRing(kernel);
      if (!schedule || !operands ||
          schedule.getClusterSize() == schedule.getCtaGroup())
        return WalkResult::skip();
      // What is multicast already is left alone.
      bool isShared = false;
      kernel.walk([&](TMALoadOp load) { isShared |= bool(load.getMask()); });
      if (isShared)
        return WalkResult::skip();
      if (failed(checkRingProgram(kernel)))
        return WalkResult::interrupt();
      Multicasting(kernel, schedule, operands).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
