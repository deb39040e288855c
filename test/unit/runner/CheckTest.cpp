//===- CheckTest.cpp - Judging results of several operations ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Build.h"

#include "gtest/gtest.h"

using namespace bwgemm::runner;
using namespace bwgemm::runner::test;
using bwgemm::runtime::ElementIndex;
using bwgemm::runtime::ElementType;
using bwgemm::runtime::NpyArray;

namespace {

/// An operand that holds `before`, and `after` the call.
Operand operand(const ArgumentInfo &info, size_t index,
                const std::vector<float> &before,
                const std::vector<float> &after) {
  Operand operand;
  EXPECT_EQ(prepare(operand, info, index, info.shape, nullptr, {}), "");
  // scatter writes to `before`, so the later contents go there first.
  std::vector<unsigned char> poison = operand.before;
  auto write = [&](const std::vector<float> &values) {
    operand.before = poison;
    if (!values.empty())
      operand.scatter(reinterpret_cast<const unsigned char *>(values.data()));
  };
  write(after);
  operand.after = operand.before;
  write(before);
  return operand;
}

/// Inputs stay as they are.
Operand constant(size_t index, Shape shape, const std::vector<float> &values) {
  return operand(input(std::move(shape)), index, values, values);
}

CheckResult check(const FunctionInfo &function,
                  const std::vector<Operand> &operands,
                  CheckMode mode = CheckMode::Full) {
  return checkResults(function, operands, mode, 0, {});
}

TEST(Check, OneOperation) {
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2)};
  std::vector<Operand> operands;
  operands.push_back(constant(0, {1, 2}, {1, 2}));
  operands.push_back(constant(1, {2, 2}, {1, 2, 3, 4}));
  operands.push_back(operand(output({1, 2}), 2, {}, {7, 10}));
  CheckResult result = check(f, operands);
  EXPECT_EQ(result.notChecked, "");
  EXPECT_EQ(result.checked, 2u);
  EXPECT_EQ(result.exact, 2u);
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(check(f, operands, CheckMode::Sample).wrong, 0u);

  operands[2] = operand(output({1, 2}), 2, {}, {7, 10.001f});
  result = check(f, operands);
  ASSERT_EQ(result.wrong, 1u);
  EXPECT_EQ(result.examples[0].index, (ElementIndex{0, 0, 1}));
  EXPECT_EQ(result.examples[0].argument, 2u);
  EXPECT_EQ(result.examples[0].expected.value, 10);
  // Not written at all.
  operands[2] = operand(output({1, 2}), 2, {}, {});
  result = check(f, operands);
  EXPECT_EQ(result.wrong, 2u);
  EXPECT_NE(result.hints[0].find("never written"), std::string::npos);
}

TEST(Check, TransposesFollowTheDescription) {
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2)};
  f.operations[0].a.transposed = f.operations[0].b.transposed = true;
  std::vector<Operand> operands;
  operands.push_back(constant(0, {2, 1}, {1, 2}));       // A stored K x M.
  operands.push_back(constant(1, {2, 2}, {1, 3, 2, 4})); // B stored N x K.
  operands.push_back(operand(output({1, 2}), 2, {}, {7, 10}));
  EXPECT_EQ(check(f, operands).wrong, 0u);
}

TEST(Check, AccumulationStartsFromTheInitialContents) {
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2, true)};
  ArgumentInfo both = argument({1, 1}, true, true, ElementType::F32);
  std::vector<Operand> operands;
  operands.push_back(constant(0, {1, 1}, {2}));
  operands.push_back(constant(1, {1, 1}, {3}));
  operands.push_back(operand(both, 2, {10}, {16}));
  EXPECT_EQ(check(f, operands).wrong, 0u);
  operands[2] = operand(both, 2, {10}, {6});
  EXPECT_EQ(check(f, operands).wrong, 1u);
}

TEST(Check, OperationsOnOneResultFollowEachOther) {
  // D = A B; D += A B: twice the product.
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2), gemm(0, 1, 2, true)};
  std::vector<Operand> operands;
  operands.push_back(constant(0, {1, 1}, {2}));
  operands.push_back(constant(1, {1, 1}, {3}));
  operands.push_back(operand(output({1, 1}), 2, {}, {12}));
  EXPECT_EQ(check(f, operands).wrong, 0u);
  // D += A B; D = A B: the product.
  f.operations = {gemm(0, 1, 2, true), gemm(0, 1, 2)};
  EXPECT_EQ(check(f, operands).wrong, 1u);
  operands[2] = operand(output({1, 1}), 2, {}, {6});
  EXPECT_EQ(check(f, operands).wrong, 0u);
}

TEST(Check, LaterOperationsReadEarlierResults) {
  // D = A B, E = D A: judged by what D holds.
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2), gemm(2, 0, 3)};
  std::vector<Operand> operands;
  operands.push_back(constant(0, {1, 1}, {2}));
  operands.push_back(constant(1, {1, 1}, {3}));
  operands.push_back(operand(output({1, 1}), 2, {}, {6}));
  operands.push_back(operand(output({1, 1}), 3, {}, {12}));
  CheckResult result = check(f, operands);
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.checked, 2u);
  // D is wrong, and E is right for that D: one wrong element.
  operands[2] = operand(output({1, 1}), 2, {}, {5});
  operands[3] = operand(output({1, 1}), 3, {}, {10});
  EXPECT_EQ(check(f, operands).wrong, 1u);
}

TEST(Check, ContentsThatAreGoneAreNotGuessed) {
  // E = D A reads a D that is overwritten afterwards.
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2), gemm(2, 0, 3), gemm(1, 1, 2)};
  std::vector<Operand> operands;
  operands.push_back(constant(0, {1, 1}, {2}));
  operands.push_back(constant(1, {1, 1}, {3}));
  operands.push_back(operand(output({1, 1}), 2, {}, {9}));
  operands.push_back(operand(output({1, 1}), 3, {}, {12}));
  EXPECT_EQ(check(f, operands).notChecked,
            "operation 1 reads argument 2 (f32 1x1), which is written before "
            "and after");
}

TEST(Check, WhatIsNotDescribedIsNotChecked) {
  FunctionInfo f;
  f.name = "f";
  EXPECT_EQ(check(f, {}).notChecked,
            "the library does not say what 'f' computes");
  f.operations = {gemm(0, 1, 2)};
  f.operations[0].notCheckable = "operand A is not an argument";
  EXPECT_EQ(check(f, {}).notChecked,
            "operation 0: operand A is not an argument");
}

TEST(Check, BatchesAndABroadcastOperand) {
  FunctionInfo f;
  f.operations = {gemm(0, 1, 2)};
  std::vector<Operand> operands;
  operands.push_back(constant(0, {2, 1, 1}, {2, 3}));
  operands.push_back(constant(1, {1, 1}, {5}));
  operands.push_back(operand(output({2, 1, 1}), 2, {}, {10, 15}));
  EXPECT_EQ(check(f, operands).wrong, 0u);
  operands[2] = operand(output({2, 1, 1}), 2, {}, {10, 10});
  CheckResult result = check(f, operands);
  ASSERT_EQ(result.wrong, 1u);
  EXPECT_EQ(result.examples[0].index, (ElementIndex{1, 0, 0}));
}

} // namespace
