//===- MmaZeroColumnsTest.cpp - Zero-column mask descriptors ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The examples of the PTX ISA, "Zero-Column Mask Descriptor".
//
//===----------------------------------------------------------------------===//

#include "machine/MmaZeroColumns.h"

#include <gtest/gtest.h>

using namespace bwgemm::emulator;

namespace {

uint64_t descriptor(std::array<unsigned, 4> start,
                    std::array<unsigned, 4> first, bool isNonZero,
                    unsigned skip, unsigned use, unsigned shift) {
  uint64_t bits = uint64_t(isNonZero) << 39 | uint64_t(skip) << 40 |
                  uint64_t(use) << 48 | uint64_t(shift) << 56;
  for (unsigned i = 0; i < 4; ++i)
    bits |= uint64_t(start[i]) << (8 * i) | uint64_t(first[i]) << (32 + i);
  return bits;
}

/// The mask from column `from` on, lowest column first.
std::string text(const MmaZeroColumns &columns, uint32_t from, uint32_t count) {
  std::string result;
  for (uint32_t i = 0; i < count; ++i)
    result += columns.test(from + i) ? '1' : '0';
  return result;
}

MmaZeroColumns decode(uint64_t bits, uint32_t m, uint32_t n, uint32_t maxShift,
                      std::string *message = nullptr) {
  MmaZeroColumns columns;
  std::string error;
  bool good = MmaZeroColumns::decode(bits, m, n, maxShift, columns, error);
  EXPECT_EQ(good, message == nullptr) << error;
  if (message)
    *message = error;
  return columns;
}

} // namespace

TEST(MmaZeroColumns, NoMask) {
  EXPECT_FALSE(decode(descriptor({0, 0, 0, 0}, {0, 0, 0, 0}, false, 4, 3, 0),
                      128, 256, 0)
                   .any());
}

TEST(MmaZeroColumns, OnePart) {
  auto columns =
      decode(descriptor({0, 0, 0, 0}, {0, 0, 0, 0}, true, 2, 3, 0), 128, 64, 0);
  EXPECT_EQ(text(columns, 0, 21), "000011100001110000111");
  EXPECT_EQ(columns.mask[1], 0u) << "N is 64";
}

TEST(MmaZeroColumns, TwoParts) {
  auto columns =
      decode(descriptor({0, 0, 0, 0}, {1, 0, 0, 0}, true, 2, 3, 0), 64, 128, 0);
  EXPECT_EQ(text(columns, 0, 17), "11100001110000111");
  EXPECT_EQ(text(columns, 64, 18), "000011100001110000");
}

TEST(MmaZeroColumns, FourPartsAndAShift) {
  auto columns =
      decode(descriptor({0, 1, 2, 1}, {1, 1, 0, 0}, true, 2, 3, 2), 32, 128, 8);
  EXPECT_EQ(text(columns, 0, 14), "11100001110000");
  EXPECT_EQ(text(columns, 32, 13), "1100001110000");
  EXPECT_EQ(text(columns, 64, 12), "001110000111");
  EXPECT_EQ(text(columns, 96, 13), "0001110000111");
  EXPECT_EQ(columns.shift, 2u);
}

TEST(MmaZeroColumns, RefusesWithNumbers) {
  std::string message;
  decode(descriptor({}, {}, false, 0, 0, 17), 32, 128, 32, &message);
  EXPECT_NE(message.find("column shift 17, expected at most 16 for M = 32"),
            std::string::npos)
      << message;
  decode(descriptor({}, {}, false, 0, 0, 9), 64, 128, 8, &message);
  EXPECT_NE(message.find("column shift 9, expected at most 8, the maximum "
                         "shift"),
            std::string::npos)
      << message;
  decode(1ull << 37, 64, 128, 8, &message);
  EXPECT_NE(message.find("reserved bit"), std::string::npos) << message;
}
