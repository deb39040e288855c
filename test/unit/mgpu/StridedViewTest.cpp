//===- StridedViewTest.cpp - The bytes of a view ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedView.h"

#include "gtest/gtest.h"

#include <limits>
#include <set>

using bwgemm::runtime::launch::StridedView;

namespace {

using Numbers = std::vector<int64_t>;

StridedView view(int64_t offset, const Numbers &sizes, const Numbers &strides,
                 int64_t elementBytes) {
  StridedView result;
  EXPECT_EQ(result.create(offset, int64_t(sizes.size()), sizes.data(),
                          strides.data(), elementBytes),
            "");
  return result;
}

/// Bytes of the view, relative to the base pointer, from the rows.
std::multiset<int64_t> bytesByRow(const StridedView &view) {
  std::multiset<int64_t> bytes;
  view.forEachRow([&](uint64_t at) {
    for (uint64_t i = 0; i < view.rowBytes(); ++i)
      bytes.insert(view.firstByte() + int64_t(at + i));
  });
  return bytes;
}

/// The same from the definition: every index, times the strides.
std::multiset<int64_t> bytesByIndex(int64_t offset, const Numbers &sizes,
                                    const Numbers &strides,
                                    int64_t elementBytes) {
  std::multiset<int64_t> bytes;
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t rest = linear, at = offset;
    for (size_t dim = sizes.size(); dim-- > 0;) {
      at += rest % sizes[dim] * strides[dim];
      rest /= sizes[dim];
    }
    for (int64_t i = 0; i < elementBytes; ++i)
      bytes.insert(at * elementBytes + i);
  }
  return bytes;
}

TEST(StridedView, RowsAreTheElements) {
  struct Case {
    int64_t offset;
    Numbers sizes, strides;
  };
  const Case cases[] = {
      {0, {}, {}},
      {3, {5}, {1}},
      {0, {4, 3}, {3, 1}},          // contiguous
      {7, {4, 3}, {10, 1}},         // padded rows
      {0, {3, 4}, {1, 3}},          // transposed
      {1, {2, 3, 4}, {100, 20, 1}}, // padded planes
      {1, {2, 3, 4}, {60, 20, 5}},  // nothing contiguous
      {0, {2, 3, 4}, {12, 4, 1}},   // contiguous, rank 3
      {0, {2, 3, 4}, {15, 5, 1}},   // evenly padded, rank 3
      {50, {4, 3}, {-10, 1}},       // upwards
      {9, {2, 5}, {20, -1}},        // mirrored
      {0, {4, 1, 3}, {3, 99, 1}},   // size 1 with a stride of no meaning
      {0, {3, 2}, {0, 1}},          // broadcast
  };
  for (const Case &c : cases) {
    StridedView v = view(c.offset, c.sizes, c.strides, 2);
    std::multiset<int64_t> expected =
        bytesByIndex(c.offset, c.sizes, c.strides, 2);
    EXPECT_EQ(bytesByRow(v), expected);
    EXPECT_EQ(v.firstByte(), *expected.begin());
    EXPECT_EQ(v.byteCount(),
              uint64_t(*expected.rbegin() - *expected.begin() + 1));
  }
}

TEST(StridedView, PitchedRows) {
  uint64_t rows = 0, pitch = 0;
  ASSERT_TRUE(view(0, {4, 3}, {10, 1}, 4).isPitched(rows, pitch));
  EXPECT_EQ(rows, 4u);
  EXPECT_EQ(pitch, 40u);
  ASSERT_TRUE(view(0, {4, 3}, {3, 1}, 4).isPitched(rows, pitch));
  EXPECT_EQ(rows, 1u) << "contiguous";
  ASSERT_TRUE(view(0, {2, 3, 4}, {15, 5, 1}, 1).isPitched(rows, pitch));
  EXPECT_EQ(rows, 6u);
  EXPECT_EQ(pitch, 5u);
  EXPECT_FALSE(view(0, {2, 3, 4}, {100, 20, 1}, 1).isPitched(rows, pitch));
  EXPECT_FALSE(view(30, {4, 3}, {-10, 1}, 4).isPitched(rows, pitch));
  EXPECT_FALSE(view(0, {4, 3}, {0, 1}, 4).isPitched(rows, pitch));
}

TEST(StridedView, EmptyViewHasNoBytes) {
  StridedView v = view(5, {4, 0, 3}, {100, 10, 1}, 4);
  EXPECT_TRUE(v.empty());
  EXPECT_TRUE(bytesByRow(v).empty());
}

TEST(StridedView, NumbersThatNoMemoryHolds) {
  StridedView v;
  const int64_t huge = std::numeric_limits<int64_t>::max();
  const int64_t sizes[] = {4, 4}, strides[] = {huge / 2, 1}, ones[] = {1, 1};
  const int64_t negative[] = {-1, 4};
  EXPECT_NE(v.create(0, 2, sizes, strides, 4), "");
  EXPECT_NE(v.create(huge, 2, sizes, ones, 4), "");
  EXPECT_EQ(v.create(0, 2, negative, ones, 4),
            "dimension 0 has the negative size -1");
}

} // namespace
