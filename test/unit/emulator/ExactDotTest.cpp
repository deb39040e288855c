//===- ExactDotTest.cpp - Sums as the tensor core forms them ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each expected value is worked out by hand from the window model; the comment
// says how.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactDot.h"
#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace bwgemm::emulator;

using Pairs = std::vector<std::pair<float, float>>;

static ExactModel modelOf(MmaAccumulator type) {
  ExactModel model;
  if (type == MmaAccumulator::F16)
    model.output = ExactOutput::F16;
  return model;
}

static uint32_t dot(const ExactModel &model, ExactFormat format,
                    const Pairs &pairs, uint32_t c, unsigned scale = 0) {
  std::vector<ExactTerm> a, b;
  for (auto [x, y] : pairs) {
    a.push_back(exactElement(format, x));
    b.push_back(exactElement(format, y));
  }
  return exactDot(model, a.data(), format, b.data(), format, unsigned(a.size()),
                  exactAddend(model, c), scale);
}

static uint32_t dot(MmaElement element, const Pairs &pairs, uint32_t c = 0,
                    MmaAccumulator type = MmaAccumulator::F32,
                    unsigned scale = 0) {
  return dot(modelOf(type), exactFormat(element), pairs, c, scale);
}

static float value(MmaElement element, const Pairs &pairs, float c = 0) {
  return bitsToFloat(dot(element, pairs, floatToBits(c)));
}

constexpr MmaElement bf16 = MmaElement::BF16, f16 = MmaElement::F16;

TEST(ExactDot, SmallIntegersAreExact) {
  EXPECT_EQ(value(bf16, {{3, 5}, {-2, 7}, {1, 1}}, 10), 12.0f);
}

TEST(ExactDot, TermsAreTruncatedToTheWindow) {
  // Largest exponent 0, unit 2^-25: 2^-25 counts, 2^-26 does not. The sum
  // 1 + 2^-25 has more than 24 bits and is truncated to 1; two such terms
  // reach 2^-24, still below the last bit 2^-23; four reach it.
  EXPECT_EQ(value(bf16, {{1, 1}, {0x1p-13f, 0x1p-12f}}), 1.0f);
  Pairs four = {{1, 1}};
  for (int i = 0; i < 4; ++i)
    four.push_back({0x1p-13f, 0x1p-12f});
  EXPECT_EQ(value(bf16, four), 1.0f + 0x1p-23f);
  // Eight terms of 2^-26 would reach 2^-23 too, but each is lost.
  Pairs lost = {{1, 1}};
  for (int i = 0; i < 8; ++i)
    lost.push_back({0x1p-13f, 0x1p-13f});
  EXPECT_EQ(value(bf16, lost), 1.0f);
}

TEST(ExactDot, TruncatesTowardZeroBothWays) {
  // 1 - 2^-26: the small term is truncated to zero, not floored to -2^-25.
  EXPECT_EQ(value(bf16, {{1, 1}, {-0x1p-13f, 0x1p-13f}}), 1.0f);
  // 1 - 2^-25 is exact in the window, 1 - 2^-24 truncated toward zero is
  // the f32 below 1: 1 - 2^-24 itself has 24 bits; 1 - 2^-25 rounds to it.
  EXPECT_EQ(value(bf16, {{1, 1}, {-0x1p-13f, 0x1p-12f}}), 1.0f - 0x1p-24f);
  EXPECT_EQ(value(bf16, {{-1, 1}, {0x1p-13f, 0x1p-12f}}), -1.0f + 0x1p-24f);
}

TEST(ExactDot, ProductsAreNotNormalised) {
  // 1.5 * 1.5 = 2.25 has exponent sum 0, so that the unit stays 2^-25 and the
  // four terms of 2^-25 survive; sum 2.25 + 2^-23 needs 25 bits: truncated to
  // a multiple of 2^-22.
  Pairs pairs = {{1.5f, 1.5f}};
  for (int i = 0; i < 8; ++i)
    pairs.push_back({0x1p-13f, 0x1p-12f});
  EXPECT_EQ(value(bf16, pairs), 2.25f + 0x1p-22f);
}

TEST(ExactDot, ZeroTermsDoNotCount) {
  // A zero times 2^100 must not widen the window.
  EXPECT_EQ(value(bf16, {{0, 0x1p100f}, {0x1p-10f, 0x1p-10f}}), 0x1p-20f);
  // Nor does a zero addend.
  EXPECT_EQ(value(bf16, {{0x1p-60f, 0x1p-60f}}, 0.0f), 0x1p-120f);
}

TEST(ExactDot, TheAddendSharesTheWindow) {
  // C = 2^24 puts the unit at 2^-1: a product of 0.5 counts, 0.25 does not.
  // f32 keeps multiples of 2 here.
  EXPECT_EQ(value(bf16, {{0.5f, 1}, {0.5f, 1}, {0.5f, 1}, {0.5f, 1}}, 0x1p24f),
            0x1p24f + 2);
  Pairs quarters(8, {0.25f, 1});
  EXPECT_EQ(value(bf16, quarters, 0x1p24f), 0x1p24f);
  // And a large product truncates C: unit 2^(30 - 25) = 32.
  EXPECT_EQ(value(bf16, {{0x1p15f, 0x1p15f}}, 63.0f), 0x1p30f);
  EXPECT_EQ(value(bf16, {{0x1p15f, 0x1p15f}}, 128.0f), 0x1p30f + 128);
}

TEST(ExactDot, EveryZeroIsPositive) {
  EXPECT_EQ(dot(bf16, {{1, 1}, {-1, 1}}), 0u);
  EXPECT_EQ(dot(bf16, {{-0.0f, 1}}, 0x80000000u), 0u);
  // A negative number that underflows: -2^-150 is below half of 2^-149, and
  // truncation gives zero.
  EXPECT_EQ(dot(bf16, {{-0x1p-75f, 0x1p-75f}}), 0u);
}

TEST(ExactDot, SubnormalResultsAreKept) {
  EXPECT_EQ(dot(bf16, {{0x1p-75f, 0x1p-74f}}), 1u);
  EXPECT_EQ(dot(bf16, {{0x1p-75f, -0x1.8p-74f}}), 0x80000001u);
  EXPECT_EQ(dot(bf16, {}, 0x00000007u), 7u);
}

TEST(ExactDot, SubnormalElements) {
  // The smallest bf16 subnormal, 2^-133, has raw exponent -126.
  EXPECT_EQ(value(bf16, {{0x1p-133f, 0x1p100f}}), 0x1p-33f);
  // Its raw exponent sum with 2^126 is 0, so the unit is 2^-25 although the
  // product is only 2^-7; a second product of 2^-26 is lost.
  EXPECT_EQ(value(bf16, {{0x1p-133f, 0x1p126f}, {0x1p-13f, 0x1p-13f}}),
            0x1p-7f);
  EXPECT_EQ(value(f16, {{0x1p-24f, 0x1p-24f}}), 0x1p-48f);
}

TEST(ExactDot, ExponentFloor) {
  // Beside 2^-140 the window does not go below 2^(-133 - 25) = 2^-158: the
  // sum of 2^-140 and eight times 2^-160 is 2^-140 alone.
  Pairs pairs = {{0x1p-70f, 0x1p-70f}};
  for (int i = 0; i < 8; ++i)
    pairs.push_back({-0x1p-80f, 0x1p-80f});
  EXPECT_EQ(value(bf16, pairs), 0x1p-140f);
  // -2^-158 counts: 2^-140 - 2^-158 truncated to 2^-149 units.
  EXPECT_EQ(value(bf16, {{0x1p-70f, 0x1p-70f}, {-0x1p-79f, 0x1p-79f}}),
            0x1p-140f - 0x1p-149f);
}

TEST(ExactDot, InfinitiesAndNaNs) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(dot(bf16, {{inf, 1}}), 0x7f800000u);
  EXPECT_EQ(dot(bf16, {{inf, -1}, {3, 4}}), 0xff800000u);
  EXPECT_EQ(dot(bf16, {{inf, 1}, {-inf, 1}}), 0x7fffffffu);
  EXPECT_EQ(dot(bf16, {{inf, 0}}), 0x7fffffffu);
  EXPECT_EQ(dot(bf16, {{bitsToFloat(0xffc00000u), 1}}), 0x7fffffffu);
  EXPECT_EQ(dot(bf16, {{1, 1}}, 0xff800000u), 0xff800000u);
  EXPECT_EQ(dot(bf16, {{inf, 1}}, 0xff800000u), 0x7fffffffu);
  EXPECT_EQ(dot(bf16, {{1, 1}}, 0x7f800001u), 0x7fffffffu);
  // Overflow gives infinity although rounding is toward zero.
  EXPECT_EQ(dot(bf16, {{0x1p127f, 1}, {0x1p127f, 1}}), 0x7f800000u);
  EXPECT_EQ(dot(bf16, {{-0x1p100f, 0x1p100f}}), 0xff800000u);
  MmaAccumulator half = MmaAccumulator::F16;
  EXPECT_EQ(dot(f16, {{inf, 1}, {-inf, 1}}, 0, half), 0x7fffu);
  EXPECT_EQ(dot(f16, {{-inf, 1}}, 0, half), 0xfc00u);
}

TEST(ExactDot, HalfRoundsToNearestEven) {
  MmaAccumulator half = MmaAccumulator::F16;
  auto f = [&](const Pairs &pairs, float c = 0) {
    return dot(f16, pairs, floatToF16(c), half);
  };
  EXPECT_EQ(f({{1, 1}, {0x1p-11f, 1}}), floatToF16(1.0f)); // A tie, to even.
  EXPECT_EQ(f({{1, 1}, {0x1.8p-10f, 1}}), floatToF16(1.0f + 0x1p-9f));
  EXPECT_EQ(f({{1, 1}, {0x1p-11f, 1}, {0x1p-12f, 0x1p-12f}}),
            floatToF16(1.0f + 0x1p-10f)); // Above the tie by 2^-24.
  EXPECT_EQ(f({{2048, 1}, {1, 1}}), floatToF16(2048.0f));
  EXPECT_EQ(f({{256, 255}, {239, 1}}, 0), 0x7bffu); // 65519 rounds down
  EXPECT_EQ(f({{256, 255}, {240, 1}}, 0), 0x7c00u); // 65520 rounds to infinity
  EXPECT_EQ(f({{0x1p-12f, 0x1p-12f}}), 1u);         // smallest subnormal
  EXPECT_EQ(f({{0x1p-12f, 0x1p-13f}}), 0u);         // half of it: tie to even
  EXPECT_EQ(f({{0x1p-12f, -0x1p-13f}}), 0u);        // and never -0
  EXPECT_EQ(f({{0x1.8p-12f, 0x1p-12f}}), 2u);       // 1.5 units: tie to even
  EXPECT_EQ(f({{1, 2}}, 3.0f), floatToF16(5.0f));
}

TEST(ExactDot, ScaleInputD) {
  EXPECT_EQ(bitsToFloat(dot(bf16, {{1, 1}}, floatToBits(64.0f),
                            MmaAccumulator::F32, 5)),
            3.0f);
}

/// Random sums against the model formed with long doubles, whose 64-bit
/// significand holds every window of this test.
TEST(ExactDot, AgreesWithTheModelInLongDouble) {
  std::mt19937 random(11);
  auto element = [&] {
    uint32_t exponent = 110 + random() % 34;
    return bitsToFloat((random() & 1) << 31 | exponent << 23 |
                       (random() & 0x7f) << 16);
  };
  for (int round = 0; round < 20000; ++round) {
    Pairs pairs;
    int largest = -1000;
    for (int i = 0; i < 16; ++i) {
      pairs.push_back({element(), element()});
      largest = std::max(largest, std::ilogb(pairs.back().first) +
                                      std::ilogb(pairs.back().second));
    }
    float c = element() * 1.2345f;
    largest = std::max(largest, std::ilogb(c));
    long double unit = std::ldexp(1.0L, largest - 25);
    long double sum = std::trunc((long double)c / unit) * unit;
    for (auto [x, y] : pairs)
      sum += std::trunc((long double)x * y / unit) * unit;
    // Toward zero to 24 bits.
    float expected = 0;
    if (sum != 0) {
      long double last = std::ldexp(1.0L, std::ilogb(sum) - 23);
      expected = float(std::trunc(sum / last) * last);
    }
    ASSERT_EQ(floatToBits(value(bf16, pairs, c)), floatToBits(expected));
  }
}

/// Whole panels, which are summed 16 rows at a time, against sums one by one,
/// over bit patterns of every kind.
TEST(ExactDot, PanelsAgreeWithSingleSums) {
  std::mt19937 random(5);
  for (MmaElement element : {bf16, f16, MmaElement::E4M3})
    for (MmaAccumulator type : {MmaAccumulator::F32, MmaAccumulator::F16})
      for (int mode = 0; mode < 4; ++mode) {
        uint32_t m = 64, n = 16, k = 32 / mmaElementBytes(element);
        auto anyElement = [&] {
          uint32_t bits = random();
          if (mode == 1) // Near 1.
            bits = element == bf16  ? (bits & 0x80ff) | 0x3f00
                   : element == f16 ? (bits & 0x87ff) | 0x3800
                                    : (bits & 0x8f) | 0x30;
          if (mode == 2) // Small: subnormals and zeros.
            bits &= element == bf16 ? 0x81ff : element == f16 ? 0x87ff : 0x8f;
          if (mode == 3 && bits % 3)
            bits = 0;
          return loadMmaElement(element,
                                reinterpret_cast<const std::byte *>(&bits));
        };
        std::vector<float> a(m * k), b(n * k);
        for (float &x : a)
          x = anyElement();
        for (float &x : b)
          x = anyElement();
        std::vector<uint32_t> cells(n * 128), before;
        for (uint32_t &cell : cells) {
          cell = random();
          if (mode == 1)
            cell = (cell & 0x83ffffff) | 0x3c000000;
          if (mode == 2)
            cell &= 0x80ffffff;
          if (type == MmaAccumulator::F16)
            cell &= 0xffff;
        }
        before = cells;
        const uint32_t lanes[] = {16, 48, 80, 112};
        ExactMultiply exact;
        exact.work.a = a.data();
        exact.work.b = {b.data(), 1, n};
        exact.work.groups = m / 16;
        exact.work.n = n;
        exact.work.k = k;
        exact.work.dColumnStride = 128;
        exact.work.laneOffset = lanes;
        exact.work.accumulate = true;
        exact.cells = cells.data();
        exact.a = exact.b = exactFormat(element);
        exact.model = modelOf(type);
        exact.scale = mode;
        exact.disabled[0] = 1ull << 17;
        multiplyExactly(exact);
        for (uint32_t column = 0; column < n; ++column)
          for (uint32_t row = 0; row < m; ++row) {
            uint32_t at = column * 128 + lanes[row / 16] + row % 16;
            std::vector<ExactTerm> x, y;
            for (uint32_t i = 0; i < k; ++i) {
              x.push_back(exactElement(exact.a, a[i * m + row]));
              y.push_back(exactElement(exact.b, b[i * n + column]));
            }
            uint32_t expected =
                row == 1 ? before[at]
                         : exactDot(exact.model, x.data(), exact.a, y.data(),
                                    exact.b, k,
                                    exactAddend(exact.model, before[at]), mode);
            ASSERT_EQ(cells[at], expected)
                << mode << " " << row << " " << column;
          }
      }
}

/// 8-bit floating point in Hopper's wgmma: a window of 13 bits, and as many
/// fraction bits in the result.
TEST(ExactDot, ShortWindow) {
  ExactModel shortF32 = {13, ExactOutput::F32Short};
  auto f = [&](const Pairs &pairs, float c = 0) {
    return bitsToFloat(dot(shortF32, exactE4M3, pairs, floatToBits(c)));
  };
  // Unit 2^-13: 2^-13 counts, 2^-14 does not.
  EXPECT_EQ(f({{1, 1}, {0x1p-6f, 0x1p-7f}}), 1 + 0x1p-13f);
  EXPECT_EQ(f({{1, 1}, {0x1p-7f, 0x1p-7f}, {0x1p-7f, 0x1p-7f}}), 1);
  // The result keeps 13 fraction bits: 2 + 2^-13 is cut to 2.
  EXPECT_EQ(f({{1, 1}, {1, 1}, {0x1p-6f, 0x1p-7f}}), 2);
  EXPECT_EQ(f({{-1, 1}, {-1, 1}, {-0x1p-6f, 0x1p-7f}}), -2);
  // C is truncated to the window, whether it sets it or not.
  EXPECT_EQ(f({}, 1 + 0x1p-14f), 1);
  EXPECT_EQ(f({{16, 16}}, 0x1.fp-6f), 256);
  EXPECT_EQ(f({{16, 16}}, -0x1p-5f), 256 - 0x1p-5f);
  // A C below the unit of the smallest normals, 2^-139, is lost: +0.
  EXPECT_EQ(dot(shortF32, exactE4M3, {}, 0x800003ffu), 0u);
  EXPECT_EQ(dot(shortF32, exactE4M3, {}, 0x80000400u), 0x80000400u);
  // To f16, to nearest even, after the same window.
  ExactModel shortF16 = {13, ExactOutput::F16};
  auto h = [&](const Pairs &pairs) {
    return dot(shortF16, exactE4M3, pairs, 0);
  };
  EXPECT_EQ(h({{1, 1}, {0x1p-6f, 0x1p-5f}}), floatToF16(1)); // a tie
  EXPECT_EQ(h({{1, 1}, {0x1p-6f, 0x1p-5f}, {0x1p-6f, 0x1p-7f}}),
            floatToF16(1 + 0x1p-10f));
  EXPECT_EQ(h({{1, 1}, {0x1p-6f, 0x1p-5f}, {0x1p-7f, 0x1p-7f}}),
            floatToF16(1)); // what is above the tie is lost
}
