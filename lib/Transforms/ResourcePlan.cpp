//===- ResourcePlan.cpp - What a CTA of a schedule takes ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ResourcePlan.h"

#include "StagedStore.h"
#include "TileLoop.h"
#include "bwgemm/IR/TargetInfo.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// Warps of the epilogue, each of which reaches one quarter of the tensor
/// memory's lanes; and those of loading and multiplying, where these have their
/// own.
static constexpr int64_t kEpilogueWarps = 4, kMainLoopWarps = 2;

/// Registers of an SM, which has four parts among which warps are dealt out,
/// and of a thread; they are handed out in units of 8 (CUDA programming guide,
/// technical specifications per compute capability).
static constexpr int64_t kRegisterFile = 65536, kSmParts = 4,
                         kMostRegisters = 255, kRegisterUnit = 8;

int64_t ResourcePlan::getMostRegisters() const {
  // The part with the most warps decides.
  int64_t warps = llvm::divideCeil(threads, 32 * kSmParts);
  int64_t each = kRegisterFile / kSmParts / (32 * warps);
  return std::min(kMostRegisters, each / kRegisterUnit * kRegisterUnit);
}

/// Warpgroups that share a tile.
static constexpr int64_t kMostGroups = 2;

WarpgroupPlan bwgemm::planWarpgroups(const ScheduleFields &fields) {
  WarpgroupPlan plan;
  // Tiles of mma.sync may have fewer rows; nobody goes by the plan for them.
  int64_t blocks =
      std::max<int64_t>(fields.tile[0] / WarpgroupPlan::kBlockRows, 1);
  plan.teams = fields.pingpong ? 2 : 1;
  plan.groups = fields.pingpong ? 1 : std::min(blocks, kMostGroups);
  plan.blocks = blocks / plan.groups;
  plan.isPipelined =
      plan.groups == 1 && fields.stages > 1 && fields.promote == 0;
  plan.accumulatorRegisters = plan.blocks * fields.tile[1] / 2;
  return plan;
}

ResourcePlan bwgemm::planResources(const ScheduleFields &fields,
                                   Type operandType, Type storedType,
                                   bool warpgroups) {
  ResourcePlan plan;
  auto [m, n, k] = fields.getTileOfCta();
  ResultShape shape = getResultShape(fields, warpgroups);
  int64_t elementBytes = operandType.getIntOrFloatBitWidth() / 8;
  plan.slotBytes = (m + n) * k * elementBytes;
  plan.stages = fields.stages;
  if (fields.store == StoreKind::Tma)
    plan.stagingBytes =
        getStagingTiles(getStoreMap(shape, storedType), shape, fields.staging)
            .getBytes();
  if (usesMmaSync(fields.preset)) {
    // cp.async counts groups, and accumulators are in registers.
    plan.accumulators = 0;
    plan.threads = 32 * fields.warps[0] * fields.warps[1];
    return plan;
  }
  if (warpgroups) {
    WarpgroupPlan warpgroupPlan = planWarpgroups(fields);
    plan.accumulators = 0;
    // Teams have a ring of turns.
    plan.mbarriers = 2 * fields.stages + (warpgroupPlan.teams > 1 ? 2 : 0);
    plan.threads =
        32 * (warpgroupPlan.getWarps() + warpgroupPlan.getLoadWarps());
    return plan;
  }
  // With a second accumulator the next tile begins before this one is out.
  bool twice = fields.preset >= Preset::Persistent &&
               2 * fields.tile[1] <= kTensorMemoryColumns;
  plan.accumulators = twice ? 2 : 1;
  plan.tensorColumns =
      std::max<int64_t>(llvm::PowerOf2Ceil(shape.columns * plan.accumulators),
                        kMinTensorMemoryColumns);
  // A ring has two for each slot; without rings there is one for the copies and
  // one for the MMAs.
  bool rings = fields.preset >= Preset::Pipelined;
  plan.mbarriers = rings ? 2 * fields.stages + 2 * plan.accumulators : 2;
  if (fields.scheduler == TileScheduler::Clc) {
    int64_t slots = getWorkSlots(plan.accumulators);
    plan.answerBytes = slots * WorkType::kResponseBytes;
    plan.mbarriers += 2 * slots;
  }
  bool specialized = fields.preset >= Preset::WarpSpecialized;
  plan.threads = 32 * (kEpilogueWarps + (specialized ? kMainLoopWarps : 0));
  return plan;
}

int64_t bwgemm::getMostStages(ScheduleFields fields, Type operandType,
                              Type storedType, int64_t sharedBytes,
                              bool warpgroups) {
  fields.stages = 1;
  ResourcePlan one = planResources(fields, operandType, storedType, warpgroups);
  fields.stages = 2;
  int64_t each = planResources(fields, operandType, storedType, warpgroups)
                     .getSharedBytes() -
                 one.getSharedBytes();
  int64_t left = sharedBytes - one.getSharedBytes();
  return left < 0 ? 0 : 1 + left / each;
}
