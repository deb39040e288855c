//===- CostModelTest.cpp - Predicted times ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are published measurements, or worked out by hand from them.
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/CostModel.h"

#include "gtest/gtest.h"

using namespace mlir::bwgemm;

namespace {

const MachineModel machine;

ScheduleFields makeFields(Preset preset, std::array<int64_t, 3> tile,
                          int64_t stages = 1,
                          StoreKind store = StoreKind::Direct) {
  ScheduleFields fields;
  fields.preset = preset;
  fields.tile = tile;
  fields.stages = stages;
  fields.swizzleSpan = preset == Preset::Tma ? 0 : 128;
  fields.store = store;
  return fields;
}

ScheduleFields makePair(ScheduleFields fields) {
  fields.ctaGroup = 2;
  fields.cluster = {2, 1};
  return fields;
}

GemmProblem cube(int64_t extent) {
  GemmProblem problem;
  problem.m = problem.n = problem.k = extent;
  problem.resultBytes = 2;
  return problem;
}

double getTeraflops(const GemmProblem &problem, const ScheduleFields &fields) {
  return predict(machine, problem, fields).teraflops;
}

// Steady cycles per instruction, operands in shared memory
// (SemiAnalysisAI/microbench-blackwell, umma_latency/fit_results.csv). The
// closed form misses by at most 4 cycles.
TEST(CostModelTest, MmaInterval) {
  struct Row {
    int64_t group, m;
    double measured[6]; // N = 64, 80, 96, 112, 128, 256
  };
  const Row rows[] = {{1, 64, {32, 40, 48, 56, 64, 128}},
                      {1, 128, {48, 52, 56, 60, 64, 128}},
                      {2, 128, {25, 27, 29, 30, 32, 64}},
                      {2, 256, {43, 45, 49, 56, 64, 128}}};
  const int64_t columns[] = {64, 80, 96, 112, 128, 256};
  for (const Row &row : rows)
    for (int i = 0; i < 6; ++i) {
      double interval = getMmaInterval(machine, row.m, columns[i], row.group);
      EXPECT_LE(interval, row.measured[i] + 0.4) << row.m << " " << columns[i];
      EXPECT_GE(interval, row.measured[i] - 3.8) << row.m << " " << columns[i];
    }
  EXPECT_EQ(getMmaInterval(machine, 128, 128, 1), 64);
  EXPECT_EQ(getMmaInterval(machine, 256, 256, 2), 128);
}

TEST(CostModelTest, ClustersLeaveMultiprocessors) {
  EXPECT_EQ(getMultiprocessors(machine, 1), 148);
  EXPECT_EQ(getMultiprocessors(machine, 2), 148);
  EXPECT_EQ(getMultiprocessors(machine, 4), 132);
  EXPECT_EQ(getMultiprocessors(machine, 8), 120);
}

// Pure MMA of 256 x 256 over a pair (StuartSul/gpu-experiments, 087):
// ceil(tiles / 74) * (K / 64) * 512 cycles.
TEST(CostModelTest, WavesOfPairs) {
  ScheduleFields fields =
      makePair(makeFields(Preset::Persistent, {256, 256, 64}, 4));
  struct Row {
    int64_t extent, waves;
    double measured; // us, of which launch and prologue take 3.25 to 6.4
  };
  const Row rows[] = {
      {1024, 1, 8.24}, {2048, 1, 12.33}, {4096, 4, 75.49}, {8192, 14, 500.5}};
  for (const Row &row : rows) {
    Prediction prediction = predict(machine, cube(row.extent), fields);
    EXPECT_EQ(prediction.waves, row.waves);
    EXPECT_EQ(prediction.steps, row.extent / 64);
    EXPECT_EQ(prediction.stepCycles, 512);
    EXPECT_EQ(prediction.bound, Bound::TensorCores);
    double mma = row.waves * (row.extent / 64) * 512 / 1845.0;
    EXPECT_LT(mma, row.measured);
    EXPECT_LT(row.measured, mma + 6.5);
    // With loads and an epilogue it takes longer than the MMAs alone.
    EXPECT_GT(prediction.microseconds, mma);
  }
}

// 128 x 128 x 64 of one CTA: 32768 bytes for each step of 4 * 64 cycles. L2
// gives 20.1 TB/s / 148 / 1.845 GHz = 73.6 bytes per cycle: 445 cycles.
TEST(CostModelTest, StepIsBoundByTheSlowest) {
  GemmProblem problem = cube(4096);
  Prediction eight = predict(
      machine, problem, makeFields(Preset::WarpSpecialized, {128, 128, 64}, 7));
  EXPECT_NEAR(eight.stepCycles, 445.2, 0.5);
  EXPECT_EQ(eight.bound, Bound::L2);
  EXPECT_EQ(eight.tiles, 1024);
  EXPECT_EQ(eight.waves, 7);
  // A ring of two waits: 1500 cycles for two slots.
  Prediction two = predict(
      machine, problem, makeFields(Preset::WarpSpecialized, {128, 128, 64}, 2));
  EXPECT_EQ(two.stepCycles, 750);
  EXPECT_EQ(two.bound, Bound::Latency);
  // Two CTAs that share B fetch half of it each: 24576 bytes.
  ScheduleFields shared =
      makeFields(Preset::WarpSpecialized, {128, 128, 64}, 7);
  shared.cluster = {2, 1};
  EXPECT_NEAR(predict(machine, problem, shared).stepCycles, 333.9, 0.5);
  // Boxes of 16 bytes a row: 2048 rows.
  Prediction rows =
      predict(machine, problem, makeFields(Preset::Tma, {128, 128, 64}));
  EXPECT_NEAR(rows.stepCycles, 770 + 2048 * 1.2 + 256 + 120 + 64, 0.5);
}

// Where D has few tiles, parts of K fill the chip; the sums cost a launch.
TEST(CostModelTest, SplitK) {
  GemmProblem problem;
  problem.m = problem.n = 256;
  problem.k = 32768;
  ScheduleFields whole = makeFields(Preset::WarpSpecialized, {128, 128, 64}, 6);
  ScheduleFields split = whole;
  split.splitK = 32;
  Prediction one = predict(machine, problem, whole);
  Prediction many = predict(machine, problem, split);
  EXPECT_EQ(one.tiles, 4);
  EXPECT_EQ(one.steps, 512);
  EXPECT_EQ(many.tiles, 128);
  EXPECT_EQ(many.steps, 16);
  EXPECT_EQ(many.waves, 1);
  EXPECT_EQ(one.reduction, 0);
  // A launch, 1600 cycles, 8.4 MB from L2 and D to DRAM.
  EXPECT_NEAR(many.reduction, 2.2 + 0.867 + 0.417 + 0.037, 0.01);
  EXPECT_LT(many.microseconds, one.microseconds / 5);
  // With tiles enough it does not pay.
  ScheduleFields few = whole;
  few.splitK = 2;
  EXPECT_GT(predict(machine, cube(4096), few).microseconds,
            predict(machine, cube(4096), whole).microseconds);
  // No more parts than tiles of K.
  problem.k = 128;
  EXPECT_EQ(predict(machine, problem, split).tiles, 8);
}

// Operands that L2 does not hold are read again by every wave; a square of
// tiles reads least.
TEST(CostModelTest, RasterForL2) {
  GemmProblem problem = cube(16384);
  problem.k = 1024;
  problem.m = problem.n = 32768;
  ScheduleFields fields =
      makePair(makeFields(Preset::Persistent, {256, 256, 64}, 4));
  fields.raster = 8;
  double square = predict(machine, problem, fields).microseconds;
  fields.raster = 1;
  EXPECT_LE(square, predict(machine, problem, fields).microseconds);
}

// Held out: the figures above do not come from these ladders (nor does their
// order). TFLOPS at 4096 x 4096 x 4096 by rung.
TEST(CostModelTest, OrderOfPublishedLadders) {
  GemmProblem problem = cube(4096);
  auto isRising = [&](std::vector<ScheduleFields> rungs) {
    double last = 0;
    for (const ScheduleFields &rung : rungs) {
      double next = getTeraflops(problem, rung);
      EXPECT_GT(next, last * 1.001);
      last = next;
    }
  };
  using P = Preset;
  // Modular, B200: 155, 288, 294, 360, 1429, 1772.
  isRising(
      {makeFields(P::Tma, {64, 64, 64}), makeFields(P::Swizzle, {64, 64, 64}),
       makeFields(P::TmaStore, {64, 64, 64}, 1, StoreKind::Tma),
       makePair(makeFields(P::TmaStore, {256, 256, 64}, 1, StoreKind::Tma)),
       makePair(makeFields(P::WarpSpecialized, {256, 256, 64}, 5)),
       makePair(makeFields(P::Persistent, {256, 256, 64}, 5))});
  // A ladder in CUDA C++, B200: 256, 699, 914, 1054, 1170, 1273.
  isRising({makeFields(P::Tma, {128, 128, 64}),
            makeFields(P::Swizzle, {128, 128, 64}),
            makeFields(P::Pipelined, {128, 128, 64}, 7),
            makeFields(P::WarpSpecialized, {128, 128, 64}, 7),
            makePair(makeFields(P::WarpSpecialized, {256, 256, 64}, 4)),
            makePair(makeFields(P::Persistent, {256, 256, 64}, 4))});
  // ThunderKittens, B200: 293, 731, 1050, 1285, 1540.
  isRising({makeFields(P::Swizzle, {128, 128, 64}),
            makeFields(P::WarpSpecialized, {128, 128, 64}, 3),
            makeFields(P::WarpSpecialized, {128, 256, 64}, 4),
            makePair(makeFields(P::WarpSpecialized, {256, 256, 64}, 4)),
            makePair(makeFields(P::Persistent, {256, 256, 64}, 4))});
}

// The upper rungs in proportion to the same source's best, within a factor
// of 1.6.
TEST(CostModelTest, RatiosOfPublishedLadders) {
  GemmProblem problem = cube(4096);
  double best = getTeraflops(
      problem, makePair(makeFields(Preset::Persistent, {256, 256, 64}, 4)));
  auto expect = [&](double published, const ScheduleFields &fields) {
    double ratio = getTeraflops(problem, fields) / best;
    EXPECT_GT(ratio, published / 1.6);
    EXPECT_LT(ratio, published * 1.6);
  };
  expect(1429.0 / 1772,
         makePair(makeFields(Preset::WarpSpecialized, {256, 256, 64}, 5)));
  expect(914.0 / 1273, makeFields(Preset::Pipelined, {128, 128, 64}, 7));
  expect(1054.0 / 1273, makeFields(Preset::WarpSpecialized, {128, 128, 64}, 7));
  expect(731.0 / 1540, makeFields(Preset::WarpSpecialized, {128, 128, 64}, 3));
  expect(1050.0 / 1540, makeFields(Preset::WarpSpecialized, {128, 256, 64}, 4));
}

// By hand from the figures of WarpgroupModel: 512 tiles of 128 x 256 in four
// waves of 64 steps.
TEST(CostModelTest, Warpgroups) {
  ScheduleFields fields = makeFields(Preset::Persistent, {128, 256, 64}, 4);
  Prediction p = predictWarpgroups(WarpgroupModel(), cube(4096), fields);
  EXPECT_EQ(p.tiles, 512);
  EXPECT_EQ(p.waves, 4);
  EXPECT_EQ(p.steps, 64);
  EXPECT_EQ(p.bound, Bound::TensorCores);
  // Three matrices of 2 bytes an element, of which some remains.
  double dram = 3 * 2.0 * 4096 * 4096 / 4.65e6;
  double main = 4 * 64 * (0.0586 + 0.00225 * 256);
  EXPECT_NEAR(p.mainLoop, main + 0.171 * dram, 1e-6);
  EXPECT_NEAR(p.microseconds,
              1.35 + 0.8 + p.mainLoop + 4 * (0.0768 + 0.00454 * 256), 1e-6);
  // What was measured: 169.5 to 174.3 us.
  EXPECT_NEAR(p.microseconds, 172, 4);
  // Slices of 128 bytes by TMA.
  fields.store = StoreKind::Tma;
  Prediction staged = predictWarpgroups(WarpgroupModel(), cube(4096), fields);
  EXPECT_NEAR(staged.mainLoop, 1.015 * main + 0.171 * dram, 1e-6);
  EXPECT_NEAR(staged.epilogue, 4 * (0.158 + 0.00214 * 256) + 0.203, 1e-6);
  // One that begins in the end of another one.
  fields.pdl = true;
  Prediction overlapped =
      predictWarpgroups(WarpgroupModel(), cube(4096), fields);
  EXPECT_NEAR(overlapped.microseconds, staged.microseconds - 0.8, 1e-6);
}

// Rows that do not begin with a line take longer to fetch, of which CTAs of a
// cluster share some: 64 of 128 + 128.
TEST(CostModelTest, WarpgroupsFetch) {
  GemmProblem problem = cube(4104);
  problem.wholeLines = false;
  ScheduleFields fields = makeFields(Preset::Persistent, {128, 128, 64}, 6);
  Prediction alone = predictWarpgroups(WarpgroupModel(), problem, fields);
  fields.cluster = {2, 1};
  Prediction shared = predictWarpgroups(WarpgroupModel(), problem, fields);
  EXPECT_EQ(alone.bound, Bound::L2);
  double dram = 0.171 * 3 * 2.0 * 4104 * 4104 / 4.65e6;
  // 33 x 33 tiles in 9 waves, with whole clusters 34 x 33.
  EXPECT_NEAR(alone.mainLoop, 9 * 65 * 256 * 0.00112 * 1.88 + dram, 1e-6);
  EXPECT_NEAR(shared.mainLoop,
              9 * 65 * (192 * 0.00112 + 64 * 0.000326) * 1.88 + dram, 1e-6);
  // What their launch takes longer.
  EXPECT_NEAR(alone.microseconds - alone.mainLoop + 0.486,
              shared.microseconds - shared.mainLoop, 1e-6);
}

// TMA takes rows of a box one by one: with 32 bytes each a line is four rows.
// On an H200 4096 x 4096 x 4096 took 324 us (B stored N x K) and 344 (K x N),
// 183 and 186 with rows of 64 bytes, 176 with 128; and tiles of 64 x 32 with 64
// bytes 701.
TEST(CostModelTest, WarpgroupsNarrowRows) {
  WarpgroupModel machine;
  ScheduleFields fields = makeFields(Preset::Persistent, {128, 256, 64}, 4);
  auto getTime = [&](unsigned span) {
    fields.swizzleSpan = span;
    return predictWarpgroups(machine, cube(4096), fields);
  };
  double dram = 0.171 * 3 * 2.0 * 4096 * 4096 / 4.65e6;
  EXPECT_NEAR(getTime(32).mainLoop, 4 * 64 * 4 * 384 * 0.00082 * 1.04 + dram,
              1e-6);
  EXPECT_NEAR(getTime(32).microseconds, 334, 20);
  EXPECT_NEAR(getTime(64).microseconds, 184.5, 6);
  EXPECT_NEAR(getTime(128).microseconds, 176, 6);
  EXPECT_EQ(getTime(32).bound, Bound::L2);
  EXPECT_EQ(getTime(64).bound, Bound::TensorCores);
  fields = makeFields(Preset::Persistent, {64, 32, 128}, 8);
  EXPECT_NEAR(getTime(64).microseconds, 701, 70);
}

// Two slots do not cover the way from L2, of which a warpgroup alone holds one
// while it multiplies: 39 us were measured, with more and smaller ones 23.5.
TEST(CostModelTest, WarpgroupsFewSlots) {
  GemmProblem problem = cube(2048);
  ScheduleFields fields = makeFields(Preset::Persistent, {64, 256, 128}, 2);
  fields.pdl = true;
  Prediction few = predictWarpgroups(WarpgroupModel(), problem, fields);
  EXPECT_EQ(few.bound, Bound::Latency);
  EXPECT_NEAR(few.microseconds, 39, 6);
  fields = makeFields(Preset::Persistent, {128, 256, 64}, 4);
  EXPECT_LT(predictWarpgroups(WarpgroupModel(), problem, fields).microseconds,
            few.microseconds);
}

// Where K is short, teams in turn were measured to be faster (175 us, 191
// without), and slices of 16 bytes slower than stores from registers (212 and
// 177).
TEST(CostModelTest, WarpgroupsInTurn) {
  GemmProblem problem = cube(8192);
  problem.k = 1024;
  ScheduleFields fields = makeFields(Preset::Persistent, {128, 192, 64}, 4);
  fields.store = StoreKind::Tma;
  double together =
      predictWarpgroups(WarpgroupModel(), problem, fields).microseconds;
  fields.pingpong = true;
  double inTurn =
      predictWarpgroups(WarpgroupModel(), problem, fields).microseconds;
  EXPECT_LT(inTurn, together);
  EXPECT_NEAR(inTurn, 175, 4);
  fields.tile = {128, 200, 64};
  double narrow =
      predictWarpgroups(WarpgroupModel(), problem, fields).microseconds;
  fields.store = StoreKind::Direct;
  EXPECT_LT(predictWarpgroups(WarpgroupModel(), problem, fields).microseconds,
            narrow);
}

// Few rows of D fill the narrow side of a tile: on an H200 17.8 us instead of
// 22.6.
TEST(CostModelTest, WarpgroupsSwapped) {
  GemmProblem problem = cube(4096);
  problem.m = 16;
  problem.n = 8192;
  Prediction wide =
      predictWarpgroups(WarpgroupModel(), problem,
                        makeFields(Preset::Persistent, {64, 64, 128}, 7));
  ScheduleFields fields = makeFields(Preset::Persistent, {64, 16, 128}, 8);
  fields.swapAB = true;
  Prediction swapped = predictWarpgroups(WarpgroupModel(), problem, fields);
  EXPECT_EQ(swapped.tiles, 128);
  EXPECT_EQ(swapped.bound, Bound::Dram);
  EXPECT_LT(swapped.microseconds, wide.microseconds);
}

// Which of two tiles was measured to be faster.
TEST(CostModelTest, WarpgroupsLastWave) {
  auto microseconds = [](int64_t size, int64_t n) {
    return predictWarpgroups(WarpgroupModel(), cube(size),
                             makeFields(Preset::Persistent, {128, n, 64}, 4))
        .microseconds;
  };
  EXPECT_LT(microseconds(5120, 224), microseconds(5120, 256));
  EXPECT_LT(microseconds(4096, 256), microseconds(4096, 224));
  EXPECT_LT(microseconds(1024, 64), microseconds(1024, 256));
}

// Few rows: small tiles were measured to be faster with 128 elements of K, and
// a tile for each multiprocessor faster than larger ones for half of them.
TEST(CostModelTest, WarpgroupsFewRows) {
  auto microseconds = [](int64_t m, int64_t n, std::array<int64_t, 3> tile) {
    GemmProblem problem = cube(4096);
    problem.m = m;
    problem.n = n;
    return predictWarpgroups(WarpgroupModel(), problem,
                             makeFields(Preset::Persistent, tile, 4))
        .microseconds;
  };
  EXPECT_LT(microseconds(64, 4096, {64, 32, 128}),
            microseconds(64, 4096, {64, 32, 64}));
  EXPECT_LT(microseconds(16, 8192, {64, 64, 128}),
            microseconds(16, 8192, {64, 64, 64}));
  EXPECT_LT(microseconds(16, 8192, {64, 64, 128}),
            microseconds(16, 8192, {64, 112, 64}));
}

// By hand from the figures of WarpModel: 512 tiles of 128 x 256, of which a
// multiprocessor takes four one after the other.
TEST(CostModelTest, Warps) {
  GemmProblem problem = cube(4096);
  problem.resultBytes = 2;
  Prediction p = predictWarps(WarpModel(), problem,
                              makeFields(Preset::Multistage, {128, 256, 64}, 3),
                              /*residents=*/1);
  EXPECT_EQ(p.tiles, 512);
  EXPECT_EQ(p.waves, 4);
  EXPECT_EQ(p.steps, 64);
  EXPECT_NEAR(p.mainLoop, 4 * 64 * (2 * 0.416 + 3 * 0.0558 + 0.0578), 1e-6);
  EXPECT_NEAR(p.microseconds, 2.56 + p.mainLoop + 4 * 2 * 1.77, 1e-6);
  // What was measured: 479 to 484 TFLOPS.
  EXPECT_NEAR(p.teraflops, 481, 24);
}

// Which of two tiles was measured to be faster, with as many CTAs on a
// multiprocessor as it has room for.
TEST(CostModelTest, WarpsTiles) {
  auto microseconds = [](int64_t m, int64_t size, std::array<int64_t, 3> tile,
                         int64_t residents) {
    GemmProblem problem = cube(size);
    problem.m = m;
    problem.resultBytes = 2;
    return predictWarps(WarpModel(), problem,
                        makeFields(Preset::Multistage, tile, 3), residents)
        .microseconds;
  };
  EXPECT_LT(microseconds(2048, 2048, {128, 256, 64}, 1),
            microseconds(2048, 2048, {128, 128, 64}, 2));
  EXPECT_LT(microseconds(1024, 1024, {64, 128, 64}, 3),
            microseconds(1024, 1024, {128, 256, 64}, 1));
  EXPECT_LT(microseconds(128, 4096, {32, 64, 64}, 6),
            microseconds(128, 4096, {128, 128, 64}, 2));
}

TEST(CostModelTest, Naive) {
  ScheduleFields fields;
  // Rung 1 of Modular's ladder: about 5 TFLOPS.
  EXPECT_NEAR(getTeraflops(cube(4096), fields), 5, 0.2);
}

} // namespace
