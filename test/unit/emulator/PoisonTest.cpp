//===- PoisonTest.cpp - Memory that nobody has written ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Poison.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace bwgemm::emulator;

/// Of 16 bits: whether all `exponent` bits are set and some below them.
static bool isNaN(uint16_t value, uint16_t exponent, uint16_t fraction) {
  return (value & exponent) == exponent && (value & fraction) != 0;
}

// Sums of integers are small numbers of either sign, saturated ones the largest
// of 32 bits, and the NaN that instructions make is 0x7fffffff (PTX ISA,
// floating-point instructions): none of them may pass for memory that nobody
// has written, wherever it lies.
TEST(Poison, NoWordOfAResult) {
  std::set<uint32_t> words;
  for (uint64_t i = 0; i < 1 << 16; ++i) {
    uint32_t word = poisonWord(0x7f0000000000 + 4 * i);
    words.insert(word);
    ASSERT_GT(int32_t(word), 2'000'000'000);
    ASSERT_NE(word, 0x7fffffffu);
    // f32, and the upper of two bf16 or f16.
    ASSERT_TRUE((word & 0x7f800000) == 0x7f800000 && (word & 0x7fffff) != 0);
    ASSERT_TRUE(isNaN(uint16_t(word >> 16), 0x7f80, 0x007f));
    ASSERT_TRUE(isNaN(uint16_t(word >> 16), 0x7c00, 0x03ff));
  }
  // Words move with their place.
  EXPECT_GT(words.size(), 60000u);
}

TEST(Poison, FindsWhatIsLeft) {
  std::vector<std::byte> memory(256);
  constexpr uint64_t base = 0x1000;
  fillPoison(memory.data(), base, memory.size());
  for (uint64_t i = 0; i < 64; ++i)
    if (i != 17) {
      int32_t sum = -int32_t(i) - 1;
      std::memcpy(memory.data() + 4 * i, &sum, 4);
    }
  uint64_t where = 0;
  EXPECT_TRUE(findPoison(memory.data(), base, memory.size(), where));
  EXPECT_EQ(where, base + 4 * 17);
  // A byte of the word is a part of it.
  EXPECT_TRUE(findPoison(memory.data() + 70, base + 70, 1, where));
  EXPECT_EQ(where, base + 4 * 17);
  EXPECT_FALSE(findPoison(memory.data(), base, 4 * 17, where));
  EXPECT_FALSE(findPoison(memory.data() + 72, base + 72, 256 - 72, where));
}
