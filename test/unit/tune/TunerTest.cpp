//===- TunerTest.cpp - All problems, one after the other --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "FakeBench.h"
#include "Files.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace bwgemm::tune;
using namespace bwgemm;

namespace {

/// Three candidates for every problem, of which the last is the fastest.
class FakeWorkshop : public Workshop {
public:
  explicit FakeWorkshop(FakeClock &clock) : clock(clock) {}
  std::string open() override { return ""; }
  std::string describe() const override { return "a GPU, described"; }
  std::string deviceName() const override { return "a GPU"; }
  std::string prepare(const Problem &problem, double seconds,
                      std::vector<std::string> &schedules,
                      std::vector<std::string> &) override {
    prepared.push_back(problem.text());
    allowed.push_back(seconds);
    schedules = {"s0", "s1", "s2"};
    return problem.text() == impossible ? "nothing fits" : "";
  }
  std::unique_ptr<Bench>
  bench(const Problem &problem,
        std::function<void(size_t, const std::string &)>) override {
    auto bench =
        std::make_unique<FakeBench>(std::vector<double>{3, 2, 1}, clock);
    if (problem.text() == trapping)
      bench->verdicts[1] = {Verdict::Fault, "it trapped", true};
    if (problem.text() == wrong)
      bench->verdicts[2] = {Verdict::Wrong, "it is wrong", false};
    return bench;
  }

  std::vector<std::string> prepared;
  std::vector<double> allowed;
  std::string impossible, trapping, wrong;

private:
  FakeClock &clock;
};

class TunerTest : public testing::Test {
protected:
  TunerTest() : workshop(clock) {
    options.target = "sm_90a";
    // Tests run in several processes.
    options.output = testing::TempDir() + "bwgemm-tuner-" +
                     std::to_string(getpid()) + ".json";
    std::remove(options.output.c_str());
    for (const char *text : {"8x8x8 f16-f16 nn", "16x8x8 f16-f16 nn",
                             "32x8x8 f16-f16 nn", "64x8x8 f16-f16 nn"}) {
      std::string error;
      options.problems.emplace_back();
      EXPECT_TRUE(tools::parseProblem(text, options.problems.back(), error));
    }
  }
  ~TunerTest() override { std::remove(options.output.c_str()); }

  int run() {
    return Tuner(options, workshop, [this] { return clock.seconds; }).run();
  }
  Database load() {
    Database database("sm_90a", "a GPU");
    EXPECT_EQ(database.load(options.output), "");
    return database;
  }
  bool has(size_t problem) { return load().has(options.problems[problem]); }

  FakeClock clock;
  FakeWorkshop workshop;
  Options options;
};

TEST_F(TunerTest, EveryProblemGetsAnEntry) {
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(load().size(), 4u);
  EXPECT_NE(load().text().find("\"m\":64,\"n\":8,\"k\":8,\"schedule\":\"s2\","
                               "\"us\":1.0,\"us_min\":1.0,\"us_max\":1.0,"
                               "\"samples\":15,\"candidates\":3,\"model\":"
                               "\"s0\",\"model_us\":3.0}"),
            std::string::npos)
      << load().text();
  // Without --resume all are tuned again.
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(workshop.prepared.size(), 8u);
  EXPECT_EQ(load().size(), 4u);
}

TEST_F(TunerTest, AnInterruptedRunResumes) {
  workshop.trapping = options.problems[2].text();
  EXPECT_EQ(run(), 3);
  // What came before the trap is there, and nothing ran after it.
  EXPECT_TRUE(has(0) && has(1));
  EXPECT_FALSE(has(2) || has(3));
  EXPECT_TRUE(load().hasFailed(options.problems[2], "s1"));
  EXPECT_EQ(workshop.prepared.size(), 3u);
  // The next run leaves out what trapped.
  options.resume = true;
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(workshop.prepared.size(), 5u);
  EXPECT_EQ(workshop.prepared[3], options.problems[2].text());
  EXPECT_TRUE(has(2) && has(3));
}

TEST_F(TunerTest, OneThatIsWrongOrCannotBeMadeStopsNothing) {
  workshop.wrong = options.problems[0].text();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(load().size(), 4u);
  workshop.wrong.clear();
  workshop.impossible = options.problems[1].text();
  std::remove(options.output.c_str());
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(load().size(), 3u);
  EXPECT_FALSE(has(1));
}

TEST_F(TunerTest, ABudgetIsSharedOut) {
  // Without a limit a problem takes 3 + 3 * (3 + 7 + 15) seconds.
  options.budget = 100;
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(load().size(), 4u);
  EXPECT_LE(clock.seconds, 110);
  // Two fifths of a quarter.
  EXPECT_DOUBLE_EQ(workshop.allowed[0], 10);
  // One that is spent leaves problems, which the next run takes.
  std::remove(options.output.c_str());
  options.budget = 7;
  EXPECT_EQ(run(), 2);
  size_t done = load().size();
  EXPECT_GE(done, 1u);
  EXPECT_LT(done, 4u);
  options.resume = true;
  options.budget = 0;
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(load().size(), 4u);
}

TEST_F(TunerTest, ADryRunWritesNothing) {
  options.dryRun = true;
  EXPECT_EQ(run(), 0);
  EXPECT_FALSE(std::ifstream(options.output).good());
  workshop.trapping = options.problems[0].text();
  EXPECT_EQ(run(), 3);
  EXPECT_FALSE(std::ifstream(options.output).good());
}

TEST_F(TunerTest, WhatCannotBeReadOrWrittenEndsItAtOnce) {
  ASSERT_EQ(tools::writeFile(options.output, "{"), "");
  EXPECT_EQ(run(), 2);
  std::stringstream text;
  text << std::ifstream(options.output).rdbuf();
  EXPECT_EQ(text.str(), "{");
  std::remove(options.output.c_str());
  options.output = "/nowhere/db.json";
  EXPECT_EQ(run(), 2);
  EXPECT_TRUE(workshop.prepared.empty());
}

} // namespace
