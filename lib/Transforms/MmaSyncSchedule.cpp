//===- MmaSyncSchedule.cpp - Schedules on mma.sync ------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSyncSchedule.h"

#include "ScheduleChecks.h"

#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/Transforms/OperandTile.h"
#include "bwgemm/Transforms/ResourcePlan.h"
#include "bwgemm/Transforms/ScheduleSearch.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// M and N of one mma.sync, whose K is 32 bytes.
constexpr int64_t kStepM = 16, kStepN = 8;
/// The tile of a warp: each element of A and B is used as often as registers
/// allow, and two of them leave the accumulator 128 registers.
constexpr int64_t kWarpExtent = 64;
/// Registers that a thread has for accumulators and operands; the others are
/// for addresses.
constexpr int64_t kMostOperandRegisters = 208;
/// Stages where the SPEC leaves the number open, and one more of short rows.
constexpr int64_t kMostStages = 3;
/// The largest tile of which two CTAs fit on a multiprocessor: their
/// accumulators take half of its registers each.
constexpr int64_t kSharedTile = 128 * 128;
/// Shared memory that the system takes of each CTA (CUDA programming guide).
constexpr int64_t kReservedBytes = 1024;

/// The largest tile where threads load elements one by one.
constexpr int64_t kGatheredTile = 64 * 64;

class MmaSyncScheduler {
public:
  MmaSyncScheduler(GemmOp gemm, const TargetInfo &target,
                   const ScheduleSpec &spec)
      : gemm(gemm), target(target), spec(spec) {
    fields.preset = spec.preset;
  }

  FailureOr<ScheduleAttr> run() {
    if (std::optional<std::string> why = whyNotByMmaSync(
            gemm, target, spec.precision.value_or(Precision::Full))) {
      refuse() << *why;
      return failure();
    }
    if (failed(checkFields()))
      return failure();
    fields.accumulator = spec.accumulator.value_or(Accumulator::F32);
    fields.promote = spec.promote.value_or(0);
    fields.compensated = spec.compensated.value_or(false);
    fields.tile = spec.tile.value_or(getUsualTile());
    fields.warps = spec.warps.value_or(getUsualWarps());
    fields.splitK = spec.splitK.value_or(1);
    bool inGroups = fields.preset == Preset::Multistage;
    auto refusal = [&] { return refuse(); };
    if (failed(checkTile()) || failed(checkWarps()) ||
        failed(checkPromotion(gemm, spec, fields.tile[2], refusal)) ||
        failed(checkSplitK(gemm, fields.splitK, fields.tile[2], refusal)) ||
        failed(chooseStages()) || failed(chooseSwizzle()) ||
        failed(chooseOrder(spec, inGroups, fields, refusal)))
      return failure();
    fields.pdl = spec.pdl.value_or(false);
    fields.precision = spec.precision.value_or(Precision::Full);
    return ScheduleAttr::get(gemm.getContext(), fields);
  }

private:
  InFlightDiagnostic refuse() {
    return gemm.emitOpError()
           << "schedule '" << stringifyPreset(fields.preset) << "': ";
  }
  LogicalResult checkFields();
  LogicalResult checkTile();
  LogicalResult checkWarps();
  LogicalResult chooseStages();
  LogicalResult chooseSwizzle();
  std::array<int64_t, 3> getUsualTile();
  int64_t getUsualDepth(std::array<int64_t, 2> tile);
  int64_t getUsualStages(int64_t most);
  /// Predicted time with this tile and what is usual for it; nothing if it does
  /// not fit.
  std::optional<double> estimate(const GemmProblem &problem,
                                 std::array<int64_t, 2> tile);
  std::array<int64_t, 2> getUsualWarps();
  int64_t countRegisters(int64_t rows, int64_t columns) {
    return countPartRegisters(rows, columns, fields);
  }
  /// Those that each thread of so many warps has for that.
  static int64_t getRegisters(int64_t warps) {
    return std::min(kMostOperandRegisters, 65536 / (32 * warps) - 40);
  }
  int64_t getElementBytes() {
    return gemm.getAType().getElementTypeBitWidth() / 8;
  }
  /// Whether an operand is one whose elements ldmatrix cannot transpose.
  bool isGathered() {
    return getElementBytes() != 2 &&
           (gemm.getTransposeA() || !gemm.getTransposeB());
  }
  /// Elements of K that 128 bytes hold.
  int64_t getRowDepth() { return 128 / getElementBytes(); }
  ResourcePlan getPlan(int64_t stages) {
    ScheduleFields with = fields;
    with.stages = stages;
    return planResources(with, gemm.getAType().getElementType(),
                         gemm.getDType().getElementType());
  }

  GemmOp gemm;
  const TargetInfo &target;
  const ScheduleSpec &spec;
  ScheduleFields fields;
};

LogicalResult MmaSyncScheduler::checkFields() {
  StringRef missing =
      spec.tmemLoad                                        ? "tmem_load"
      : spec.store == StoreKind::Tma                       ? "store=tma"
      : spec.staging                                       ? "staging"
      : spec.swapAB.value_or(false)                        ? "swap_ab"
      : spec.pingpong.value_or(false)                      ? "pingpong"
      : spec.l2Keep.value_or(L2Keep::None) != L2Keep::None ? "l2_keep"
      : spec.ctaGroup.value_or(1) != 1                     ? "cta_group"
      : spec.cluster.value_or(std::array<int64_t, 2>{1, 1}) !=
              std::array<int64_t, 2>{1, 1}
          ? "cluster"
      : spec.scheduler.value_or(TileScheduler::Static) != TileScheduler::Static
          ? "scheduler"
          : "";
  if (!missing.empty())
    return refuse() << "has no " << missing
                    << ": its threads copy and multiply by mma.sync; its "
                       "fields are tile, stages, swizzle, raster, order, "
                       "split_k, warps, precision, accumulator, promote, "
                       "compensated and pdl";
  // PTX ISA, griddepcontrol: sm_90 and later, as clusters.
  if (spec.pdl.value_or(false) && !target.hasClusters)
    return refuse() << "expects pdl=off on " << target.name
                    << "; programmatic dependent launch is for sm_90 and later";
  return success();
}

/// The tiles that `multistage` chooses from, the largest first.
constexpr std::array<int64_t, 2> kTiles[] = {
    {128, 256}, {256, 128}, {128, 128}, {64, 256}, {256, 64}, {128, 64},
    {64, 128},  {64, 64},   {32, 128},  {32, 64},  {16, 64},  {64, 32}};

std::array<int64_t, 3> MmaSyncScheduler::getUsualTile() {
  switch (fields.preset) {
  case Preset::Microkernel:
    return {kStepM, kStepN, getInstructionDepth(gemm)};
  case Preset::Tiled:
    return {64, 64, getRowDepth() / 2};
  case Preset::DoubleBuffered:
    return {128, 128, getRowDepth() / 2};
  default:
    break;
  }
  GemmProblem problem = getProblem(gemm);
  std::optional<double> best;
  std::array<int64_t, 2> tile = kTiles[0];
  for (std::array<int64_t, 2> each : kTiles) {
    std::optional<double> time = estimate(problem, each);
    if (time && (!best || *time < *best)) {
      best = time;
      tile = each;
    }
  }
  return {tile[0], tile[1], getUsualDepth(tile)};
}

/// Rows of 128 bytes, if that leaves room for what is under way.
int64_t MmaSyncScheduler::getUsualDepth(std::array<int64_t, 2> tile) {
  int64_t bytes = (tile[0] + tile[1]) * 128 * kMostStages;
  bool small = tile[0] * tile[1] <= kSharedTile;
  int64_t row = getRowDepth();
  // Products that are made from those of f16 take registers, and so do elements
  // that are loaded one by one.
  if (isFp8(gemm.getAType().getElementType()) || isGathered())
    return row / 2;
  return (small ? 2 : 1) * (bytes + kReservedBytes) <=
                 target.maxSharedBytes + kReservedBytes
             ? row
             : row / 2;
}

/// As many as fit up to three, or four of short rows.
int64_t MmaSyncScheduler::getUsualStages(int64_t most) {
  return std::clamp<int64_t>(
      most, 2, fields.tile[2] < getRowDepth() ? kMostStages + 1 : kMostStages);
}

std::optional<double> MmaSyncScheduler::estimate(const GemmProblem &problem,
                                                 std::array<int64_t, 2> tile) {
  MmaSyncScheduler with = *this;
  auto [m, n] = tile;
  if (isGathered() && m * n > kGatheredTile)
    return std::nullopt;
  with.fields.tile = {m, n, getUsualDepth(tile)};
  with.fields.warps = spec.warps.value_or(with.getUsualWarps());
  with.fields.splitK = spec.splitK.value_or(1);
  auto [warpsM, warpsN] = with.fields.warps;
  int64_t most = target.maxSharedBytes / with.getPlan(1).getSharedBytes();
  with.fields.stages = spec.stages.value_or(with.getUsualStages(most));
  bool divides = m % warpsM == 0 && n % warpsN == 0;
  if (!divides || with.fields.stages > most ||
      countRegisters(m / warpsM, n / warpsN) > getRegisters(warpsM * warpsN))
    return std::nullopt;
  return predict(target, problem, with.fields).microseconds;
}

std::array<int64_t, 2> MmaSyncScheduler::getUsualWarps() {
  auto [m, n, k] = fields.tile;
  if (fields.preset == Preset::Microkernel)
    return {1, 1};
  // Four warps, one for each part of a multiprocessor, before the tiles of
  // warps become as large as they may. ptxas makes products of 8-bit floats
  // from those of f16 where there are no others (sm_90), which takes registers.
  int64_t widest =
      isFp8(gemm.getAType().getElementType()) ? kWarpExtent / 2 : kWarpExtent;
  std::array<int64_t, 2> warps = {std::max<int64_t>(m / kWarpExtent, 1),
                                  std::max<int64_t>(n / widest, 1)};
  while (warps[0] * warps[1] < 4) {
    int64_t rows = m / warps[0], columns = n / warps[1];
    if (columns >= rows && columns % 32 == 0)
      warps[1] *= 2;
    else if (rows % 32 == 0)
      warps[0] *= 2;
    else if (columns % 32 == 0)
      warps[1] *= 2;
    else
      break;
  }
  // Two accumulators make parts of half the size.
  while (countRegisters(m / warps[0], n / warps[1]) >
         getRegisters(warps[0] * warps[1])) {
    if (n / warps[1] % 32 == 0)
      warps[1] *= 2;
    else if (m / warps[0] % 32 == 0)
      warps[0] *= 2;
    else
      break;
  }
  return warps;
}

LogicalResult MmaSyncScheduler::checkTile() {
  auto [m, n, k] = fields.tile;
  int64_t depth = getInstructionDepth(gemm);
  if (m % kStepM != 0 || n % kStepN != 0 || k % depth != 0)
    return refuse() << "expects a tile of multiples of " << kStepM << "x"
                    << kStepN << "x" << depth << " (one mma.sync), but got "
                    << m << "x" << n << "x" << k;
  if (fields.preset == Preset::Microkernel && (m != kStepM || n != kStepN))
    return refuse() << "expects a tile of M 16 and N 8, one mma.sync, but got "
                    << m << "x" << n << "; preset tiled has larger ones";
  return success();
}

LogicalResult MmaSyncScheduler::checkWarps() {
  auto [m, n, k] = fields.tile;
  auto [warpsM, warpsN] = fields.warps;
  if (fields.preset == Preset::Microkernel && warpsM * warpsN != 1)
    return refuse() << "expects warps=1x1, but got " << warpsM << "x" << warpsN
                    << "; preset tiled has more";
  if (warpsM > 32 || warpsN > 32 || warpsM * warpsN > 32)
    return refuse() << "expects at most 32 warps (1024 threads), but got "
                    << warpsM << "x" << warpsN;
  int64_t rows = m / warpsM, columns = n / warpsN;
  // ldmatrix loads 16 rows of an operand; of B there may be 8 in all.
  if (m % warpsM != 0 || n % warpsN != 0 || rows % kStepM != 0 ||
      (columns != kStepN && columns % 16 != 0))
    return refuse() << "expects warps that share a tile of " << m << "x" << n
                    << " in parts of a multiple of 16 rows, and of 8 or a "
                       "multiple of 16 columns, but got "
                    << warpsM << "x" << warpsN;
  int64_t registers = countRegisters(rows, columns);
  int64_t most = getRegisters(warpsM * warpsN);
  if (registers > most)
    return refuse() << "a warp's part of " << rows << "x" << columns
                    << " takes " << registers
                    << " registers of each thread for its accumulator"
                    << (fields.promote ? ", the sum that promote adds it to"
                                       : "")
                    << " and its operands, but there are " << most
                    << "; parts of " << (fields.promote ? "64x32" : "64x64")
                    << " fit";
  return success();
}

LogicalResult MmaSyncScheduler::chooseStages() {
  auto [m, n, k] = fields.tile;
  int64_t bytes = getPlan(1).getSharedBytes();
  int64_t depth = getInstructionDepth(gemm);
  if (bytes > target.maxSharedBytes)
    return refuse() << "tile " << m << "x" << n << "x" << k << " needs "
                    << bytes << " bytes of shared memory, but " << target.name
                    << " has " << target.maxSharedBytes
                    << "; the largest K that fits is "
                    << target.maxSharedBytes / (bytes / k) / depth * depth;
  int64_t most = target.maxSharedBytes / bytes;
  int64_t least = 1, usual = 1, largest = 1;
  StringRef instead = "double_buffered has 2, multistage more";
  if (fields.preset == Preset::DoubleBuffered) {
    least = usual = largest = 2;
    instead = "multistage has more";
  } else if (fields.preset == Preset::Multistage) {
    least = 2;
    largest = kMaxRingStages;
    usual = getUsualStages(most);
    instead = "tiled has 1";
  }
  fields.stages = spec.stages.value_or(usual);
  if (fields.stages < least || fields.stages > largest)
    return refuse() << "expects stages=" << least
                    << (least == largest ? "" : " or more") << ", but got "
                    << fields.stages << "; " << instead;
  if (fields.stages > most)
    return refuse() << "stages=" << fields.stages << " of tile " << m << "x"
                    << n << "x" << k << " need "
                    << getPlan(fields.stages).getSharedBytes()
                    << " bytes of shared memory, but " << target.name << " has "
                    << target.maxSharedBytes << "; at most " << most
                    << " stages fit";
  return success();
}

/// The widest swizzle whose span divides the contiguous mode of a tile, unless
/// the SPEC names one. An operand with shorter rows takes a narrower one.
LogicalResult MmaSyncScheduler::chooseSwizzle() {
  auto [m, n, k] = fields.tile;
  int64_t rowsOfA = (gemm.getTransposeA() ? m : k) * getElementBytes();
  int64_t rowsOfB = (gemm.getTransposeB() ? k : n) * getElementBytes();
  unsigned widest =
      std::max(getWidestSwizzle(128, rowsOfA), getWidestSwizzle(128, rowsOfB));
  fields.swizzleSpan = spec.swizzleSpan.value_or(widest);
  if (fields.swizzleSpan > widest)
    return refuse() << "expects a swizzle whose span divides the rows of a tile"
                       " in memory, "
                    << rowsOfA << " bytes of A or " << rowsOfB
                    << " of B, but got " << fields.swizzleSpan << "B; "
                    << (widest ? std::to_string(widest) + "B" : "none")
                    << " does";
  // Rows without a swizzle are cut into 16 bytes.
  for (auto [name, bytes] : {std::pair("A", rowsOfA), std::pair("B", rowsOfB)})
    if (bytes % 16 != 0)
      return refuse()
             << "expects rows of a multiple of 16 bytes in the tile of " << name
             << ", but got " << bytes;
  return success();
}

} // namespace

FailureOr<ScheduleAttr>
bwgemm::completeMmaSyncSchedule(GemmOp gemm, const TargetInfo &target,
                                const ScheduleSpec &spec) {
  return MmaSyncScheduler(gemm, target, spec).run();
}
