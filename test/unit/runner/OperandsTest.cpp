//===- OperandsTest.cpp - Images, strides and guards ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "Build.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace bwgemm::runner;
using namespace bwgemm::runner::test;
using namespace bwgemm::runtime;

namespace {

/// 2 x 3, rows 5 elements apart, first element at 2.
ArgumentInfo pitched(bool read, bool written) {
  ArgumentInfo info = argument({2, 3}, read, written, ElementType::F32);
  info.strides = {5, -1};
  info.offset = 2;
  return info;
}

double element(const std::vector<unsigned char> &image, size_t index) {
  return toDouble(ElementType::F32,
                  loadBits(ElementType::F32, &image[guardBytes + 4 * index]));
}

TEST(Operands, StridesAndOffset) {
  Operand operand;
  Contents contents;
  contents.fill = Fill::Ones;
  ASSERT_EQ(
      prepare(operand, pitched(true, false), 0, {2, 3}, nullptr, contents), "");
  EXPECT_EQ(operand.strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(operand.span(), 4u * (2 + 5 + 3));
  EXPECT_EQ(operand.before.size(), operand.span() + 2 * guardBytes);
  for (size_t i : {2, 3, 4, 7, 8, 9})
    EXPECT_EQ(element(operand.before, i), 1) << i;
  // Before the first row and between the rows: poison.
  for (size_t i : {0, 1, 5, 6})
    EXPECT_TRUE(std::isnan(element(operand.before, i))) << i;
  EXPECT_EQ(operand.gather(operand.before).size(), 24u);
  MatrixView view = operand.view(operand.before);
  EXPECT_EQ(view.address(0, 1, 2), &operand.before[guardBytes + 4 * 9]);
}

TEST(Operands, GuardsNoticeEveryByteThatIsNoResult) {
  Operand operand;
  ASSERT_EQ(prepare(operand, pitched(false, true), 2, {2, 3}, nullptr, {}), "");
  operand.after = operand.before;
  EXPECT_EQ(checkGuards(operand), "");
  size_t elements = 0;
  // All bytes from 64 before the first to 64 past the last.
  for (size_t i = guardBytes - 64; i < operand.after.size() - guardBytes + 64;
       ++i) {
    operand.after[i] ^= 1;
    elements += checkGuards(operand).empty();
    operand.after[i] ^= 1;
  }
  EXPECT_EQ(elements, 4u * 6);
  operand.after[guardBytes - 8] ^= 1;
  EXPECT_EQ(checkGuards(operand),
            "argument 2 (f32 2x3): 1 byte was written that should not be, the "
            "first at 8 bytes before its start");
  operand.after = operand.before;
  operand.after[guardBytes + 4 * 5] ^= 1;
  operand.after[guardBytes + 4 * 6] ^= 1;
  EXPECT_EQ(checkGuards(operand),
            "argument 2 (f32 2x3): 2 bytes were written that should not be, "
            "the first at byte 20, between its rows");
}

TEST(Operands, ResultsThatOverlapThemselvesAreRefused) {
  ArgumentInfo info = argument({2, 3}, false, true, ElementType::F32);
  info.strides = {2, 1};
  Operand operand;
  EXPECT_EQ(prepare(operand, info, 1, {2, 3}, nullptr, {}),
            "argument 1 (f32 2x3): the stride of dimension 0 is 2, but the "
            "dimensions inside of it take 3 elements");
  // An input may: a broadcast.
  info.read = true;
  info.written = false;
  info.strides = {0, 1};
  EXPECT_EQ(prepare(operand, info, 1, {2, 3}, nullptr, {}), "");
  EXPECT_EQ(operand.span(), 12u);
}

TEST(Operands, EmptyArgumentsHaveGuardsOnly) {
  Operand operand;
  ASSERT_EQ(prepare(operand, output({0, 3}), 0, {0, 3}, nullptr, {}), "");
  EXPECT_TRUE(operand.empty());
  EXPECT_EQ(operand.before.size(), 2 * guardBytes);
  operand.after = operand.before;
  EXPECT_EQ(checkGuards(operand), "");
  EXPECT_TRUE(operand.gather(operand.after).empty());
}

TEST(Operands, ResultsStartAsPoison) {
  Operand operand;
  ArgumentInfo both = argument({1, 2}, true, true, ElementType::BF16);
  Contents contents;
  contents.fill = Fill::Ones;
  ASSERT_EQ(prepare(operand, both, 0, {1, 2}, nullptr, contents), "");
  EXPECT_EQ(loadBits(ElementType::BF16, &operand.before[guardBytes]), 0x3F80u);
  contents.nanResults = true;
  ASSERT_EQ(prepare(operand, both, 0, {1, 2}, nullptr, contents), "");
  EXPECT_EQ(loadBits(ElementType::BF16, &operand.before[guardBytes]), 0xFFA5u);
}

} // namespace
