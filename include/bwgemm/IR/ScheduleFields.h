//===- ScheduleFields.h - What a schedule consists of -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The fields of `#bwgemm.schedule`, each of which a SPEC may set by name.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_SCHEDULEFIELDS_H
#define BWGEMM_IR_SCHEDULEFIELDS_H

// Bwgemm.h includes this after the enumerations.

#include <array>
#include <cstdint>
#include <tuple>

namespace mlir::bwgemm {

/// Whether a preset's tensor cores are those of mma.sync, with operands that
/// threads copy by cp.async.
inline bool usesMmaSync(Preset preset) {
  return preset >= Preset::Microkernel && preset <= Preset::Multistage;
}

/// Whether squares of so many rows of tiles have a Hilbert curve.
constexpr bool isHilbertRaster(int64_t raster) {
  return raster >= 2 && (raster & (raster - 1)) == 0;
}

struct ScheduleFields {
  Preset preset = Preset::Naive;
  /// M x N x K elements of one step; for a pair of CTAs those of both.
  std::array<int64_t, 3> tile = {16, 16, 1};
  /// Slots of the shared-memory ring.
  int64_t stages = 1;
  /// Span of the operands' swizzle in bytes: 0, 32, 64 or 128.
  unsigned swizzleSpan = 0;
  TmemShape tmemLoad = TmemShape::Shape32x32b;
  /// Rows of tiles that are walked together.
  int64_t raster = 1;
  TileOrder order = TileOrder::Straight;
  StoreKind store = StoreKind::Direct;
  /// CTAs that multiply one tile together: 1, or 2 for a pair.
  int64_t ctaGroup = 1;
  /// CTAs of a cluster along M and along N.
  std::array<int64_t, 2> cluster = {1, 1};
  TileScheduler scheduler = TileScheduler::Static;
  /// Parts of K that are summed apart.
  int64_t splitK = 1;
  /// Whether all bits of operands of f32 count.
  Precision precision = Precision::Full;
  /// Programmatic dependent launch: begin while the kernel before ends.
  bool pdl = false;
  /// Warps along M and N that share a tile of mma.sync.
  std::array<int64_t, 2> warps = {1, 1};
  /// Slices of the result that may wait in shared memory for TMA to store them.
  int64_t staging = 2;
  /// Whether D's transpose is computed, as B's transpose by A's.
  bool swapAB = false;
  /// What tensor cores add up floating-point products in.
  Accumulator accumulator = Accumulator::F32;
  /// Elements of K after which an accumulator of the tensor cores is added to a
  /// sum that is rounded to nearest; 0 for never.
  int64_t promote = 0;
  /// Whether the error of such an addition is part of the next one.
  bool compensated = false;
  /// Whether two warpgroups work at tiles in turn, the one multiplying while
  /// the other one writes.
  bool pingpong = false;
  /// Which operand's lines stay in L2 while the other one's leave first.
  L2Keep l2Keep = L2Keep::None;

  /// M x N x K elements that one CTA brings to its shared memory.
  std::array<int64_t, 3> getTileOfCta() const {
    return {tile[0] / ctaGroup, tile[1] / ctaGroup, tile[2]};
  }

  auto asTuple() const {
    return std::tie(preset, tile, stages, swizzleSpan, tmemLoad, raster, order,
                    store, ctaGroup, cluster, scheduler, splitK, precision, pdl,
                    warps, staging, swapAB, accumulator, promote, compensated,
                    pingpong, l2Keep);
  }
  bool operator==(const ScheduleFields &other) const {
    return asTuple() == other.asTuple();
  }
};

inline llvm::hash_code hash_value(const ScheduleFields &fields) {
  return llvm::hash_combine(
      fields.preset, fields.tile[0], fields.tile[1], fields.tile[2],
      fields.stages, fields.swizzleSpan, fields.tmemLoad, fields.raster,
      fields.order, fields.store, fields.ctaGroup, fields.cluster[0],
      fields.cluster[1], fields.scheduler, fields.splitK, fields.precision,
      fields.pdl, fields.warps[0], fields.warps[1], fields.staging,
      fields.swapAB, fields.accumulator, fields.promote, fields.compensated,
      fields.pingpong, fields.l2Keep);
}

} // namespace mlir::bwgemm

#endif // BWGEMM_IR_SCHEDULEFIELDS_H
