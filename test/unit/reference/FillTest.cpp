//===- FillTest.cpp - Contents of filled buffers ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Fill.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>
#include <vector>

using namespace bwgemm::runtime;

namespace {

std::vector<double> filled(ElementType type, size_t count, Fill kind,
                           uint64_t seed = 0) {
  std::vector<unsigned char> bytes(count * sizeInBytes(type));
  fill(type, bytes.data(), count, kind, seed);
  std::vector<double> values(count);
  decode(type, bytes.data(), 1, count, values.data());
  return values;
}

TEST(Fill, NormalHasMeanZeroAndVarianceOne) {
  size_t count = 200000;
  double sum = 0, squares = 0;
  for (double v : filled(ElementType::BF16, count, Fill::Normal, 7)) {
    sum += v;
    squares += v * v;
  }
  // Five standard deviations of the mean and of the variance.
  EXPECT_NEAR(sum / double(count), 0, 5 / std::sqrt(double(count)));
  EXPECT_NEAR(squares / double(count), 1, 5 * std::sqrt(2 / double(count)));
}

TEST(Fill, UniformStaysInRange) {
  double sum = 0, least = 1, greatest = -1;
  for (double v : filled(ElementType::F32, 100000, Fill::Uniform, 3)) {
    sum += v;
    least = std::min(least, v);
    greatest = std::max(greatest, v);
  }
  EXPECT_GE(least, -1);
  EXPECT_LE(greatest, 1);
  EXPECT_LT(least, -0.999);
  EXPECT_GT(greatest, 0.999);
  EXPECT_NEAR(sum / 100000, 0, 0.01);
}

TEST(Fill, IntTakesAllSevenValues) {
  auto values = filled(ElementType::E4M3, 1000, Fill::Int);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()),
            (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
  values = filled(ElementType::U8, 1000, Fill::Int);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()),
            (std::set<double>{0, 1, 2, 3}));
}

TEST(Fill, UniformBytesTakeAllValues) {
  auto values = filled(ElementType::I8, 20000, Fill::Uniform);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 256u);
}

TEST(Fill, IotaWrapsWhereTheTypeEnds) {
  auto values = filled(ElementType::BF16, 300, Fill::Iota);
  EXPECT_EQ(values[255], 255);
  EXPECT_EQ(values[256], 0);
  EXPECT_EQ(filled(ElementType::I32, 300, Fill::Iota)[299], 299);
  EXPECT_EQ(filled(ElementType::E4M3, 17, Fill::Iota)[15], 15);
}

TEST(Fill, SeedDecides) {
  auto a = filled(ElementType::F32, 100, Fill::Normal, 1);
  EXPECT_EQ(a, filled(ElementType::F32, 100, Fill::Normal, 1));
  EXPECT_NE(a, filled(ElementType::F32, 100, Fill::Normal, 2));
  // A longer buffer starts with the same elements.
  auto longer = filled(ElementType::F32, 100000, Fill::Normal, 1);
  longer.resize(100);
  EXPECT_EQ(a, longer);
}

TEST(Fill, ZerosOnesPoison) {
  EXPECT_EQ(filled(ElementType::F16, 2, Fill::Zeros),
            (std::vector<double>{0, 0}));
  EXPECT_EQ(filled(ElementType::F16, 2, Fill::Ones),
            (std::vector<double>{1, 1}));
  EXPECT_TRUE(std::isnan(filled(ElementType::F16, 2, Fill::Poison)[1]));
}

TEST(Fill, Names) {
  EXPECT_EQ(parseFill("normal"), Fill::Normal);
  EXPECT_FALSE(parseFill("gauss").has_value());
  EXPECT_EQ(fillNames(), "zeros, ones, iota, int, uniform, normal, poison");
}

} // namespace
