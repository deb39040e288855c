//===- AssignSchedule.cpp - Choose target and schedule ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSyncSchedule.h"
#include "ResultReader.h"
#include "ScheduleChecks.h"
#include "StagedStore.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/Passes.h"
#include "bwgemm/Transforms/ResourcePlan.h"
#include "bwgemm/Transforms/ScheduleDatabase.h"
#include "bwgemm/Transforms/ScheduleSearch.h"
#include "bwgemm/Transforms/TmaAddressable.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_ASSIGNSCHEDULE
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Slots of a ring where the SPEC leaves the number open: more hide no latency.
constexpr int64_t kMostStages = 8;
/// What a split of K on mma.sync has to be predicted to take at most of the
/// time without one: it needs a workspace and a second launch.
constexpr double kWorthSplitting = 0.9;
/// Rows of a slice that TMA stores as fast as wider ones, or nearly so: two
/// sectors of L2.
constexpr int64_t kWideSliceBytes = 64;
/// Registers of a thread that are neither an accumulator's nor a sum's.
constexpr int64_t kOtherRegisters = 40;

/// Whether TMA can address a matrix of this type may depend on sizes, strides
/// or an offset that are not known yet.
bool dependsOnRunTime(MemRefType type) {
  // Nothing of a matrix without elements is addressed, and its strides say
  // nothing.
  if (llvm::is_contained(type.getShape(), 0))
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return failed(type.getStridesAndOffset(strides, offset)) ||
         ShapedType::isDynamic(offset) ||
         llvm::any_of(strides, ShapedType::isDynamic);
}

/// Completes one gemm's schedule and checks it.
class Scheduler {
public:
  /// What is measured comes from `database`, unless that is null.
  Scheduler(GemmOp gemm, const TargetInfo &target, const ScheduleSpec &spec,
            const ScheduleDatabase *database = nullptr)
      : gemm(gemm), target(target), spec(spec), database(database) {}

  FailureOr<ScheduleAttr> run();
  /// The schedule for operands that turn out not to be addressable by TMA, if
  /// the preset was left open and their types do not tell; else null.
  ScheduleAttr getFallback();

private:
  InFlightDiagnostic refuse() {
    return gemm.emitOpError()
           << "schedule '" << stringifyPreset(preset) << "': ";
  }
  /// Whose shared memory a tile of a pair takes.
  StringRef perCta() { return ctaGroup == 2 ? " in each CTA" : ""; }
  LogicalResult choosePreset();
  Preset getPresetForAnyPitch() {
    return whyNotByMmaSync(gemm, target, getPrecision()) ? Preset::Naive
                                                         : Preset::Multistage;
  }
  FailureOr<ScheduleAttr> naive();
  ScheduleAttr measured();
  FailureOr<ScheduleAttr> fastest();
  ScheduleAttr withOverlap(ScheduleAttr schedule, double microseconds);
  FailureOr<ScheduleAttr> onMmaSync();
  int64_t getPartsOnMmaSync(ScheduleSpec wanted);
  FailureOr<ScheduleAttr> tensorCore();
  LogicalResult chooseCluster();
  LogicalResult checkWarpgroups();
  LogicalResult checkPingpong();
  LogicalResult checkRows();
  LogicalResult checkAccumulator();
  LogicalResult checkPromotedRegisters();
  LogicalResult chooseSwizzle(unsigned &span);
  LogicalResult checkTile();
  std::optional<std::string> whyNotStoredByTma();
  LogicalResult chooseStore();
  LogicalResult chooseStages();
  /// What has been chosen so far.
  ScheduleFields getFields();
  /// The plan with another number of stages.
  ResourcePlan getPlan(int64_t stages);
  /// The element type of what the kernel with the tiles writes.
  Type getStoredType() {
    return splitK > 1 ? gemm.getSumType() : gemm.getDType().getElementType();
  }
  /// Whether products are to be added up in f16.
  bool isInHalf() const {
    return spec.accumulator.value_or(Accumulator::F32) == Accumulator::F16;
  }
  /// Bytes of a row of the slices in which TMA would store the result.
  int64_t getSliceBytes() {
    ResultShape shape = getResultShape(getFields(), target.hasWgmma);
    return getStoreMap(shape, getStoredType()).getSwizzle().getRowBytes();
  }
  Precision getPrecision() const {
    return spec.precision.value_or(Precision::Full);
  }
  int64_t getElementBytes() {
    return gemm.getAType().getElementTypeBitWidth() / 8;
  }

  GemmOp gemm;
  const TargetInfo &target;
  const ScheduleSpec &spec;
  const ScheduleDatabase *database;
  Preset preset = Preset::Auto;
  std::array<int64_t, 3> tile;
  int64_t ctaGroup = 1;
  std::array<int64_t, 2> cluster = {1, 1};
  /// What of the tile one CTA has in its shared memory.
  std::array<int64_t, 3> tileOfCta;
  int64_t stages = 1;
  int64_t splitK = 1;
  StoreKind store = StoreKind::Direct;
  int64_t staging = ScheduleFields().staging;
  bool swapAB = false;
  bool pingpong = false;
  TileScheduler scheduler = TileScheduler::Static;
};

/// `auto` becomes `multistage` where TMA cannot address both operands, as far
/// as is known now, or where there is none that schedules use, or where its
/// tensor cores do not take them, for blocks of K where accumulators are in
/// tensor memory, and for sums in f16; and `naive` where mma.sync does not take
/// them either.
LogicalResult Scheduler::choosePreset() {
  preset = spec.preset;
  if (preset != Preset::Auto)
    return success();
  bool addressable = !whyNotTmaAddressable(gemm.getAType(), "A") &&
                     !whyNotTmaAddressable(gemm.getBType(), "B");
  if (!addressable || !target.hasTmaSchedules() ||
      (spec.promote && !target.hasWgmma) || isInHalf() ||
      whyNotByDescriptors(gemm, target, getPrecision()))
    preset = getPresetForAnyPitch();
  return success();
}

/// What the database has for such a product; null if it has nothing.
ScheduleAttr Scheduler::measured() {
  if (!database || spec.preset != Preset::Auto)
    return {};
  MeasuredChoice choice = findMeasured(gemm, target, spec, *database);
  if (choice.isUnfit)
    gemm.emitWarning() << database->getName() << ": " << choice.reason
                       << "; the cost model chooses instead";
  // What an entry says of it was measured.
  if (!choice.schedule || choice.entry->spec.pdl)
    return choice.schedule;
  return withOverlap(choice.schedule, choice.entry->microseconds);
}

/// What an entry leaves open of it.
ScheduleAttr Scheduler::withOverlap(ScheduleAttr schedule,
                                    double microseconds) {
  if (spec.pdl || !isOverlapped(target, microseconds))
    return schedule;
  ScheduleFields fields = schedule.getFields();
  fields.pdl = true;
  return ScheduleAttr::get(gemm.getContext(), fields);
}

/// Of the schedules that fit, the one with the shortest predicted time.
FailureOr<ScheduleAttr> Scheduler::fastest() {
  std::vector<Candidate> candidates = searchSchedules(gemm, target, spec);
  const Candidate &best = candidates.front();
  if (best.schedule)
    return best.schedule;
  return refuse() << best.refusal;
}

FailureOr<ScheduleAttr> Scheduler::run() {
  if (failed(choosePreset()))
    return failure();
  if (getPrecision() == Precision::Tf32 &&
      !gemm.getAType().getElementType().isF32())
    return refuse() << "expects precision=full for operands of "
                    << gemm.getAType().getElementType()
                    << ", which tensor cores multiply as they are, but got "
                       "precision=tf32";
  if (isInHalf())
    if (std::optional<std::string> why = whyNotInHalf(gemm, preset))
      return refuse() << *why;
  if (ScheduleAttr schedule = measured())
    return schedule;
  if (preset == Preset::Naive)
    return naive();
  if (usesMmaSync(preset))
    return onMmaSync();
  return preset == Preset::Auto ? fastest() : tensorCore();
}

ScheduleAttr Scheduler::getFallback() {
  bool open =
      spec.preset == Preset::Auto && preset == Preset::Auto &&
      (dependsOnRunTime(gemm.getAType()) || dependsOnRunTime(gemm.getBType()));
  if (!open)
    return {};
  // What the SPEC wishes of the first schedule need not suit this one.
  ScheduleSpec any;
  any.preset = getPresetForAnyPitch();
  if (any.preset == Preset::Naive)
    return ScheduleAttr::get(gemm.getContext(), ScheduleFields());
  any.precision = spec.precision;
  any.promote = spec.promote;
  any.compensated = spec.compensated;
  return *completeMmaSyncSchedule(gemm, target, any);
}

/// Under `auto` fields are wishes for the TMA path: those of them that mma.sync
/// has no use for are dropped.
FailureOr<ScheduleAttr> Scheduler::onMmaSync() {
  ScheduleSpec wanted = spec;
  wanted.preset = preset;
  if (spec.preset == Preset::Auto) {
    wanted = ScheduleSpec();
    wanted.preset = preset;
    wanted.splitK = spec.splitK;
    wanted.precision = spec.precision;
    wanted.accumulator = spec.accumulator;
    wanted.promote = spec.promote;
    wanted.compensated = spec.compensated;
    if (!wanted.splitK)
      wanted.splitK = getPartsOnMmaSync(wanted);
  }
  return completeMmaSyncSchedule(gemm, target, wanted);
}

/// Parts of K with which the model predicts the shortest time of a schedule
/// that is `wanted` but for them.
int64_t Scheduler::getPartsOnMmaSync(ScheduleSpec wanted) {
  // How much memory a split takes is not known where K is not.
  if (ShapedType::isDynamic(getKnownDepth(gemm)))
    return 1;
  int64_t best = 1;
  double least = 0;
  for (int64_t parts : kPartsOfK) {
    wanted.splitK = parts;
    Candidate candidate = tryCandidate(gemm, target, wanted);
    if (!candidate.schedule)
      break;
    double time = candidate.prediction.microseconds;
    if (parts == 1)
      least = time * kWorthSplitting;
    if (parts == 1 || time >= least)
      continue;
    best = parts;
    least = time;
  }
  return best;
}

FailureOr<ScheduleAttr> Scheduler::naive() {
  // Under `auto` fields are wishes for the tensor-core path.
  if (spec.preset == Preset::Naive && spec.namesFields()) {
    refuse() << "takes no fields (one thread computes one output)";
    return failure();
  }
  return ScheduleAttr::get(gemm.getContext(), ScheduleFields());
}

/// Which CTAs multiply together, and which share operands. A tile of 256 rows
/// takes a pair, whatever its cluster.
LogicalResult Scheduler::chooseCluster() {
  bool tall = preset >= Preset::TwoCta && target.hasTcgen05 && spec.tile &&
              (*spec.tile)[0] == 256;
  ctaGroup = spec.ctaGroup.value_or(preset == Preset::TwoCta || tall ? 2 : 1);
  if (ctaGroup == 2 && preset < Preset::TwoCta)
    return refuse() << "expects cta_group=1, but got 2; cta_group=2 is for "
                       "preset two_cta and those above";
  if (ctaGroup == 1 && preset == Preset::TwoCta)
    return refuse() << "expects cta_group=2, but got 1; preset "
                       "warp_specialized goes without pairs";
  cluster = spec.cluster.value_or(std::array<int64_t, 2>{ctaGroup, 1});
  auto [m, n] = cluster;
  if (m * n != 1 && preset < Preset::Pipelined)
    return refuse() << "expects cluster=1x1, but got " << m << "x" << n
                    << "; clusters are for preset pipelined and those above";
  if (m * n > kMaxClusterSize)
    return refuse() << "expects a cluster of at most " << kMaxClusterSize
                    << " CTAs, but got " << m << "x" << n;
  if (m % ctaGroup != 0)
    return refuse() << "expects a cluster with an even number of CTAs along M "
                       "for cta_group=2, but got "
                    << m << "x" << n;
  return success();
}

ScheduleFields Scheduler::getFields() {
  ScheduleFields fields;
  fields.preset = preset;
  fields.tile = tile;
  fields.stages = stages;
  fields.store = store;
  fields.swapAB = swapAB;
  fields.pingpong = pingpong;
  fields.staging = store == StoreKind::Tma ? staging : ScheduleFields().staging;
  fields.splitK = splitK;
  fields.scheduler = scheduler;
  fields.ctaGroup = ctaGroup;
  fields.cluster = cluster;
  return fields;
}

ResourcePlan Scheduler::getPlan(int64_t stages) {
  ScheduleFields fields = getFields();
  fields.stages = stages;
  return planResources(fields, gemm.getAType().getElementType(),
                       getStoredType(), target.hasWgmma);
}

/// With wgmma the accumulator is in registers, and warps that load and warps
/// that multiply are always apart.
LogicalResult Scheduler::checkWarpgroups() {
  if (preset != Preset::WarpSpecialized && preset != Preset::Persistent)
    return refuse() << "needs tcgen05 (" << TargetInfo::getTcgen05Names()
                    << "); presets for " << target.name
                    << " are naive, warp_specialized and persistent";
  if (ctaGroup != 1)
    return refuse() << "expects cta_group=1 on " << target.name << ", but got "
                    << ctaGroup;
  if (TileScheduler wanted = spec.scheduler.value_or(TileScheduler::Static);
      wanted == TileScheduler::Clc)
    return refuse() << "expects scheduler=static or scheduler=stream_k on "
                    << target.name << ", but got "
                    << stringifyTileScheduler(wanted);
  if (spec.tmemLoad.value_or(TmemShape::Shape16x256b) !=
      TmemShape::Shape16x256b)
    return refuse() << "expects tmem_load=16x256b, which is how wgmma leaves "
                       "its result in registers, but got "
                    << stringifyTmemShape(*spec.tmemLoad);
  return success();
}

/// Whether two teams of a warpgroup take tiles in turn.
LogicalResult Scheduler::checkPingpong() {
  pingpong = spec.pingpong.value_or(false);
  if (!pingpong)
    return success();
  if (!target.hasWgmma)
    return refuse() << "expects pingpong=off on " << target.name
                    << ", where a second accumulator in tensor memory lets the "
                       "next tile begin; pingpong=on is for wgmma (sm_90a)";
  if (preset != Preset::Persistent)
    return refuse() << "has one tile for each CTA; pingpong=on is for preset "
                       "persistent";
  if (int64_t parts = spec.splitK.value_or(1); parts != 1)
    return refuse() << "expects split_k=1 with pingpong=on, which needs as "
                       "many steps for all tiles, but got "
                    << parts << "; pingpong=off goes with any";
  if (auto wanted = spec.scheduler.value_or(TileScheduler::Static);
      wanted == TileScheduler::StreamK)
    return refuse() << "expects scheduler=static with pingpong=on, which needs "
                       "as many steps for all tiles, but got "
                    << stringifyTileScheduler(wanted)
                    << "; pingpong=off goes with it";
  if (spec.promote)
    return refuse() << "expects no promote with pingpong=on, but got "
                    << *spec.promote << "; pingpong=off goes with it";
  return success();
}

/// PTX ISA, tcgen05.mma shapes with cta_group::1 and ::2; a wgmma has 64 rows,
/// and two warpgroups up to two blocks of them each.
LogicalResult Scheduler::checkRows() {
  int64_t m = tile[0];
  bool hasBlocks = target.hasWgmma && !pingpong;
  if (m == 64 * ctaGroup || m == 128 * ctaGroup || (hasBlocks && m == 256))
    return success();
  InFlightDiagnostic diagnostic = refuse();
  diagnostic << "expects a tile of M " << 64 * ctaGroup
             << (hasBlocks ? ", " : " or ") << 128 * ctaGroup;
  if (hasBlocks)
    diagnostic << " or 256";
  if (pingpong)
    diagnostic << " with pingpong=on";
  if (ctaGroup == 2)
    diagnostic << " for a pair of CTAs";
  diagnostic << ", but got " << m;
  if (m == 256 && target.hasTcgen05)
    diagnostic << "; M 256 takes preset two_cta or persistent with cta_group=2";
  return diagnostic;
}

/// Two blocks of 64 rows take twice the registers of a thread.
LogicalResult Scheduler::checkAccumulator() {
  if (!target.hasWgmma)
    return success();
  WarpgroupPlan plan = planWarpgroups(getFields());
  if (plan.blocks > 1 && spec.promote)
    return refuse() << "expects a tile of M 64 or 128 with promote, but got "
                    << tile[0];
  int64_t most = WarpgroupPlan::kMostMultiplyRegisters - kOtherRegisters;
  if (plan.accumulatorRegisters <= most)
    return success();
  return refuse() << "expects a tile of N of at most " << 2 * most / plan.blocks
                  << " for M " << tile[0]
                  << (pingpong ? " with pingpong=on" : "") << ", of which "
                  << "each warpgroup has " << plan.blocks
                  << " blocks of 64 rows in registers, but got " << tile[1];
}

/// A thread of a warpgroup has half a register for each column of the tile, for
/// the accumulator and for the sum that it is added to, and others for all
/// else. Where errors are carried on, the assembler has old and new values of
/// many elements at one time.
LogicalResult Scheduler::checkPromotedRegisters() {
  bool compensated = spec.compensated.value_or(false);
  auto count = [&](int64_t columns) {
    return compensated ? columns + columns * 3 / 8 : columns;
  };
  // Of one step what begins as an error would be moved to registers of wgmma
  // behind the fence that is ahead of it.
  if (spec.promote && compensated && *spec.promote == tile[2])
    return refuse() << "expects a promote of two steps of K or more with "
                       "compensated=on, but got "
                    << *spec.promote << " for a tile of K " << tile[2] << "; "
                    << 2 * tile[2] << " is one";
  int64_t most = getPlan(stages).getMostRegisters() - kOtherRegisters;
  if (!spec.promote || count(tile[1]) <= most)
    return success();
  int64_t fits = tile[1] / 16 * 16;
  while (count(fits) > most)
    fits -= 16;
  return refuse() << "tile " << tile[0] << "x" << tile[1] << "x" << tile[2]
                  << " takes " << count(tile[1])
                  << " registers of each thread for its accumulator and the "
                     "sum that promote adds it to, but there are "
                  << most << "; N of " << fits << " fits";
}

/// PTX ISA, tcgen05.mma shapes with cta_group::1 and ::2, and wgmma.mma_async
/// shapes.
LogicalResult Scheduler::checkTile() {
  if (failed(checkRows()))
    return failure();
  bool narrowRows =
      target.hasTcgen05 && getElementBytes() == 1 && !gemm.getTransposeB();
  int64_t step = ctaGroup == 2                                         ? 32
                 : (tile[0] == 128 && target.hasTcgen05) || narrowRows ? 16
                                                                       : 8;
  if (gemm.getSumType().isInteger() && !isIntegerWidth(tile[1]))
    return refuse() << "expects a tile of N that is 8, 24 or a multiple of 16 "
                       "for integers, but got "
                    << tile[1];
  if (tile[1] % step != 0 || tile[1] > 256)
    return refuse() << "expects a tile of N that is a multiple of " << step
                    << " up to 256 for M " << tile[0]
                    << (ctaGroup == 2 ? " of a pair of CTAs" : "")
                    << ", but got " << tile[1];
  if (failed(checkAccumulator()))
    return failure();
  tileOfCta = {tile[0] / ctaGroup, tile[1] / ctaGroup, tile[2]};
  auto [m, n, k] = tileOfCta;
  int64_t depth = getInstructionDepth(gemm);
  if (k % depth != 0)
    return refuse() << "expects a tile of K that is a multiple of " << depth
                    << ", but got " << k;
  if (failed(chooseStore()))
    return failure();
  ResourcePlan plan = getPlan(/*stages=*/1);
  int64_t bytes = plan.getSharedBytes();
  if (bytes > target.maxSharedBytes) {
    int64_t beside = bytes - plan.slotBytes;
    int64_t largest =
        (target.maxSharedBytes - beside) / (plan.slotBytes / k) / depth * depth;
    return refuse() << "tile " << tile[0] << "x" << tile[1] << "x" << k
                    << " needs " << bytes << " bytes of shared memory"
                    << perCta() << ", but " << target.name << " has "
                    << target.maxSharedBytes << "; the largest K that fits is "
                    << largest;
  }
  // Both operand tiles arrive at one mbarrier, those of a pair too.
  if (int64_t tx = plan.slotBytes * ctaGroup; tx > kMaxTransactionBytes - 1)
    return refuse() << "expects operand tiles of less than "
                    << kMaxTransactionBytes << " bytes, but got " << tx;
  return success();
}

/// Why TMA cannot write the result, as far as is known now; nothing if it can.
std::optional<std::string> Scheduler::whyNotStoredByTma() {
  if (preset < Preset::TmaStore)
    return "writes its result from registers; store=tma is for preset "
           "tma_store and those above";
  // Partial sums go to a workspace, which TMA can address.
  if (splitK > 1)
    return std::nullopt;
  if (swapAB)
    return "expects store=direct, which writes the transpose of a tile, for "
           "swap_ab=on, but got store=tma";
  if (gemm.getAccumulate())
    return "expects store=direct, which adds to the result, for a gemm that "
           "accumulates, but got store=tma";
  if (std::optional<std::string> why =
          whyNotTmaAddressable(gemm.getDType(), "D"))
    return *why + "; store=direct writes any layout";
  if (dependsOnRunTime(gemm.getDType()))
    return "operand D has strides or an offset that are not known at compile "
           "time; store=direct writes any layout";
  return std::nullopt;
}

/// Through shared memory where that is possible and there is room, unless the
/// SPEC says how.
LogicalResult Scheduler::chooseStore() {
  store = StoreKind::Direct;
  staging = spec.staging.value_or(ScheduleFields().staging);
  if (staging < 2)
    return refuse() << "expects staging=2 or more slices, of which one is "
                       "written while TMA reads another one, but got "
                    << staging;
  bool isStaged = staging != ScheduleFields().staging;
  if (spec.store == StoreKind::Direct) {
    if (isStaged)
      return refuse() << "expects store=tma for staging=" << staging
                      << ", but got store=direct";
    return success();
  }
  std::optional<std::string> why = whyNotStoredByTma();
  if (why && (spec.store || isStaged))
    return refuse() << *why;
  if (why)
    return success();
  // Threads of a warpgroup exchange 16-bit results for 16 bytes each: on an
  // H200 that is faster than the way through shared memory, and leaves it for
  // stages; but for teams in turn, of which one goes on meanwhile, and behind
  // elementwise ops, unless the slices would be narrow.
  bool isPlain = !pingpong && gemm.getEpilogue().empty();
  if (!spec.store && !isStaged && target.hasWgmma && splitK == 1 &&
      tile[1] >= kExchangedColumns && hasWidePieces(gemm.getDType()) &&
      (isPlain || getSliceBytes() < kWideSliceBytes))
    return success();
  store = StoreKind::Tma;
  if (!spec.store && !isStaged &&
      getPlan(spec.stages.value_or(1)).getSharedBytes() > target.maxSharedBytes)
    store = StoreKind::Direct;
  return success();
}

/// As many slots as fit, unless the SPEC says how many.
LogicalResult Scheduler::chooseStages() {
  if (preset < Preset::Pipelined) {
    if (spec.stages.value_or(1) != 1)
      return refuse() << "expects stages=1, but got " << *spec.stages
                      << "; it copies and multiplies in turn, and preset "
                         "pipelined has a ring of stages";
    return success();
  }
  auto [m, n, k] = tile;
  int64_t most =
      getMostStages(getFields(), gemm.getAType().getElementType(),
                    getStoredType(), target.maxSharedBytes, target.hasWgmma);
  most = std::min(most, kMaxRingStages);
  stages = spec.stages.value_or(std::min(most, kMostStages));
  if (stages > most)
    return refuse() << "stages=" << stages << " of tile " << m << "x" << n
                    << "x" << k << " need " << getPlan(stages).getSharedBytes()
                    << " bytes of shared memory" << perCta() << ", but "
                    << target.name << " has " << target.maxSharedBytes
                    << "; at most " << most << " stages fit";
  // A slot is released once the next one's products have been started.
  if (pingpong && stages < 2)
    return refuse() << "expects two stages or more with pingpong=on, but got "
                    << stages
                    << (most < 2 ? ", which are all that fit; a smaller tile "
                                   "has room for more"
                                 : "");
  return success();
}

/// The widest swizzle whose span divides the contiguous mode of both tiles,
/// unless the SPEC names one.
LogicalResult Scheduler::chooseSwizzle(unsigned &span) {
  struct Side {
    const char *name;
    const char *mode;
    int64_t bytes;
  };
  // Of a pair each CTA has half of M and of N.
  auto [m, n, k] = tileOfCta;
  bool pair = ctaGroup == 2;
  const char *modeM = pair ? "half of M" : "M";
  const char *modeN = pair ? "half of N" : "N";
  if (swapAB) {
    std::swap(m, n);
    std::swap(modeM, modeN);
  }
  int64_t bytes = getElementBytes();
  Side sides[] = {gemm.getTransposeA() ? Side{"A", modeM, m * bytes}
                                       : Side{"A", "K", k * bytes},
                  gemm.getTransposeB() ? Side{"B", "K", k * bytes}
                                       : Side{"B", modeN, n * bytes}};
  auto misfit = [&](unsigned candidate) -> const Side * {
    for (const Side &side : sides)
      if (side.bytes % std::max(candidate, 16u) != 0)
        return &side;
    return nullptr;
  };
  if (preset == Preset::Tma) {
    if (spec.swizzleSpan.value_or(0) != 0)
      return refuse() << "has no swizzle; expects swizzle=none, or preset "
                         "swizzle";
    span = 0;
  } else if (spec.swizzleSpan) {
    span = *spec.swizzleSpan;
    if (span == 0)
      return refuse() << "expects swizzle=32B|64B|128B; preset tma goes "
                         "without";
  } else {
    for (span = 128; span > 32 && misfit(span);)
      span /= 2;
  }
  if (const Side *side = misfit(span))
    return refuse() << "expects " << side->mode
                    << " of the tile, contiguous in " << side->name
                    << ", to be a multiple of " << std::max(span, 16u)
                    << " bytes" << (span ? " (the swizzle)" : "")
                    << ", but got " << side->bytes;
  return success();
}

FailureOr<ScheduleAttr> Scheduler::tensorCore() {
  if (!target.hasTmaSchedules()) {
    refuse() << "needs tcgen05 or wgmma (" << TargetInfo::getTmaNames()
             << "), which target " << target.name
             << " lacks; presets for it are naive, microkernel, tiled, "
                "double_buffered and multistage";
    return failure();
  }
  if (std::optional<std::string> why =
          whyNotByDescriptors(gemm, target, getPrecision())) {
    refuse() << *why;
    return failure();
  }
  if (spec.warps)
    return refuse() << "has no warps: they are a field of the presets of "
                       "mma.sync (microkernel to multistage)";
  if (spec.promote && !target.hasWgmma)
    return refuse() << "has no promote: its accumulator is in tensor memory; "
                       "microkernel, tiled, double_buffered and multistage "
                       "have it, and with wgmma (sm_90a) warp_specialized and "
                       "persistent";
  if (failed(chooseCluster()) ||
      (target.hasWgmma && failed(checkWarpgroups())) || failed(checkPingpong()))
    return failure();
  scheduler = spec.scheduler.value_or(TileScheduler::Static);
  if (scheduler != TileScheduler::Static && preset < Preset::Persistent)
    return refuse() << "has one tile for each CTA; scheduler="
                    << stringifyTileScheduler(scheduler)
                    << " is for preset persistent";
  if (auto [m, n] = cluster; scheduler == TileScheduler::StreamK && m * n > 1)
    return refuse() << "expects cluster=1x1 with scheduler=stream_k, but got "
                    << m << "x" << n
                    << "; scheduler=static and scheduler=clc walk by clusters";
  if (scheduler == TileScheduler::StreamK && spec.splitK.value_or(1) != 1)
    return refuse()
           << "expects split_k=1 with scheduler=stream_k, which shares "
              "out K by itself, but got "
           << *spec.splitK;
  // Without a pipeline a small tile lets more CTAs share an SM; with one, the
  // tile decides how often operands are read.
  bool pipelined = preset >= Preset::Pipelined;
  int64_t depth = 128 / getElementBytes();
  std::array<int64_t, 3> usual = {64, 64, depth};
  if (ctaGroup == 2)
    usual = {256, 256, depth};
  else if (target.hasWgmma)
    // Partial sums leave in fp32: with 256 columns in registers there is not
    // enough room for where they go. With stream_k there are two ways out,
    // which take registers.
    usual = {128,
             spec.compensated.value_or(false)      ? 80
             : spec.promote || pingpong            ? 128
             : scheduler == TileScheduler::StreamK ? 128
             : spec.splitK.value_or(1) > 1         ? 192
                                                   : 256,
             64};
  else if (pipelined)
    usual = {128, 128, depth};
  tile = spec.tile.value_or(usual);
  unsigned span = 0;
  splitK = spec.splitK.value_or(1);
  swapAB = spec.swapAB.value_or(false);
  auto refusal = [&] { return refuse(); };
  if (failed(checkSplitK(gemm, splitK, tile[2], refusal)) ||
      failed(checkTile()) || failed(chooseStages()) ||
      failed(checkPromotedRegisters()) || failed(chooseSwizzle(span)))
    return failure();
  for (auto [type, name] :
       {std::pair(gemm.getAType(), "A"), std::pair(gemm.getBType(), "B")}) {
    if (std::optional<std::string> why = whyNotTmaAddressable(type, name)) {
      refuse() << *why << "; schedule=multistage reads any layout";
      return failure();
    }
  }
  // With M = 64 only 16 lanes of each warp's quarter hold rows, which is what
  // the 16-lane fragment reads; not so in a pair. It is also what stmatrix
  // takes.
  bool narrow = tile[0] == 64 || target.hasWgmma ||
                (store == StoreKind::Tma &&
                 getStoredType().getIntOrFloatBitWidth() == 16);
  TmemShape load = spec.tmemLoad.value_or(narrow ? TmemShape::Shape16x256b
                                                 : TmemShape::Shape32x32b);
  ScheduleFields fields = getFields();
  fields.swizzleSpan = span;
  fields.tmemLoad = load;
  // A group of rows of tiles shares its columns of B in L2.
  if (failed(chooseOrder(spec, /*inGroups=*/preset >= Preset::Persistent,
                         fields, refusal)))
    return failure();
  fields.pdl = spec.pdl.value_or(false);
  fields.l2Keep = spec.l2Keep.value_or(L2Keep::None);
  fields.precision = getPrecision();
  if (failed(checkPromotion(gemm, spec, tile[2], refusal)))
    return failure();
  fields.promote = spec.promote.value_or(0);
  fields.compensated = spec.compensated.value_or(false);
  return ScheduleAttr::get(gemm.getContext(), fields);
}

} // namespace

FailureOr<ScheduleAttr> bwgemm::completeSchedule(GemmOp gemm,
                                                 const TargetInfo &target,
                                                 const ScheduleSpec &spec) {
  return Scheduler(gemm, target, spec).run();
}

namespace {

class AssignSchedulePass
    : public bwgemm::impl::AssignScheduleBase<AssignSchedulePass> {
public:
  using AssignScheduleBase::AssignScheduleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = TargetInfo::find(target);
    if (!info) {
      module.emitError() << "unknown target '" << target << "'; expects one of "
                         << TargetInfo::getNames();
      return signalPassFailure();
    }
    std::string error;
    std::optional<ScheduleSpec> spec = ScheduleSpec::parse(schedule, error);
    if (!spec) {
      module.emitError() << error;
      return signalPassFailure();
    }
    std::optional<ScheduleDatabase> measured =
        ScheduleDatabase::open(database, error);
    if (!measured) {
      module.emitError() << error;
      return signalPassFailure();
    }
    module->setAttr("bwgemm.target", StringAttr::get(&getContext(), target));
    WalkResult result = module.walk([&](GemmOp gemm) {
      // A schedule that the program already names goes through the same
      // checks.
      ScheduleSpec wanted =
          gemm.getSchedule()
              ? ScheduleSpec::getFrom(gemm.getSchedule()->getFields())
              : *spec;
      Scheduler scheduler(gemm, *info, wanted, &*measured);
      FailureOr<ScheduleAttr> chosen = scheduler.run();
      if (failed(chosen))
        return WalkResult::interrupt();
      gemm.setScheduleAttr(*chosen);
      ScheduleAttr fallback = scheduler.getFallback();
      if (fallback && !usesMmaSync(chosen->getPreset()))
        gemm.setFallbackAttr(fallback);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
