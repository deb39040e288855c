//===- ResourcePlanTest.cpp - What a CTA takes ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ResourcePlan.h"
#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class ResourcePlanTest : public testing::Test {
protected:
  ResourcePlanTest() {
    context.loadDialect<BwgemmDialect>();
    bf16 = BFloat16Type::get(&context);
    f32 = Float32Type::get(&context);
  }
  ScheduleFields makeFields(Preset preset, std::array<int64_t, 3> tile,
                            int64_t stages, StoreKind store) {
    ScheduleFields fields;
    fields.preset = preset;
    fields.tile = tile;
    fields.stages = stages;
    fields.store = store;
    return fields;
  }
  MLIRContext context;
  Type bf16, f32;
};

TEST_F(ResourcePlanTest, OneTileAtATime) {
  ResourcePlan plan = planResources(
      makeFields(Preset::Swizzle, {64, 64, 64}, 1, StoreKind::Direct), bf16,
      f32);
  // (64 + 64) x 64 x 2 bytes, one mbarrier for copies and one for MMAs.
  EXPECT_EQ(plan.slotBytes, 16384);
  EXPECT_EQ(plan.mbarriers, 2);
  EXPECT_EQ(plan.getSharedBytes(), 16384 + 16 + 4);
  EXPECT_EQ(plan.tensorColumns, 64);
  EXPECT_EQ(plan.threads, 128);
}

TEST_F(ResourcePlanTest, RingsAndStaging) {
  ResourcePlan plan = planResources(
      makeFields(Preset::Persistent, {128, 96, 64}, 5, StoreKind::Tma), bf16,
      bf16);
  EXPECT_EQ(plan.slotBytes, (128 + 96) * 128);
  // 96 columns of 2 bytes leave in three slices of 64 bytes, of which two have
  // a tile.
  EXPECT_EQ(plan.stagingBytes, 2 * 128 * 64);
  EXPECT_EQ(plan.accumulators, 2);
  // Two accumulators of 96 columns: the next power of two is 256.
  EXPECT_EQ(plan.tensorColumns, 256);
  EXPECT_EQ(plan.mbarriers, 2 * 5 + 2 * 2);
  EXPECT_EQ(plan.threads, 192);
  EXPECT_EQ(plan.getMostRegisters(), 255);
  plan.threads = 512; // 65536 / 512
  EXPECT_EQ(plan.getMostRegisters(), 128);
  // Of ten warps three are in one quarter of the SM: 16384 / 96.
  plan.threads = 320;
  EXPECT_EQ(plan.getMostRegisters(), 168);
}

// Of a tile of a pair each CTA has half of the rows of A and of B.
TEST_F(ResourcePlanTest, Pairs) {
  ScheduleFields fields =
      makeFields(Preset::TwoCta, {256, 256, 64}, 5, StoreKind::Direct);
  fields.ctaGroup = 2;
  fields.cluster = {2, 1};
  ResourcePlan plan = planResources(fields, bf16, f32);
  EXPECT_EQ(plan.slotBytes, 32768);
  EXPECT_EQ(plan.tensorColumns, 256);
  // 64 rows in each: the other half of the lanes holds half of the columns.
  fields.tile = {128, 256, 64};
  EXPECT_EQ(planResources(fields, bf16, f32).tensorColumns, 128);
}

TEST_F(ResourcePlanTest, AnswersOfLaunchControl) {
  ScheduleFields fields =
      makeFields(Preset::Persistent, {128, 128, 64}, 4, StoreKind::Direct);
  int64_t before = planResources(fields, bf16, f32).getSharedBytes();
  fields.scheduler = TileScheduler::Clc;
  // One more than the two accumulators, of 16 bytes and two mbarriers each.
  EXPECT_EQ(planResources(fields, bf16, f32).getSharedBytes(),
            before + 3 * (16 + 16));
}

TEST_F(ResourcePlanTest, StagesThatFit) {
  ScheduleFields fields =
      makeFields(Preset::Pipelined, {128, 128, 64}, 1, StoreKind::Direct);
  // 32768 + 16 bytes each, 16 + 4 beside.
  EXPECT_EQ(getMostStages(fields, bf16, f32, 227 * 1024), 7);
  EXPECT_EQ(getMostStages(fields, bf16, f32, 7 * 32784 + 20), 7);
  EXPECT_EQ(getMostStages(fields, bf16, f32, 7 * 32784 + 19), 6);
  EXPECT_EQ(getMostStages(fields, bf16, f32, 32784 + 20), 1);
  EXPECT_EQ(getMostStages(fields, bf16, f32, 32784 + 19), 0);
}

TEST_F(ResourcePlanTest, Warpgroups) {
  // Four slots of 49152 and 16 bytes, two staging tiles of 128 x 64 elements.
  ResourcePlan plan = planResources(
      makeFields(Preset::Persistent, {128, 256, 64}, 4, StoreKind::Tma), bf16,
      bf16, /*warpgroups=*/true);
  EXPECT_EQ(plan.getSharedBytes(), 4 * (49152 + 16) + 2 * 16384);
  EXPECT_EQ(plan.tensorColumns, 0);
  // Eight warps multiply and one loads.
  EXPECT_EQ(plan.threads, 288);
  // What ptxas 13.0 gives a thread of such a kernel at most, beyond which it
  // spills; 65536 / 288 would be 224.
  EXPECT_EQ(plan.getMostRegisters(), 168);
}

// Whatever the tile and the types, an SM has the columns that are planned, in
// powers of two.
TEST_F(ResourcePlanTest, ColumnsOfEveryTile) {
  for (Preset preset : {Preset::Swizzle, Preset::Pipelined, Preset::Persistent})
    for (int64_t m : {64, 128})
      for (int64_t n = 16; n <= 256; n += 16) {
        ResourcePlan plan = planResources(
            makeFields(preset, {m, n, 64}, 1, StoreKind::Tma), bf16, f32);
        EXPECT_GE(plan.tensorColumns, n * plan.accumulators);
        EXPECT_GE(plan.tensorColumns, kMinTensorMemoryColumns);
        EXPECT_LE(plan.tensorColumns, kTensorMemoryColumns);
        EXPECT_EQ(plan.tensorColumns & (plan.tensorColumns - 1), 0);
      }
}

} // namespace
