//===- MeasureTest.cpp - Time what runs on a GPU ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Measure.h"

#include "EmulatorFixture.h"

#include <vector>

using namespace bwgemm::runtime;

namespace {

constexpr char kernel[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry count(.param .u64 at)\n{\n"
                          "  .reg .b64 %p;\n  .reg .b32 %v;\n"
                          "  ld.param.u64 %p, [at];\n"
                          "  atom.global.add.u32 %v, [%p], 1;\n  ret;\n}\n";

/// Contenders that count how often each set is used.
class MeasureTest : public EmulatorTest {
protected:
  static constexpr unsigned sets = 3;

  void SetUp() override {
    EmulatorTest::SetUp();
    function = load(kernel, "count");
    ASSERT_EQ(counters.create(*api, 4 * 2 * sets), "");
    std::vector<uint32_t> zeros(2 * sets);
    ASSERT_EQ(counters.copyFrom(zeros.data(), 4 * zeros.size()), "");
    plan.sets = sets;
    plan.samples = 5;
    plan.pauseMilliseconds = 0;
    plan.sampleMilliseconds = 0.2;
  }

  Contender contender(unsigned number) {
    return {"number " + std::to_string(number),
            [this, number](CUstream stream, unsigned set) {
              CUdeviceptr at = counters.address() + 4 * (sets * number + set);
              void *parameters[] = {&at};
              return api->check(api->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1,
                                                    0, stream, parameters,
                                                    nullptr),
                                "cuLaunchKernel");
            }};
  }

  void check(bool graph) {
    std::vector<Timing> timings;
    ASSERT_EQ(measure(*api, {contender(0), contender(1)}, plan, nullptr,
                      nullptr, timings),
              "");
    ASSERT_EQ(timings.size(), 2u);
    for (const Timing &timing : timings) {
      EXPECT_EQ(timing.samples, 5u);
      EXPECT_EQ(timing.graph, graph);
      EXPECT_GE(timing.perSample, graph ? sets : 1u);
      EXPECT_GT(timing.least, 0);
      EXPECT_LE(timing.least, timing.median);
      EXPECT_LE(timing.median, timing.greatest);
    }
    std::vector<uint32_t> counts(2 * sets);
    ASSERT_EQ(counters.copyTo(counts.data(), 4 * counts.size()), "");
    for (uint32_t count : counts)
      EXPECT_GT(count, 0u);
  }

  CUfunction function = nullptr;
  DeviceBuffer counters;
  MeasurePlan plan;
};

TEST_F(MeasureTest, FromAGraph) {
  plan.graphBelowMicroseconds = 1e9;
  check(true);
}

TEST_F(MeasureTest, OneByOne) {
  plan.graphBelowMicroseconds = 0;
  check(false);
}

TEST_F(MeasureTest, ErrorsNameTheContender) {
  std::vector<Timing> timings;
  Contender bad = {"bad",
                   [](CUstream, unsigned) { return std::string("cannot"); }};
  EXPECT_EQ(measure(*api, {contender(0), bad}, plan, nullptr, nullptr, timings),
            "bad: cannot");
  // Nor does one that fails in the middle leave a capture open.
  unsigned calls = 0;
  Contender later = {"later", [&](CUstream, unsigned) {
                       return ++calls > 7 ? std::string("now") : "";
                     }};
  EXPECT_EQ(measure(*api, {later}, plan, nullptr, nullptr, timings),
            "later: now");
  plan.graphBelowMicroseconds = 1e9;
  check(true);
}

TEST_F(MeasureTest, ATimeLimitLeavesOneSampleAtLeast) {
  plan.samples = 1000000;
  plan.mostSeconds = 1e-9;
  std::vector<Timing> timings;
  ASSERT_EQ(measure(*api, {contender(0), contender(1)}, plan, nullptr, nullptr,
                    timings),
            "");
  EXPECT_EQ(timings[1].samples, 1u);
}

TEST_F(MeasureTest, SetsBeyondTheCache) {
  int cache = 0;
  ASSERT_EQ(api->cuDeviceGetAttribute(&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
                                      api->device),
            CUDA_SUCCESS);
  ASSERT_GT(cache, 0);
  EXPECT_EQ(setsBeyondCache(*api, size_t(cache)), 3u);
  EXPECT_EQ(setsBeyondCache(*api, size_t(cache) / 8), 17u);
  EXPECT_EQ(setsBeyondCache(*api, 0), 256u);
}

TEST_F(MeasureTest, ClocksOfAnEmulatorAreUnknown) {
  ClockMeter clocks;
  clocks.open(*api);
  clocks.sample();
  EXPECT_EQ(clocks.range().median, 0u);
  EXPECT_NE(clocks.range().unknown, "");
}

} // namespace
