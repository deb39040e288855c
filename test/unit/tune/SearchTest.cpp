//===- SearchTest.cpp - The fastest of many candidates ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeBench.h"

#include "gtest/gtest.h"

using namespace bwgemm::tune;

namespace {

class SearchTest : public testing::Test {
protected:
  SearchPlan makePlan(double seconds = 0) {
    SearchPlan plan;
    plan.seconds = seconds;
    plan.clock = [this] { return clock.seconds; };
    return plan;
  }
  FakeClock clock;
};

using Numbers = std::vector<size_t>;

TEST_F(SearchTest, RoundsHaveFewerCandidatesAndMoreSamples) {
  // 40 candidates, slower from either end to number 25.
  std::vector<double> times;
  for (int i = 0; i < 40; ++i)
    times.push_back(100 + std::abs(i - 25));
  FakeBench bench(times, clock);
  SearchResult result = search(bench, 40, {}, makePlan());
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(bench.checked.size(), 40u);
  ASSERT_EQ(bench.rounds.size(), 3u);
  EXPECT_EQ(bench.roundSamples, (std::vector<unsigned>{3, 7, 15}));
  EXPECT_EQ(bench.rounds[0].size(), 40u);
  // A quarter, and what the model takes.
  EXPECT_EQ(bench.rounds[1],
            (Numbers{25, 24, 26, 23, 27, 22, 28, 21, 29, 20, 0}));
  EXPECT_EQ(bench.rounds[2], (Numbers{25, 24, 26, 0}));
  EXPECT_EQ(result.best, 25u);
  EXPECT_EQ(result.timed, 40u);
  EXPECT_EQ(result.bestTiming.median, 100);
  EXPECT_EQ(result.modelTiming.median, 125);
}

TEST_F(SearchTest, HardlyFasterIsNotTaken) {
  FakeBench close({100.4, 101, 100}, clock);
  SearchResult result = search(close, 3, {}, makePlan());
  EXPECT_EQ(result.best, 0u);
  EXPECT_EQ(result.bestTiming.median, 100.4);
  FakeBench apart({100.6, 101, 100}, clock);
  EXPECT_EQ(search(apart, 3, {}, makePlan()).best, 2u);
}

TEST_F(SearchTest, WhatIsWrongIsNotTimed) {
  FakeBench bench({1, 2, 3, 4}, clock);
  bench.verdicts[0] = {Verdict::Wrong, "wrong", false};
  bench.verdicts[2] = {Verdict::Fault, "a hazard", false};
  SearchResult result = search(bench, 4, {}, makePlan());
  EXPECT_EQ(bench.rounds[0], (Numbers{1, 3}));
  EXPECT_EQ(result.best, 1u);
  // The model's schedule has no time.
  EXPECT_EQ(result.modelTiming.samples, 0u);
  EXPECT_EQ(result.verdicts[2].message, "a hazard");

  FakeBench none({1, 2}, clock);
  none.verdicts[0].kind = none.verdicts[1].kind = Verdict::Wrong;
  EXPECT_EQ(search(none, 2, {}, makePlan()).error, "no candidate is right");
}

TEST_F(SearchTest, NothingRunsAfterATrap) {
  FakeBench bench({1, 2, 3}, clock);
  bench.verdicts[1] = {Verdict::Fault, "trap", true};
  SearchResult result = search(bench, 3, {}, makePlan());
  EXPECT_EQ(result.error, "trap");
  EXPECT_EQ(bench.checked, (Numbers{0, 1}));
  EXPECT_TRUE(bench.rounds.empty());
  EXPECT_EQ(result.verdicts[2].kind, Verdict::NotTried);
}

TEST_F(SearchTest, LeftOut) {
  FakeBench bench({3, 2, 1}, clock);
  SearchResult result = search(bench, 3, {0, 2}, makePlan());
  EXPECT_EQ(bench.checked, (Numbers{1}));
  EXPECT_EQ(result.best, 1u);
}

TEST_F(SearchTest, ATimeLimitHolds) {
  FakeBench bench(std::vector<double>(100, 1), clock);
  clock.seconds = 1000;
  SearchResult result = search(bench, 100, {}, makePlan(50));
  EXPECT_EQ(result.error, "");
  // Two fifths for checks; 20 candidates with a sample each go beyond 13 s.
  EXPECT_EQ(bench.checked.size(), 20u);
  EXPECT_EQ(bench.roundSamples[0], 1u);
  EXPECT_LE(clock.seconds, 1055);
  EXPECT_EQ(bench.rounds.size(), 3u);

  // Where there is hardly any, one candidate is checked and timed.
  FakeBench hurried(std::vector<double>(10, 1), clock);
  EXPECT_EQ(search(hurried, 10, {}, makePlan(0.1)).error, "");
  EXPECT_EQ(hurried.checked.size(), 1u);
}

TEST_F(SearchTest, TimingThatFails) {
  FakeBench bench({1, 2}, clock);
  bench.timeError = "out of memory";
  EXPECT_EQ(search(bench, 2, {}, makePlan()).error, "out of memory");
}

TEST_F(SearchTest, ChecksAlone) {
  FakeBench bench({1, 2}, clock);
  EXPECT_EQ(checkAll(bench, 2, {}, makePlan()).error, "");
  EXPECT_EQ(bench.checked.size(), 2u);
  EXPECT_TRUE(bench.rounds.empty());
}

} // namespace
