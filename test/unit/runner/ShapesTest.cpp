//===- ShapesTest.cpp - Shapes from the command line and files --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "Build.h"

#include "gtest/gtest.h"

using namespace bwgemm::runner;
using namespace bwgemm::runner::test;

namespace {

FunctionInfo dynamicMatmul() {
  FunctionInfo f;
  f.name = "f";
  f.arguments = {input({-1, -1}), input({-1, 8}), output({-1, 8})};
  f.operations = {gemm(0, 1, 2)};
  return f;
}

std::string resolve(const FunctionInfo &f, const std::vector<Shape> &given,
                    const std::vector<Shape> &files,
                    std::vector<Shape> &shapes) {
  std::string error;
  bool good = resolveShapes(f, given, files, shapes, error);
  EXPECT_EQ(good, error.empty());
  return error;
}

TEST(Shapes, FromFilesAndOperations) {
  std::vector<Shape> shapes;
  EXPECT_EQ(resolve(dynamicMatmul(), {}, {{4, 6}, {}, {}}, shapes), "");
  EXPECT_EQ(shapes, (std::vector<Shape>{{4, 6}, {6, 8}, {4, 8}}));
}

TEST(Shapes, ThroughSeveralOperations) {
  // E = D A': D's extents come from the first operation.
  FunctionInfo f = dynamicMatmul();
  f.arguments.push_back(input({-1, -1}));
  f.arguments.push_back(output({-1, -1}));
  f.operations.push_back(gemm(2, 3, 4));
  std::vector<Shape> shapes;
  EXPECT_EQ(resolve(f, {}, {{4, 6}, {}, {}, {8, 3}, {}}, shapes), "");
  EXPECT_EQ(shapes[4], (Shape{4, 3}));
}

TEST(Shapes, GivenForAllOrForDynamicArguments) {
  FunctionInfo f = dynamicMatmul();
  f.arguments[1] = input({6, 8});
  std::vector<Shape> shapes;
  EXPECT_EQ(resolve(f, {{4, 6}, {4, 8}}, {}, shapes), "");
  EXPECT_EQ(resolve(f, {{4, 6}, {6, 8}, {4, 8}}, {}, shapes), "");
  EXPECT_EQ(resolve(f, {{4, 6}}, {}, shapes),
            "--shapes: expected 2 shapes, one for each argument with unknown "
            "extents, got 1");
}

TEST(Shapes, GivenForAllThatHaveExtents) {
  FunctionInfo f = dynamicMatmul();
  // A scale without dimensions, which --shapes cannot name.
  f.arguments.insert(f.arguments.begin(), input({}));
  f.operations = {gemm(1, 2, 3)};
  std::vector<Shape> shapes;
  EXPECT_EQ(resolve(f, {{4, 6}, {6, 8}, {4, 8}}, {}, shapes), "");
  EXPECT_EQ(shapes, (std::vector<Shape>{{}, {4, 6}, {6, 8}, {4, 8}}));
  for (ArgumentInfo &argument : f.arguments)
    if (!argument.shape.empty())
      argument.shape = {8, 8};
  EXPECT_EQ(resolve(f, {{8, 8}, {8, 8}, {8, 8}}, {}, shapes), "");
  EXPECT_EQ(resolve(f, {{8, 8}, {8, 8}, {8, 9}}, {}, shapes),
            "--shapes: argument 3 is 8x8, got 8x9");
}

TEST(Shapes, SizesOfTransposedAndBatchedOperands) {
  OperationInfo operation = gemm(0, 1, 2);
  operation.a.transposed = true;
  GemmSizes sizes = sizesOf(operation, {{7, 5, 3}, {5, 4}, {7, 3, 4}});
  EXPECT_EQ(sizes.batch, 7);
  EXPECT_EQ(sizes.m, 3);
  EXPECT_EQ(sizes.n, 4);
  EXPECT_EQ(sizes.k, 5);
}

TEST(Shapes, BatchesMustAgree) {
  FunctionInfo f;
  f.arguments = {input({2, 3, 4}), input({5, 4, 6}), output({2, 3, 6})};
  f.operations = {gemm(0, 1, 2)};
  std::vector<Shape> shapes;
  EXPECT_EQ(resolve(f, {}, {}, shapes),
            "operation 0 (gemm): the batch is 2 in argument 0 (A, 2x3x4), but "
            "5 in argument 1 (B, 5x4x6)");
  f.arguments[1] = input({4});
  EXPECT_EQ(resolve(f, {}, {}, shapes),
            "operation 0 (gemm): expected operands of 2 or 3 dimensions, got "
            "argument 1 (B, 4)");
}

TEST(Shapes, Parse) {
  std::vector<Shape> shapes;
  std::string error;
  EXPECT_TRUE(parseShapes("512x256,0x1,7", shapes, error));
  EXPECT_EQ(shapes, (std::vector<Shape>{{512, 256}, {0, 1}, {7}}));
  for (const char *bad :
       {"", "x", "5x", "5xx6", "5x6,", "5 x6", "99999999999999999999", "?x4"})
    EXPECT_FALSE(parseShapes(bad, shapes, error)) << bad;
}

TEST(Shapes, ElementCount) {
  int64_t count;
  EXPECT_TRUE(elementCount({INT64_MAX, 0, INT64_MAX}, count));
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(elementCount({}, count));
  EXPECT_EQ(count, 1);
  EXPECT_FALSE(elementCount({int64_t(1) << 40, int64_t(1) << 40}, count));
}

} // namespace
