//===- NarrowConvertTest.cpp - cvt of 8-, 6- and 4-bit types ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values come from the definition of each format: all of its numbers
// are listed, and the nearest is searched.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <cmath>
#include <limits>
#include <random>

using namespace bwgemm::emulator;

namespace {

struct Format {
  const char *name;
  unsigned exponentBits, mantissaBits;
  int bias;
  unsigned largest; ///< Code of the largest finite number.
  unsigned nan;     ///< What NaN converts to.
  unsigned width;   ///< Bits of an element in the register.
};

const Format formats[] = {
    {"e4m3", 4, 3, 7, 0x7E, 0x7F, 8}, {"e5m2", 5, 2, 15, 0x7B, 0x7F, 8},
    {"e2m3", 2, 3, 1, 0x1F, 0x1F, 8}, {"e3m2", 3, 2, 3, 0x1F, 0x1F, 8},
    {"e2m1", 2, 1, 1, 0x07, 0x07, 4},
};

/// The number of a code without its sign.
double number(const Format &f, unsigned code) {
  unsigned exponent = code >> f.mantissaBits;
  double fraction = double(code & ((1u << f.mantissaBits) - 1)) /
                    double(1u << f.mantissaBits);
  return exponent ? std::ldexp(1 + fraction, int(exponent) - f.bias)
                  : std::ldexp(fraction, 1 - f.bias);
}

/// To nearest even by search, clamped.
unsigned nearest(const Format &f, double value) {
  unsigned sign =
      std::signbit(value) ? 1u << (f.exponentBits + f.mantissaBits) : 0;
  if (std::isnan(value))
    return f.nan;
  double magnitude = std::fabs(value);
  unsigned best = 0;
  for (unsigned code = 1; code <= f.largest; ++code) {
    double here = std::fabs(number(f, code) - magnitude);
    double there = std::fabs(number(f, best) - magnitude);
    if (here < there || (here == there && code % 2 == 0))
      best = code;
  }
  return sign | (magnitude >= number(f, f.largest) ? f.largest : best);
}

/// Edge values of every format, their midpoints and neighbours, and noise.
std::vector<float> samples(const Format &f) {
  std::vector<float> values = {
      0.0f,     -0.0f,     1e-30f,
      -1e-40f,  1e30f,     -1e30f,
      INFINITY, -INFINITY, std::numeric_limits<float>::quiet_NaN()};
  for (unsigned code = 0; code < f.largest; ++code) {
    float a = float(number(f, code)), b = float(number(f, code + 1));
    float middle = (a + b) / 2;
    for (float value : {a, middle, std::nextafter(middle, 0.0f),
                        std::nextafter(middle, 1e9f)})
      values.push_back(code % 3 ? value : -value);
  }
  std::mt19937 random(1);
  while (values.size() % 32)
    values.push_back(std::ldexp(float(random() % 4096) - 2048, -9));
  return values;
}

class NarrowConvertTest : public ScalarFixture {
protected:
  std::vector<Result> convert(const std::string &body,
                              const std::vector<Inputs> &inputs) {
    std::vector<Result> results;
    for (size_t at = 0; at < inputs.size(); at += 512) {
      auto part =
          evaluate(body, {inputs.begin() + ptrdiff_t(at),
                          inputs.begin() +
                              ptrdiff_t(std::min(inputs.size(), at + 512))});
      results.insert(results.end(), part.begin(), part.end());
    }
    return results;
  }
};

} // namespace

TEST_F(NarrowConvertTest, FromF32ToNearest) {
  for (const Format &f : formats) {
    std::vector<Inputs> inputs;
    auto values = samples(f);
    for (size_t i = 0; i < values.size(); ++i)
      inputs.push_back(
          {bits(values[i]), bits(values[(i + 7) % values.size()])});
    for (bool relu : {false, true}) {
      auto results =
          convert("cvt.rn.satfinite" + std::string(relu ? ".relu." : ".") +
                      f.name + "x2.f32 %hd, %ra, %rb;",
                  inputs);
      auto expected = [&](float value) {
        bool negative = std::signbit(value) && !std::isnan(value);
        return relu && negative ? 0 : nearest(f, value);
      };
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(results[i].h, expected(values[i]) << f.width |
                                    expected(values[(i + 7) % values.size()]))
            << f.name << " " << values[i];
    }
  }
}

TEST_F(NarrowConvertTest, FromHalves) {
  // 1.5 and -0.3 in f16, bf16.
  struct Source {
    const char *type;
    uint32_t bits;
    double high, low;
  };
  const Source sources[] = {{"f16x2", 0x3E00B4CD, 1.5, -0.300048828125},
                            {"bf16x2", 0x3FC0BE9A, 1.5, -0.30078125},
                            {"f16x2", 0x7BFFFC00, 65504, -INFINITY},
                            {"bf16x2", 0x00010001, 0x1p-133, 0x1p-133}};
  for (const Format &f : formats)
    for (const Source &s : sources)
      EXPECT_EQ(h("cvt.rn.satfinite." + std::string(f.name) + "x2." + s.type +
                      " %hd, %ra;",
                  s.bits),
                nearest(f, s.high) << f.width | nearest(f, s.low))
          << f.name << " " << s.type;
}

TEST_F(NarrowConvertTest, ToF16Exactly) {
  for (const Format &f : formats) {
    unsigned valueBits = 1 + f.exponentBits + f.mantissaBits;
    std::vector<Inputs> inputs;
    for (unsigned code = 0; code < 1u << valueBits; ++code)
      inputs.push_back({code << f.width | 1});
    auto results =
        convert("cvt.rn.f16x2." + std::string(f.name) + "x2 %rd, %ha;", inputs);
    for (unsigned code = 0; code < 1u << valueBits; ++code) {
      unsigned magnitude = code & ((1u << (valueBits - 1)) - 1);
      uint32_t half = uint32_t(results[code].r >> 16);
      // Read back by the definition of f16.
      unsigned exponent = half >> 10 & 31;
      double value = exponent
                         ? std::ldexp(1024 + (half & 1023), int(exponent) - 25)
                         : std::ldexp(half & 1023, -24);
      if (magnitude <= f.largest) {
        EXPECT_EQ(value, number(f, magnitude)) << f.name << " " << code;
        EXPECT_EQ(half >> 15, code >> (valueBits - 1)) << f.name << " " << code;
      } else if (f.bias == 15 && magnitude == 0x7C) {
        EXPECT_EQ(half & 0x7FFF, 0x7C00u);
      } else {
        EXPECT_EQ(half, 0x7FFFu) << f.name << " " << code;
      }
    }
  }
  // .relu: a negative number becomes +0, a NaN stays one.
  EXPECT_EQ(r("cvt.rn.relu.f16x2.e4m3x2 %rd, %ha;", 0xB8FF), 0x00007FFFu);
}

TEST_F(NarrowConvertTest, Ue8m0) {
  auto pair = [&](const char *how, float a, float b) {
    return h("cvt." + std::string(how) + ".ue8m0x2.f32 %hd, %ra, %rb;", bits(a),
             bits(b));
  };
  EXPECT_EQ(pair("rz", 1.0f, 2.0f), 0x7F80u);
  EXPECT_EQ(pair("rz", 3.9f, 0.0f), 0x8000u);
  EXPECT_EQ(pair("rp", 3.9f, 4.0f), 0x8181u);
  EXPECT_EQ(pair("rp", -3.9f, 0x1p-127f), 0x8100u);
  EXPECT_EQ(pair("rz.satfinite", INFINITY, NAN), 0xFEFFu);
  EXPECT_EQ(pair("rp.satfinite", 0x1.8p127f, 1.5f), 0xFE80u);
  EXPECT_EQ(h("cvt.rp.ue8m0x2.bf16x2 %hd, %ra;", 0x3FC04000), 0x8080u);
  // 2^-127 is a subnormal bf16; code 255 is the NaN.
  EXPECT_EQ(r("cvt.rn.bf16x2.ue8m0x2 %rd, %ha;", 0x7F00), 0x3F800040u);
  EXPECT_EQ(r("cvt.rn.bf16x2.ue8m0x2 %rd, %ha;", 0xFF80), 0x7FFF4000u);
}

TEST_F(NarrowConvertTest, S2f6) {
  auto pair = [&](float a, float b) {
    return h("cvt.rn.satfinite.s2f6x2.f32 %hd, %ra, %rb;", bits(a), bits(b));
  };
  EXPECT_EQ(pair(1.0f, -1.0f), 0x40C0u);
  EXPECT_EQ(pair(1.984375f, -2.0f), 0x7F80u);
  EXPECT_EQ(pair(100.0f, -100.0f), 0x7F80u);
  EXPECT_EQ(pair(NAN, 0.0234375f), 0x7F02u); // 1.5 units to even.
  // Scale factors 2 and 1/2: 1.0 / 2 and 0.25 / 0.5.
  EXPECT_EQ(h("cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %hd, %ra, %rb, "
              "%hc;",
              bits(1.0f), bits(0.25f), 0x807E),
            0x2020u);
  EXPECT_EQ(r("cvt.rn.bf16x2.s2f6x2 %rd, %ha;", 0x40C0), 0x3F80BF80u);
  EXPECT_EQ(r("cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %rd, %ha, %hb;", 0x40C0,
              0x807E),
            0x4000BF00u);
}

TEST_F(NarrowConvertTest, StochasticRounding) {
  // bf16: the low half of 1.0 + x ulp is 0x0000 to 0xFFFF; the random bits are
  // added and a carry rounds up.
  auto bf16 = [&](uint32_t a, uint32_t b, uint32_t random) {
    return r("cvt.rs.bf16x2.f32 %rd, %ra, %rb, %rc;", a, b, random);
  };
  EXPECT_EQ(bf16(0x3F800001, 0x3F808000, 0xFFFF8000), 0x3F813F81u);
  EXPECT_EQ(bf16(0x3F800001, 0x3F808000, 0xFFFE7FFF), 0x3F803F80u);
  EXPECT_EQ(bf16(0x3F800000, 0xBF80FFFF, 0xFFFF0001), 0x3F80BF81u);
  // f16 drops 13 bits and reads 13; the upper three are not looked at.
  EXPECT_EQ(r("cvt.rs.f16x2.f32 %rd, %ra, %rb, %rc;", 0x3F800001, 0x3F801000,
              0xFFFFF000),
            0x3C013C01u);
  EXPECT_EQ(r("cvt.rs.f16x2.f32 %rd, %ra, %rb, %rc;", 0x3F800001, 0x3F801000,
              0xFFFEE000),
            0x3C003C00u);
  // Overflow by the carry: infinity, or the largest with .satfinite.
  EXPECT_EQ(
      r("cvt.rs.f16x2.f32 %rd, %ra, %rb, %rc;", 0x477FFFFF, 0, 0xFFFF0000),
      0x7C000000u);
  EXPECT_EQ(r("cvt.rs.satfinite.f16x2.f32 %rd, %ra, %rb, %rc;", 0x477FFFFF, 0,
              0xFFFF0000),
            0x7BFF0000u);
  // Four elements: a and b share the upper half, a reads it reversed. 1.0625
  // is half way from 1.0 (0x38) to 1.125 (0x39) in e4m3.
  auto e4m3 = [&](uint32_t random) {
    return r("cvt.rs.satfinite.e4m3x4.f32 %rd, {%ra, %ra, %ra, %ra}, %rc;",
             bits(1.0625f), 0, random);
  };
  EXPECT_EQ(e4m3(0), 0x38383838u);
  EXPECT_EQ(e4m3(0x80000000), 0x38393838u);
  EXPECT_EQ(e4m3(0x00010000), 0x39383838u);
  EXPECT_EQ(e4m3(0x00008001), 0x38383939u);
  // e2m1: bytes 3 and 1 are those of a and b. 1.25 is half way to 1.5.
  auto e2m1 = [&](uint32_t random) {
    return h("cvt.rs.satfinite.e2m1x4.f32 %hd, {%ra, %ra, %ra, %ra}, %rc;",
             bits(1.25f), 0, random);
  };
  EXPECT_EQ(e2m1(0), 0x2222u);
  EXPECT_EQ(e2m1(0x80000100), 0x3322u);
  EXPECT_EQ(e2m1(0x00800001), 0x2233u);
  EXPECT_EQ(r("cvt.rs.relu.satfinite.e3m2x4.f32 %rd, {%ra, %rb, %ra, %rb}, "
              "%rc;",
              bits(-1.0f), bits(100.0f), 0),
            0x001F001Fu);
}
