//===- SwizzleTest.cpp - Swizzle<bits, base, shift> on addresses ----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns are those of the PTX ISA's figures of the swizzle modes: the
// place of each 16-byte chunk in the 128-byte rows of shared memory.
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <bitset>

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

constexpr uint64_t kSharedMemory = 1 << 18;

class SwizzleTest : public ::testing::Test {
protected:
  SwizzleTest() { context.loadDialect<BwgemmDialect>(); }

  SwizzleAttr span(unsigned bytes) {
    return SwizzleAttr::getForSpan(&context, bytes);
  }

  /// Chunk `chunk` of 128-byte row `row` goes to chunk `rows[row][chunk]` of
  /// the same row; the pattern repeats.
  void expectPattern(SwizzleAttr swizzle,
                     const std::vector<std::array<unsigned, 8>> &rows) {
    for (uint64_t address = 0; address < kSharedMemory; ++address) {
      uint64_t row = address / 128, chunk = address / 16 % 8;
      uint64_t expected =
          row * 128 + rows[row % rows.size()][chunk] * 16 + address % 16;
      ASSERT_EQ(swizzle.apply(address), expected) << "address " << address;
    }
  }

  MLIRContext context;
};

TEST_F(SwizzleTest, NoneIsTheIdentity) {
  expectPattern(SwizzleAttr::getNone(&context), {{0, 1, 2, 3, 4, 5, 6, 7}});
  EXPECT_EQ(span(0), SwizzleAttr::getNone(&context));
}

TEST_F(SwizzleTest, Pattern32B) {
  expectPattern(span(32), {{0, 1, 2, 3, 4, 5, 6, 7}, //
                           {1, 0, 3, 2, 5, 4, 7, 6}});
}

TEST_F(SwizzleTest, Pattern64B) {
  expectPattern(span(64), {{0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {2, 3, 0, 1, 6, 7, 4, 5},
                           {3, 2, 1, 0, 7, 6, 5, 4}});
}

TEST_F(SwizzleTest, Pattern128B) {
  expectPattern(span(128), {{0, 1, 2, 3, 4, 5, 6, 7},
                            {1, 0, 3, 2, 5, 4, 7, 6},
                            {2, 3, 0, 1, 6, 7, 4, 5},
                            {3, 2, 1, 0, 7, 6, 5, 4},
                            {4, 5, 6, 7, 0, 1, 2, 3},
                            {5, 4, 7, 6, 1, 0, 3, 2},
                            {6, 7, 4, 5, 2, 3, 0, 1},
                            {7, 6, 5, 4, 3, 2, 1, 0}});
}

// The 128-byte swizzle that keeps 32 bytes together: 32-byte chunk c of row r
// goes to chunk c ^ (r mod 4).
TEST_F(SwizzleTest, General128BOf32ByteAtoms) {
  expectPattern(SwizzleAttr::get(&context, 2, 5, 2),
                {{0, 1, 2, 3, 4, 5, 6, 7},
                 {2, 3, 0, 1, 6, 7, 4, 5},
                 {4, 5, 6, 7, 0, 1, 2, 3},
                 {6, 7, 4, 5, 2, 3, 0, 1}});
}

// Every legal swizzle undoes itself, keeps an address within its pattern, and
// is therefore a permutation of the pattern.
TEST_F(SwizzleTest, EveryLegalSwizzleIsItsOwnInverse) {
  for (unsigned bits = 0; bits <= 9; ++bits) {
    for (unsigned base = 0; base + 2 * bits <= 18; ++base) {
      for (unsigned shift = bits; bits + base + shift <= 18; ++shift) {
        auto swizzle = SwizzleAttr::get(&context, bits, base, shift);
        uint64_t atom = swizzle.getAtomBytes();
        for (uint64_t address = 0; address < kSharedMemory; address += 37) {
          uint64_t swizzled = swizzle.apply(address);
          ASSERT_EQ(swizzle.apply(swizzled), address)
              << swizzle.getName() << " at " << address;
          ASSERT_EQ(swizzled / atom, address / atom) << swizzle.getName();
        }
      }
    }
  }
}

// Rows and patterns: PTX ISA, "Swizzling Modes" (span) and the alignment of
// the pattern in "Shared memory descriptor" (256, 512 and 1024 bytes).
TEST_F(SwizzleTest, SizesOfTheHardwareModes) {
  EXPECT_EQ(span(0).getRowBytes(), 16u);
  EXPECT_EQ(span(32).getRowBytes(), 32u);
  EXPECT_EQ(span(64).getRowBytes(), 64u);
  EXPECT_EQ(span(128).getRowBytes(), 128u);
  EXPECT_EQ(span(32).getAtomBytes(), 256u);
  EXPECT_EQ(span(64).getAtomBytes(), 512u);
  EXPECT_EQ(span(128).getAtomBytes(), 1024u);
}

TEST_F(SwizzleTest, HardwareModesHaveNames) {
  for (unsigned bytes : {0, 32, 64, 128})
    EXPECT_TRUE(span(bytes).isHardwareMode()) << bytes;
  EXPECT_EQ(span(0).getName(), "none");
  EXPECT_EQ(span(32).getName(), "32B");
  EXPECT_EQ(span(64).getName(), "64B");
  EXPECT_EQ(span(128).getName(), "128B");
  // Not hardware modes: other atoms, other shifts, more bits.
  for (auto swizzle : {SwizzleAttr::get(&context, 2, 5, 2),
                       SwizzleAttr::get(&context, 3, 4, 4),
                       SwizzleAttr::get(&context, 4, 4, 4)})
    EXPECT_FALSE(swizzle.isHardwareMode()) << swizzle.getName();
  EXPECT_EQ(SwizzleAttr::get(&context, 2, 5, 2).getName(), "<2, 5, 2>");
}

} // namespace
