//===- WrongPatternTest.cpp - What wrong elements have in common *- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrongPattern.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace bwgemm::runner;

namespace {

/// The description of a 200 x 300 result in tiles of 64 x 128, wrong where
/// `isWrong` says.
std::string describe(const std::function<bool(int64_t, int64_t)> &isWrong,
                     double got = 3, double expected = 5) {
  WrongPattern pattern(200, 300, 64, 128);
  for (int64_t row = 0; row < 200; ++row)
    for (int64_t column = 0; column < 300; ++column)
      if (isWrong(row, column))
        // Vary the ratio, so that it is not what they have in common.
        pattern.add({0, row, column}, got + double(row + column), expected,
                    false);
  return pattern.describe(200 * 300);
}

TEST(WrongPattern, LastTiles) {
  EXPECT_EQ(describe([](int64_t r, int64_t) { return r >= 192; }),
            "all in rows >= 192, in the last (partial) row of tiles");
  EXPECT_EQ(describe([](int64_t, int64_t c) { return c >= 290; }),
            "all in columns >= 290, in the last (partial) column of tiles");
  EXPECT_EQ(describe([](int64_t r, int64_t c) { return r >= 192 && c >= 256; }),
            "all in rows >= 192, in the last (partial) row of tiles; and in "
            "columns >= 256, in the last (partial) column of tiles");
}

TEST(WrongPattern, OneTileOrOneLine) {
  EXPECT_EQ(describe([](int64_t r, int64_t c) {
              return r / 64 == 1 && c / 128 == 1;
            }),
            "all in rows 64 to 127, in one row of tiles; and in columns 128 to "
            "255, in one column of tiles");
  EXPECT_EQ(describe([](int64_t r, int64_t) { return r == 70; }),
            "all in row 70 (6 in its tile)");
}

TEST(WrongPattern, APlaceInEveryTile) {
  // The second warp's rows of each tile.
  EXPECT_EQ(
      describe([](int64_t r, int64_t) { return r % 64 >= 16 && r % 64 < 32; }),
      "all in rows whose place in the tile is 16 to 31");
}

TEST(WrongPattern, Everything) {
  EXPECT_EQ(describe([](int64_t, int64_t) { return true; }),
            "every checked element is wrong");
  EXPECT_EQ(describe([](int64_t r, int64_t c) { return (r + c) % 2 == 0; }),
            "");
  EXPECT_EQ(describe([](int64_t, int64_t) { return false; }), "");
}

TEST(WrongPattern, Values) {
  auto values = [](double got, double expected, bool unwritten) {
    WrongPattern pattern(10, 10, 10, 10);
    for (int64_t i = 0; i < 10; ++i)
      pattern.add({0, i, (7 * i) % 10}, got * double(i + 1),
                  expected * double(i + 1), unwritten);
    return pattern.describe(100);
  };
  EXPECT_EQ(values(std::nan(""), 1, true),
            "never written: they still hold the poison from before the call");
  EXPECT_EQ(values(std::nan(""), 1, false), "all are NaN");
  EXPECT_EQ(values(0, 1, false), "all are zero");
  EXPECT_EQ(values(1.5, 2, false), "all are 0.75 times what is expected");
}

TEST(WrongPattern, OneBatch) {
  WrongPattern pattern(2, 2, 64, 64);
  for (int64_t i = 0; i < 4; ++i)
    pattern.add({3, i / 2, i % 2}, double(i * i + 2), 1, false);
  EXPECT_EQ(pattern.describe(100), "all in batch 3");
}

} // namespace
