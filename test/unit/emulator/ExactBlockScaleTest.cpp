//===- ExactBlockScaleTest.cpp - Sums of scaled e2m1 ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors: Inputs/scaled-dots.txt, of which Inputs/scaled-dots.py says where
// they come from.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactBlockScale.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace bwgemm::emulator;

static unsigned hex(const std::string &digits, size_t at, size_t count) {
  return unsigned(std::stoul(digits.substr(at, count), nullptr, 16));
}

/// Twice the values of e2m1 elements, one digit each.
static std::vector<int8_t> elements(const std::string &digits) {
  static const int8_t magnitude[8] = {0, 1, 2, 3, 4, 6, 8, 12};
  std::vector<int8_t> values;
  for (size_t i = 0; i < digits.size(); ++i) {
    unsigned bits = hex(digits, i, 1);
    values.push_back(bits & 8 ? int8_t(-magnitude[bits & 7])
                              : magnitude[bits & 7]);
  }
  return values;
}

static std::vector<ScaleFactor> scales(ScaleType type,
                                       const std::string &digits) {
  std::vector<ScaleFactor> factors;
  for (size_t i = 0; i < digits.size(); i += 2)
    factors.push_back(decodeScale(type, uint8_t(hex(digits, i, 2))));
  return factors;
}

TEST(ExactBlockScale, Vectors) {
  std::ifstream file(BWGEMM_EMULATOR_INPUTS "/scaled-dots.txt");
  ASSERT_TRUE(file);
  std::string line;
  unsigned count = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string kind, a, b, scaleA, scaleB, c, d;
    unsigned blocks;
    words >> kind >> blocks >> a >> b >> scaleA >> scaleB >> c >> d;
    ASSERT_EQ(a.size(), 64u);
    ScaleType type = kind == "ue8m0" ? ScaleType::UE8M0 : ScaleType::UE4M3;
    std::vector<int8_t> valuesA = elements(a), valuesB = elements(b);
    std::vector<ScaleFactor> factorsA = scales(type, scaleA),
                             factorsB = scales(type, scaleB);
    ASSERT_EQ(factorsA.size(), blocks);
    ScaledDot dot;
    dot.a = valuesA.data();
    dot.b = valuesB.data();
    dot.depth = 64;
    dot.scaleBlock = 64 / blocks;
    dot.scaleA = factorsA.data();
    dot.scaleB = factorsB.data();
    dot.type = type;
    EXPECT_EQ(exactScaledDot(dot, hex(c, 0, 8)), hex(d, 0, 8)) << line;
    ++count;
  }
  EXPECT_GT(count, 160u);
}

TEST(ExactBlockScale, Scales) {
  EXPECT_EQ(decodeScale(ScaleType::UE8M0, 127).value, 1.0);
  EXPECT_EQ(decodeScale(ScaleType::UE8M0, 0).value, 0x1p-127);
  EXPECT_EQ(decodeScale(ScaleType::UE8M0, 254).value, 0x1p127);
  EXPECT_TRUE(decodeScale(ScaleType::UE8M0, 255).nan);
  EXPECT_EQ(decodeScale(ScaleType::UE4M3, 0x38).value, 1.0);
  EXPECT_EQ(decodeScale(ScaleType::UE4M3, 0x7e).value, 448.0);
  EXPECT_EQ(decodeScale(ScaleType::UE4M3, 0x01).value, 0x1p-9);
  EXPECT_EQ(decodeScale(ScaleType::UE4M3, 0x01).exponent, -6);
  EXPECT_EQ(decodeScale(ScaleType::UE4M3, 0).value, 0.0);
  EXPECT_TRUE(decodeScale(ScaleType::UE4M3, 0x7f).nan);
}
