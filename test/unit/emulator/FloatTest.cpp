//===- FloatTest.cpp - Floating-point instructions --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"
#include "machine/Float16.h"

#include <cmath>
#include <random>

using namespace bwgemm::emulator;

class FloatTest : public ScalarFixture {};

static constexpr uint64_t nan32 = 0x7FFFFFFF, inf32 = 0x7F800000;

TEST_F(FloatTest, F32Basics) {
  EXPECT_EQ(r("add.f32 %rd, %ra, %rb;", bits(1.5f), bits(2.25f)), bits(3.75f));
  EXPECT_EQ(r("sub.f32 %rd, %ra, %rb;", bits(1.5f), bits(2.25f)), bits(-0.75f));
  EXPECT_EQ(r("mul.f32 %rd, %ra, 0f40000000;", bits(1.5f)), bits(3.0f));
  EXPECT_EQ(r("add.f32 %rd, %ra, %rb;", inf32, inf32 | 0x80000000), nan32);
  EXPECT_EQ(r("add.f32 %rd, %ra, %rb;", 0xFF812345, bits(1.0f)), nan32);
  EXPECT_EQ(r("add.f32 %rd, %ra, %rb;", 0x80000000, 0x80000000), 0x80000000u);
  EXPECT_EQ(r("add.f32 %rd, %ra, %rb;", 0x80000000, 0), 0u);
  EXPECT_EQ(r("add.sat.f32 %rd, %ra, %rb;", bits(1.5f), bits(2.0f)),
            bits(1.0f));
  EXPECT_EQ(r("add.sat.f32 %rd, %ra, %rb;", nan32, bits(2.0f)), 0u);
  EXPECT_EQ(r("mul.ftz.f32 %rd, %ra, %rb;", 0x00000001, bits(-2.0f)),
            0x80000000u);
  EXPECT_EQ(r("mul.f32 %rd, %ra, %rb;", 0x00000001, bits(-2.0f)), 0x80000002u);
  EXPECT_EQ(r("mul.ftz.f32 %rd, %ra, %rb;", 0x00800000, bits(0.5f)), 0u);
  EXPECT_EQ(r("neg.f32 %rd, %ra;", 0x7FC00001), nan32);
  EXPECT_EQ(r("abs.f32 %rd, %ra;", bits(-3.0f)), bits(3.0f));
}

TEST_F(FloatTest, RoundingModes) {
  // 1 + 2^-24 lies half-way between 1 and the next number; 1 + 3 * 2^-25 above.
  uint64_t one = bits(1.0f), tiny = bits(0x1p-24f), next = one + 1;
  EXPECT_EQ(r("add.rn.f32 %rd, %ra, %rb;", one, tiny), one);
  EXPECT_EQ(r("add.rz.f32 %rd, %ra, %rb;", one, bits(0x1.8p-24f)), one);
  EXPECT_EQ(r("add.rp.f32 %rd, %ra, %rb;", one, tiny), next);
  EXPECT_EQ(r("add.rm.f32 %rd, %ra, %rb;", one, tiny), one);
  EXPECT_EQ(r("add.rm.f32 %rd, %ra, %rb;", bits(-1.0f), bits(-0x1p-24f)),
            bits(-1.0f) + 1);
  EXPECT_EQ(r("mul.rp.f32 %rd, %ra, %rb;", next, next), one + 3);
  EXPECT_EQ(r("div.rz.f32 %rd, %ra, %rb;", bits(2.0f), bits(3.0f)),
            0x3F2AAAAAu);
  EXPECT_EQ(r("div.rn.f32 %rd, %ra, %rb;", bits(2.0f), bits(3.0f)),
            0x3F2AAAABu);
  EXPECT_EQ(w("add.rp.f64 %wd, %wa, %wb;", bits(1.0), bits(0x1p-53)),
            bits(1.0) + 1);
  EXPECT_EQ(r("sqrt.rm.f32 %rd, %ra;", bits(2.0f)), 0x3FB504F3u);
  EXPECT_EQ(r("sqrt.rp.f32 %rd, %ra;", bits(2.0f)), 0x3FB504F4u);
}

// PTX ISA 8.6, mixed precision: 16-bit inputs are widened, one rounding to f32.
TEST_F(FloatTest, MixedPrecision) {
  EXPECT_EQ(
      r("fma.rn.f32.bf16 %rd, %ha, %hb, %rc;", 0x3FC0, 0x4000, bits(0.25f)),
      bits(3.25f));
  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20, whose last term the addend leaves.
  EXPECT_EQ(r("fma.rn.f32.f16 %rd, %ha, %hb, %rc;", 0x3C01, 0x3C01,
              bits(-1.0f - 0x1p-9f)),
            bits(0x1p-20f));
  EXPECT_EQ(
      r("fma.rp.f32.f16 %rd, %ha, %hb, %rc;", 0x3C00, 0x3C00, bits(0x1p-24f)),
      bits(1.0f) + 1);
  EXPECT_EQ(
      r("fma.rn.sat.f32.bf16 %rd, %ha, %hb, %rc;", 0x4000, 0x4000, bits(0.0f)),
      bits(1.0f));
  // The smallest bf16 is a subnormal f32 and stays one.
  EXPECT_EQ(r("fma.rn.f32.bf16 %rd, %ha, %hb, %rc;", 0x0001, 0x3F80, 0),
            0x00010000u);
  EXPECT_EQ(r("add.f32.bf16 %rd, %ha, %rc;", 0x3F80, 0, bits(0.5f)),
            bits(1.5f));
  EXPECT_EQ(r("sub.rz.f32.f16 %rd, %ha, %rc;", 0x4000, 0, bits(0.5f)),
            bits(1.5f));
  EXPECT_EQ(r("add.f32.f16 %rd, %ha, %rc;", 0x7E00, 0, bits(0.5f)), nan32);
}

TEST_F(FloatTest, FmaRoundsOnce) {
  // (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24, lost if the product is rounded.
  uint64_t a = bits(1.0f + 0x1p-12f);
  EXPECT_EQ(r("fma.rn.f32 %rd, %ra, %rb, %rc;", a, a, bits(-1.0f - 0x1p-11f)),
            bits(0x1p-24f));
  EXPECT_EQ(w("fma.rn.f64 %wd, %wa, %wb, %wc;", bits(1.0 + 0x1p-30),
              bits(1.0 + 0x1p-30), bits(-1.0 - 0x1p-29)),
            bits(0x1p-60));
  EXPECT_EQ(r("fma.rz.f32 %rd, %ra, %rb, %rc;", bits(1.0f), bits(1.0f),
              bits(0x1.8p-24f)),
            bits(1.0f));
  EXPECT_EQ(r("mad.rn.ftz.f32 %rd, %ra, %rb, %rc;", bits(2.0f), bits(3.0f),
              0x00000001),
            bits(6.0f));
  std::mt19937 random(7);
  std::vector<Inputs> inputs;
  for (int i = 0; i < 256; ++i)
    inputs.push_back({random(), random(), random()});
  auto results = evaluate("fma.rn.f32 %rd, %ra, %rb, %rc;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    float want = std::fma(bitsToFloat(uint32_t(inputs[i].a)),
                          bitsToFloat(uint32_t(inputs[i].b)),
                          bitsToFloat(uint32_t(inputs[i].c)));
    EXPECT_EQ(results[i].r, want != want ? nan32 : bits(want)) << i;
  }
}

TEST_F(FloatTest, MinMax) {
  EXPECT_EQ(r("min.f32 %rd, %ra, %rb;", nan32, bits(2.0f)), bits(2.0f));
  EXPECT_EQ(r("min.NaN.f32 %rd, %ra, %rb;", 0xFFC00000, bits(2.0f)), nan32);
  EXPECT_EQ(r("max.f32 %rd, %ra, %rb;", 0x80000000, 0), 0u);
  EXPECT_EQ(r("min.f32 %rd, %ra, %rb;", 0, 0x80000000), 0x80000000u);
  EXPECT_EQ(
      r("max.f32 %rd, %ra, %rb, %rc;", bits(1.0f), bits(5.0f), bits(3.0f)),
      bits(5.0f));
  EXPECT_EQ(r("min.xorsign.abs.f32 %rd, %ra, %rb;", bits(-1.0f), bits(3.0f)),
            bits(-1.0f));
  EXPECT_EQ(w("max.f64 %wd, %wa, %wb;", bits(-1.0), bits(-2.0)), bits(-1.0));
  EXPECT_EQ(r("copysign.f32 %rd, %ra, %rb;", bits(-1.0f), bits(3.0f)),
            bits(-3.0f));
}

TEST_F(FloatTest, CompareWithNaN) {
  uint64_t x = bits(1.0f);
  EXPECT_FALSE(p("setp.eq.f32 %pd, %ra, %rb;", nan32, nan32));
  EXPECT_FALSE(p("setp.ne.f32 %pd, %ra, %rb;", nan32, x));
  EXPECT_TRUE(p("setp.neu.f32 %pd, %ra, %rb;", nan32, x));
  EXPECT_TRUE(p("setp.ltu.f32 %pd, %ra, %rb;", nan32, x));
  EXPECT_TRUE(p("setp.nan.f32 %pd, %ra, %rb;", nan32, x));
  EXPECT_FALSE(p("setp.num.f32 %pd, %ra, %rb;", nan32, x));
  EXPECT_TRUE(p("setp.eq.f32 %pd, %ra, %rb;", 0x80000000, 0));
  EXPECT_TRUE(p("setp.eq.ftz.f32 %pd, %ra, %rb;", 0x00000001, 0));
  EXPECT_FALSE(p("setp.eq.f32 %pd, %ra, %rb;", 0x00000001, 0));
  EXPECT_TRUE(p("setp.lt.f16 %pd, %ha, %hb;", 0xBC00, 0x3C00));
  EXPECT_TRUE(p("setp.gt.bf16 %pd, %ha, %hb;", 0x4000, 0x3F80));
  Result halves =
      one("setp.gt.f16x2 %pd|%qd, %ra, %rb;", 0x3C004000, 0x40003C00);
  EXPECT_TRUE(halves.p);
  EXPECT_FALSE(halves.q);
  EXPECT_TRUE(p("testp.subnormal.f32 %pd, %ra;", 1));
  EXPECT_TRUE(p("testp.notanumber.f64 %pd, %wa;", 0x7FF8000000000000));
  EXPECT_FALSE(p("testp.finite.f32 %pd, %ra;", inf32));
}

TEST_F(FloatTest, Functions) {
  EXPECT_EQ(r("rcp.rn.f32 %rd, %ra;", bits(4.0f)), bits(0.25f));
  EXPECT_EQ(r("rcp.approx.ftz.f32 %rd, %ra;", 0x80000000), 0xFF800000u);
  EXPECT_EQ(r("sqrt.rn.f32 %rd, %ra;", bits(9.0f)), bits(3.0f));
  EXPECT_EQ(r("sqrt.approx.f32 %rd, %ra;", bits(-1.0f)), nan32);
  EXPECT_EQ(r("sqrt.rn.f32 %rd, %ra;", 0x80000000), 0x80000000u);
  EXPECT_EQ(r("rsqrt.approx.f32 %rd, %ra;", bits(4.0f)), bits(0.5f));
  EXPECT_EQ(r("rsqrt.approx.f32 %rd, %ra;", 0x80000000), 0xFF800000u);
  EXPECT_EQ(r("ex2.approx.f32 %rd, %ra;", bits(3.0f)), bits(8.0f));
  EXPECT_EQ(r("ex2.approx.ftz.f32 %rd, %ra;", 0xFF800000), 0u);
  EXPECT_EQ(r("lg2.approx.f32 %rd, %ra;", bits(8.0f)), bits(3.0f));
  EXPECT_EQ(r("lg2.approx.f32 %rd, %ra;", 0), 0xFF800000u);
  EXPECT_EQ(r("sin.approx.f32 %rd, %ra;", 0), 0u);
  EXPECT_EQ(r("cos.approx.f32 %rd, %ra;", 0), bits(1.0f));
  EXPECT_EQ(r("tanh.approx.f32 %rd, %ra;", inf32), bits(1.0f));
  EXPECT_EQ(r("div.approx.f32 %rd, %ra, %rb;", bits(1.0f), 0), inf32);
  EXPECT_EQ(r("div.full.f32 %rd, %ra, %rb;", bits(9.0f), bits(3.0f)),
            bits(3.0f));
  EXPECT_EQ(w("rcp.rn.f64 %wd, %wa;", bits(8.0)), bits(0.125));
  EXPECT_EQ(h("ex2.approx.f16 %hd, %ha;", 0x4000), 0x4400u);
  EXPECT_EQ(r("tanh.approx.bf16x2 %rd, %ra;", 0x7F80FF80), 0x3F80BF80u);
}

TEST_F(FloatTest, PackedF32) {
  uint64_t a = bits(1.0f) | bits(2.0f) << 32, b = bits(10.0f) | bits(20.0f)
                                                                    << 32;
  EXPECT_EQ(w("add.rn.f32x2 %wd, %wa, %wb;", a, b), bits(11.0f) | bits(22.0f)
                                                                      << 32);
  EXPECT_EQ(w("mul.rn.f32x2 %wd, %wa, %wb;", a, b), bits(10.0f) | bits(40.0f)
                                                                      << 32);
  EXPECT_EQ(w("fma.rn.f32x2 %wd, %wa, %wb, %wc;", a, b, a),
            bits(11.0f) | bits(42.0f) << 32);
}

TEST_F(FloatTest, Half) {
  EXPECT_EQ(h("add.f16 %hd, %ha, %hb;", 0x3C00, 0x3C00), 0x4000u);
  // 2048 + 1 is half-way: to even. 2050 + 1 rounds up to 2052.
  EXPECT_EQ(h("add.f16 %hd, %ha, %hb;", 0x6800, 0x3C00), 0x6800u);
  EXPECT_EQ(h("add.f16 %hd, %ha, %hb;", 0x6801, 0x3C00), 0x6802u);
  EXPECT_EQ(h("mul.f16 %hd, %ha, %hb;", 0x7BFF, 0x4000), 0x7C00u);
  EXPECT_EQ(h("add.f16 %hd, %ha, %hb;", 0x7C00, 0xFC00), 0x7FFFu);
  EXPECT_EQ(h("add.sat.f16 %hd, %ha, %hb;", 0x3C00, 0x3C00), 0x3C00u);
  EXPECT_EQ(h("mul.ftz.f16 %hd, %ha, %hb;", 0x0001, 0x3C00), 0u);
  EXPECT_EQ(h("mul.f16 %hd, %ha, %hb;", 0x0001, 0x3C00), 1u);
  EXPECT_EQ(r("add.f16x2 %rd, %ra, %rb;", 0x3C004000, 0x3C003C00), 0x40004200u);
  EXPECT_EQ(
      r("fma.rn.f16x2 %rd, %ra, %rb, %rc;", 0x40004000, 0x40003C00, 0x3C000000),
      0x45004000u);
  EXPECT_EQ(h("fma.rn.relu.bf16 %hd, %ha, %hb, %hc;", 0x3F80, 0xC000, 0x3F80),
            0u);
  EXPECT_EQ(h("fma.rn.bf16 %hd, %ha, %hb, %hc;", 0x3F80, 0x4000, 0x3F80),
            0x4040u);
  // A product at a tie, broken by a far smaller addend: one rounding sees it.
  // (1 + 2^-7) * (1 + 2^-1) = 1.51171875 = 1.5 + 1.5 * 2^-7, a tie of bf16.
  EXPECT_EQ(h("fma.rn.bf16 %hd, %ha, %hb, %hc;", 0x3F81, 0x3FC0, 0x0080),
            0x3FC2u);
  EXPECT_EQ(h("fma.rn.bf16 %hd, %ha, %hb, %hc;", 0x3F81, 0x3FC0, 0x8080),
            0x3FC1u);
  EXPECT_EQ(h("neg.bf16 %hd, %ha;", 0x3F80), 0xBF80u);
  EXPECT_EQ(r("abs.f16x2 %rd, %ra;", 0xBC00C000), 0x3C004000u);
  EXPECT_EQ(h("max.f16 %hd, %ha, %hb;", 0x7E00, 0x3C00), 0x3C00u);
  EXPECT_EQ(h("max.NaN.bf16 %hd, %ha, %hb;", 0x7FC0, 0x3C00), 0x7FFFu);
  EXPECT_EQ(r("min.bf16x2 %rd, %ra, %rb;", 0x00003F80, 0x80004000),
            0x80003F80u);
}

TEST_F(FloatTest, ConvertBetweenFormats) {
  EXPECT_EQ(h("cvt.rn.bf16.f32 %hd, %ra;", 0x3F808000), 0x3F80u);
  EXPECT_EQ(h("cvt.rn.bf16.f32 %hd, %ra;", 0x3F818000), 0x3F82u);
  EXPECT_EQ(h("cvt.rz.bf16.f32 %hd, %ra;", 0x3F81FFFF), 0x3F81u);
  // A NaN whose payload is in the low bits stays a NaN.
  EXPECT_EQ(h("cvt.rn.bf16.f32 %hd, %ra;", 0x7F800001), 0x7FFFu);
  EXPECT_EQ(h("cvt.rn.relu.bf16.f32 %hd, %ra;", bits(-2.0f)), 0u);
  EXPECT_EQ(h("cvt.rn.f16.f32 %hd, %ra;", bits(65519.0f)), 0x7BFFu);
  EXPECT_EQ(h("cvt.rn.f16.f32 %hd, %ra;", bits(65520.0f)), 0x7C00u);
  EXPECT_EQ(h("cvt.rn.f16.f32 %hd, %ra;", bits(0x1p-25f)), 0u);
  EXPECT_EQ(h("cvt.rn.f16.f32 %hd, %ra;", bits(0x1.8p-25f)), 1u);
  EXPECT_EQ(h("cvt.rz.f16.f32 %hd, %ra;", bits(1e9f)), 0x7BFFu);
  EXPECT_EQ(r("cvt.f32.f16 %rd, %ha;", 0x0001), bits(0x1p-24f));
  EXPECT_EQ(r("cvt.f32.bf16 %rd, %ha;", 0xC000), bits(-2.0f));
  EXPECT_EQ(r("cvt.rn.bf16x2.f32 %rd, %ra, %rb;", bits(1.0f), bits(2.0f)),
            0x3F804000u);
  EXPECT_EQ(r("cvt.rn.f16x2.f32 %rd, %ra, %rb;", bits(1.0f), bits(2.0f)),
            0x3C004000u);
  EXPECT_EQ(r("cvt.rn.relu.f16x2.f32 %rd, %ra, %rb;", bits(-1.0f), bits(2.0f)),
            0x00004000u);
  EXPECT_EQ(r("cvt.rz.bf16x2.f32 %rd, %ra, %rb;", 0x3F80FFFF, 0x4000FFFF),
            0x3F804000u);
  EXPECT_EQ(w("cvt.f64.f32 %wd, %ra;", bits(1.5f)), bits(1.5));
  EXPECT_EQ(r("cvt.rn.f32.f64 %rd, %wa;", bits(1.0 + 0x1p-24)), bits(1.0f));
  EXPECT_EQ(r("cvt.rp.f32.f64 %rd, %wa;", bits(1.0 + 0x1p-50)), bits(1.0f) + 1);
  EXPECT_EQ(r("cvt.rna.tf32.f32 %rd, %ra;", 0x3F801000), 0x3F802000u);
  EXPECT_EQ(r("cvt.sat.f32.f32 %rd, %ra;", bits(7.0f)), bits(1.0f));
  EXPECT_EQ(r("cvt.rzi.f32.f32 %rd, %ra;", bits(-2.7f)), bits(-2.0f));
  EXPECT_EQ(r("cvt.rni.f32.f32 %rd, %ra;", bits(2.5f)), bits(2.0f));
  EXPECT_EQ(h("cvt.rn.satfinite.e4m3x2.f32 %hd, %ra, %rb;", bits(1000.0f),
              bits(1.0f)),
            0x7E38u);
  EXPECT_EQ(
      h("cvt.rn.satfinite.e5m2x2.f32 %hd, %ra, %rb;", bits(-1e9f), bits(1.0f)),
      0xFB3Cu);
}

TEST_F(FloatTest, ConvertWithIntegers) {
  EXPECT_EQ(r("cvt.rzi.s32.f32 %rd, %ra;", bits(-2.7f)), uint32_t(-2));
  EXPECT_EQ(r("cvt.rni.s32.f32 %rd, %ra;", bits(2.5f)), 2u);
  EXPECT_EQ(r("cvt.rmi.s32.f32 %rd, %ra;", bits(-2.1f)), uint32_t(-3));
  EXPECT_EQ(r("cvt.rpi.s32.f32 %rd, %ra;", bits(2.1f)), 3u);
  EXPECT_EQ(r("cvt.rzi.s32.f32 %rd, %ra;", bits(1e20f)), 0x7FFFFFFFu);
  EXPECT_EQ(r("cvt.rzi.u32.f32 %rd, %ra;", bits(-1.0f)), 0u);
  EXPECT_EQ(r("cvt.rzi.s32.f32 %rd, %ra;", nan32), 0u);
  EXPECT_EQ(w("cvt.rzi.s64.f64 %wd, %wa;", bits(std::nan(""))), uint64_t(1)
                                                                    << 63);
  EXPECT_EQ(w("cvt.rzi.u64.f64 %wd, %wa;", bits(0x1p63)), uint64_t(1) << 63);
  EXPECT_EQ(r("cvt.rn.f32.s32 %rd, %ra;", uint64_t(-5)), bits(-5.0f));
  EXPECT_EQ(r("cvt.rn.f32.u32 %rd, %ra;", 0xFFFFFFFF), bits(4294967296.0f));
  EXPECT_EQ(r("cvt.rz.f32.u32 %rd, %ra;", 0xFFFFFFFF), bits(4294967040.0f));
  // 2^53 + 1 + 2^29: rounding to f64 first would lose the one above the tie.
  EXPECT_EQ(r("cvt.rn.f32.u64 %rd, %wa;", (uint64_t(1) << 54) + (1 << 30) + 1),
            bits(0x1p54f) + 1);
  EXPECT_EQ(r("cvt.rn.f32.u64 %rd, %wa;", (uint64_t(1) << 54) + (1 << 30)),
            bits(0x1p54f));
  EXPECT_EQ(w("cvt.rp.f64.u64 %wd, %wa;", (uint64_t(1) << 54) + 1),
            bits(0x1p54) + 1);
  EXPECT_EQ(w("cvt.rn.f64.s64 %wd, %wa;", uint64_t(-3)), bits(-3.0));
  // 257, 259 and -259 in bf16.
  EXPECT_EQ(h("cvt.rn.bf16.s32 %hd, %ra;", 257), 0x4380u);
  EXPECT_EQ(h("cvt.rn.bf16.s32 %hd, %ra;", 259), 0x4382u);
  EXPECT_EQ(h("cvt.rn.bf16.s32 %hd, %ra;", uint64_t(-259)), 0xC382u);
  EXPECT_EQ(h("cvt.rn.f16.u32 %hd, %ra;", 2049), 0x6800u);
}

TEST(Float16, RoundsEveryPatternBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7FFF) <= 0x7C00) {
      EXPECT_EQ(roundToF16(f16ToFloat(uint16_t(bits))), bits);
    }
    if ((bits & 0x7FFF) <= 0x7F80) {
      EXPECT_EQ(roundToBf16(bf16ToFloat(uint16_t(bits))), bits);
    }
  }
}

TEST(Float16, AgreesWithTheHostOnF32) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    uint64_t raw = random();
    // Exponents around those of f32.
    raw = (raw & 0x800FFFFFFFFFFFFF) |
          (uint64_t(1023 - 160 + (raw >> 52) % 300) << 52);
    double value;
    std::memcpy(&value, &raw, 8);
    ASSERT_EQ(roundTo(formatF32, value, Rounding::Nearest),
              floatToBits(float(value)));
  }
}

// What an H200 does where the PTX ISA leaves it open.
TEST_F(FloatTest, MeasuredNaNs) {
  EXPECT_EQ(r("neg.f32 %rd, %ra;", 0xFFC12345), nan32);
  EXPECT_EQ(r("abs.ftz.f32 %rd, %ra;", 0x7F800001), nan32);
  EXPECT_EQ(w("neg.f64 %wd, %wa;", 0x7FFFFFFF00000000), 0x7FFFFFFF00000000u);
  EXPECT_EQ(w("abs.f64 %wd, %wa;", 0x7FF0A85F1C84C9E4), 0x7FF8A85F1C84C9E4u);
  EXPECT_EQ(h("neg.f16 %hd, %ha;", 0x7E00), 0x7FFFu);
  EXPECT_EQ(h("abs.bf16 %hd, %ha;", 0xFF81), 0x7FFFu);
  EXPECT_EQ(w("add.f64 %wd, %wa, %wb;", 0x7FFFFFFF00000000, 0xFFFFFFFF00000000),
            0xFFFFFFFF00000000u);
  EXPECT_EQ(w("fma.rn.f64 %wd, %wa, %wb, %wc;", bits(1.0), 0x7FFFFFFF00000000,
              0xFFFFFFFF00000000),
            0x7FFFFFFF00000000u);
  EXPECT_EQ(r("cvt.rn.f32.f64 %rd, %wa;", 0xFFFFFFFE00000000), 0xFFFFFFF0u);
  EXPECT_EQ(h("cvt.rn.f16.f64 %hd, %wa;", 0xFFFE726AFB23DFA2), 0xFF9Cu);
  EXPECT_EQ(h("cvt.rn.bf16.f64 %hd, %wa;", 0x7FF53C911174D6AB), 0x7FE9u);
  EXPECT_EQ(w("cvt.ftz.f64.f32 %wd, %ra;", 0xFFC12345), 0x7FFFFFFFE0000000u);
  EXPECT_EQ(r("cvt.f32.bf16 %rd, %ha;", 0x7F81), 0x7F810000u);
  EXPECT_EQ(r("cvt.rn.tf32.f32 %rd, %ra;", 0x7FC00000), 0x7FFFE000u);
  EXPECT_EQ(r("cvt.rna.tf32.f32 %rd, %ra;", 0x7F800001), 0x7F800000u);
}

TEST_F(FloatTest, FlushingJudgesTheRoundedValue) {
  // 2^-126 (1 - 2^-24) has 24 digits: subnormal, though it would round up.
  EXPECT_EQ(r("mul.rn.ftz.f32 %rd, %ra, %rb;", 0xA0000000, 0x1FFFFFFF),
            0x80000000u);
  EXPECT_EQ(r("fma.rn.ftz.f32 %rd, %ra, %rb, %rc;", 0x00800001, 0xBF7FFFFF,
              0x01000000),
            0u);
  EXPECT_EQ(r("div.rp.ftz.f32 %rd, %ra, %rb;", 0x00800000, 0x3F800001), 0u);
  // 2^-14 (1 - 2^-20) does not: it rounds to 2^-14 with eleven digits.
  EXPECT_EQ(h("mul.ftz.f16 %hd, %ha, %hb;", 0xBBFE, 0x8401), 0x0400u);
  EXPECT_EQ(
      h("fma.rn.ftz.relu.f16 %hd, %ha, %hb, %hc;", 0x854C, 0x0AA1, 0x0400), 0u);
}

TEST_F(FloatTest, DivApproxOfHugeDivisors) {
  EXPECT_EQ(r("div.approx.f32 %rd, %ra, %rb;", 0xE35B8075, 0x7F7FFFFF),
            0x80000000u);
  EXPECT_EQ(r("div.approx.ftz.f32 %rd, %ra, %rb;", 0xFF800000, 0xFF7ADCED),
            nan32);
  EXPECT_EQ(w("rcp.approx.ftz.f64 %wd, %wa;", bits(3.0)), 0x3FD5555500000000u);
}
