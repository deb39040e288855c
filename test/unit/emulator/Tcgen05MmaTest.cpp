//===- Tcgen05MmaTest.cpp - tcgen05.mma against a plain loop ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are placed in shared memory with the canonical layouts of the PTX
// ISA, written here in their (shape):(stride) form, element by element; the
// result is compared with a loop in double precision over small integers, for
// which every order of summation is exact.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"
#include "machine/HalfConvert.h"
#include "machine/Tcgen05MmaKernels.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t sharedBegin = 1024, sharedEnd = 200 * 1024;

/// A descriptor's layout code and the span of its swizzle in bytes.
struct Mode {
  const char *name;
  uint32_t code, span;
};
constexpr Mode modes[] = {
    {"none", 0, 16}, {"32B", 6, 32}, {"64B", 4, 64}, {"128B", 2, 128}};

/// How one operand is laid out; strides as the descriptor has them.
struct Layout {
  Mode mode;
  bool mnMajor;
  uint32_t lbo, sbo; ///< Bytes.

  /// Byte offset of element (row, k) of 16 bits, before the swizzle: the
  /// canonical layouts of the ISA with T = 8 elements to 16 bytes.
  uint32_t offset(uint32_t row, uint32_t k) const {
    const uint32_t T = 8;
    uint32_t spanElements = mode.span / 2, L = lbo / 2, S = sbo / 2;
    uint32_t elements;
    if (!mnMajor && mode.span == 16) // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
      elements = (row % 8) * T + (row / 8) * S + (k % T) + (k / T) * L;
    else if (!mnMajor) // ((8,m),(T,2k)):((span,SBO),(1,T))
      elements =
          (row % 8) * spanElements + (row / 8) * S + (k % T) + (k / T) * T;
    else if (mode.span == 16) // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
      elements = (row % T) + (row / T) * S + (k % 8) * T + (k / 8) * L;
    else // ((T,w,m),(8,k)):((1,T,LBO),(span,SBO))
      elements = (row % spanElements) + (row / spanElements) * L +
                 (k % 8) * spanElements + (k / 8) * S;
    return elements * 2;
  }
  /// Where that is in shared memory: 16-byte chunks of 128-byte lines XORed
  /// with the line's number modulo the rows of the pattern.
  uint32_t place(uint32_t start, uint32_t row, uint32_t k) const {
    uint32_t address = start + offset(row, k);
    uint32_t line = address / 128, chunk = (address / 16) % 8;
    chunk ^= line % (mode.span / 16);
    return line * 128 + chunk * 16 + address % 16;
  }
  uint64_t descriptor(uint32_t start) const {
    return uint64_t((start & 0x3ffff) >> 4) | uint64_t(lbo >> 4) << 16 |
           uint64_t(sbo >> 4) << 32 | 1ull << 46 | uint64_t(mode.code) << 61;
  }
};

/// A layout with strides that leave gaps, so that a wrong stride shows.
Layout layoutFor(const Mode &mode, bool mnMajor, uint32_t rows) {
  if (mode.span == 16)
    return mnMajor ? Layout{mode, true, rows * 32 + 128, 256}
                   : Layout{mode, false, rows * 16 + 256, 128};
  if (!mnMajor)
    return {mode, false, 16, 8 * mode.span + 1024};
  uint32_t spans = (rows * 2 + mode.span - 1) / mode.span;
  return {mode, true, 8 * mode.span, 8 * mode.span * spans + 1024};
}

uint32_t idesc(bool bf16, bool f32, bool mnA, bool mnB, uint32_t m,
               uint32_t n) {
  return uint32_t(f32) << 4 | uint32_t(bf16) << 7 | uint32_t(bf16) << 10 |
         uint32_t(mnA) << 15 | uint32_t(mnB) << 16 | (n >> 3) << 17 |
         (m >> 4) << 24;
}

struct Fixture {
  std::unique_ptr<std::byte[]> storage{new std::byte[sharedEnd]()};
  SharedWindow shared{storage.get(), sharedBegin, sharedEnd};
  TensorMemory tensor;
  std::mt19937 random{7};
  MmaRefusal refusal;
  std::string error;

  Fixture() {
    uint32_t address;
    tensor.allocate(512, address, error);
  }
  /// Rows by 16 small integers, placed as `layout` says; returns the values.
  std::vector<double> place(const Layout &layout, uint32_t start, uint32_t rows,
                            bool bf16) {
    std::vector<double> values(rows * 16);
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t k = 0; k < 16; ++k) {
        int value = int(random() % 17) - 8;
        values[row * 16 + k] = value;
        uint16_t bits = bf16 ? uint16_t(floatToBits(float(value)) >> 16)
                             : floatToF16(float(value));
        std::memcpy(shared.at(layout.place(start, row, k)), &bits, 2);
      }
    return values;
  }
  bool run(const MmaOperands &operands, Numerics numerics = Numerics::Fast) {
    Mma mma;
    refusal = {};
    error.clear();
    return Mma::issue(operands, tensor, shared, mma, refusal) &&
           mma.land(tensor, shared, numerics, error);
  }
  float d(uint32_t m, uint32_t row, uint32_t n, uint32_t base = 0,
          uint32_t column = 0) {
    // Layout D: lane = row. Layout F: 16 rows in each quarter of the lanes.
    uint32_t lane = m == 128 ? row : 32 * (row / 16) + row % 16 + base;
    return bitsToFloat(tensor.column(column + n)[lane]);
  }
};

} // namespace

TEST(Tcgen05Mma, EveryLayoutAndShape) {
  for (bool bf16 : {true, false})
    for (const Mode &modeA : modes)
      for (const Mode &modeB : modes)
        for (bool mnA : {false, true})
          for (bool mnB : {false, true})
            for (auto [m, n] : {std::pair<uint32_t, uint32_t>{64, 64},
                                {64, 8},
                                {64, 72},
                                {128, 16},
                                {128, 256}}) {
              // The full product of modes with the large shape is slow in a
              // plain loop; equal modes are enough there.
              if (n == 256 && modeA.code != modeB.code)
                continue;
              Fixture f;
              Layout la = layoutFor(modeA, mnA, m);
              Layout lb = layoutFor(modeB, mnB, n);
              uint32_t startA = 2048, startB = 100 * 1024;
              std::vector<double> a = f.place(la, startA, m, bf16);
              std::vector<double> b = f.place(lb, startB, n, bf16);
              MmaOperands operands;
              operands.a = la.descriptor(startA);
              operands.b = lb.descriptor(startB);
              operands.instructionDescriptor =
                  idesc(bf16, true, mnA, mnB, m, n);
              std::string where = std::string(bf16 ? "bf16 " : "f16 ") +
                                  modeA.name + (mnA ? " MN x " : " K x ") +
                                  modeB.name + (mnB ? " MN " : " K ") +
                                  std::to_string(m) + "x" + std::to_string(n);
              ASSERT_TRUE(f.run(operands))
                  << where << f.refusal.message << f.error;
              operands.accumulate = true;
              ASSERT_TRUE(f.run(operands)) << where << f.error;
              for (uint32_t row = 0; row < m; ++row)
                for (uint32_t column = 0; column < n; ++column) {
                  double sum = 0;
                  for (uint32_t k = 0; k < 16; ++k)
                    sum += a[row * 16 + k] * b[column * 16 + k];
                  ASSERT_EQ(f.d(m, row, column), float(2 * sum))
                      << where << " at " << row << ", " << column;
                }
            }
}

/// The K step inside of a 128-byte span: 32 bytes on the start address.
TEST(Tcgen05Mma, AdvancesInsideTheSwizzleSpan) {
  Fixture f;
  Layout layout{modes[3], false, 16, 1024};
  std::vector<double> values[2];
  for (unsigned operand = 0; operand < 2; ++operand) {
    values[operand].resize(64 * 64);
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t k = 0; k < 64; ++k) {
        int value = int(f.random() % 9) - 4;
        values[operand][row * 64 + k] = value;
        uint16_t bits = uint16_t(floatToBits(float(value)) >> 16);
        // Row r of the tile is line r; chunk k / 8 is XORed with r % 8.
        uint32_t at = 8192 * (1 + operand) + row * 128 +
                      ((k / 8) ^ (row % 8)) * 16 + (k % 8) * 2;
        std::memcpy(f.shared.at(at), &bits, 2);
      }
  }
  MmaOperands operands;
  operands.instructionDescriptor = idesc(true, true, false, false, 64, 64);
  for (uint32_t step = 0; step < 4; ++step) {
    operands.a = layout.descriptor(8192 + 32 * step);
    operands.b = layout.descriptor(16384 + 32 * step);
    operands.accumulate = step > 0;
    ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
  }
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t n = 0; n < 64; ++n) {
      double sum = 0;
      for (uint32_t k = 0; k < 64; ++k)
        sum += values[0][row * 64 + k] * values[1][n * 64 + k];
      ASSERT_EQ(f.d(64, row, n), float(sum)) << row << ", " << n;
    }
}

/// A swizzle pattern that begins three lines after a multiple of 1024: row r of
/// the operand is line r of the pattern.
TEST(Tcgen05Mma, BaseOffset) {
  Fixture f;
  std::vector<double> values[2];
  for (unsigned operand = 0; operand < 2; ++operand) {
    values[operand].resize(64 * 16);
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t k = 0; k < 16; ++k) {
        int value = int(f.random() % 9) - 4;
        values[operand][row * 16 + k] = value;
        uint16_t bits = uint16_t(floatToBits(float(value)) >> 16);
        uint32_t at = 16384 * (1 + operand) + 3 * 128 + row * 128 +
                      ((k / 8) ^ (row % 8)) * 16 + (k % 8) * 2;
        std::memcpy(f.shared.at(at), &bits, 2);
      }
  }
  Layout layout{modes[3], false, 16, 1024};
  MmaOperands operands;
  operands.instructionDescriptor = idesc(true, true, false, false, 64, 64);
  operands.a = layout.descriptor(16384 + 384) | 3ull << 49;
  operands.b = layout.descriptor(32768 + 384) | 3ull << 49;
  ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t n = 0; n < 64; ++n) {
      double sum = 0;
      for (uint32_t k = 0; k < 16; ++k)
        sum += values[0][row * 16 + k] * values[1][n * 16 + k];
      ASSERT_EQ(f.d(64, row, n), float(sum)) << row << ", " << n;
    }
}

/// MN-major tf32: 32 rows to a line of 128 bytes, four k to a block, and the
/// swizzle moves 32 bytes: pair p of line l lies at p ^ (l % 4).
TEST(Tcgen05Mma, MnMajorTf32) {
  Fixture f;
  const uint32_t lbo = 4096, sbo = 512 + 1024;
  auto place = [&](uint32_t start, uint32_t row, uint32_t k) {
    uint32_t linear = start + (row / 32) * lbo + (k / 4) * sbo + (k % 4) * 128 +
                      (row % 32) * 4;
    uint32_t line = linear / 128, pair = linear / 32 % 4;
    return f.shared.at(line * 128 + (pair ^ line % 4) * 32 + linear % 32);
  };
  std::vector<int> a(128 * 8), b(64 * 8);
  for (unsigned operand = 0; operand < 2; ++operand)
    for (uint32_t row = 0; row < (operand ? 64u : 128u); ++row)
      for (uint32_t k = 0; k < 8; ++k) {
        int value = (operand ? b : a)[row * 8 + k] = int(f.random() % 33) - 16;
        float number = float(value);
        std::memcpy(place(operand ? 65536 : 16384, row, k), &number, 4);
      }
  auto descriptor = [&](uint32_t start) {
    return uint64_t(start >> 4) | uint64_t(lbo >> 4) << 16 |
           uint64_t(sbo >> 4) << 32 | 1ull << 46 | 1ull << 61;
  };
  MmaOperands operands;
  operands.kind = MmaKind::TF32;
  operands.a = descriptor(16384);
  operands.b = descriptor(65536);
  operands.instructionDescriptor =
      1u << 4 | 2u << 7 | 2u << 10 | 3u << 15 | (64 >> 3) << 17 | 8u << 24;
  ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t n = 0; n < 64; ++n) {
      int sum = 0;
      for (uint32_t k = 0; k < 8; ++k)
        sum += a[row * 8 + k] * b[n * 8 + k];
      ASSERT_EQ(f.d(128, row, n), float(sum)) << row << ", " << n;
    }
  operands.b = (operands.b & ~(7ull << 61)) | 2ull << 61;
  EXPECT_FALSE(f.run(operands));
  EXPECT_NE(f.refusal.message.find("an MN-major tf32 operand needs layout 1"),
            std::string::npos);
}

/// Mmas that land together give the bits of those that land one by one.
TEST(Tcgen05Mma, ChainsAreBitIdentical) {
  for (bool bf16 : {true, false})
    for (bool mnMajor : {false, true}) {
      Fixture one, all;
      std::mt19937 random(17);
      for (uint32_t at = sharedBegin; at < 128 * 1024; ++at) {
        // Keep exponents away from infinity and NaN.
        std::byte value = std::byte(random()) & std::byte(at % 2 ? 0xBB : 0xFF);
        *one.shared.at(at) = *all.shared.at(at) = value;
      }
      Layout layout = layoutFor(modes[3], mnMajor, 128);
      Mma chain[4];
      for (uint32_t i = 0; i < 4; ++i) {
        MmaOperands operands;
        operands.a = layout.descriptor(2048 + 4096 * i);
        operands.b = layout.descriptor(65536 + 2048 * i);
        operands.instructionDescriptor =
            idesc(bf16, true, mnMajor, mnMajor, 128, 40) | uint32_t(bf16) << 13;
        operands.accumulate = i > 0;
        ASSERT_TRUE(
            Mma::issue(operands, one.tensor, one.shared, chain[i], one.refusal))
            << one.refusal.message;
        ASSERT_TRUE(i == 0 || chain[i - 1].chains(chain[i]));
        ASSERT_TRUE(
            chain[i].land(one.tensor, one.shared, Numerics::Fast, one.error));
      }
      ASSERT_FALSE(chain[3].chains(chain[0])) << "does not accumulate";
      ASSERT_TRUE(Mma::landChain(chain, 4, all.tensor, all.shared,
                                 Numerics::Fast, all.error));
      for (uint32_t n = 0; n < 40; ++n)
        ASSERT_EQ(std::memcmp(one.tensor.column(n), all.tensor.column(n), 512),
                  0)
            << n;
    }
}

TEST(Tcgen05Mma, OperandAInTensorMemory) {
  for (uint32_t m : {64u, 128u})
    for (uint32_t base : {0u, 16u}) {
      if (m == 128 && base)
        continue;
      Fixture f;
      Layout lb = layoutFor(modes[3], false, 32);
      std::vector<double> b = f.place(lb, 2048, 32, true);
      std::vector<double> a(m * 16);
      for (uint32_t row = 0; row < m; ++row)
        for (uint32_t k = 0; k < 16; ++k) {
          int value = int(f.random() % 9) - 4;
          a[row * 16 + k] = value;
          uint32_t lane = m == 128 ? row : 32 * (row / 16) + row % 16 + base;
          uint32_t &cell = f.tensor.column(300 + k / 2)[lane];
          uint32_t bits = floatToBits(float(value)) >> 16;
          cell =
              k % 2 ? (cell & 0xffff) | bits << 16 : (cell & 0xffff0000) | bits;
        }
      MmaOperands operands;
      operands.aInTensorMemory = true;
      operands.a = base << 16 | 300;
      operands.d = base << 16 | 64;
      operands.b = lb.descriptor(2048);
      operands.instructionDescriptor = idesc(true, true, false, false, m, 32);
      EXPECT_FALSE(f.run(operands)) << "A was never written";
      EXPECT_NE(f.error.find("operand A: uninitialised tensor memory"),
                std::string::npos)
          << f.error;
      for (uint32_t c = 0; c < 8; ++c)
        f.tensor.markWritten(300 + c, {~0ull, ~0ull});
      ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
      for (uint32_t row = 0; row < m; ++row)
        for (uint32_t n = 0; n < 32; ++n) {
          double sum = 0;
          for (uint32_t k = 0; k < 16; ++k)
            sum += a[row * 16 + k] * b[n * 16 + k];
          ASSERT_EQ(f.d(m, row, n, base, 64), float(sum)) << row << ", " << n;
        }
    }
}

TEST(Tcgen05Mma, NegateScaleAndDisabledLanes) {
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    Fixture f;
    Layout la = layoutFor(modes[1], false, 128);
    Layout lb = layoutFor(modes[2], true, 16);
    std::vector<double> a = f.place(la, 2048, 128, true);
    std::vector<double> b = f.place(lb, 100 * 1024, 16, true);
    for (uint32_t c = 0; c < 16; ++c) {
      for (uint32_t lane = 0; lane < 128; ++lane)
        f.tensor.column(c)[lane] = floatToBits(float(lane) * 8 + c);
      f.tensor.markWritten(c, {~0ull, ~0ull});
    }
    MmaOperands operands;
    operands.a = la.descriptor(2048);
    operands.b = lb.descriptor(100 * 1024);
    operands.instructionDescriptor =
        idesc(true, true, false, true, 128, 16) | 1u << 13;
    operands.accumulate = true;
    operands.scaleInputD = 2;
    operands.disabledLanes = {0x10, 0, 0x80000000, 0};
    ASSERT_TRUE(f.run(operands, numerics)) << f.refusal.message << f.error;
    for (uint32_t row = 0; row < 128; ++row)
      for (uint32_t n = 0; n < 16; ++n) {
        double sum = (double(row) * 8 + n) / 4;
        for (uint32_t k = 0; k < 16; ++k)
          sum -= a[row * 16 + k] * b[n * 16 + k];
        bool disabled = row == 4 || row == 95;
        ASSERT_EQ(f.d(128, row, n), disabled ? float(row) * 8 + n : float(sum))
            << row << ", " << n;
      }
  }
}

TEST(Tcgen05Mma, HalfAccumulator) {
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    Fixture f;
    Layout la = layoutFor(modes[3], false, 64);
    Layout lb = layoutFor(modes[3], false, 24);
    std::vector<double> a = f.place(la, 2048, 64, false);
    std::vector<double> b = f.place(lb, 100 * 1024, 24, false);
    MmaOperands operands;
    operands.a = la.descriptor(2048);
    operands.b = lb.descriptor(100 * 1024);
    operands.instructionDescriptor = idesc(false, false, false, false, 64, 24);
    ASSERT_TRUE(f.run(operands, numerics)) << f.refusal.message;
    operands.accumulate = true;
    ASSERT_TRUE(f.run(operands, numerics)) << f.error;
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t n = 0; n < 24; ++n) {
        double sum = 0;
        for (uint32_t k = 0; k < 16; ++k)
          sum += a[row * 16 + k] * b[n * 16 + k];
        uint32_t cell = f.tensor.column(n)[32 * (row / 16) + row % 16];
        ASSERT_EQ(cell, floatToF16(float(2 * sum))) << row << ", " << n;
      }
  }
}

/// All variants of the kernels give the bits of a chain of fused
/// multiply-adds.
TEST(Tcgen05Mma, KernelVariantsAgree) {
  std::mt19937 random(3);
  std::vector<std::byte> storage(sharedEnd);
  for (std::byte &byte : storage)
    byte = std::byte(random());
  // Keep exponents away from infinity and NaN.
  for (size_t i = 1; i < storage.size(); i += 2)
    storage[i] &= std::byte(0xBB);
  SharedWindow shared{storage.data(), sharedBegin, sharedEnd};
  for (MmaElement element : {MmaElement::F16, MmaElement::BF16})
    for (const Mode &mode : modes)
      for (bool mnMajor : {false, true}) {
        MatrixDescriptor descriptor;
        std::string error;
        bool unsupported;
        ASSERT_TRUE(MatrixDescriptor::decode(
            layoutFor(mode, mnMajor, 128).descriptor(4096), descriptor, error,
            unsupported));
        SharedMatrix matrix(descriptor, mnMajor);
        std::vector<float> reference;
        for (auto list = availableMmaKernels(); *list; ++list) {
          const MmaKernels &kernels = **list;
          std::vector<float> a(maxPanelFloats), b(maxPanelFloats);
          std::vector<float> d(128 * 128, 0.5f);
          const uint32_t lanes[] = {0, 16, 32, 48, 64, 80, 96, 112};
          PanelMultiply work;
          kernels.packTransposed(matrix, shared.origin(), element, 128,
                                 a.data());
          work.a = a.data();
          work.b = kernels.packB(matrix, shared.origin(), element, 128, 0, 1,
                                 b.data());
          work.groups = 8;
          work.n = 128;
          work.k = 16;
          work.d = d.data();
          work.dColumnStride = 128;
          work.laneOffset = lanes;
          work.accumulate = true;
          kernels.multiply(work);
          if (reference.empty())
            reference = d;
          else
            ASSERT_EQ(std::memcmp(reference.data(), d.data(), d.size() * 4), 0)
                << kernels.name << " " << mode.name << (mnMajor ? " MN" : " K");
        }
      }
}

TEST(Tcgen05Mma, IntegerAccumulatorIsExactAndSaturates) {
  Fixture f;
  // K-major, 32 elements of one byte: 128 rows of 32 bytes, no swizzle.
  Layout layout{modes[0], false, 2048, 128};
  auto place = [&](uint32_t start, uint32_t row, uint32_t k) -> std::byte & {
    return *f.shared.at(start + (row % 8) * 16 + (row / 8) * 128 +
                        (k / 16) * 2048 + k % 16);
  };
  std::vector<int> a(128 * 32), b(16 * 32);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t k = 0; k < 32; ++k)
      place(2048, row, k) = std::byte(a[row * 32 + k] = int(f.random() % 256));
  for (uint32_t n = 0; n < 16; ++n)
    for (uint32_t k = 0; k < 32; ++k) {
      b[n * 32 + k] = int(f.random() % 256) - 128;
      place(32768, n, k) = std::byte(uint8_t(b[n * 32 + k]));
    }
  for (uint32_t c = 0; c < 16; ++c) {
    for (uint32_t lane = 0; lane < 128; ++lane)
      f.tensor.column(c)[lane] = 0x7ffffff0;
    f.tensor.markWritten(c, {~0ull, ~0ull});
  }
  MmaOperands operands;
  operands.kind = MmaKind::I8;
  operands.a = layout.descriptor(2048);
  operands.b = layout.descriptor(32768);
  operands.accumulate = true;
  operands.instructionDescriptor =
      1u << 3 | 2u << 4 | 0u << 7 | 1u << 10 | 2u << 17 | 8u << 24;
  ASSERT_TRUE(f.run(operands)) << f.refusal.message << f.error;
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t n = 0; n < 16; ++n) {
      int64_t sum = 0x7ffffff0;
      for (uint32_t k = 0; k < 32; ++k)
        sum += a[row * 32 + k] * b[n * 32 + k];
      ASSERT_EQ(int32_t(f.tensor.column(n)[row]),
                int32_t(std::min<int64_t>(sum, 0x7fffffff)));
    }
}

TEST(Tcgen05Mma, OtherKinds) {
  // tf32: K = 8, low bits ignored; e4m3 and e5m2: K = 32.
  Fixture f;
  Layout layout{modes[0], false, 4096, 128};
  auto place = [&](uint32_t start, uint32_t row, uint32_t byte) {
    return f.shared.at(start + (row % 8) * 16 + (row / 8) * 128 +
                       (byte / 16) * 4096 + byte % 16);
  };
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t k = 0; k < 8; ++k) {
      uint32_t one = floatToBits(float(row % 5) + 1) | 0x1fff;
      uint32_t two = floatToBits(float(k) - 3) | (k == 3 ? 0 : 0x1000);
      std::memcpy(place(2048, row, 4 * k), &one, 4);
      std::memcpy(place(32768, row, 4 * k), &two, 4);
    }
  MmaOperands operands;
  operands.kind = MmaKind::TF32;
  operands.a = layout.descriptor(2048);
  operands.b = layout.descriptor(32768);
  operands.instructionDescriptor =
      1u << 4 | 2u << 7 | 2u << 10 | 2u << 17 | 8u << 24;
  ASSERT_TRUE(f.run(operands)) << f.refusal.message;
  for (uint32_t row = 0; row < 128; ++row) // sum of k - 3 over 0..7 is 4
    ASSERT_EQ(f.d(128, row, 5), float((row % 5 + 1) * 4));

  // e4m3 0x38 = 1, 0x40 = 2, 0x01 = 2^-9; e5m2 0x3c = 1, 0x01 = 2^-16.
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t k = 0; k < 32; ++k) {
      *place(2048, row, k) = std::byte(k == 31 ? 0x40 : 0x01);
      *place(32768, row, k) = std::byte(k == 31 ? 0x3c : 0x01);
    }
  operands.kind = MmaKind::F8F6F4;
  operands.instructionDescriptor =
      1u << 4 | 0u << 7 | 1u << 10 | 2u << 17 | 8u << 24;
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    ASSERT_TRUE(f.run(operands, numerics)) << f.refusal.message;
    // 31 * 2^-25 + 2. In fp32 the small terms come first and add up to
    // almost 2^-20; in the exact model the unit is 2^(1 - 25) and each is
    // truncated to nothing.
    EXPECT_EQ(f.d(128, 9, 3),
              numerics == Numerics::Exact ? 2.0f : 2.0f + 0x1p-20f);
  }
}

TEST(Tcgen05Mma, RefusesWithNumbers) {
  Fixture f;
  Layout layout{modes[3], false, 16, 1024};
  MmaOperands good;
  good.a = layout.descriptor(2048);
  good.b = layout.descriptor(32768);
  good.instructionDescriptor = 0x08400490; // bf16, M = 128, N = 256
  ASSERT_TRUE(f.run(good)) << f.refusal.message;
  auto refuses = [&](auto change, const char *text, bool unsupported = false) {
    MmaOperands operands = good;
    change(operands);
    EXPECT_FALSE(f.run(operands)) << text;
    EXPECT_NE((f.refusal.message + f.error).find(text), std::string::npos)
        << "got: " << f.refusal.message << f.error << "\nexpected: " << text;
    EXPECT_EQ(f.refusal.unsupported, unsupported) << text;
  };
  using O = MmaOperands;
  auto setB = [](O &o, unsigned bit, uint64_t width, uint64_t value) {
    o.b = (o.b & ~(((1ull << width) - 1) << bit)) | value << bit;
  };
  auto setI = [](O &o, unsigned bit, uint32_t width, uint32_t value) {
    o.instructionDescriptor =
        (o.instructionDescriptor & ~(((1u << width) - 1) << bit)) | value
                                                                        << bit;
  };
  refuses([&](O &o) { setB(o, 46, 3, 0); }, "bits 46..48 are 0");
  refuses([&](O &o) { setB(o, 52, 1, 1); }, "bit 52", true);
  refuses([&](O &o) { setB(o, 53, 8, 9); }, "bits 53..60 are 9");
  for (unsigned code : {3u, 5u, 7u})
    refuses([&](O &o) { setB(o, 61, 3, code); }, "layout ");
  refuses([&](O &o) { setB(o, 61, 3, 1); }, "layout 1");
  refuses([&](O &o) { setB(o, 0, 14, 0); }, "outside of the CTA's shared");
  refuses([&](O &o) { setB(o, 0, 14, 0x3fff); }, "outside of the CTA's shared");
  refuses([&](O &o) { setB(o, 32, 14, 0x3fff); },
          "outside of the CTA's shared");
  refuses([&](O &o) { setI(o, 24, 5, 16); }, "M = 256, N = 256");
  refuses([&](O &o) { setI(o, 17, 6, 0); }, "N = 0");
  refuses([&](O &o) { setI(o, 17, 6, 33); }, "N = 264");
  refuses([&](O &o) { setI(o, 4, 2, 2); }, "D type 2, expected 0 (f16) or 1");
  refuses([&](O &o) { setI(o, 7, 3, 2); }, "A type 2, expected 0 (f16) or 1");
  refuses([&](O &o) { setI(o, 7, 3, 0); }, "different types");
  refuses([&](O &o) { setI(o, 2, 1, 1); }, "sparsity");
  refuses([&](O &o) { setI(o, 3, 1, 1); }, "saturation");
  refuses([&](O &o) { setI(o, 6, 1, 1); }, "reserved bit");
  refuses([&](O &o) { setI(o, 30, 2, 1); }, "maximum shift is 1");
  refuses([&](O &o) { o.d = 300; }, "columns 300 to 555 does not exist");
  refuses([&](O &o) { o.d = 16 << 16; }, "lane 16, expected lane 0");
  refuses([&](O &o) { o.aInTensorMemory = true, setI(o, 15, 1, 1); },
          "must be K-major");
  refuses([&](O &o) { o.kind = MmaKind::F8F6F4, setI(o, 7, 3, 2); },
          "A type 2, expected 0 (e4m3)");
  refuses(
      [&](O &o) {
        o.kind = MmaKind::F8F6F4, setI(o, 7, 3, 5), setI(o, 15, 1, 1);
      },
      "6-bit or 4-bit elements must be K-major");
}

TEST(Tcgen05Mma, UninitialisedAccumulator) {
  Fixture f;
  Layout layout{modes[3], false, 16, 1024};
  MmaOperands operands;
  operands.a = layout.descriptor(2048);
  operands.b = layout.descriptor(32768);
  operands.instructionDescriptor = idesc(true, true, false, false, 64, 64);
  operands.accumulate = true;
  operands.d = 32;
  EXPECT_FALSE(f.run(operands));
  EXPECT_NE(f.error.find("operand D: uninitialised tensor memory: lane 0, "
                         "column 32"),
            std::string::npos)
      << f.error;
  operands.accumulate = false;
  EXPECT_TRUE(f.run(operands));
  operands.accumulate = true;
  EXPECT_TRUE(f.run(operands));
}
