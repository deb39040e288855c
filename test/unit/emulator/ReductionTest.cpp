//===- ReductionTest.cpp - Reductions of the copy engine --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of cp.reduce.async.bulk on an H200 (2026-11-30, driver 580.159.04):
// old contents, operand, new contents.
//
//===----------------------------------------------------------------------===//

#include "machine/Reduction.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace bwgemm::emulator;

namespace {
template <class T> struct Case {
  T old, value, result;
};
} // namespace

template <class T>
static void check(ReduceOp op, TensorElement element,
                  const std::vector<Case<T>> &cases) {
  Reduction reduction{op, element};
  ASSERT_TRUE(reduction.isLegal());
  for (const Case<T> &c : cases) {
    alignas(8) std::byte to[sizeof(T)], from[sizeof(T)];
    std::memcpy(to, &c.old, sizeof(T));
    std::memcpy(from, &c.value, sizeof(T));
    reduction.apply(to, from, sizeof(T));
    T got;
    std::memcpy(&got, to, sizeof(T));
    EXPECT_EQ(got, c.result) << std::hex << reduction.describe() << ": "
                             << uint64_t(c.old) << ", " << uint64_t(c.value);
  }
}

TEST(Reduction, SumsOfFloats) {
  check<uint32_t>(ReduceOp::Add, TensorElement::F32,
                  {{0x00000001, 0x00000001, 0x00000002},
                   {0x007fffff, 0x00000001, 0x00800000},
                   {0x80000000, 0x80000000, 0x80000000},
                   {0x80000000, 0x00000000, 0x00000000},
                   {0x7f7fffff, 0x7f7fffff, 0x7f800000},
                   {0x7f800000, 0xff800000, 0x7fffffff},
                   {0x7fc00001, 0x3f800000, 0x7fffffff},
                   {0x3f800000, 0x33800001, 0x3f800001}});
  check<uint64_t>(ReduceOp::Add, TensorElement::F64,
                  {{0x7ff8000000000001, 0, 0x7ff8000000000001},
                   {0, 0x7ff0000000000001, 0x7ff0000000000001},
                   {0x7ff0000000000001, 0x7ff8000000000001, 0x7ff8000000000001},
                   {0xffffffffffffffff, 0x8000000000000000, 0xffffffffffffffff},
                   {0xfff0000000000000, 0x7ff0000000000000, 0xfff8000000000000},
                   {1, 1, 2}});
}

TEST(Reduction, SumsOfHalves) {
  check<uint16_t>(ReduceOp::Add, TensorElement::F16,
                  {{0x0001, 0x0001, 0x0002},
                   {0x7bff, 0x7bff, 0x7c00},
                   {0x7c00, 0xfc00, 0x7fff},
                   {0x3c00, 0x7e01, 0x7fff},
                   // 1 + 2^-11 + 2^-21 is above the tie.
                   {0x3c00, 0x1001, 0x3c01}});
  check<uint16_t>(ReduceOp::Add, TensorElement::BF16,
                  {{0x0001, 0x0001, 0x0002},
                   {0x7f7f, 0x7f7f, 0x7f80},
                   {0x7f80, 0xff80, 0x7fff}});
}

TEST(Reduction, ExtremesPreferNumbersAndMinusZeroIsLess) {
  for (TensorElement element : {TensorElement::F16, TensorElement::BF16}) {
    check<uint16_t>(ReduceOp::Min, element,
                    {{0x7fff, 0x3c00, 0x3c00},
                     {0x3c00, 0xffff, 0x3c00},
                     {0x7fff, 0xffff, 0x7fff},
                     {0x0000, 0x8000, 0x8000},
                     {0x8000, 0x0000, 0x8000}});
    check<uint16_t>(ReduceOp::Max, element,
                    {{0x0000, 0x8000, 0x0000}, {0x8000, 0x0000, 0x0000}});
  }
  check<uint64_t>(ReduceOp::Max, TensorElement::S64, {{~0ull, 1, 1}});
  check<uint64_t>(ReduceOp::Max, TensorElement::U64, {{~0ull, 1, ~0ull}});
}

TEST(Reduction, WrappingCounters) {
  check<uint32_t>(ReduceOp::Inc, TensorElement::U32,
                  {{5, 6, 6}, {6, 6, 0}, {7, 6, 0}, {0, 0, 0}});
  check<uint32_t>(ReduceOp::Dec, TensorElement::U32,
                  {{5, 6, 4}, {0, 6, 6}, {7, 6, 6}, {6, 6, 5}});
}

TEST(Reduction, WhatTheCopyEngineLacks) {
  auto legal = [](ReduceOp op, TensorElement element) {
    return Reduction{op, element}.isLegal();
  };
  EXPECT_FALSE(legal(ReduceOp::Min, TensorElement::F32));
  EXPECT_FALSE(legal(ReduceOp::Max, TensorElement::F64));
  EXPECT_FALSE(legal(ReduceOp::Add, TensorElement::S64));
  EXPECT_FALSE(legal(ReduceOp::Add, TensorElement::U8));
  EXPECT_FALSE(legal(ReduceOp::Inc, TensorElement::S32));
  EXPECT_FALSE(legal(ReduceOp::And, TensorElement::F16));
}
