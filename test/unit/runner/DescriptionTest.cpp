//===- DescriptionTest.cpp - Reading bwgemm_metadata ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"

#include "gtest/gtest.h"

#include <limits>

using namespace bwgemm::runner;
using bwgemm::runtime::ElementType;

namespace {

std::string errorOf(const std::string &text) {
  Description description;
  std::string error;
  bool good = Description::parse(text.c_str(), description, error);
  EXPECT_EQ(good, error.empty());
  return error;
}

std::string withFunction(const std::string &fields) {
  return R"({"bwgemm": 1, "target": "sm_100a", "functions": [{"name": "f", )" +
         fields + "}]}";
}

TEST(Description, EveryField) {
  Description description;
  std::string error;
  ASSERT_TRUE(Description::parse(
      R"({"bwgemm": 1, "target": "sm_100a", "ptx_symbol": "bwgemm_ptx",
          "functions": [{
            "name": "matmul",
            "schedule": "swizzle,tile=128x64x32,stages=1",
            "arguments": [
              {"element_type": "bf16", "shape": [4096, -1], "access": "read"},
              {"element_type": "f8E4M3FN", "shape": [2, 3, 4],
               "strides": [-1, 8, 1], "offset": -1, "access": "read_write"},
              {"element_type": "f32", "shape": [1], "access": "write"}],
            "kernels": [{"name": "k", "block": [128, 1, 1]}],
            "operations": [
              {"op": "gemm", "a": {"arg": 0, "transposed": false},
               "b": {"arg": 1, "transposed": true}, "d": {"arg": 2},
               "accumulate": true},
              {"op": "gemm", "a": {"value": 0}, "b": {"arg": 1},
               "d": {"arg": 2}, "checkable": false, "reason": "because"},
              {"op": "softmax"}]}]})",
      description, error))
      << error;
  EXPECT_EQ(description.target, "sm_100a");
  const FunctionInfo &f = description.functions.at(0);
  EXPECT_EQ(f.notCallable, "");
  int64_t m = 0, n = 0;
  bool found;
  f.tile(m, n, found);
  EXPECT_TRUE(found);
  EXPECT_EQ(m, 128);
  EXPECT_EQ(n, 64);
  ASSERT_EQ(f.arguments.size(), 3u);
  EXPECT_EQ(f.arguments[0].text(), "bf16 4096x?");
  EXPECT_TRUE(f.arguments[0].isDynamic());
  EXPECT_TRUE(f.arguments[0].read);
  EXPECT_FALSE(f.arguments[0].written);
  EXPECT_EQ(f.arguments[1].type, ElementType::E4M3);
  EXPECT_EQ(f.arguments[1].strides, (std::vector<int64_t>{-1, 8, 1}));
  EXPECT_EQ(f.arguments[1].offset, -1);
  EXPECT_TRUE(f.arguments[1].read && f.arguments[1].written);
  EXPECT_FALSE(f.arguments[2].read);
  ASSERT_EQ(f.operations.size(), 3u);
  EXPECT_EQ(f.operations[0].notCheckable, "");
  EXPECT_TRUE(f.operations[0].b.transposed);
  EXPECT_TRUE(f.operations[0].accumulate);
  EXPECT_EQ(f.operations[1].notCheckable, "because");
  EXPECT_EQ(f.operations[2].notCheckable,
            "this program does not know the operation softmax");
}

/// The only operation of a library for `target` with such types, transposes and
/// so on.
OperationInfo operationOf(const std::string &target, const std::string &element,
                          const std::string &of) {
  Description description;
  std::string error;
  std::string argument =
      R"({"element_type": ")" + element + R"(", "shape": [8, 8], "access": )";
  EXPECT_TRUE(Description::parse(
      (R"({"bwgemm": 1, "target": ")" + target +
       R"(", "functions": [{"name": "f", "arguments": [)" + argument +
       R"("read"}, )" + argument +
       R"("write"}], "operations": [{"op": "gemm", "d": {"arg": 1}, )" + of +
       "}]}]}")
          .c_str(),
      description, error))
      << error;
  return description.functions.at(0).operations.at(0);
}

TEST(Description, HowOperandsMultiply) {
  const char *plain = R"("a": {"arg": 0}, "b": {"arg": 0})";
  OperationInfo o = operationOf("sm_100a", "i8", plain);
  EXPECT_EQ(o.a.type, ElementType::I8);
  EXPECT_EQ(o.sumBits, 24u);
  EXPECT_EQ(o.epilogue.sumType, ElementType::I32);
  o = operationOf("sm_100a", "i8",
                  R"("a": {"arg": 0}, "b": {"arg": 0, "unsigned": true})");
  EXPECT_EQ(o.a.type, ElementType::I8);
  EXPECT_EQ(o.b.type, ElementType::U8);
  o = operationOf("sm_80", "f32",
                  std::string(plain) + R"(, "precision": "tf32")");
  EXPECT_EQ(o.a.type, ElementType::TF32);
  EXPECT_EQ(o.epilogue.sumType, ElementType::F32);
  // Sums in f16, over all of K or blocks of it.
  EXPECT_EQ(operationOf("sm_80", "f16", plain).halfBlock, 0);
  o = operationOf("sm_80", "f16",
                  std::string(plain) + R"(, "accumulator": "f16")");
  EXPECT_EQ(o.halfBlock, std::numeric_limits<int64_t>::max());
  o = operationOf("sm_80", "f16",
                  std::string(plain) +
                      R"(, "accumulator": "f16", "promote": 128)");
  EXPECT_EQ(o.halfBlock, 128);
  o = operationOf("sm_80", "f16",
                  std::string(plain) + R"(, "accumulator": "bf16")");
  EXPECT_EQ(o.notCheckable, "this program does not know sums of bf16");
  EXPECT_EQ(o.halfBlock, 0);
  // Only some tensor cores keep less of sums, and only of 8 bits.
  auto bits = [&](const char *target, const char *element, const char *by) {
    return operationOf(target, element,
                       std::string(plain) + R"(, "multiplied_by": ")" + by +
                           "\"")
        .sumBits;
  };
  EXPECT_EQ(bits("sm_90a", "f8E4M3FN", "wgmma"), 14u);
  EXPECT_EQ(bits("sm_90a", "f8E5M2", "wgmma"), 14u);
  EXPECT_EQ(bits("sm_89", "f8E5M2", "mma.sync"), 14u);
  EXPECT_EQ(bits("sm_90", "f8E5M2", "mma.sync"), 24u);
  EXPECT_EQ(bits("sm_90a", "f8E4M3FN", "fma"), 24u);
  EXPECT_EQ(bits("sm_100a", "f8E4M3FN", "tcgen05"), 24u);
  EXPECT_EQ(bits("sm_90a", "bf16", "wgmma"), 24u);
}

TEST(Description, WhatIsNotAsExpected) {
  EXPECT_EQ(errorOf("[]"), "expected a JSON object");
  EXPECT_EQ(errorOf("{}"), "description: expected a field 'bwgemm'");
  EXPECT_EQ(errorOf(R"({"bwgemm": "1", "target": "t", "functions": []})"),
            "bwgemm: expected an integer");
  EXPECT_EQ(errorOf(R"({"bwgemm": 1, "target": "t", "functions": []})"),
            "functions: expected at least one function");
  EXPECT_EQ(errorOf(R"({"bwgemm": 1, "target": "t", "functions": {}})"),
            "description.functions: expected an array");
  EXPECT_EQ(errorOf(R"({"bwgemm": 1, "target": "t", "functions": [7]})"),
            "functions[0]: expected a field 'name'");
  EXPECT_EQ(errorOf(withFunction(R"("arguments": 3)")),
            "functions[0].arguments: expected an array");
  EXPECT_EQ(errorOf(withFunction(
                R"("arguments": [{"element_type": "f32", "shape": [-2],
                   "access": "read"}])")),
            "functions[0].arguments[0].shape: expected numbers of at least 0, "
            "or -1");
  EXPECT_EQ(errorOf(withFunction(
                R"("arguments": [{"element_type": "f32", "shape": [2],
                   "strides": [1, 1], "access": "read"}])")),
            "functions[0].arguments[0].strides: expected as many numbers as in "
            "'shape'");
  EXPECT_EQ(errorOf(withFunction(
                R"("arguments": [{"element_type": "f32", "shape": [2],
                   "access": "none"}])")),
            "functions[0].arguments[0].access: expected read, write or "
            "read_write");
  EXPECT_EQ(errorOf(withFunction(
                R"("arguments": [], "operations": [{"op": "gemm",
                   "a": {"arg": 0}, "b": {"arg": 0}, "d": {"arg": 0}}])")),
            "functions[0].operations[0].a.arg: expected the index of an "
            "argument");
}

TEST(Description, FunctionsThatReturnValuesCannotBeCalled) {
  Description description;
  std::string error;
  ASSERT_TRUE(Description::parse(
      withFunction(R"("arguments": [], "results": [{"element_type": "f32"}])")
          .c_str(),
      description, error));
  EXPECT_NE(description.functions[0].notCallable.find("it returns values"),
            std::string::npos);
}

TEST(Description, SchedulesWithoutATile) {
  FunctionInfo f;
  int64_t m = 1, n = 2;
  bool found;
  for (const char *schedule : {"", "naive", "tile=", "tile=ax3", "tile=0x8"}) {
    f.schedule = schedule;
    f.tile(m, n, found);
    EXPECT_FALSE(found) << schedule;
    EXPECT_EQ(m, 1);
  }
}

} // namespace
