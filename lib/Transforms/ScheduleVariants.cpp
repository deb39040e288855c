//===- ScheduleVariants.cpp - Schedules that are worth measuring ----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ScheduleSearch.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::bwgemm;

/// How much slower than the first schedule each further variant of it counts as
/// when all are put in order: a few come before schedules that the model finds
/// a few per cent slower, which is less than it errs. Those of the second count
/// twice as much, and so on.
static constexpr double kStepBack = 0.015;
/// The same for other parts of other tiles for warpgroups, which are many, and
/// among them the fastest of most large products on an H200.
static constexpr double kStepOfWarpgroups = 0.004;
/// Schedules of the search of which variants are made.
static constexpr size_t kMostBases = 16;

/// Rows of tiles, or of clusters of tiles, walked together so that what is
/// under way at once is as high as it is wide: then it reads the least of A and
/// B. Of R rows of clusters and C columns, R C clusters of m' x n' elements
/// have a multiprocessor for each CTA, and R m' = C n'.
static int64_t getSquareRaster(const TargetInfo &target,
                               const ScheduleFields &fields) {
  double rows = double(fields.tile[0]) / double(fields.ctaGroup);
  double ratio = double(fields.tile[1]) / rows;
  double raster = std::sqrt(double(target.multiprocessors) * ratio) /
                  double(fields.cluster[0]);
  return std::max<int64_t>(std::llround(raster), 1);
}

namespace {

/// Makes variants of one complete schedule, by one field each. Of fields that
/// depend on it the SPEC leaves the choice open.
class Variants {
public:
  /// `wanted` names `pdl`, which all schedules have alike; `given` does where
  /// it is not for the search to say.
  Variants(const Candidate &base, const TargetInfo &target,
           const ScheduleSpec &wanted, const ScheduleSpec &given)
      : fields(base.schedule.getFields()), target(target), wanted(wanted),
        isOverlapOpen(!given.pdl), severalWaves(base.prediction.waves > 1) {}

  std::vector<ScheduleSpec> run() {
    if (usesMmaSync(fields.preset)) {
      varyTile({{64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 256}});
      varyWarps();
      varyStages(2, 5);
      varyOrder({16, 4, 2, 32, 1}, {TileOrder::Serpentine, TileOrder::Hilbert});
      return std::move(specs);
    }
    // The most promising first. Where all tiles are under way at once their
    // order only says which lie on neighbouring multiprocessors.
    varyStore();
    varyCluster(/*allSlices=*/false);
    if (severalWaves) {
      varyOrder({getSquareRaster(target, fields), 16, 4},
                {TileOrder::Serpentine});
      varyKeep();
    } else {
      varyOrder({1, 32}, {});
    }
    varyOverlap();
    varyCluster(/*allSlices=*/true);
    varyDepth(fields.tile[2] * 2);
    varyStages(fields.stages - 1, fields.stages - 1);
    if (severalWaves)
      varyOrder({2, 32, 1}, {TileOrder::Hilbert});
    varyDepth(fields.tile[2] / 2);
    return std::move(specs);
  }

  /// Those whose warpgroups have other parts of other tiles.
  std::vector<ScheduleSpec> runWarpgroups() {
    if (severalWaves)
      varyWarpgroups();
    return std::move(specs);
  }

private:
  ScheduleSpec same() const { return ScheduleSpec::getFrom(fields); }
  void varyOrder(ArrayRef<int64_t> rasters, ArrayRef<TileOrder> orders) {
    bool hasRaster = fields.preset >= Preset::Persistent ||
                     fields.preset == Preset::Multistage;
    for (int64_t raster : rasters)
      if (hasRaster && !wanted.raster) {
        specs.push_back(same());
        specs.back().raster = raster;
      }
    for (TileOrder order : orders)
      if (!wanted.order) {
        specs.push_back(same());
        specs.back().order = order;
      }
  }
  /// The rows of A come back for the next columns of a group.
  void varyKeep() {
    if (wanted.l2Keep || fields.preset < Preset::Persistent)
      return;
    specs.push_back(same());
    specs.back().l2Keep = L2Keep::A;
  }
  void varyStore() {
    if (wanted.store)
      return;
    specs.push_back(same());
    specs.back().store =
        fields.store == StoreKind::Tma ? StoreKind::Direct : StoreKind::Tma;
    specs.back().stages = wanted.stages;
  }
  /// On targets with wgmma; with all slices there are as many staging tiles as
  /// slices of 128 bytes.
  void varyCluster(bool allSlices) {
    if (!target.hasWgmma ||
        (allSlices && (wanted.store || wanted.staging || fields.swapAB)))
      return;
    for (std::array<int64_t, 2> cluster :
         {std::array<int64_t, 2>{1, 1}, {2, 1}, {1, 2}}) {
      if (cluster != fields.cluster && wanted.cluster)
        continue;
      specs.push_back(same());
      specs.back().cluster = cluster;
      specs.back().stages = wanted.stages;
      if (!allSlices)
        continue;
      specs.back().store = StoreKind::Tma;
      specs.back().staging = std::max<int64_t>(fields.tile[1] / 64, 2);
    }
  }
  /// On targets with wgmma, tiles of which each warpgroup has two blocks of 64
  /// rows, for both together or for each in turn.
  void varyWarpgroups() {
    if (!target.hasWgmma || wanted.tile || wanted.promote || wanted.splitK)
      return;
    auto add = [&](int64_t m, int64_t n, bool pingpong, bool inSquares) {
      for (std::array<int64_t, 2> cluster :
           {std::array<int64_t, 2>{1, 1}, {2, 1}}) {
        if (wanted.cluster && *wanted.cluster != cluster)
          continue;
        ScheduleSpec spec = same();
        (*spec.tile)[0] = m;
        (*spec.tile)[1] = n;
        spec.pingpong = pingpong;
        spec.splitK = 1;
        spec.cluster = cluster;
        spec.store = wanted.store;
        spec.staging = wanted.staging;
        spec.stages = wanted.stages;
        spec.swapAB = wanted.swapAB;
        if (inSquares) {
          ScheduleFields own = fields;
          own.tile = *spec.tile;
          own.cluster = cluster;
          spec.raster = getSquareRaster(target, own);
        }
        specs.push_back(spec);
      }
    };
    for (bool inSquares : {true, false}) {
      if (inSquares && wanted.raster)
        continue;
      for (int64_t n : {192, 128, 160, 176})
        if (wanted.pingpong.value_or(true))
          add(128, n, /*pingpong=*/true, inSquares);
      for (int64_t n : {192, 128, 200, 160})
        if (!wanted.pingpong.value_or(false))
          add(256, n, /*pingpong=*/false, inSquares);
    }
  }
  /// Of kernels that are so short that they overlap, some are faster without.
  void varyOverlap() {
    if (!isOverlapOpen || !fields.pdl)
      return;
    specs.push_back(same());
    specs.back().pdl = false;
  }
  void varyDepth(int64_t depth) {
    if (wanted.tile)
      return;
    specs.push_back(same());
    (*specs.back().tile)[2] = depth;
    specs.back().stages = wanted.stages;
    specs.back().swizzleSpan = wanted.swizzleSpan;
  }
  void varyStages(int64_t first, int64_t last) {
    for (int64_t stages = std::max<int64_t>(first, 2); stages <= last; ++stages)
      if (!wanted.stages) {
        specs.push_back(same());
        specs.back().stages = stages;
      }
  }
  void varyTile(ArrayRef<std::array<int64_t, 2>> tiles) {
    if (wanted.tile)
      return;
    for (auto [m, n] : tiles) {
      specs.push_back(same());
      (*specs.back().tile)[0] = m;
      (*specs.back().tile)[1] = n;
      specs.back().warps = wanted.warps;
      specs.back().stages = wanted.stages;
      specs.back().swizzleSpan = wanted.swizzleSpan;
    }
  }
  void varyWarps() {
    if (wanted.warps)
      return;
    for (std::array<int64_t, 2> warps :
         {std::array<int64_t, 2>{2, 2}, {2, 4}, {4, 2}, {1, 4}}) {
      specs.push_back(same());
      specs.back().warps = warps;
    }
  }

  ScheduleFields fields;
  const TargetInfo &target;
  const ScheduleSpec &wanted;
  bool isOverlapOpen;
  bool severalWaves;
  std::vector<ScheduleSpec> specs;
};

} // namespace

std::vector<Candidate> bwgemm::listSchedules(GemmOp gemm,
                                             const TargetInfo &target,
                                             const ScheduleSpec &given) {
  std::vector<Candidate> list{tryCandidate(gemm, target, given)};
  if (!list.front().schedule)
    return {};
  // Whether launches overlap depends on how short the kernel is, and so it is
  // the same for all but one variant of each.
  ScheduleSpec spec = given;
  spec.pdl = list.front().schedule.getFields().pdl;
  llvm::DenseSet<Attribute> seen{list.front().schedule};
  auto add = [&](Candidate candidate) {
    if (candidate.schedule && seen.insert(candidate.schedule).second)
      list.push_back(std::move(candidate));
  };
  if (spec.preset == Preset::Auto &&
      !usesMmaSync(list.front().schedule.getPreset()))
    for (Candidate &candidate : searchSchedules(gemm, target, spec))
      add(std::move(candidate));
  if (list.front().schedule.getPreset() == Preset::Naive)
    return list;
  // Each stands where its base does, and a bit behind the one before.
  auto addBehind = [&](double rank, double step,
                       const std::vector<ScheduleSpec> &variants) {
    for (const ScheduleSpec &each : variants) {
      Candidate candidate = tryCandidate(gemm, target, each);
      candidate.prediction.microseconds = rank += step;
      add(std::move(candidate));
    }
  };
  for (size_t i = 0, bases = std::min(list.size(), kMostBases); i < bases;
       ++i) {
    double rank = list[i].prediction.microseconds;
    double step = rank * kStepBack * double(i + 1);
    addBehind(rank, step, Variants(list[i], target, spec, given).run());
    if (i == 0)
      addBehind(rank, rank * kStepOfWarpgroups,
                Variants(list[i], target, spec, given).runWarpgroups());
  }
  std::stable_sort(list.begin() + 1, list.end(),
                   [](const Candidate &lhs, const Candidate &rhs) {
                     return lhs.prediction.microseconds <
                            rhs.prediction.microseconds;
                   });
  return list;
}
