//===- EpilogueTest.cpp - The oracle's epilogues, judged by hand ----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Epilogue.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace bwgemm::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

EpilogueType type(const char *name) {
  EpilogueType type;
  EXPECT_TRUE(EpilogueType::parse(name, type));
  return type;
}

EpilogueStep step(const char *op, std::vector<size_t> arguments,
                  const char *result = "f32", const char *predicate = "") {
  return {op, std::move(arguments), type(result), predicate, 0};
}

EpilogueStep constant(float value) {
  EpilogueStep step{"constant", {}, type("f32"), "", 0};
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  step.bits = bits;
  return step;
}

/// The result of these steps, the last of which is stored, for an exact sum.
Expected of(double sum, std::vector<EpilogueStep> steps) {
  Epilogue epilogue;
  epilogue.result = steps.size();
  epilogue.steps = std::move(steps);
  EXPECT_EQ(epilogue.check(), "");
  return applyEpilogue(epilogue, exactly(sum), {0, 0, 0});
}

TEST(Epilogue, ExactStepsOfAnExactSumAreExact) {
  // relu(2 x - 3)
  std::vector<EpilogueStep> steps{
      constant(2),          constant(-3), step("mulf", {0, 1}),
      step("addf", {3, 2}), constant(0),  step("maximumf", {4, 5})};
  Expected result = of(5, steps);
  EXPECT_EQ(result.value, 7);
  EXPECT_TRUE(result.exact());
  EXPECT_FALSE(result.accepts(7.000001));
  EXPECT_EQ(of(1, steps).value, 0);
}

TEST(Epilogue, EachStepRoundsToItsType) {
  // 1 + 2^-9 has no place in bf16.
  EXPECT_EQ(
      of(1 + 0x1p-9, {step("truncf", {0}, "bf16"), step("extf", {1})}).value,
      1);
  // 0.1 is not 0.1 in f32, nor is its product the double's.
  float product = 0.1f * 3;
  EXPECT_EQ(of(3, {constant(0.1f), step("mulf", {0, 1})}).value,
            double(product));
  // A sum that is fused keeps what the product alone would lose.
  double x = 1 + 0x1p-12;
  EXPECT_EQ(
      of(x, {constant(-1), step("mulf", {0, 0}), step("addf", {2, 1})}).value,
      0x1p-11);
  EXPECT_EQ(of(x, {constant(-1), step("fma", {0, 0, 1})}).value,
            0x1p-11 + 0x1p-24);
}

TEST(Epilogue, SumsOfIntegersHaveASign) {
  // Converted to f32 and halved.
  Epilogue scaled;
  scaled.sumType = ElementType::I32;
  scaled.steps = {step("sitofp", {0}), constant(0.5f), step("mulf", {1, 2})};
  scaled.result = 3;
  EXPECT_EQ(scaled.check(), "");
  EXPECT_EQ(applyEpilogue(scaled, exactly(-7), {0, 0, 0}).value, -3.5);
  // What does not fit in f32 is rounded to nearest even.
  EXPECT_EQ(applyEpilogue(scaled, exactly(0x1p25 + 2), {0, 0, 0}).value,
            0x1p24);
  // An integer may be stored, with its sign.
  Epilogue same;
  same.sumType = ElementType::I32;
  same.steps = {step("addi", {0, 0}, "i32")};
  same.result = 1;
  EXPECT_EQ(same.check(), "");
  EXPECT_EQ(applyEpilogue(same, exactly(-7), {0, 0, 0}).value, -14);
  EXPECT_EQ(applyEpilogue(same, exactly(0x1p30), {0, 0, 0}).value, -0x1p31);
  // But not for a sum of f32, and no sum of f32 is an integer.
  same.sumType = ElementType::F32;
  EXPECT_EQ(same.check(), "addi has arguments or a result of the wrong type");
  Epilogue asFloat;
  asFloat.sumType = ElementType::I32;
  asFloat.steps = {step("addf", {0, 0})};
  asFloat.result = 1;
  EXPECT_EQ(asFloat.check(),
            "addf has arguments or a result of the wrong type");
}

TEST(Epilogue, IntervalsOfSumsBecomeIntervalsOfResults) {
  Expected sum = exactly(2);
  sum.low = 1.5;
  sum.high = 2.5;
  Epilogue negated;
  negated.steps = {step("negf", {0})};
  negated.result = 1;
  Expected result = applyEpilogue(negated, sum, {0, 0, 0});
  EXPECT_EQ(result.low, -2.5);
  EXPECT_EQ(result.high, -1.5);
  // A square's interval may be too wide, never too narrow.
  Epilogue squared;
  squared.steps = {step("mulf", {0, 0})};
  squared.result = 1;
  result = applyEpilogue(squared, sum, {0, 0, 0});
  EXPECT_LE(result.low, 2.25);
  EXPECT_GE(result.high, 6.25);
  // 1 / x has no bound if x may be 0.
  sum.low = -0.5;
  Epilogue inverted;
  inverted.steps = {constant(1), step("divf", {1, 0})};
  inverted.result = 2;
  result = applyEpilogue(inverted, sum, {0, 0, 0});
  EXPECT_TRUE(result.accepts(-1e9));
  EXPECT_TRUE(result.accepts(infinity));
}

TEST(Epilogue, ApproximationsMayBeOffByTwoUnits) {
  Expected result = of(1, {step("exp", {0})});
  double e = std::exp(1.0);
  EXPECT_TRUE(result.accepts(double(float(e))));
  EXPECT_TRUE(result.accepts(double(float(e * (1 + 0x1p-23)))));
  EXPECT_FALSE(result.accepts(double(float(e * (1 + 0x1p-21)))));
  EXPECT_EQ(of(-infinity, {step("exp", {0})}).value, 0);
  EXPECT_TRUE(std::isnan(of(-1, {step("log", {0})}).value));
}

TEST(Epilogue, HardwareMayApproximateByAsMuchAsTheIsaSays) {
  // tanh.approx.f32: a relative error of 2^-11.
  EpilogueStep tanh = step("tanh", {0});
  tanh.isApproximate = true;
  double exact = std::tanh(0.75);
  Expected result = of(0.75, {tanh});
  EXPECT_TRUE(result.accepts(exact * (1 + 0.9 * 0x1p-11)));
  EXPECT_TRUE(result.accepts(exact * (1 - 0.9 * 0x1p-11)));
  EXPECT_FALSE(result.accepts(exact * (1 + 1.1 * 0x1p-11)));
  // ex2.approx.f32: two units in the last place.
  EpilogueStep exp2 = step("exp2", {0});
  exp2.isApproximate = true;
  EXPECT_TRUE(of(3, {exp2}).accepts(8 + 0x1p-19));
  EXPECT_FALSE(of(3, {exp2}).accepts(8 + 0x1p-17));
  // exp(20) from a product of about 29 that is rounded: 20 2^-23 more.
  EpilogueStep exp = step("exp", {0});
  exp.isApproximate = true;
  EXPECT_TRUE(of(20, {exp}).accepts(std::exp(20) * (1 + 20 * 0x1p-23)));
  EXPECT_FALSE(of(20, {exp}).accepts(std::exp(20) * (1 + 30 * 0x1p-23)));
}

TEST(Epilogue, ComparisonsThatAreNotDecidedLeaveBoth) {
  // x > 0 ? x : -8
  Epilogue epilogue;
  epilogue.steps = {constant(0), step("cmpf", {0, 1}, "i1", "ogt"),
                    constant(-8), step("select", {2, 0, 3})};
  epilogue.result = 4;
  ASSERT_EQ(epilogue.check(), "");
  Expected sum = exactly(0.25);
  EXPECT_TRUE(applyEpilogue(epilogue, sum, {0, 0, 0}).exact());
  sum.low = -0.25;
  sum.high = 0.75;
  Expected result = applyEpilogue(epilogue, sum, {0, 0, 0});
  EXPECT_EQ(result.value, 0.25);
  EXPECT_EQ(result.low, -8);
  EXPECT_EQ(result.high, 0.75);
}

TEST(Epilogue, OperandsAreFoundByTheirStrides) {
  std::vector<float> bias{10, 20, 30};
  std::vector<int8_t> mask{1, -1};
  Epilogue epilogue;
  // One for each column; one for each row.
  epilogue.operands = {{ElementType::F32, bias.data(), 0, 0, 1},
                       {ElementType::I8, mask.data(), 0, 1, 0}};
  epilogue.steps = {step("sitofp", {2}), step("mulf", {0, 3}),
                    step("addf", {4, 1})};
  epilogue.result = 5;
  ASSERT_EQ(epilogue.check(), "");
  EXPECT_EQ(applyEpilogue(epilogue, exactly(3), {0, 0, 2}).value, 33);
  EXPECT_EQ(applyEpilogue(epilogue, exactly(3), {0, 1, 1}).value, 17);
}

TEST(Epilogue, IntegersWrapAround) {
  std::vector<int8_t> x{-128};
  Epilogue epilogue;
  epilogue.operands = {{ElementType::I8, x.data(), 0, 0, 0}};
  epilogue.steps = {step("addi", {1, 1}, "i8"),
                    step("extui", {1}, "i32"),
                    step("cmpi", {1, 2}, "i1", "slt"),
                    step("uitofp", {3}),
                    step("sitofp", {4}),
                    step("addf", {5, 6})};
  epilogue.result = 7;
  ASSERT_EQ(epilogue.check(), "");
  // 128 as a number without a sign, and true as -1.
  EXPECT_EQ(applyEpilogue(epilogue, exactly(0), {0, 0, 0}).value, 127);
}

TEST(Epilogue, SaysWhatItDoesNotKnow) {
  Epilogue epilogue;
  epilogue.result = 1;
  epilogue.steps = {step("sin", {0})};
  EXPECT_EQ(epilogue.check(), "this program does not know sin in an epilogue");
  epilogue.steps = {step("addf", {0, 1})};
  EXPECT_EQ(epilogue.check(), "addf uses value 1 before it is there");
  epilogue.steps = {step("addf", {0})};
  EXPECT_EQ(epilogue.check(), "addf expects 2 arguments, got 1");
  epilogue.steps = {step("addi", {0, 0}, "i32")};
  EXPECT_EQ(epilogue.check(),
            "addi has arguments or a result of the wrong type");
  epilogue.steps = {step("cmpf", {0, 0}, "i1", "oeq")};
  EXPECT_EQ(epilogue.check(), "there is no floating-point value 1 to store");
}

} // namespace
