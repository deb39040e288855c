//===- ScheduleSearch.cpp - Candidates for a gemm's schedule --------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ScheduleSearch.h"

#include "bwgemm/IR/Epilogue.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// Of L2 and DRAM.
static constexpr int64_t kLineBytes = 128;
/// Kernels that take less overlap under `auto`: on an H200 1024 x 1024 x 1024
/// takes 5.4 us instead of 6.3 in a row of them, 2048 x 2048 x 2048 23.4 us
/// instead of 24.0.
static constexpr double kShortMicroseconds = 30;

int64_t bwgemm::getKnownDepth(GemmOp gemm) {
  int64_t depth = gemm.getAType().getDimSize(gemm.getKDimOfA());
  return ShapedType::isDynamic(depth)
             ? gemm.getBType().getDimSize(gemm.getKDimOfB())
             : depth;
}

GemmProblem bwgemm::getProblem(GemmOp gemm) {
  auto known = [](int64_t lhs, int64_t rhs) -> int64_t {
    int64_t extent = ShapedType::isDynamic(lhs) ? rhs : lhs;
    if (ShapedType::isDynamic(extent))
      return kAssumedExtent;
    return std::max<int64_t>(extent, 1);
  };
  MemRefType a = gemm.getAType(), b = gemm.getBType(), d = gemm.getDType();
  GemmProblem problem;
  problem.m =
      known(d.getDimSize(d.getRank() - 2), a.getDimSize(gemm.getMDimOfA()));
  problem.n =
      known(d.getDimSize(d.getRank() - 1), b.getDimSize(gemm.getNDimOfB()));
  problem.k =
      known(a.getDimSize(gemm.getKDimOfA()), b.getDimSize(gemm.getKDimOfB()));
  problem.operandBytes = a.getElementTypeBitWidth() / 8;
  problem.resultBytes = d.getElementTypeBitWidth() / 8;
  problem.accumulate = gemm.getAccumulate();
  for (MemRefType type : {a, b}) {
    int64_t pitch = type.getStridesAndOffset().first[type.getRank() - 2];
    bool whole = !ShapedType::isDynamic(pitch) &&
                 pitch * problem.operandBytes % kLineBytes == 0;
    problem.wholeLines &= whole || ShapedType::isDynamic(pitch);
  }
  return problem;
}

/// CTAs that a multiprocessor has room for: in its shared memory, of which the
/// system takes some for each (CUDA programming guide), and in its registers,
/// as many as the assembler takes beside accumulators and operands.
static int64_t countResidents(const TargetInfo &target,
                              const GemmProblem &problem,
                              const ScheduleFields &fields) {
  constexpr int64_t kReservedBytes = 1024, kRegisterFile = 65536,
                    kOtherRegisters = 56, kMostThreads = 2048;
  auto [m, n, k] = fields.tile;
  auto [warpsM, warpsN] = fields.warps;
  int64_t bytes = (m + n) * k * problem.operandBytes * fields.stages;
  int64_t registers =
      countPartRegisters(m / warpsM, n / warpsN, fields) + kOtherRegisters;
  int64_t threads = 32 * warpsM * warpsN;
  return std::max<int64_t>(
      1,
      std::min(
          {(target.maxSharedBytes + kReservedBytes) / (bytes + kReservedBytes),
           kRegisterFile / (threads * registers), kMostThreads / threads}));
}

Prediction bwgemm::predict(const TargetInfo &target, const GemmProblem &problem,
                           const ScheduleFields &fields) {
  if (usesMmaSync(fields.preset)) {
    WarpModel machine;
    machine.multiprocessors = target.multiprocessors;
    return predictWarps(machine, problem, fields,
                        countResidents(target, problem, fields));
  }
  bool warpgroups = target.hasWgmma && fields.preset != Preset::Naive;
  return warpgroups ? predictWarpgroups(WarpgroupModel(), problem, fields)
                    : predict(MachineModel(), problem, fields);
}

bool bwgemm::isOverlapped(const TargetInfo &target, double microseconds) {
  return target.hasWgmma && microseconds < kShortMicroseconds;
}

/// The message of a diagnostic without the words about where it comes from.
static std::string getReason(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef reason = text;
  // "'bwgemm.gemm' op schedule 'persistent': REASON"
  size_t at = reason.find("': ");
  return (at == StringRef::npos ? reason : reason.drop_front(at + 3)).str();
}

Candidate bwgemm::tryCandidate(GemmOp gemm, const TargetInfo &target,
                               const ScheduleSpec &spec) {
  Candidate candidate;
  candidate.spec = spec;
  ScopedDiagnosticHandler handler(gemm.getContext(), [&](Diagnostic &problem) {
    candidate.refusal = getReason(problem);
    return success();
  });
  FailureOr<ScheduleAttr> schedule = completeSchedule(gemm, target, spec);
  if (failed(schedule))
    return candidate;
  candidate.schedule = *schedule;
  candidate.prediction =
      predict(target, getProblem(gemm), candidate.schedule.getFields());
  return candidate;
}

namespace {

/// Rows of a tile that two teams take in turn: with 64 they ask L2 for more
/// than it gives.
constexpr int64_t kTurnRows = 128;

/// Rows of D up to which the transpose of D may be computed instead.
constexpr int64_t kFewRows = 128;

/// Columns of tiles of which a warpgroup has two blocks of 64 rows.
constexpr int64_t kBlockColumns = 192;

/// Tiles that are all under way at once with wgmma.
constexpr int64_t kOneWave = WarpgroupModel().multiprocessors;
/// They are numbered in groups of so many rows: on an H200 that was 0.8 %
/// faster than the usual 8 in the geometric mean of eleven kernels, and never
/// slower by more than chance; with single rows some took half as long again.
constexpr int64_t kRasterOfOneWave = 4;

/// Enumerates the SPECs of one search.
class Enumeration {
public:
  Enumeration(GemmOp gemm, const TargetInfo &target, const ScheduleSpec &wanted)
      : problem(getProblem(gemm)), target(target), wanted(wanted),
        hasBlocks(!wanted.promote && !computesFunctions(gemm.getEpilogue())),
        isDepthKnown(!ShapedType::isDynamic(getKnownDepth(gemm))) {}

  std::vector<ScheduleSpec> run() {
    // From the lowest rung up, so that the simpler one of two equals comes
    // first.
    for (Preset preset :
         {Preset::Swizzle, Preset::TmaStore, Preset::Pipelined,
          Preset::WarpSpecialized, Preset::TwoCta, Preset::Persistent}) {
      // With wgmma roles are always apart, and a persistent kernel is the same
      // with a loop.
      if (target.hasWgmma && preset != Preset::Persistent)
        continue;
      for (const Grouping &grouping : getGroupings(preset))
        for (std::array<int64_t, 3> tile : getTiles(grouping))
          if (!isStarved(grouping, tile))
            addSpecs(preset, grouping, tile);
    }
    return std::move(specs);
  }

private:
  /// CTAs that multiply and load together.
  struct Grouping {
    std::optional<int64_t> ctaGroup;
    std::optional<std::array<int64_t, 2>> cluster;
  };
  void addSpecs(Preset preset, const Grouping &grouping,
                std::array<int64_t, 3> tile);
  bool isStarved(const Grouping &grouping, std::array<int64_t, 3> tile) const;
  int64_t countTiles(std::array<int64_t, 3> tile) const {
    return int64_t(llvm::divideCeil(problem.m, tile[0])) *
           llvm::divideCeil(problem.n, tile[1]);
  }
  std::vector<Grouping> getGroupings(Preset preset) const;
  std::vector<std::array<int64_t, 3>> getTiles(const Grouping &grouping) const;
  std::vector<int64_t> getSplits(Preset preset, const Grouping &grouping,
                                 std::array<int64_t, 3> tile) const;
  std::vector<std::optional<int64_t>> getRasters() const;

  GemmProblem problem;
  const TargetInfo &target;
  const ScheduleSpec &wanted;
  /// Whether a warpgroup may have two blocks of 64 rows, which take twice the
  /// code behind the product.
  bool hasBlocks;
  bool isDepthKnown;
  std::vector<ScheduleSpec> specs;
};

/// Adds what differs in other fields.
void Enumeration::addSpecs(Preset preset, const Grouping &grouping,
                           std::array<int64_t, 3> tile) {
  for (int64_t parts : getSplits(preset, grouping, tile))
    for (std::optional<int64_t> raster : getRasters()) {
      ScheduleSpec spec = wanted;
      spec.preset = preset;
      spec.ctaGroup = grouping.ctaGroup;
      spec.cluster = grouping.cluster;
      spec.tile = tile;
      if (parts != 1)
        spec.splitK = parts;
      spec.raster = raster;
      if (target.hasWgmma && !raster && countTiles(tile) * parts <= kOneWave)
        spec.raster = kRasterOfOneWave;
      specs.push_back(spec);
      if (!target.hasWgmma)
        continue;
      // Few rows of D fill the narrow side of a tile.
      if (!wanted.swapAB && problem.m <= kFewRows && tile[1] <= kFewRows) {
        spec.swapAB = true;
        specs.push_back(spec);
        spec.swapAB = wanted.swapAB;
      }
      bool mayTakeTurns = hasBlocks && !wanted.pingpong && !wanted.scheduler &&
                          tile[0] == kTurnRows && tile[1] <= kBlockColumns &&
                          parts == 1;
      auto addByTma = [&] {
        if (wanted.store)
          return;
        specs.push_back(spec);
        specs.back().store = StoreKind::Tma;
      };
      addByTma();
      if (!mayTakeTurns)
        continue;
      spec.pingpong = true;
      specs.push_back(spec);
      addByTma();
    }
}

/// With wgmma clusters of tiles of 64 rows, several for each CTA, were measured
/// to wait for slots a fifth of the time and more, which the model does not
/// know.
bool Enumeration::isStarved(const Grouping &grouping,
                            std::array<int64_t, 3> tile) const {
  return target.hasWgmma && !wanted.cluster && grouping.cluster &&
         tile[0] == 64 && countTiles(tile) > kOneWave;
}

std::vector<Enumeration::Grouping>
Enumeration::getGroupings(Preset preset) const {
  if (wanted.ctaGroup || wanted.cluster)
    return {{wanted.ctaGroup, wanted.cluster}};
  if (target.hasWgmma) {
    return {{}, {std::nullopt, {{2, 1}}}, {std::nullopt, {{1, 2}}}};
  }
  std::vector<Grouping> groupings;
  if (preset != Preset::TwoCta)
    groupings.push_back({});
  if (preset >= Preset::Pipelined && preset != Preset::TwoCta)
    for (std::array<int64_t, 2> cluster :
         {std::array<int64_t, 2>{2, 1}, {1, 2}})
      groupings.push_back({std::nullopt, cluster});
  if (preset >= Preset::TwoCta)
    for (std::array<int64_t, 2> cluster :
         {std::array<int64_t, 2>{2, 1}, {2, 2}})
      groupings.push_back({2, cluster});
  return groupings;
}

std::vector<std::array<int64_t, 3>>
Enumeration::getTiles(const Grouping &grouping) const {
  if (wanted.tile)
    return {*wanted.tile};
  // Rows of 128 bytes take the widest swizzle; shorter ones are for a K that
  // does not fill them.
  int64_t row = 128 / problem.operandBytes;
  int64_t depth = row;
  while (depth > row / 4 && depth / 2 >= problem.k)
    depth /= 2;
  int64_t group = grouping.ctaGroup.value_or(1);
  std::vector<std::array<int64_t, 3>> tiles;
  if (target.hasWgmma) {
    // Any width does, and each leaves another number of tiles for the last
    // wave.
    for (int64_t m : {64, 128, 256}) {
      if (m == 256 && (!hasBlocks || wanted.pingpong.value_or(false)))
        continue;
      for (int64_t n = 16; n <= 256; n += 16)
        if (m != 256 || n <= kBlockColumns)
          tiles.push_back({m, n, depth});
    }
    // Small tiles wait longer for a slot than they multiply.
    for (int64_t n = 16; n <= 128 && depth == row && problem.k > row; n += 16)
      tiles.push_back({64, n, 2 * row});
    return tiles;
  }
  for (int64_t m : {64 * group, 128 * group})
    for (int64_t n : {16, 32, 64, 96, 128, 160, 192, 224, 256})
      if (n % (16 * group) == 0)
        tiles.push_back({m, n, depth});
  return tiles;
}

/// More parts than one where the tiles leave SMs without work, if rings fill
/// them at all.
std::vector<int64_t> Enumeration::getSplits(Preset preset,
                                            const Grouping &grouping,
                                            std::array<int64_t, 3> tile) const {
  if (wanted.splitK)
    return {*wanted.splitK};
  // How much memory a split takes is not known where K is not.
  if (!isDepthKnown || preset < Preset::Pipelined)
    return {1};
  std::vector<int64_t> splits;
  int64_t ctas = countTiles(tile) * grouping.ctaGroup.value_or(1);
  int64_t depth = llvm::divideCeil(problem.k, tile[2]);
  int64_t multiprocessors = target.hasWgmma ? WarpgroupModel().multiprocessors
                                            : MachineModel().multiprocessors;
  for (int64_t parts : kPartsOfK)
    if (parts == 1 || (parts <= depth && ctas * parts <= multiprocessors))
      splits.push_back(parts);
  return splits;
}

/// The order of tiles matters where operands do not stay in L2.
std::vector<std::optional<int64_t>> Enumeration::getRasters() const {
  double operands =
      double(problem.m + problem.n) * problem.k * problem.operandBytes;
  if (wanted.raster || target.hasWgmma || operands <= MachineModel().l2Bytes)
    return {wanted.raster};
  return {8, 4, 16, 2, 1};
}

} // namespace

std::vector<Candidate> bwgemm::searchSchedules(GemmOp gemm,
                                               const TargetInfo &target,
                                               const ScheduleSpec &spec) {
  std::vector<Candidate> candidates;
  DenseSet<Attribute> seen;
  for (const ScheduleSpec &each : Enumeration(gemm, target, spec).run()) {
    Candidate candidate = tryCandidate(gemm, target, each);
    // Some SPECs leave open what others name.
    if (!candidate.schedule || seen.insert(candidate.schedule).second)
      candidates.push_back(std::move(candidate));
  }
  auto sort = [&] {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate &lhs, const Candidate &rhs) {
                       if (!lhs.schedule || !rhs.schedule)
                         return lhs.schedule && !rhs.schedule;
                       auto rank = [](const Candidate &candidate) {
                         return std::pair(candidate.prediction.microseconds,
                                          candidate.prediction.dramBytes);
                       };
                       return rank(lhs) < rank(rhs);
                     });
  };
  sort();
  // All alike, lest those that are a little shorter win by it.
  const Candidate &best = candidates.front();
  if (!best.schedule || spec.pdl ||
      !isOverlapped(target, best.prediction.microseconds))
    return candidates;
  GemmProblem problem = getProblem(gemm);
  for (Candidate &candidate : candidates) {
    if (!candidate.schedule)
      break;
    ScheduleFields fields = candidate.schedule.getFields();
    fields.pdl = true;
    candidate.spec.pdl = true;
    candidate.schedule = ScheduleAttr::get(gemm.getContext(), fields);
    candidate.prediction = predict(target, problem, fields);
  }
  sort();
  return candidates;
}
