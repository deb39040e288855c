//===- TensorMemoryTest.cpp - Allocation, cells, register maps --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/TensorMemory.h"
#include "machine/TensorAccess.h"

#include <gtest/gtest.h>
#include <set>

using namespace bwgemm::emulator;
using Allocation = TensorMemory::Allocation;

static uint32_t allocated(TensorMemory &tensor, uint32_t count) {
  uint32_t address = ~0u;
  std::string trap;
  EXPECT_EQ(tensor.allocate(count, address, trap), Allocation::Done) << trap;
  return address;
}

TEST(TensorMemory, AllocationSizes) {
  for (uint32_t count = 0; count <= 1024; ++count) {
    TensorMemory tensor;
    uint32_t address;
    std::string trap;
    bool legal = count == 32 || count == 64 || count == 128 || count == 256 ||
                 count == 512;
    EXPECT_EQ(tensor.allocate(count, address, trap),
              legal ? Allocation::Done : Allocation::Trap)
        << count;
  }
}

TEST(TensorMemory, BlocksUntilThereIsSpace) {
  TensorMemory tensor;
  uint32_t first = allocated(tensor, 256), second = allocated(tensor, 256);
  EXPECT_NE(first, second);
  EXPECT_EQ(tensor.allocatedColumns(), 512u);
  uint32_t address;
  std::string trap;
  EXPECT_EQ(tensor.allocate(32, address, trap), Allocation::MustWait);
  EXPECT_TRUE(tensor.release(first, 256, trap));
  EXPECT_EQ(tensor.allocate(32, address, trap), Allocation::Done);
  EXPECT_EQ(address, first);
}

TEST(TensorMemory, AllocationRules) {
  TensorMemory tensor;
  uint32_t address;
  std::string trap;
  uint32_t base = allocated(tensor, 64);
  EXPECT_EQ(tensor.allocate(128, address, trap), Allocation::Trap);
  EXPECT_NE(trap.find("128 columns after one of 64"), std::string::npos)
      << trap;
  EXPECT_FALSE(tensor.release(base, 32, trap));
  EXPECT_NE(trap.find("where 64 were allocated"), std::string::npos) << trap;
  EXPECT_FALSE(tensor.release(base + 32, 32, trap));
  EXPECT_NE(trap.find("no allocation begins"), std::string::npos) << trap;
  EXPECT_TRUE(tensor.release(base, 64, trap));
  EXPECT_FALSE(tensor.release(base, 64, trap));
  tensor.relinquish();
  EXPECT_EQ(tensor.allocate(32, address, trap), Allocation::Trap);
  EXPECT_NE(trap.find("relinquish"), std::string::npos) << trap;
}

TEST(TensorMemory, AccessOutsideOfAllocation) {
  TensorMemory tensor;
  std::string trap;
  uint32_t base = allocated(tensor, 64);
  EXPECT_TRUE(tensor.checkAllocated(base, 64, trap));
  EXPECT_FALSE(tensor.checkAllocated(base + 1, 64, trap));
  EXPECT_NE(trap.find("column 64 of columns 1 to 64 is not allocated"),
            std::string::npos)
      << trap;
  EXPECT_FALSE(tensor.checkAllocated(512, 1, trap));
  EXPECT_NE(trap.find("does not exist"), std::string::npos) << trap;
}

TEST(TensorMemory, NotesWhatWasWritten) {
  TensorMemory tensor;
  std::string trap;
  uint32_t base = allocated(tensor, 32);
  tensor.markWritten(base + 3, TensorMemory::LaneSet::range(16, 80));
  EXPECT_TRUE(tensor.checkWritten(base + 3, 1,
                                  TensorMemory::LaneSet::range(32, 64), trap));
  EXPECT_FALSE(tensor.checkWritten(base + 3, 1,
                                   TensorMemory::LaneSet::range(64, 64), trap));
  EXPECT_NE(trap.find("lane 96, column 3"), std::string::npos) << trap;
  // A new allocation has no contents.
  EXPECT_TRUE(tensor.release(base, 32, trap));
  allocated(tensor, 32);
  EXPECT_FALSE(tensor.checkWritten(base + 3, 1,
                                   TensorMemory::LaneSet::range(32, 64), trap));
}

/// Cell (lane, column) holds 1000 * lane + column.
static void fill(TensorMemory &tensor) {
  for (uint32_t c = 0; c < 512; ++c)
    for (uint32_t lane = 0; lane < 128; ++lane)
      tensor.column(c)[lane] = 1000 * lane + c;
}

/// The maps of the PTX ISA's figures, thread by thread: for the 16-lane
/// shapes a thread's registers follow the matrix fragments of mma.
TEST(TensorAccess, RegisterMaps) {
  TensorMemory tensor;
  fill(tensor);
  std::vector<uint32_t> values(32 * 128);
  auto check = [&](TensorShape shape, uint32_t repeat, uint32_t registers,
                   auto expected) {
    TensorAccess access{shape, repeat, false, 40};
    std::string error;
    ASSERT_TRUE(access.check(error)) << error;
    ASSERT_EQ(access.registers(), registers);
    access.load(tensor, TensorAddress((32u << 16) | 16), values.data());
    for (uint32_t r = 0; r < registers; ++r)
      for (uint32_t t = 0; t < 32; ++t) {
        std::pair<uint32_t, uint32_t> place = expected(t, r);
        ASSERT_EQ(values[32 * r + t],
                  1000 * (32 + place.first) + 16 + place.second)
            << "thread " << t << " register " << r;
      }
  };
  for (uint32_t n = 1; n <= 128; n *= 2) {
    check(TensorShape::S32x32b, n, n, [](uint32_t t, uint32_t r) {
      return std::pair<uint32_t, uint32_t>(t, r);
    });
    check(TensorShape::S16x64b, n, n, [](uint32_t t, uint32_t r) {
      // Threads 0, 1, 2, 3: lanes 0, 8, 0, 8 of columns 0, 0, 1, 1.
      uint32_t lane = t / 4 + (t % 2 ? 8 : 0);
      return std::pair<uint32_t, uint32_t>(lane, 2 * r + (t % 4 >= 2));
    });
    check(TensorShape::S16x32bx2, n, n, [](uint32_t t, uint32_t r) {
      return std::pair<uint32_t, uint32_t>(t < 16 ? t : t - 16,
                                           t < 16 ? r : r + 40);
    });
  }
  for (uint32_t n = 1; n <= 64; n *= 2)
    check(TensorShape::S16x128b, n, 2 * n, [](uint32_t t, uint32_t r) {
      return std::pair<uint32_t, uint32_t>(t / 4 + (r % 2 ? 8 : 0),
                                           4 * (r / 2) + t % 4);
    });
  for (uint32_t n = 1; n <= 32; n *= 2)
    check(TensorShape::S16x256b, n, 4 * n, [](uint32_t t, uint32_t r) {
      // As the accumulator of mma.m16n8: (g, 2q), (g, 2q + 1), (g + 8, 2q),
      // (g + 8, 2q + 1) with g = t / 4, q = t % 4.
      const uint32_t row[] = {0, 0, 8, 8}, column[] = {0, 1, 0, 1};
      return std::pair<uint32_t, uint32_t>(
          t / 4 + row[r % 4], 8 * (r / 4) + 2 * (t % 4) + column[r % 4]);
    });
}

TEST(TensorAccess, EveryCellOnce) {
  for (unsigned s = 0; s < 5; ++s) {
    TensorAccess access{TensorShape(s), 4, false, 4};
    std::set<std::pair<uint32_t, uint32_t>> cells;
    for (uint32_t r = 0; r < access.registers(); ++r)
      for (uint32_t t = 0; t < 32; ++t) {
        TensorAccess::Cell c = access.cell(t, r);
        EXPECT_LT(c.lane, access.lanes());
        EXPECT_LT(c.column, access.columns());
        cells.insert({c.lane, c.column});
      }
    EXPECT_EQ(cells.size(), access.registers() * 32) << s;
    EXPECT_EQ(cells.size(), access.lanes() * access.columns()) << s;
  }
}

TEST(TensorAccess, PacksNeighbouringColumns) {
  TensorMemory tensor;
  fill(tensor);
  std::vector<uint32_t> values(32 * 8);
  TensorAccess access{TensorShape::S32x32b, 4, true, 0};
  EXPECT_EQ(access.registers(), 4u);
  EXPECT_EQ(access.columns(), 8u);
  access.load(tensor, TensorAddress(20), values.data());
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t t = 0; t < 32; ++t)
      ASSERT_EQ(values[32 * r + t],
                (1000 * t + 20 + 2 * r) | (1000 * t + 21 + 2 * r) << 16);
  // unpack::16b is the inverse.
  TensorMemory other;
  access.store(other, TensorAddress(20), values.data());
  for (uint32_t c = 20; c < 28; ++c)
    for (uint32_t t = 0; t < 32; ++t)
      ASSERT_EQ(other.column(c)[t], 1000 * t + c);
}

TEST(TensorAccess, StoreThenLoad) {
  for (unsigned s = 0; s < 5; ++s)
    for (bool packed : {false, true}) {
      TensorMemory tensor;
      uint32_t base = allocated(tensor, 128);
      TensorAccess access{TensorShape(s), 4, packed, 8};
      std::vector<uint32_t> in(32 * 128), out(32 * 128);
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = uint32_t(i * 2654435761u);
      TensorAddress address((64u << 16) | base);
      std::string trap;
      EXPECT_FALSE(access.checkWritten(address, tensor, trap));
      access.store(tensor, address, in.data());
      EXPECT_TRUE(access.checkWritten(address, tensor, trap)) << s << trap;
      access.load(tensor, address, out.data());
      for (uint32_t i = 0; i < 32 * access.registers(); ++i)
        ASSERT_EQ(out[i], in[i]) << s;
    }
}

TEST(TensorAccess, Limits) {
  std::string error;
  EXPECT_FALSE(
      (TensorAccess{TensorShape::S16x128b, 128, false, 0}.check(error)));
  EXPECT_FALSE(
      (TensorAccess{TensorShape::S16x256b, 64, false, 0}.check(error)));
  EXPECT_FALSE((TensorAccess{TensorShape::S32x32b, 3, false, 0}.check(error)));
  EXPECT_FALSE(
      (TensorAccess{TensorShape::S32x32b, 256, false, 0}.check(error)));
}

TEST(TensorAccess, QuarterOfTheWarp) {
  TensorMemory tensor;
  allocated(tensor, 512);
  std::string trap;
  for (uint32_t quarter = 0; quarter < 4; ++quarter)
    for (uint32_t lane = 0; lane < 128; ++lane) {
      TensorAddress address(lane << 16);
      TensorAccess whole{TensorShape::S32x32b, 1, false, 0};
      TensorAccess half{TensorShape::S16x64b, 1, false, 0};
      EXPECT_EQ(whole.checkAddress(address, quarter, tensor, trap),
                lane == 32 * quarter);
      EXPECT_EQ(half.checkAddress(address, quarter, tensor, trap),
                lane == 32 * quarter || lane == 32 * quarter + 16);
    }
  TensorAccess access{TensorShape::S32x32b, 32, false, 0};
  EXPECT_TRUE(access.checkAddress(TensorAddress(480), 0, tensor, trap));
  EXPECT_FALSE(access.checkAddress(TensorAddress(481), 0, tensor, trap));
}
