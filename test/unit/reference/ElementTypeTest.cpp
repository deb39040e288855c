//===- ElementTypeTest.cpp - Conversions against known values ----*- C++
//-*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/ElementType.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace bwgemm::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every pattern of a type of at most 16 bits survives the way to double and
/// back, NaN payloads included; only E5M2's infinities saturate.
void expectRoundTrip(ElementType type) {
  uint64_t patterns = uint64_t(1) << (8 * sizeInBytes(type));
  for (uint64_t bits = 0; bits < patterns; ++bits) {
    bool saturates = type == ElementType::E5M2 && (bits & 0x7F) == 0x7C;
    ASSERT_EQ(fromDouble(type, toDouble(type, bits)), bits - saturates)
        << name(type) << " 0x" << std::hex << bits;
  }
}

TEST(ElementType, EveryPatternRoundTrips) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::E4M3,
        ElementType::E5M2, ElementType::I8, ElementType::U8, ElementType::I16,
        ElementType::U16})
    expectRoundTrip(type);
}

TEST(ElementType, F32AgreesWithTheCompilersConversion) {
  // The compiler's float is binary32, converted by the host's processor.
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value;
    // Exponents round the whole range of binary32, subnormals included.
    uint64_t exponent = 1023 - 155 + (state >> 20) % 290;
    uint64_t bits = (state & (uint64_t(1) << 63)) | exponent << 52 |
                    (state >> 12 & ~0u) << 20 | (state & 0xFFFFF);
    std::memcpy(&value, &bits, sizeof value);
    float expected = float(value);
    uint32_t expectedBits;
    std::memcpy(&expectedBits, &expected, sizeof expectedBits);
    ASSERT_EQ(fromDouble(ElementType::F32, value), expectedBits) << value;
    ASSERT_EQ(toDouble(ElementType::F32, expectedBits), double(expected));
  }
}

/// Between each pair of neighbouring finite numbers: the middle goes to the
/// even code, a double just off the middle to the nearer one.
void expectTiesToEven(ElementType type, uint64_t finiteCodes) {
  for (uint64_t code = 0; code + 1 < finiteCodes; ++code) {
    double low = toDouble(type, code), high = toDouble(type, code + 1);
    double middle = (low + high) / 2;
    uint64_t even = code & 1 ? code + 1 : code;
    ASSERT_EQ(fromDouble(type, middle), even) << name(type) << " " << middle;
    ASSERT_EQ(fromDouble(type, std::nextafter(middle, 0)), code) << middle;
    ASSERT_EQ(fromDouble(type, std::nextafter(middle, infinity)), code + 1);
    uint64_t sign = uint64_t(1) << (8 * sizeInBytes(type) - 1);
    ASSERT_EQ(fromDouble(type, -middle), even | sign) << name(type) << -middle;
  }
}

TEST(ElementType, RoundsToNearestTiesToEven) {
  expectTiesToEven(ElementType::F16, 0x7C00);
  expectTiesToEven(ElementType::BF16, 0x7F80);
  expectTiesToEven(ElementType::E4M3, 0x7F);
  expectTiesToEven(ElementType::E5M2, 0x7C);
}

TEST(ElementType, RoundsOnceNotThroughF32) {
  // 1 + 2^-11 is half way between two f16 numbers; 2^-40 more decides upward,
  // but would be lost in binary32.
  EXPECT_EQ(fromDouble(ElementType::F16, 1 + 0x1p-11 + 0x1p-40), 0x3C01u);
  EXPECT_EQ(fromDouble(ElementType::F16, 1 + 0x1p-11), 0x3C00u);
  EXPECT_EQ(fromDouble(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40), 0x3F81u);
  EXPECT_EQ(fromDouble(ElementType::TF32, 1 + 0x1p-11 + 0x1p-40), 0x3F802000u);
}

TEST(ElementType, KnownValues) {
  // IEEE 754-2019 and OFP8 tables of extreme values.
  EXPECT_EQ(toDouble(ElementType::F16, 0x0001), 0x1p-24);
  EXPECT_EQ(toDouble(ElementType::F16, 0x0400), 0x1p-14);
  EXPECT_EQ(toDouble(ElementType::F16, 0x7BFF), 65504);
  EXPECT_EQ(toDouble(ElementType::F16, 0x7C00), infinity);
  EXPECT_EQ(toDouble(ElementType::BF16, 0x4049), 3.140625);
  EXPECT_EQ(toDouble(ElementType::BF16, 0x0001), 0x1p-133);
  EXPECT_EQ(toDouble(ElementType::E4M3, 0x7E), 448);
  EXPECT_TRUE(std::isnan(toDouble(ElementType::E4M3, 0x7F)));
  EXPECT_TRUE(std::isnan(toDouble(ElementType::E4M3, 0xFF)));
  EXPECT_EQ(toDouble(ElementType::E4M3, 0x78), 256);
  EXPECT_EQ(toDouble(ElementType::E4M3, 0x01), 0x1p-9);
  EXPECT_EQ(toDouble(ElementType::E4M3, 0x08), 0x1p-6);
  EXPECT_EQ(toDouble(ElementType::E5M2, 0x7B), 57344);
  EXPECT_EQ(toDouble(ElementType::E5M2, 0x7C), infinity);
  EXPECT_EQ(toDouble(ElementType::E5M2, 0x01), 0x1p-16);
  EXPECT_EQ(toDouble(ElementType::I8, 0x80), -128);
  EXPECT_EQ(toDouble(ElementType::U8, 0x80), 128);
  EXPECT_EQ(toDouble(ElementType::F64, 0x3FF8000000000000), 1.5);
  EXPECT_EQ(smallestNormal(ElementType::F16), 0x1p-14);
  EXPECT_EQ(smallestNormal(ElementType::E4M3), 0x1p-6);
  EXPECT_EQ(largestFinite(ElementType::E4M3), 448);
  EXPECT_EQ(largestFinite(ElementType::F16), 65504);
  EXPECT_EQ(largestFinite(ElementType::I8), 127);
}

TEST(ElementType, IntegersInBF16) {
  // 8 significant bits: 257 is half way and goes to even, 259 goes up.
  EXPECT_EQ(roundTo(ElementType::BF16, 257), 256);
  EXPECT_EQ(roundTo(ElementType::BF16, 259), 260);
  EXPECT_EQ(roundTo(ElementType::BF16, -259), -260);
}

TEST(ElementType, Overflow) {
  EXPECT_EQ(roundTo(ElementType::F16, 65519.999), 65504);
  EXPECT_EQ(roundTo(ElementType::F16, 65520), infinity);
  EXPECT_EQ(roundTo(ElementType::F16, -1e300), -infinity);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.4e38), infinity);
  EXPECT_EQ(roundTo(ElementType::E4M3, 1000), 448);
  EXPECT_EQ(roundTo(ElementType::E4M3, -infinity), -448);
  EXPECT_EQ(roundTo(ElementType::E5M2, 1e9), 57344);
  EXPECT_EQ(roundTo(ElementType::I8, 127.5), 127);
  EXPECT_EQ(roundTo(ElementType::I8, -1000), -128);
  EXPECT_EQ(roundTo(ElementType::U8, -3), 0);
  EXPECT_EQ(roundTo(ElementType::U8, 255.5), 255);
  EXPECT_EQ(fromDouble(ElementType::I64, 1e300), 0x7FFFFFFFFFFFFFFFu);
  EXPECT_EQ(fromDouble(ElementType::U64, 1e300), ~uint64_t(0));
}

TEST(ElementType, IntegerTiesToEven) {
  EXPECT_EQ(roundTo(ElementType::I32, 2.5), 2);
  EXPECT_EQ(roundTo(ElementType::I32, 3.5), 4);
  EXPECT_EQ(roundTo(ElementType::I32, -2.5), -2);
  EXPECT_EQ(roundTo(ElementType::I32, -3.5), -4);
  EXPECT_EQ(roundTo(ElementType::I32, -0.75), -1);
  EXPECT_EQ(fromDouble(ElementType::I32, std::nan("")), 0u);
}

TEST(ElementType, NaNStaysNaN) {
  // Only low payload bits set: cutting them off would leave an infinity.
  double signalling = toDouble(ElementType::F32, 0x7F800001);
  ASSERT_TRUE(std::isnan(signalling));
  for (ElementType type :
       {ElementType::F32, ElementType::TF32, ElementType::F16,
        ElementType::BF16, ElementType::E4M3, ElementType::E5M2})
    EXPECT_TRUE(std::isnan(roundTo(type, signalling))) << name(type);
}

TEST(ElementType, TF32IgnoresLowBits) {
  EXPECT_EQ(toDouble(ElementType::TF32, 0x3F801FFF), 1);
  EXPECT_EQ(toDouble(ElementType::TF32, 0x7F800001), infinity);
}

TEST(ElementType, PoisonIsNaNAndNotTheHardwaresNaN) {
  EXPECT_EQ(poisonBits(ElementType::F16), 0xFDA5u);
  EXPECT_EQ(poisonBits(ElementType::BF16), 0xFFA5u);
  EXPECT_EQ(poisonBits(ElementType::F32), 0xFFA5A5A5u);
  EXPECT_EQ(poisonBits(ElementType::I32), 0xA5A5A5A5u);
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::TF32, ElementType::F16,
        ElementType::BF16, ElementType::E4M3, ElementType::E5M2})
    EXPECT_TRUE(std::isnan(toDouble(type, poisonBits(type)))) << name(type);
}

TEST(ElementType, Names) {
  for (const char *spelling :
       {"f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2", "i8", "u8", "i16",
        "u16", "i32", "u32", "i64", "u64"}) {
    auto type = parseElementType(spelling);
    ASSERT_TRUE(type.has_value()) << spelling;
    EXPECT_EQ(name(*type), spelling);
    EXPECT_NE(elementTypeNames().find(spelling), std::string::npos);
  }
  EXPECT_EQ(parseElementType("f8E4M3FN"), ElementType::E4M3);
  EXPECT_FALSE(parseElementType("f17").has_value());
  EXPECT_FALSE(parseElementType("").has_value());
}

TEST(ElementType, DecodesWithStrides) {
  uint16_t row[] = {0x3C00, 0x4000, 0x4200, 0x4400};
  double values[2];
  decode(ElementType::F16, row, 2, 2, values);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 3);
  decode(ElementType::F16, row + 3, -3, 2, values);
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[1], 1);
}

} // namespace
