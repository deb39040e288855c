//===- ReferenceTest.cpp - The oracle, judged by hand -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Reference.h"

#include "bwgemm-runtime/Fill.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <set>

using namespace bwgemm::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A dense matrix of F32, row-major.
MatrixView view(const std::vector<float> &data, int64_t columns) {
  return {ElementType::F32, data.data(), 0, columns, 1};
}

std::vector<double> sums(const std::vector<DotProduct> &dots) {
  std::vector<double> result;
  for (const DotProduct &dot : dots)
    result.push_back(dot.sum);
  return result;
}

TEST(Reference, TwoByTwoByThree) {
  // (1 2 3; 4 5 6) (1 2; 3 4; 5 6) = (22 28; 49 64)
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 2, 3, 4, 5, 6};
  GemmProblem p{1, 2, 2, 3, view(a, 3), view(b, 2), ElementType::F32};
  EXPECT_EQ(sums(allDotProducts(p)), (std::vector<double>{22, 28, 49, 64}));
  EXPECT_EQ(sums(dotProductsAt(p, {{0, 1, 0}, {0, 0, 1}})),
            (std::vector<double>{49, 28}));
}

TEST(Reference, Transposes) {
  // The same product from A stored 3 x 2 and B stored 2 x 3.
  std::vector<float> at{1, 4, 2, 5, 3, 6}, bt{1, 3, 5, 2, 4, 6};
  GemmProblem p{1,
                2,
                2,
                3,
                view(at, 2).transposed(),
                view(bt, 3).transposed(),
                ElementType::F32};
  EXPECT_EQ(sums(allDotProducts(p)), (std::vector<double>{22, 28, 49, 64}));
}

TEST(Reference, BatchesStridesAndBroadcast) {
  // Two 1 x 2 rows of A, 4 elements apart; one B for both, columns 2 apart.
  std::vector<float> a{1, 2, -1, -1, 3, 4}, b{10, -1, 20, -1};
  GemmProblem p{2, 1, 1, 2, view(a, 2), {}, ElementType::F32};
  p.a.batchStride = 4;
  p.b = {ElementType::F32, b.data(), 0, 2, 1};
  EXPECT_EQ(sums(allDotProducts(p)), (std::vector<double>{50, 110}));
  EXPECT_EQ(sums(dotProductsAt(p, {{1, 0, 0}, {0, 0, 0}})),
            (std::vector<double>{110, 50}));
}

TEST(Reference, SampleAgreesWithFull) {
  int64_t m = 37, n = 41, k = 1100; // More than two chunks of k.
  std::vector<uint16_t> a(size_t(m * k)), b(size_t(k * n));
  fill(ElementType::BF16, a.data(), a.size(), Fill::Normal, 1);
  fill(ElementType::F16, b.data(), b.size(), Fill::Normal, 2);
  GemmProblem p{1,
                m,
                n,
                k,
                {ElementType::BF16, a.data(), 0, k, 1},
                {ElementType::F16, b.data(), 0, n, 1},
                ElementType::F32};
  auto all = allDotProducts(p);
  auto indices = sampleElements(1, m, n, 16, 16, 20, 1);
  auto some = dotProductsAt(p, indices);
  for (size_t i = 0; i < indices.size(); ++i) {
    const DotProduct &other =
        all[size_t(indices[i].row * n + indices[i].column)];
    ASSERT_EQ(some[i].sum, other.sum);
    ASSERT_EQ(some[i].magnitude, other.magnitude);
    EXPECT_FALSE(some[i].integral);
  }
  // Against the plain triple loop, for one element.
  double sum = 0;
  for (int64_t i = 0; i < k; ++i)
    sum += toDouble(ElementType::BF16, a[size_t(3 * k + i)]) *
           toDouble(ElementType::F16, b[size_t(i * n + 5)]);
  EXPECT_NEAR(all[size_t(3 * n + 5)].sum, sum, 1e-11);
}

TEST(Reference, EmptyProducts) {
  std::vector<float> none;
  GemmProblem p{1, 2, 2, 0, view(none, 0), view(none, 2), ElementType::BF16};
  auto dots = allDotProducts(p);
  EXPECT_EQ(sums(dots), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_TRUE(expectedElement(p, dots[0], nullptr).accepts(0));
  EXPECT_FALSE(expectedElement(p, dots[0], nullptr).accepts(0x1p-140));
  // An empty sum added to C leaves C.
  Expected c = exactly(1.5);
  EXPECT_TRUE(expectedElement(p, dots[0], &c).accepts(1.5));
  p.m = 0;
  EXPECT_TRUE(allDotProducts(p).empty());
  EXPECT_TRUE(sampleElements(1, 0, 5, 16, 16, 8, 0).empty());
}

/// An element of K products, of which one has the given value.
Expected expectedOf(ElementType result, int64_t k, double sum, double magnitude,
                    bool integral = false) {
  GemmProblem p;
  p.k = k;
  p.resultType = result;
  return expectedElement(p, {sum, magnitude, integral}, nullptr);
}

TEST(ErrorInterval, GrowsWithKAndMagnitude) {
  // gamma_(K + 4) g for K = 60: 64 u / (1 - 64 u) with u = 2^-24, so 2^-18 to
  // first order; all of it at f32, where half an ulp of 1 is only 2^-24.
  Expected e = expectedOf(ElementType::F32, 60, 1, 1);
  EXPECT_TRUE(e.accepts(1 + 0x1p-18));
  EXPECT_FALSE(e.accepts(1 + 0x1p-18 + 0x1p-22));
  EXPECT_TRUE(e.accepts(1 - 0x1p-18));
  EXPECT_FALSE(e.accepts(1 - 0x1p-18 - 0x1p-22));
  EXPECT_NEAR(e.bound(), 0x1p-18, 0x1p-22);
  // Cancellation: the error follows g, not the sum.
  e = expectedOf(ElementType::F32, 60, 1, 1024);
  EXPECT_TRUE(e.accepts(1 + 0x1p-8));
  EXPECT_FALSE(e.accepts(1 + 0x1p-7));
}

TEST(ErrorInterval, RoundsOnceToTheResultType) {
  // Far from a tie of bf16 (spacing 2^-7 at 1), only one result is right.
  Expected e = expectedOf(ElementType::BF16, 60, 1 + 0x1p-9, 1);
  EXPECT_TRUE(e.accepts(1));
  EXPECT_FALSE(e.accepts(1 + 0x1p-7));
  EXPECT_EQ(e.bound(), 0);
  // Within fp32's error of a tie, both neighbours are.
  e = expectedOf(ElementType::BF16, 60, 1 + 0x1p-8 + 0x1p-20, 1);
  EXPECT_TRUE(e.accepts(1));
  EXPECT_TRUE(e.accepts(1 + 0x1p-7));
  EXPECT_FALSE(e.accepts(1 + 0x1p-6));
  EXPECT_EQ(e.value, 1 + 0x1p-7);
}

TEST(ErrorInterval, IntegersAreExact) {
  Expected e = expectedOf(ElementType::F32, 4096, 4095, 0x1p24 - 1, true);
  EXPECT_TRUE(e.exact());
  EXPECT_TRUE(e.accepts(4095));
  EXPECT_FALSE(e.accepts(4095 + 0x1p-11));
  // From 2^24 on, a partial sum may round.
  EXPECT_FALSE(expectedOf(ElementType::F32, 4096, 4095, 0x1p24, true).exact());
  // Rounded once to bf16: 2044 of ones is 2048, the nearest multiple of 8 with
  // an even code between 2040 and 2048.
  EXPECT_EQ(expectedOf(ElementType::BF16, 2044, 2044, 2044, true).value, 2048);
  EXPECT_FALSE(
      expectedOf(ElementType::F32, 2044, 2044, 2044, true).accepts(2012));
}

TEST(ErrorInterval, IntegerResultsWrap) {
  Expected e = expectedOf(ElementType::I32, 4, 0x1p31, 0x1p31, true);
  EXPECT_TRUE(e.accepts(-0x1p31));
  EXPECT_FALSE(e.accepts(0x1p31 - 1));
  EXPECT_EQ(expectedOf(ElementType::I32, 4, -5, 0x1p40, true).value, -5);
}

TEST(ErrorInterval, OverflowAndNonFiniteInputs) {
  // Beyond f16: infinity, and nothing else.
  Expected e = expectedOf(ElementType::F16, 16, 1e6, 1e6);
  EXPECT_TRUE(e.accepts(infinity));
  EXPECT_FALSE(e.accepts(65504));
  EXPECT_FALSE(e.accepts(std::nan("")));
  // Partial sums beyond fp32.
  e = expectedOf(ElementType::F32, 16, 1, 4e38);
  EXPECT_TRUE(e.accepts(infinity));
  EXPECT_TRUE(e.accepts(std::nan("")));
  // An infinity among the inputs.
  e = expectedOf(ElementType::F32, 16, infinity, infinity);
  EXPECT_TRUE(e.accepts(infinity));
  EXPECT_FALSE(e.accepts(-infinity));
  EXPECT_FALSE(e.accepts(1));
  e = expectedOf(ElementType::F32, 16, std::nan(""), infinity);
  EXPECT_TRUE(e.accepts(std::nan("")));
  EXPECT_FALSE(e.accepts(infinity));
  // A NaN is never right where a number is due.
  EXPECT_FALSE(expectedOf(ElementType::F32, 16, 1, 1).accepts(std::nan("")));
}

TEST(ErrorInterval, NaNAndInfinityPropagateFromMatrices) {
  std::vector<float> a{0, 1}, b{float(infinity), 1};
  GemmProblem p{1, 1, 1, 2, view(a, 2), view(b, 1), ElementType::F32};
  // 0 * infinity is NaN.
  Expected e = expectedElement(p, allDotProducts(p)[0], nullptr);
  EXPECT_TRUE(std::isnan(e.value));
  a[0] = -1;
  e = expectedElement(p, allDotProducts(p)[0], nullptr);
  EXPECT_EQ(e.value, -infinity);
}

TEST(ErrorInterval, SubnormalInputsCountAsTheSmallestNormal) {
  // 2^-24 in f16 is subnormal; tensor cores align it as if it were 2^-14.
  uint16_t a = 0x0001, b = 0x3C00;
  GemmProblem p{1,
                1,
                1,
                1,
                {ElementType::F16, &a, 0, 1, 1},
                {ElementType::F16, &b, 0, 1, 1},
                ElementType::F32};
  DotProduct dot = allDotProducts(p)[0];
  EXPECT_EQ(dot.sum, 0x1p-24);
  EXPECT_EQ(dot.magnitude, 0x1p-14);
  a = 0;
  EXPECT_EQ(allDotProducts(p)[0].magnitude, 0);
}

TEST(ErrorInterval, AccumulationAddsIntervals) {
  GemmProblem p;
  p.k = 60;
  Expected c{1, 1 - 0x1p-10, 1 + 0x1p-10, 1, false};
  Expected e = expectedElement(p, {1, 1, true}, &c);
  EXPECT_FALSE(e.exact()); // c is not known exactly.
  EXPECT_EQ(e.value, 2);
  EXPECT_TRUE(e.accepts(2 + 0x1p-10));
  EXPECT_FALSE(e.accepts(2 + 0x1p-9));
  Expected integer = exactly(7);
  EXPECT_TRUE(expectedElement(p, {1, 1, true}, &integer).exact());
  Expected half = exactly(0.5);
  EXPECT_FALSE(expectedElement(p, {1, 1, true}, &half).exact());
}

/// One MMA of the published model: align to the largest exponent, truncate to
/// `bits` bits below it, add, round toward zero to fp32 or to a fraction of
/// `bits`.
double tensorCoreStep(const std::vector<double> &terms, int bits = 25) {
  int largest = -10000;
  for (double term : terms)
    if (term != 0)
      largest = std::max(largest, std::ilogb(term));
  double unit = std::ldexp(1, largest - bits), sum = 0;
  for (double term : terms)
    sum += std::trunc(term / unit) * unit;
  if (bits < 23 && sum != 0) {
    double last = std::ldexp(1, std::ilogb(sum) - bits);
    return std::trunc(sum / last) * last;
  }
  float rounded = float(sum);
  if (std::fabs(double(rounded)) > std::fabs(sum))
    rounded = std::nextafter(rounded, 0.0f);
  return rounded;
}

TEST(ErrorInterval, HoldsForTruncatingTensorCores) {
  // All products positive and truncation always down: the worst direction.
  for (int64_t k : {1, 16, 17, 72, 1024, 4096}) {
    double accumulator = 0, sum = 0;
    std::vector<float> a(static_cast<size_t>(k));
    fill(ElementType::F32, a.data(), a.size(), Fill::Uniform, uint64_t(k));
    for (int64_t step = 0; step < k; step += 16) {
      std::vector<double> terms{accumulator};
      for (int64_t i = step; i < std::min(k, step + 16); ++i) {
        // As bf16, so that the product is exact.
        double x = roundTo(ElementType::BF16, std::fabs(a[size_t(i)]));
        terms.push_back(x * x);
        sum += x * x;
      }
      accumulator = tensorCoreStep(terms);
    }
    Expected e = expectedOf(ElementType::F32, k, sum, sum);
    EXPECT_TRUE(e.accepts(accumulator)) << "K = " << k;
    EXPECT_LE(std::fabs(accumulator - sum), e.bound());
  }
}

/// An element of K products that are summed in f16, all or in blocks.
Expected expectedOfHalf(int64_t k, int64_t block, double sum, double magnitude,
                        bool integral = false,
                        ElementType type = ElementType::F32,
                        const Expected *initial = nullptr) {
  GemmProblem p;
  p.k = k;
  p.halfBlock = block;
  p.resultType = type;
  return expectedElement(p, {sum, magnitude, integral}, initial);
}

/// One step of sums in f16: as above, but to the nearest f16.
double halfStep(const std::vector<double> &terms, int bits) {
  int largest = -14; // Of subnormals.
  for (double term : terms)
    if (term != 0)
      largest = std::max(largest, std::ilogb(term));
  double unit = std::ldexp(1, largest - bits), sum = 0;
  for (double term : terms)
    sum += std::trunc(term / unit) * unit;
  return roundTo(ElementType::F16, sum);
}

TEST(ErrorInterval, HoldsForSumsInHalf) {
  // Both generations, positive terms, terms of both signs, and subnormal ones.
  int outside = 0;
  for (int64_t products : {8, 16})
    for (int64_t block : {int64_t(64), int64_t(1) << 62})
      for (double scale : {1.0, 0x1p-11})
        for (bool positive : {true, false})
          for (int64_t k : {1, 16, 17, 72, 1024, 4096, 16384}) {
            double total = 0, accumulator = 0, sum = 0, magnitude = 0;
            std::vector<float> a(static_cast<size_t>(k)), b(a.size());
            fill(ElementType::F32, a.data(), a.size(), Fill::Uniform,
                 uint64_t(2 * k));
            fill(ElementType::F32, b.data(), b.size(), Fill::Uniform,
                 uint64_t(2 * k + 1));
            for (int64_t step = 0; step < k; step += products) {
              std::vector<double> terms{accumulator};
              for (int64_t i = step; i < std::min(k, step + products); ++i) {
                double x = roundTo(ElementType::F16, a[size_t(i)] * scale);
                double y = roundTo(ElementType::F16, b[size_t(i)] * scale);
                terms.push_back(positive ? std::fabs(x * y) : x * y);
                sum += terms.back();
                magnitude += std::fmax(std::fabs(x), 0x1p-14) *
                             std::fmax(std::fabs(y), 0x1p-14);
              }
              accumulator = halfStep(terms, products == 8 ? 24 : 25);
              if ((step + products) % block == 0) {
                total = float(total + accumulator);
                accumulator = 0;
              }
            }
            double got = float(total + accumulator);
            Expected e = expectedOfHalf(k, block, sum, magnitude);
            EXPECT_FALSE(e.mayOverflow);
            EXPECT_TRUE(e.accepts(got))
                << "K = " << k << ", block of " << block << ", steps of "
                << products << ": " << got << " for " << sum << " +- "
                << e.bound();
            if (positive && scale == 1 && k >= 1024 && block > k)
              outside += !expectedOfHalf(k, 0, sum, magnitude).accepts(got);
          }
  // What is summed in f16 is within the bound of fp32 by chance only.
  EXPECT_GE(outside, 4);
  // A block of 64 is 8 steps; more of K does not make the bound wider.
  double one = expectedOfHalf(64, 64, 1, 1).bound();
  EXPECT_GT(one, 0x1p-8);
  EXPECT_LT(one, 0x1p-8 + 0x1p-14);
  EXPECT_LT(expectedOfHalf(4096, 64, 1, 1).bound(), 1.2 * one);
  EXPECT_GT(expectedOfHalf(65536, 1 << 20, 1, 1).bound(), 50.0);
}

TEST(ErrorInterval, IntegersInHalf) {
  // f16 has all integers up to 2048.
  EXPECT_TRUE(expectedOfHalf(2048, 1 << 20, 2048, 2048, true).exact());
  EXPECT_FALSE(expectedOfHalf(2049, 1 << 20, 2049, 2049, true).exact());
  EXPECT_FALSE(expectedOfHalf(4096, 1 << 20, 0, 2050, true).exact());
  // What was there before is added in fp32.
  Expected initial = exactly(100000);
  Expected e =
      expectedOfHalf(16, 16, 1000, 1000, true, ElementType::F32, &initial);
  EXPECT_TRUE(e.exact());
  EXPECT_EQ(e.value, 101000);
}

TEST(ErrorInterval, SumsInHalfMayOverflow) {
  Expected e = expectedOfHalf(70000, 1 << 20, 70000, 70000, true);
  EXPECT_TRUE(e.accepts(infinity));
  EXPECT_TRUE(e.mayOverflow);
  EXPECT_FALSE(expectedOfHalf(64, 1 << 20, 60000, 60000).mayOverflow);
  EXPECT_FALSE(expectedOfHalf(64, 1 << 20, 60000, 60000).accepts(infinity));
  EXPECT_FALSE(expectedOfHalf(70000, 0, 70000, 70000, true).mayOverflow);
}

/// An element of K products whose sums keep 14 bits.
Expected expectedOfFp8(int64_t k, double sum, double magnitude,
                       bool integral = false) {
  GemmProblem p;
  p.k = k;
  p.sumBits = 14;
  return expectedElement(p, {sum, magnitude, integral}, nullptr);
}

TEST(ErrorInterval, HoldsForShortSumsOfFp8) {
  // The worst direction again, 32 products at a time. What is within the bound
  // of 14 bits is far outside of that of 24.
  for (int64_t k : {1, 32, 33, 200, 1024, 4096}) {
    double accumulator = 0, sum = 0;
    std::vector<float> a(static_cast<size_t>(k));
    fill(ElementType::F32, a.data(), a.size(), Fill::Uniform, uint64_t(k));
    for (int64_t step = 0; step < k; step += 32) {
      std::vector<double> terms{accumulator};
      for (int64_t i = step; i < std::min(k, step + 32); ++i) {
        double x = roundTo(ElementType::E4M3, std::fabs(a[size_t(i)]));
        terms.push_back(x * x);
        sum += x * x;
      }
      accumulator = tensorCoreStep(terms, 13);
    }
    Expected e = expectedOfFp8(k, sum, sum);
    EXPECT_TRUE(e.accepts(accumulator)) << "K = " << k;
    if (k > 32) {
      EXPECT_FALSE(
          expectedOf(ElementType::F32, k, sum, sum).accepts(accumulator))
          << "K = " << k;
    }
  }
}

TEST(ErrorInterval, IntegersOfFp8AreExactBelow14Bits) {
  EXPECT_TRUE(expectedOfFp8(1024, 1023, 0x1p14 - 1, true).exact());
  EXPECT_FALSE(expectedOfFp8(1024, 1023, 0x1p14, true).exact());
  EXPECT_TRUE(expectedOf(ElementType::F32, 1024, 1023, 0x1p14, true).exact());
}

TEST(ErrorInterval, Tf32OperandsLoseTheirLowBits) {
  // 1 + 2^-11 is 1 for a tensor core, and 1 + 2^-10 is itself.
  float a[] = {1 + 0x1p-11f, 1 + 0x1p-10f}, b[] = {1, 0};
  GemmProblem p{1,
                1,
                1,
                2,
                {ElementType::TF32, a, 0, 2, 1},
                {ElementType::TF32, b, 0, 1, 1}};
  EXPECT_EQ(allDotProducts(p)[0].sum, 1);
  b[0] = 0;
  b[1] = 1;
  EXPECT_EQ(allDotProducts(p)[0].sum, 1 + 0x1p-10);
}

TEST(Sample, CoversTheCornersOfEveryTileAndEverythingLast) {
  auto elements = sampleElements(1, 100, 70, 32, 16, 10, 1);
  std::set<std::pair<int64_t, int64_t>> places;
  for (const ElementIndex &e : elements) {
    EXPECT_LT(e.row, 100);
    EXPECT_LT(e.column, 70);
    places.insert({e.row, e.column});
  }
  EXPECT_EQ(places.size(), elements.size()) << "duplicates";
  for (int64_t row : {0, 31, 32, 63, 64, 95, 96, 99})
    for (int64_t column : {0, 15, 16, 31, 32, 47, 48, 63, 64, 69})
      EXPECT_TRUE(places.count({row, column})) << row << "," << column;
}

TEST(Sample, StaysSmallForLargeProblems) {
  auto elements = sampleElements(100, 1 << 20, 1 << 20, 64, 64, 100, 1);
  EXPECT_LT(elements.size(), 4u * (3 * 256 * 3 * 256 + 100) + 1);
  EXPECT_EQ(elements.back().batch, 99);
  EXPECT_EQ(elements.back().row, (1 << 20) - 1);
}

} // namespace
