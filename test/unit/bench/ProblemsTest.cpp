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

TEST(Problems, ModulesNameTypesAsMlirDoes) {
  Problem problem;
  std::string error;
  auto module = [&](const char *text) {
    EXPECT_TRUE(parseProblem(text, problem, error)) << error;
    return makeModule(problem, /*open=*/false);
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  std::string text = module("16x32x64 e4m3-bf16 nt");
  EXPECT_TRUE(has(text, "%a: memref<16x64xf8E4M3FN>")) << text;
  EXPECT_TRUE(has(text, "%b: memref<32x64xf8E4M3FN>")) << text;
  EXPECT_TRUE(has(text, "arith.constant 0.0 : bf16")) << text;
  EXPECT_EQ(problem.bytes(), 64 * (16 + 32) + 2 * 16 * 32);
  EXPECT_TRUE(has(module("16x32x64 e5m2-f32 nn"), "%b: memref<64x32xf8E5M2>"));
  text = module("16x32x64 i8-i32 nt");
  EXPECT_TRUE(has(text, "%d: memref<16x32xi32>")) << text;
  EXPECT_TRUE(has(text, "arith.constant 0 : i32")) << text;
  EXPECT_TRUE(has(module("16x32x64 tf32-f32 nt"), "%a: memref<16x64xf32>"));
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
