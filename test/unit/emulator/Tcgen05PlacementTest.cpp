//===- Tcgen05PlacementTest.cpp - CTA pairs and .ws -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where A, B and D lie when a CTA pair shares an mma, and with .ws: small
// integers in shared memory without swizzle, a plain loop, and the cell of
// every element of D as the tables of the PTX ISA give it ("Data path layout
// organization").
//
//===----------------------------------------------------------------------===//

#include "machine/HalfConvert.h"
#include "machine/Tcgen05Mma.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t sharedBegin = 1024, sharedEnd = 64 * 1024;
constexpr uint32_t startA = 2048, startB = 32 * 1024;

struct Place {
  unsigned cta;
  uint32_t lane, column;
};

struct Case {
  unsigned ctas;
  bool ws;
  uint32_t m, n;

  /// The cell of element (row, n) of D, relative to its address.
  Place d(uint32_t row, uint32_t column) const {
    if (ctas == 2 && m == 256) // layout A
      return {row / 128, row % 128, column};
    if (ctas == 2) // layout B
      return {row / 64, row % 64 + (column < n / 2 ? 0 : 64),
              column < n / 2 ? column : column - n / 2};
    if (m == 128) // layout D
      return {0, row, column};
    if (m == 32) // layout G
      return {0, row + 32 * (column / (n / 4)), column % (n / 4)};
    return {0, row + 64 * (column / (n / 2)), column % (n / 2)}; // layout E
  }
};

struct Fixture {
  std::unique_ptr<std::byte[]> storage[2];
  SharedWindow shared[2];
  TensorMemory tensor[2];
  std::mt19937 random{11};
  MmaRefusal refusal;
  std::string error;

  Fixture() {
    for (unsigned p = 0; p < 2; ++p) {
      storage[p].reset(new std::byte[sharedEnd]());
      shared[p] = {storage[p].get(), sharedBegin, sharedEnd};
      uint32_t address;
      tensor[p].allocate(512, address, error);
    }
  }
  MmaCtas memories(unsigned ctas) {
    if (ctas == 1)
      return {tensor[0], shared[0]};
    return {tensor[0], shared[0], tensor[1], shared[1]};
  }
  /// Row `row` of a matrix whose rows are spread over the CTAs: K-major, no
  /// swizzle, 16-bit elements, LBO 4096, SBO 128.
  std::byte *place(unsigned ctas, uint32_t rows, uint32_t start, uint32_t row,
                   uint32_t byte) {
    uint32_t own = rows / ctas;
    return shared[row / own].at(start + (row % own) / 8 * 128 + row % 8 * 16 +
                                byte / 16 * 4096 + byte % 16);
  }
  std::vector<int> fill(unsigned ctas, uint32_t rows, uint32_t start) {
    std::vector<int> values(rows * 16);
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t k = 0; k < 16; ++k) {
        int value = values[row * 16 + k] = int(random() % 17) - 8;
        uint16_t bits = uint16_t(floatToBits(float(value)) >> 16);
        std::memcpy(place(ctas, rows, start, row, 2 * k), &bits, 2);
      }
    return values;
  }
  bool run(const MmaOperands &operands, Numerics numerics = Numerics::Fast) {
    Mma mma;
    refusal = {};
    error.clear();
    MmaCtas ctas = memories(operands.ctas);
    return Mma::issue(operands, ctas, mma, refusal) &&
           Mma::landChain(&mma, 1, ctas, numerics, error);
  }
};

uint64_t descriptor(uint32_t start) {
  return start >> 4 | uint64_t(4096 >> 4) << 16 | uint64_t(128 >> 4) << 32 |
         1ull << 46;
}

MmaOperands operandsFor(const Case &c) {
  MmaOperands operands;
  operands.ctas = uint8_t(c.ctas);
  operands.ws = c.ws;
  operands.a = descriptor(startA);
  operands.b = descriptor(startB);
  operands.d = 32;
  operands.instructionDescriptor =
      1u << 4 | 1u << 7 | 1u << 10 | (c.n >> 3) << 17 | (c.m >> 4) << 24;
  return operands;
}

int dot(const std::vector<int> &a, uint32_t row, const std::vector<int> &b,
        uint32_t column) {
  int sum = 0;
  for (uint32_t k = 0; k < 16; ++k)
    sum += a[row * 16 + k] * b[column * 16 + k];
  return sum;
}

const Case cases[] = {
    {2, false, 128, 16}, {2, false, 128, 48}, {2, false, 128, 256},
    {2, false, 256, 16}, {2, false, 256, 80}, {2, false, 256, 256},
    {1, true, 32, 64},   {1, true, 32, 128},  {1, true, 32, 256},
    {1, true, 64, 64},   {1, true, 64, 256},  {1, true, 128, 64},
    {1, true, 128, 256},
};

std::string name(const Case &c) {
  return "cta_group::" + std::to_string(c.ctas) + (c.ws ? ".ws " : " ") +
         std::to_string(c.m) + "x" + std::to_string(c.n);
}

} // namespace

TEST(Tcgen05Placement, AccumulatorsOfEveryShape) {
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact})
    for (const Case &c : cases) {
      Fixture f;
      std::vector<int> a = f.fill(c.ctas, c.m, startA);
      std::vector<int> b = f.fill(c.ctas, c.n, startB);
      MmaOperands operands = operandsFor(c);
      ASSERT_TRUE(f.run(operands, numerics))
          << name(c) << f.refusal.message << f.error;
      operands.accumulate = true;
      ASSERT_TRUE(f.run(operands, numerics)) << name(c) << f.error;
      size_t written = 0;
      for (uint32_t row = 0; row < c.m; ++row)
        for (uint32_t n = 0; n < c.n; ++n) {
          Place at = c.d(row, n);
          uint32_t cell = f.tensor[at.cta].column(32 + at.column)[at.lane];
          ASSERT_EQ(bitsToFloat(cell), float(2 * dot(a, row, b, n)))
              << name(c) << " at " << row << ", " << n;
        }
      // Nothing else was written.
      for (TensorMemory &tensor : f.tensor)
        for (uint32_t column = 0; column < 512; ++column)
          for (uint32_t lane = 0; lane < 128; ++lane)
            written += tensor.column(column)[lane] != 0xffffffff;
      EXPECT_EQ(written, size_t(c.m) * c.n) << name(c);
    }
}

/// A in tensor memory is read in the lanes that its products go to: it has to
/// be there twice with the 2x2 data path, and four times with M = 32.
TEST(Tcgen05Placement, OperandAInTensorMemory) {
  for (const Case &c : cases) {
    Fixture f;
    std::vector<int> b = f.fill(c.ctas, c.n, startB);
    std::vector<int> a(c.m * 16);
    uint32_t own = c.m / c.ctas, copies = 128 / own;
    for (uint32_t row = 0; row < c.m; ++row)
      for (uint32_t k = 0; k < 16; ++k) {
        int value = a[row * 16 + k] = int(f.random() % 9) - 4;
        uint16_t bits = uint16_t(floatToBits(float(value)) >> 16);
        for (uint32_t copy = 0; copy < copies; ++copy) {
          uint32_t *column = f.tensor[row / own].column(400 + k / 2);
          std::memcpy(
              reinterpret_cast<std::byte *>(&column[row % own + copy * own]) +
                  2 * (k % 2),
              &bits, 2);
        }
      }
    for (TensorMemory &tensor : f.tensor)
      for (uint32_t column = 400; column < 408; ++column)
        tensor.markWritten(column, {~0ull, ~0ull});
    MmaOperands operands = operandsFor(c);
    operands.aInTensorMemory = true;
    operands.a = 400;
    ASSERT_TRUE(f.run(operands)) << name(c) << f.refusal.message << f.error;
    for (uint32_t row = 0; row < c.m; ++row)
      for (uint32_t n = 0; n < c.n; ++n) {
        Place at = c.d(row, n);
        uint32_t cell = f.tensor[at.cta].column(32 + at.column)[at.lane];
        ASSERT_EQ(bitsToFloat(cell), float(dot(a, row, b, n)))
            << name(c) << " at " << row << ", " << n;
      }
  }
}

/// Columns of B from `shift` on, some of them taken as zero.
TEST(Tcgen05Placement, ZeroColumnsAndColumnShift) {
  for (bool mnMajor : {false, true})
    for (const Case &c : cases) {
      if (!c.ws)
        continue;
      Fixture f;
      const uint32_t shift = 5;
      std::vector<int> a = f.fill(1, c.m, startA);
      std::vector<int> b((c.n + 8) * 16);
      for (uint32_t n = 0; n < c.n + shift; ++n)
        for (uint32_t k = 0; k < 16; ++k) {
          int value = b[n * 16 + k] = int(f.random() % 17) - 8;
          uint16_t bits = uint16_t(floatToBits(float(value)) >> 16);
          // MN-major without swizzle: SBO to the next eight columns, LBO to the
          // next eight k.
          std::byte *at =
              mnMajor ? f.shared[0].at(startB + n / 8 * 128 + n % 8 * 2 +
                                       k / 8 * 8192 + k % 8 * 16)
                      : f.shared[0].at(startB + n / 8 * 128 + n % 8 * 16 +
                                       k / 8 * 8192 + k % 8 * 2);
          std::memcpy(at, &bits, 2);
        }
      MmaOperands operands = operandsFor(c);
      operands.b =
          (descriptor(startB) & ~(0x3fffull << 16)) | uint64_t(8192 >> 4) << 16;
      operands.instructionDescriptor |= uint32_t(mnMajor) << 16 | 1u << 30;
      // Three zero columns and five used ones, in turn; every part begins with
      // used ones.
      operands.zeroColumns =
          1ull << 39 | 2ull << 40 | 4ull << 48 | uint64_t(shift) << 56;
      ASSERT_TRUE(f.run(operands)) << name(c) << f.refusal.message << f.error;
      uint32_t part = c.n / (128 / c.m);
      for (uint32_t row = 0; row < c.m; ++row)
        for (uint32_t n = 0; n < c.n; ++n) {
          Place at = c.d(row, n);
          uint32_t cell = f.tensor[0].column(32 + at.column)[at.lane];
          bool isZero = n % part % 8 >= 5;
          ASSERT_EQ(bitsToFloat(cell),
                    isZero ? 0.0f : float(dot(a, row, b, n + shift)))
              << name(c) << " at " << row << ", " << n;
        }
      operands.instructionDescriptor &= ~(3u << 30);
      EXPECT_FALSE(f.run(operands));
      EXPECT_NE(f.refusal.message.find("column shift 5, expected at most 0"),
                std::string::npos)
          << f.refusal.message;
    }
}

/// .ashift: what the lane of row r - 1 holds is row r of A.
TEST(Tcgen05Placement, ShiftedA) {
  for (const Case &c : {Case{1, false, 128, 32}, Case{2, false, 128, 32},
                        Case{2, false, 256, 32}, Case{1, false, 64, 32}}) {
    Fixture f;
    std::vector<int> b = f.fill(c.ctas, c.n, startB);
    for (unsigned p = 0; p < 2; ++p)
      for (uint32_t column = 400; column < 408; ++column) {
        for (uint32_t lane = 0; lane < 128; ++lane) {
          // Both elements of the cell: the lane and the CTA in one number.
          uint32_t bits = floatToBits(float(lane % 64 + (p ? 64 : 0))) >> 16;
          f.tensor[p].column(column)[lane] = bits << 16 | bits;
        }
        f.tensor[p].markWritten(column, {~0ull, ~0ull});
      }
    MmaOperands operands = operandsFor(c);
    operands.aInTensorMemory = operands.shiftA = true;
    operands.a = 400;
    if (c.m == 64) {
      EXPECT_FALSE(f.run(operands));
      EXPECT_NE(f.refusal.message.find(".ashift needs an M of 128 or 256"),
                std::string::npos)
          << f.refusal.message;
      continue;
    }
    ASSERT_TRUE(f.run(operands)) << name(c) << f.refusal.message << f.error;
    uint32_t own = c.m / c.ctas;
    for (uint32_t row = 0; row < c.m; ++row)
      for (uint32_t n = 0; n < c.n; ++n) {
        int sum = 0;
        for (uint32_t k = 0; k < 16; ++k)
          sum += b[n * 16 + k];
        uint32_t lane = row % own == 0 ? 0 : row % own - 1;
        int value = int(lane % 64 + (row / own ? 64 : 0));
        Place at = c.ctas == 2 ? c.d(row, n) : Place{0, row, n};
        uint32_t cell = f.tensor[at.cta].column(32 + at.column)[at.lane];
        ASSERT_EQ(bitsToFloat(cell), float(value * sum))
            << name(c) << " at " << row << ", " << n;
      }
  }
}

/// Eight words of disabled lanes: four for each CTA.
TEST(Tcgen05Placement, DisabledLanesOfAPair) {
  Fixture f;
  Case c = {2, false, 256, 32};
  std::vector<int> a = f.fill(2, 256, startA), b = f.fill(2, 32, startB);
  MmaOperands operands = operandsFor(c);
  operands.disabledLanes = {1u << 3, 0, 0, 1u << 31, 0, 1u << 7, 0, 0};
  ASSERT_TRUE(f.run(operands)) << f.refusal.message;
  for (uint32_t row = 0; row < 256; ++row)
    for (uint32_t n = 0; n < 32; ++n) {
      bool disabled = row == 3 || row == 127 || row == 128 + 39;
      uint32_t cell = f.tensor[row / 128].column(32 + n)[row % 128];
      ASSERT_EQ(cell,
                disabled ? 0xffffffffu : floatToBits(float(dot(a, row, b, n))))
          << row << ", " << n;
    }
}

/// Integers with both halves of B in different CTAs, saturation at the end.
TEST(Tcgen05Placement, IntegersOfAPair) {
  Fixture f;
  std::vector<int> a(256 * 32), b(64 * 32);
  for (uint32_t row = 0; row < 256; ++row)
    for (uint32_t k = 0; k < 32; ++k)
      *f.place(2, 256, startA, row, k) =
          std::byte(a[row * 32 + k] = int(f.random() % 256));
  for (uint32_t n = 0; n < 64; ++n)
    for (uint32_t k = 0; k < 32; ++k) {
      b[n * 32 + k] = int(f.random() % 256) - 128;
      *f.place(2, 64, startB, n, k) = std::byte(uint8_t(b[n * 32 + k]));
    }
  for (TensorMemory &tensor : f.tensor)
    for (uint32_t column = 0; column < 64; ++column) {
      for (uint32_t lane = 0; lane < 128; ++lane)
        tensor.column(column)[lane] = 0x80000010;
      tensor.markWritten(column, {~0ull, ~0ull});
    }
  for (bool saturate : {true, false}) {
    MmaOperands operands;
    operands.ctas = 2;
    operands.kind = MmaKind::I8;
    operands.a = descriptor(startA);
    operands.b = descriptor(startB);
    operands.accumulate = true;
    operands.instructionDescriptor = uint32_t(saturate) << 3 | 2u << 4 |
                                     1u << 10 | (64 >> 3) << 17 | 16u << 24;
    std::vector<uint32_t> before;
    for (TensorMemory &tensor : f.tensor)
      for (uint32_t column = 0; column < 64; ++column)
        before.insert(before.end(), tensor.column(column),
                      tensor.column(column) + 128);
    ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
    for (uint32_t row = 0; row < 256; ++row)
      for (uint32_t n = 0; n < 64; ++n) {
        int64_t sum = int32_t(before[(row / 128 * 64 + n) * 128 + row % 128]);
        for (uint32_t k = 0; k < 32; ++k)
          sum += a[row * 32 + k] * b[n * 32 + k];
        if (saturate)
          sum = std::max<int64_t>(std::min<int64_t>(sum, 0x7fffffff),
                                  -int64_t(0x80000000));
        ASSERT_EQ(f.tensor[row / 128].column(n)[row % 128], uint32_t(sum));
      }
  }
}

TEST(Tcgen05Placement, ChainsOfAPairAreBitIdentical) {
  Fixture one, all;
  std::mt19937 random(5);
  for (unsigned p = 0; p < 2; ++p)
    for (uint32_t at = sharedBegin; at < sharedEnd; ++at)
      // Keep exponents away from infinity and NaN.
      *one.shared[p].at(at) = *all.shared[p].at(at) =
          std::byte(random()) & std::byte(at % 2 ? 0xBB : 0xFF);
  Mma chain[4];
  MmaCtas ctas = one.memories(2);
  for (uint32_t i = 0; i < 4; ++i) {
    MmaOperands operands = operandsFor({2, false, 256, 48});
    operands.a += 16 * i;
    operands.b += 32 * i;
    operands.accumulate = i > 0;
    ASSERT_TRUE(Mma::issue(operands, ctas, chain[i], one.refusal))
        << one.refusal.message;
    ASSERT_TRUE(i == 0 || chain[i - 1].chains(chain[i]));
    ASSERT_TRUE(Mma::landChain(&chain[i], 1, ctas, Numerics::Fast, one.error));
  }
  ASSERT_TRUE(
      Mma::landChain(chain, 4, all.memories(2), Numerics::Fast, all.error));
  for (unsigned p = 0; p < 2; ++p)
    for (uint32_t n = 32; n < 80; ++n)
      ASSERT_EQ(
          std::memcmp(one.tensor[p].column(n), all.tensor[p].column(n), 512), 0)
          << p << ", " << n;
}

TEST(Tcgen05Placement, RefusesWithNumbers) {
  Fixture f;
  auto refusal = [&](Case c, auto change) {
    MmaOperands operands = operandsFor(c);
    change(operands);
    EXPECT_FALSE(f.run(operands)) << name(c);
    return f.refusal.message + f.error;
  };
  auto nothing = [](MmaOperands &) {};
  auto integers = [](MmaOperands &o) {
    o.kind = MmaKind::I8;
    o.instructionDescriptor &= ~(0x3fu << 7 | 3u << 4);
    o.instructionDescriptor |= 2u << 4;
  };
  auto expect = [](const std::string &message, const char *text) {
    EXPECT_NE(message.find(text), std::string::npos)
        << "got: " << message << "\nexpected: " << text;
  };
  expect(refusal({2, false, 64, 64}, nothing),
         "M = 64, N = 64: expected an M of 128 or 256 with cta_group::2");
  expect(
      refusal({2, false, 128, 24}, nothing),
      "M = 128, N = 24: expected an N of 16 to 256 that is a multiple of 16");
  expect(refusal({2, false, 256, 48}, integers),
         "N = 48: expected an N of 32 to 256 that is a multiple of 32");
  expect(refusal({1, true, 64, 32}, nothing),
         "N = 32: expected an N of 64, 128 or 256 with .ws");
  expect(refusal({1, true, 256, 64}, nothing),
         "M = 256, N = 64: expected an M of 32, 64 or 128 with .ws");
  expect(refusal({2, false, 256, 64}, [](MmaOperands &o) { o.d = 16 << 16; }),
         "operand D begins in tensor memory lane 16, expected lane 0");
  expect(refusal({2, false, 256, 256}, [](MmaOperands &o) { o.d = 300; }),
         "columns 300 to 555 does not exist");
  // A half of N lies below the other in the 2x2 data path.
  MmaOperands operands = operandsFor({2, false, 128, 256});
  operands.d = 300;
  EXPECT_TRUE(f.run(operands)) << f.refusal.message;
  std::string trap;
  ASSERT_TRUE(f.tensor[1].release(0, 512, trap));
  expect(refusal({2, false, 256, 64}, nothing),
         "column 32 of columns 32 to 95 is not allocated in the odd CTA of the "
         "pair");
}

TEST(Tcgen05Placement, DeallocatedInFlight) {
  Fixture f;
  MmaCtas ctas = f.memories(2);
  Mma mma;
  ASSERT_TRUE(
      Mma::issue(operandsFor({2, false, 256, 64}), ctas, mma, f.refusal));
  std::string trap;
  ASSERT_TRUE(f.tensor[1].release(0, 512, trap));
  EXPECT_FALSE(Mma::landChain(&mma, 1, ctas, Numerics::Fast, f.error));
  EXPECT_NE(f.error.find("is not allocated any more when the mma completes (in "
                         "the odd CTA of the pair)"),
            std::string::npos)
      << f.error;
}

/// The shapes on whose legality the sources differ.
TEST(Tcgen05Placement, ShapesInDoubt) {
  auto doubt = [](unsigned ctas, uint32_t m, uint32_t n) {
    MmaDescriptor shape;
    MmaForm form(MmaKind::F16);
    form.ctas = uint8_t(ctas);
    std::string error;
    bool unsupported = false;
    EXPECT_TRUE(MmaDescriptor::decode(
        form, operandsFor({ctas, false, m, n}).instructionDescriptor, shape,
        error, unsupported))
        << error;
    return !shape.shapeDoubt().empty();
  };
  EXPECT_FALSE(doubt(1, 64, 24));
  EXPECT_FALSE(doubt(1, 128, 32));
  EXPECT_TRUE(doubt(1, 128, 24));
  EXPECT_FALSE(doubt(2, 256, 96));
  EXPECT_TRUE(doubt(2, 256, 48));
}
