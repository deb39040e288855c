//===- ProblemsTest.cpp - What is to be timed ----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "gtest/gtest.h"

using namespace bwgemm::tools;

namespace {

TEST(Problems, Parse) {
  Problem problem;
  std::string error;
  ASSERT_TRUE(
      parseProblem(" 16x8192x4096\tbf16-f32  tn accumulate ", problem, error))
      << error;
  EXPECT_EQ(problem.text(), "16x8192x4096 bf16-f32 tn accumulate");
  EXPECT_EQ(problem.flops(), 2.0 * 16 * 8192 * 4096);
  // A and B in 2 bytes, D read and written in 4.
  EXPECT_EQ(problem.bytes(), 2.0 * 4096 * (16 + 8192) + 2.0 * 4 * 16 * 8192);
  ASSERT_TRUE(parseProblem("1x2x3 f16-f16 nt none", problem, error)) << error;
  EXPECT_EQ(problem.text(), "1x2x3 f16-f16 nt");
  for (const char *bad :
       {"", "1x2 f16-f16 nt", "1x2x3x4 f16-f16 nt", "1x2x-3 f16-f16 nt",
        "1x2x3 f16 nt", "1x2x3 f16-f16-f16 nt", "1x2x3 f16-f16 ntn",
        "1x2x3 f16-f16 nt relu", "1x2x3 f16-f16 nt none more",
        "1x2x12345678 f16-f16 nt", "1xx3 f16-f16 nt"})
    EXPECT_FALSE(parseProblem(bad, problem, error)) << bad;
}

TEST(Problems, Sweep) {
  Sweep sweep;
  std::string error;
  ASSERT_TRUE(parseSweep("N=64:200:64", sweep, error)) << error;
  Problem base;
  ASSERT_TRUE(parseProblem("1x2x3 f16-f16 nt", base, error));
  std::vector<Problem> points = sweep.points(base);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2].sizes(), "1x192x3");
  EXPECT_FALSE(parseSweep("K=1:9999999:1", sweep, error));
  EXPECT_EQ(error, "--sweep: expected at most 1000 points, got "
                   "'K=1:9999999:1'");
  for (const char *bad :
       {"", "K", "K=", "K=1:2", "K=1:2:0", "K=1:2:3:", "1:2:3"})
    EXPECT_FALSE(parseSweep(bad, sweep, error)) << bad;
}

} // namespace
