//===- WarpMmaTest.cpp - Numerics of mma.sync -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values worked out by hand from the rules in machine/WarpMma.h. Each dot
// product is put at one place of a fragment, surrounded by others.
//
//===----------------------------------------------------------------------===//

#include "machine/WarpMma.h"
#include "machine/HalfConvert.h"
#include "machine/WarpMmaKernels.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace bwgemm::emulator;

namespace {
/// D of row 9, column 5 for the products a[i] * b[i] and the addend c, f32
/// bits or f16 bits; other places have other numbers.
uint32_t dot(unsigned arch, MmaElement element, std::vector<float> a,
             std::vector<float> b, uint32_t c, unsigned k, bool toF16 = false) {
  a.resize(k);
  b.resize(k);
  std::vector<float> aValues(16 * k, 1.0f), bValues(8 * k, -2.0f);
  std::copy(a.begin(), a.end(), aValues.begin() + 9 * k);
  std::copy(b.begin(), b.end(), bValues.begin() + 5 * k);
  std::vector<uint32_t> cells(16 * 8, 0);
  cells[9 * 8 + 5] = c;
  WarpExact work;
  work.arch = arch;
  work.a = work.b = element;
  work.toF16 = toF16;
  work.k = k;
  work.aValues = aValues.data();
  work.bValues = bValues.data();
  work.cells = cells.data();
  warpMmaExactly(work);
  return cells[9 * 8 + 5];
}

float f32(unsigned arch, MmaElement element, std::vector<float> a,
          std::vector<float> b, float c, unsigned k) {
  return bitsToFloat(dot(arch, element, a, b, floatToBits(c), k));
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
} // namespace

TEST(WarpMma, WindowOfTheGeneration) {
  // 1 + 2^-24 - 1: the small term is kept with 24 and 25 fraction bits, and
  // 2^-25 with 25 alone. Everything lies in the first eight elements of K.
  std::vector<float> a = {1, 0x1p-12f, -1}, b = {1, 0x1p-12f, 1};
  EXPECT_EQ(f32(80, MmaElement::F16, a, b, 0, 16), 0x1p-24f);
  EXPECT_EQ(f32(90, MmaElement::F16, a, b, 0, 16), 0x1p-24f);
  b[1] = 0x1p-13f;
  EXPECT_EQ(f32(80, MmaElement::F16, a, b, 0, 16), 0.0f);
  EXPECT_EQ(f32(90, MmaElement::F16, a, b, 0, 16), 0x1p-25f);
  EXPECT_EQ(f32(100, MmaElement::F16, a, b, 0, 16), 0x1p-25f);
  b[1] = 0x1p-14f;
  EXPECT_EQ(f32(90, MmaElement::F16, a, b, 0, 16), 0.0f);
}

TEST(WarpMma, AmpereAddsHalvesOfK) {
  // 2^12 in the first eight elements, -2^12 in the others: the sum of the first
  // window is rounded toward zero to f32 before the second one starts.
  std::vector<float> a(16, 0), b(16, 1);
  a[0] = 0x1p12f;
  a[1] = 0x1p-12f; // One unit in the 24th place: lost in f32's 23 bits.
  a[8] = -0x1p12f;
  EXPECT_EQ(f32(80, MmaElement::F16, a, b, 0, 16), 0.0f);
  EXPECT_EQ(f32(90, MmaElement::F16, a, b, 0, 16), 0x1p-12f);
  // Within one window nothing is lost before the end.
  std::swap(a[8], a[7]);
  EXPECT_EQ(f32(80, MmaElement::F16, a, b, 0, 16), 0x1p-12f);
}

TEST(WarpMma, TruncatesTowardZero) {
  // 2 - 2^-24 lies between two f32 values; the lower one has 23 ones.
  EXPECT_EQ(f32(90, MmaElement::F16, {2, 0x1p-12f}, {1, -0x1p-12f}, 0, 16),
            2 - 0x1p-23f);
  EXPECT_EQ(f32(90, MmaElement::F16, {-2, 0x1p-12f}, {1, 0x1p-12f}, 0, 16),
            -2 + 0x1p-23f);
  // C is a term like any other.
  EXPECT_EQ(f32(90, MmaElement::BF16, {0x1p-12f}, {-0x1p-12f}, 2.0f, 16),
            2 - 0x1p-23f);
}

TEST(WarpMma, SpecialValues) {
  for (unsigned arch : {80, 90, 100}) {
    EXPECT_EQ(dot(arch, MmaElement::F16, {notANumber}, {0}, 0, 16),
              0x7fffffffu);
    EXPECT_EQ(dot(arch, MmaElement::F16, {infinity}, {0}, 0, 16), 0x7fffffffu);
    EXPECT_EQ(dot(arch, MmaElement::F16, {infinity, 1}, {1, -infinity}, 0, 16),
              0x7fffffffu);
    EXPECT_EQ(dot(arch, MmaElement::F16, {infinity}, {-1}, 0, 16), 0xff800000u);
    EXPECT_EQ(dot(arch, MmaElement::F16, {1}, {1}, 0xff800000u, 16),
              0xff800000u);
    EXPECT_EQ(dot(arch, MmaElement::F16, {infinity}, {1}, 0xff800000u, 16),
              0x7fffffffu);
    EXPECT_EQ(dot(arch, MmaElement::F16, {notANumber}, {1}, 0, 16, true),
              0x7fffu);
    // Every zero is +0, that of -0 products and a C of -0 too.
    EXPECT_EQ(dot(arch, MmaElement::F16, {-0.0f}, {1}, 0x80000000u, 16), 0u);
    // Overflow goes to infinity.
    EXPECT_EQ(dot(arch, MmaElement::BF16, {0x1p127f, 0x1p127f}, {1, 1}, 0, 16),
              0x7f800000u);
    EXPECT_EQ(
        dot(arch, MmaElement::F16, {0x1p15f, 0x1p15f}, {1, 1}, 0, 16, true),
        0x7c00u);
  }
}

TEST(WarpMma, Subnormals) {
  // f16 2^-24 times 1 is exact in f32; two f16 subnormals make 2^-48.
  EXPECT_EQ(f32(90, MmaElement::F16, {0x1p-24f}, {1}, 0, 16), 0x1p-24f);
  EXPECT_EQ(f32(90, MmaElement::F16, {0x1p-24f}, {0x1p-24f}, 0, 16), 0x1p-48f);
  // bf16: 2^-133 is a subnormal of both types.
  EXPECT_EQ(f32(90, MmaElement::BF16, {0x1p-133f}, {1}, 0, 16), 0x1p-133f);
  // The window never reaches below 2^(-133 - 25).
  EXPECT_EQ(f32(90, MmaElement::BF16, {0x1p-100f, 0x1p-100f},
                {0x1p-100f, -0x1p-100f}, 0, 16),
            0.0f);
}

TEST(WarpMma, F16SumsStandStill) {
  // Above 2048 f16 has even integers only: 2049 goes back to 2048, and 2051, as
  // far from 2050 as from 2052, to 2052, whose last bit is 0.
  constexpr uint32_t of2048 = 0x6800, of2050 = 0x6801, of2052 = 0x6802;
  for (unsigned arch : {80, 90, 100}) {
    EXPECT_EQ(dot(arch, MmaElement::F16, {1}, {1}, of2048, 16, true), of2048);
    EXPECT_EQ(dot(arch, MmaElement::F16, {1}, {1}, of2050, 16, true), of2052);
    EXPECT_EQ(dot(arch, MmaElement::F16, {1, 1}, {1, 1}, of2048, 16, true),
              of2050);
  }
  // Two ones in different halves of K are one sum but before sm_90.
  std::vector<float> a(16, 0), b(16, 1);
  a[0] = a[8] = 1;
  EXPECT_EQ(dot(80, MmaElement::F16, a, b, of2048, 16, true), of2048);
  EXPECT_EQ(dot(90, MmaElement::F16, a, b, of2048, 16, true), of2050);
}

TEST(WarpMma, F16ResultRoundsToNearestEven) {
  // 2048 + 1 is a tie: the even neighbour is 2048; 2048 + 3 goes to 2052.
  EXPECT_EQ(dot(90, MmaElement::F16, {2048, 1}, {1, 1}, 0, 16, true),
            floatToF16(2048));
  EXPECT_EQ(dot(90, MmaElement::F16, {2048, 3}, {1, 1}, 0, 16, true),
            floatToF16(2052));
  // A little more than a tie, which f32 would not see.
  EXPECT_EQ(dot(90, MmaElement::F16, {2048, 1, 0x1p-7f}, {1, 1, 0x1p-7f}, 0, 16,
                true),
            floatToF16(2050));
}

TEST(WarpMma, EightBitsOnHopperGoThroughF16) {
  // Columns 0 and 1 of four are summed before columns 2 and 3: 448^2 and
  // -448^2 in different halves, with 2^-9 * 2^-2 beside the first. 448^2 has
  // its leading bit at 2^17, so f32 keeps 2^-6 and the window 2^-8 of it.
  std::vector<float> a(32, 0), b(32, 1);
  a[0] = 448;
  b[0] = 448;
  a[2] = -448;
  b[2] = 448;
  a[1] = 0x1p-6f;
  b[1] = 0.5f; // 2^-7 is beyond the f32 of the first half.
  EXPECT_EQ(f32(90, MmaElement::E4M3, a, b, 0, 32), 0.0f);
  // With both in one half nothing is lost.
  std::swap(a[1], a[2]);
  std::swap(b[1], b[2]);
  EXPECT_EQ(f32(90, MmaElement::E4M3, a, b, 0, 32), 0x1p-7f);
  // Blackwell has one window of 32.
  std::swap(a[1], a[2]);
  std::swap(b[1], b[2]);
  EXPECT_EQ(f32(120, MmaElement::E4M3, a, b, 0, 32), 0x1p-7f);
  // C is added last, rounded to nearest: 2^24 + 3 goes to 2^24 + 4.
  EXPECT_EQ(f32(90, MmaElement::E4M3, {3}, {1}, 0x1p24f, 32), 0x1p24f + 4);
  EXPECT_EQ(f32(120, MmaElement::E4M3, {3}, {1}, 0x1p24f, 32), 0x1p24f + 2);
}

TEST(WarpMma, EightBitsOnAdaKeepThirteenBits) {
  // 1 + 2^-13 is kept, 2^-14 is not; results have 13 fraction bits.
  EXPECT_EQ(f32(89, MmaElement::E4M3, {1, 0x1p-6f}, {1, 0x1p-7f}, 0, 32),
            1 + 0x1p-13f);
  EXPECT_EQ(f32(89, MmaElement::E4M3, {1, 0x1p-7f}, {1, 0x1p-7f}, 0, 32), 1.0f);
  EXPECT_EQ(f32(89, MmaElement::E4M3, {1}, {1}, 0x1p-20f, 32), 1.0f);
}

TEST(WarpMma, Tf32IgnoresLowBits) {
  uint32_t words[4] = {0x3f801fffu, 0xbf803fffu, 0x7f800001u, 0x00002000u};
  float values[4];
  unpackWarpElements(MmaElement::TF32, reinterpret_cast<uint8_t *>(words), 4,
                     values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -(1 + 0x1p-10f));
  EXPECT_EQ(values[2], infinity);
  EXPECT_EQ(values[3], 0x1p-136f);
}

TEST(WarpMma, UnpacksHalves) {
  for (uint32_t bits = 0; bits < 0x10000; bits += 2) {
    uint16_t pair[2] = {uint16_t(bits), uint16_t(bits + 1)};
    float values[2];
    unpackWarpElements(MmaElement::F16, reinterpret_cast<uint8_t *>(pair), 2,
                       values);
    for (unsigned i = 0; i < 2; ++i) {
      if (std::isnan(f16ToFloat(pair[i])))
        ASSERT_TRUE(std::isnan(values[i])) << pair[i];
      else
        ASSERT_EQ(floatToBits(values[i]), floatToBits(f16ToFloat(pair[i])));
    }
  }
}

TEST(WarpMma, BlockScales) {
  // Row 9 has a scale of 2^3, column 5 one of 2^-1; the others are NaN.
  const unsigned k = 32;
  std::vector<float> a(16 * k, 1), b(8 * k, 1);
  std::vector<uint32_t> cells(16 * 8, 0);
  cells[9 * 8 + 5] = floatToBits(1.0f);
  WarpScales scales;
  for (ScaleFactor &factor : scales.a)
    factor = decodeScale(ScaleType::UE8M0, 0xff);
  for (ScaleFactor &factor : scales.b)
    factor = decodeScale(ScaleType::UE8M0, 126);
  scales.a[9] = decodeScale(ScaleType::UE8M0, 130);
  WarpExact work;
  work.arch = 120;
  work.a = work.b = MmaElement::E4M3;
  work.k = k;
  work.aValues = a.data();
  work.bValues = b.data();
  work.cells = cells.data();
  warpMmaScaledExactly(work, scales);
  EXPECT_EQ(bitsToFloat(cells[9 * 8 + 5]), 32 * 4 + 1.0f);
  EXPECT_EQ(cells[8 * 8 + 5], 0x7fffffffu);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST(WarpMmaKernels, AllVariantsGiveTheSameBits) {
  std::mt19937 random(7);
  const WarpMmaKernels *const *list = availableWarpMmaKernels();
  unsigned count = 0;
  while (list[count])
    ++count;
  const WarpMmaKernels &portable = *list[count - 1];
  for (unsigned round = 0; round < 200; ++round) {
    unsigned blocks = 1 + round % 2;
    bool bf16 = round % 4 > 1;
    uint32_t a[4][32], b[2][32], c[4][32], expected[4][32], got[4][32];
    auto fill = [&](uint32_t *words, unsigned count, bool halves) {
      for (unsigned i = 0; i < count; ++i) {
        // Magnitudes near one, so that NaNs do not hide everything.
        uint32_t word = uint32_t(random());
        if (halves)
          word = (word & 0x83ff83ff) | (bf16 ? 0x3f003f00 : 0x3c003800);
        else
          word = (word & 0x80ffffff) | 0x3f000000;
        words[i] = word;
      }
    };
    fill(a[0], 4 * 32, true);
    fill(b[0], 2 * 32, true);
    fill(c[0], 4 * 32, false);
    auto work = [&](uint32_t (*d)[32]) {
      HalfFragments fragments = {
          {a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]},
          {d[0], d[1], d[2], d[3]}, blocks,       bf16};
      return fragments;
    };
    portable.halves(work(expected));
    for (unsigned i = 0; i + 1 < count; ++i) {
      list[i]->halves(work(got));
      ASSERT_EQ(std::memcmp(got, expected, sizeof(got)), 0) << list[i]->name;
    }
    for (unsigned k : {4u, 8u, 16u, 32u, 128u}) {
      std::vector<float> x(16 * k), y(8 * k), sums(16 * 8), others;
      for (float &value : x)
        value = float(random()) * 0x1p-31f - 1;
      for (float &value : y)
        value = float(random()) * 0x1p-31f - 1;
      others = sums;
      portable.floats(x.data(), y.data(), k, sums.data());
      list[0]->floats(x.data(), y.data(), k, others.data());
      ASSERT_EQ(sums, others) << k;
    }
    for (unsigned k : {16u, 32u, 128u}) {
      std::vector<int16_t> x(16 * k), y(8 * k);
      std::vector<int32_t> sums(16 * 8, 0x7fffff00), others;
      for (int16_t &value : x)
        value = int16_t(random() % 384) - 128;
      for (int16_t &value : y)
        value = int16_t(random() % 384) - 128;
      others = sums;
      portable.integers(x.data(), y.data(), k, sums.data());
      list[0]->integers(x.data(), y.data(), k, others.data());
      ASSERT_EQ(sums, others) << k;
    }
  }
}

TEST(WarpMmaKernels, PlacesOfElements) {
  // A has one 1 in row 11, column 6; B has 3 in row 6 of column 2.
  uint32_t a[4][32] = {}, b[2][32] = {}, c[4][32] = {}, d[4][32];
  a[1][4 * 3 + 3] = 0x3c00;            // Row 8 + 3, columns 6 and 7: low half.
  b[0][4 * 2 + 3] = 0x4200;            // Column 2, rows 6 and 7: low half.
  c[2][4 * 3 + 1] = floatToBits(0.5f); // Row 11, column 2.
  HalfFragments work = {{a[0], a[1], a[2], a[3]},
                        {b[0], b[1]},
                        {c[0], c[1], c[2], c[3]},
                        {d[0], d[1], d[2], d[3]},
                        2,
                        false};
  for (const WarpMmaKernels *const *at = availableWarpMmaKernels(); *at; ++at) {
    (*at)->halves(work);
    for (unsigned reg = 0; reg < 4; ++reg)
      for (unsigned l = 0; l < 32; ++l)
        EXPECT_EQ(bitsToFloat(d[reg][l]),
                  reg == 2 && l == 4 * 3 + 1 ? 3.5f : 0.0f)
            << (*at)->name << ", register " << reg << ", lane " << l;
  }
}
