//===- Tcgen05ScaleTest.cpp - Narrow types and block scaling ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma of kind::f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4 against a plain loop
// in double precision, over operands whose sums every order forms exactly.
//
//===----------------------------------------------------------------------===//

#include "NarrowMmaFixture.h"

#include <gtest/gtest.h>

using namespace bwgemm::emulator;

using Scales = std::vector<std::vector<uint8_t>>;

constexpr uint32_t startA = 2048, startB = 32768, columnD = 0, columnA = 300,
                   columnScaleA = 320, columnScaleB = 340;
static const NarrowType narrowTypes[] = {e4m3, e5m2, e2m3, e3m2, e2m1};

TEST(Tcgen05Narrow, EveryPairOfTypes) {
  for (const NarrowType &typeA : narrowTypes)
    for (const NarrowType &typeB : narrowTypes)
      for (uint32_t m : {64u, 128u})
        for (bool fromTensor : {false, true})
          for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
            NarrowMmaFixture f;
            uint32_t n = 24;
            NarrowMatrix a = f.matrix(typeA, m, 32), b = f.matrix(typeB, n, 32);
            MmaOperands operands;
            operands.kind = MmaKind::F8F6F4;
            operands.a = fromTensor ? columnA : f.place(a, startA);
            operands.aInTensorMemory = fromTensor;
            if (fromTensor)
              f.placeTensor(a, columnA, [&](uint32_t row) {
                return m == 128 ? row : 32 * (row / 16) + row % 16;
              });
            operands.b = f.place(b, startB);
            operands.instructionDescriptor = 1u << 4 | typeA.code << 7 |
                                             typeB.code << 10 | (n >> 3) << 17 |
                                             (m >> 4) << 24;
            std::string where = std::string(typeA.name) + " x " + typeB.name;
            ASSERT_TRUE(f.run(operands, numerics)) << where << f.why();
            for (uint32_t row = 0; row < m; ++row)
              for (uint32_t column = 0; column < n; ++column) {
                double sum = 0;
                for (uint32_t k = 0; k < 32; ++k)
                  sum += a.at(row, k) * b.at(column, k);
                ASSERT_EQ(f.d(m, row, column), float(sum)) << where;
              }
          }
}

namespace {
/// One block-scaled instruction of cta_group::1.
struct ScaledCase {
  MmaKind kind;
  NarrowType a, b;
  unsigned blocks;
  bool isUE4M3 = false;
  unsigned idA = 0, idB = 0;
  uint32_t n = 40;
  bool fromTensor = false;

  uint32_t depth() const { return a.perChunk * 2; }
  uint32_t descriptor() const {
    return idB << 4 | a.code << 7 | b.code << 10 | (n >> 3) << 17 |
           uint32_t(!isUE4M3) << 23 | 1u << 27 | idA << 29;
  }
  MmaOperands operands() const {
    MmaOperands operands;
    operands.kind = kind;
    operands.scaleBlocks = uint8_t(blocks);
    operands.instructionDescriptor = descriptor();
    operands.scaleA = columnScaleA;
    operands.scaleB = columnScaleB;
    return operands;
  }
  double scale(uint8_t bits) const {
    return isUE4M3 ? ue4m3(bits) : ue8m0(bits);
  }
};
} // namespace

static Scales randomScales(NarrowMmaFixture &f, const ScaledCase &c,
                           uint32_t rows) {
  // 1, 2, 1.5, 0.5, 2.5 as UE4M3; powers of two as UE8M0.
  static const uint8_t nv[] = {0x38, 0x40, 0x3c, 0x30, 0x42};
  Scales scales(rows, std::vector<uint8_t>(c.blocks));
  for (auto &row : scales)
    for (uint8_t &scale : row)
      scale = c.isUE4M3 ? nv[f.random() % 5] : uint8_t(125 + f.random() % 5);
  return scales;
}

static std::vector<ScaledCase> scaledCases() {
  std::vector<ScaledCase> cases;
  unsigned index = 0;
  for (const NarrowType &a : narrowTypes)
    for (const NarrowType &b : narrowTypes) {
      ScaledCase c{MmaKind::MXF8F6F4, a, b, 1};
      c.idA = index % 4;
      c.idB = (index / 4) % 4;
      c.fromTensor = index++ % 2;
      cases.push_back(c);
    }
  for (MmaKind kind : {MmaKind::MXF4, MmaKind::MXF4NVF4})
    for (unsigned ids = 0; ids < 4; ++ids) {
      ScaledCase c{kind, packedE2m1, packedE2m1, 2};
      c.idA = 2 * (ids & 1);
      c.idB = 2 * (ids >> 1);
      c.fromTensor = ids == 2;
      cases.push_back(c);
    }
  for (bool isUE4M3 : {false, true})
    for (uint32_t n : {8u, 128u, 256u}) {
      ScaledCase c{MmaKind::MXF4NVF4, packedE2m1, packedE2m1, 4, isUE4M3};
      c.n = n;
      c.fromTensor = n == 8;
      cases.push_back(c);
    }
  return cases;
}

TEST(Tcgen05Scale, EveryKind) {
  for (const ScaledCase &c : scaledCases())
    for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
      NarrowMmaFixture f;
      uint32_t depth = c.depth(), perBlock = depth / c.blocks;
      NarrowMatrix a = f.matrix(c.a, 128, depth), b = f.matrix(c.b, c.n, depth);
      Scales scalesA = randomScales(f, c, 128),
             scalesB = randomScales(f, c, c.n);
      MmaOperands operands = c.operands();
      operands.aInTensorMemory = c.fromTensor;
      operands.a = c.fromTensor ? columnA : f.place(a, startA);
      if (c.fromTensor)
        f.placeTensor(a, columnA, [](uint32_t row) { return row; });
      operands.b = f.place(b, startB);
      f.placeScales(scalesA, columnScaleA, c.idA);
      f.placeScales(scalesB, columnScaleB, c.idB);
      std::string where = std::string(mmaKindName(c.kind)) + " " + c.a.name +
                          " x " + c.b.name + ", " + std::to_string(c.blocks) +
                          "X";
      ASSERT_TRUE(f.run(operands, numerics)) << where << ": " << f.why();
      operands.accumulate = true;
      ASSERT_TRUE(f.run(operands, numerics)) << where << ": " << f.why();
      for (uint32_t row = 0; row < 128; ++row)
        for (uint32_t column = 0; column < c.n; ++column) {
          double sum = 0;
          for (uint32_t s = 0; s < c.blocks; ++s) {
            double part = 0;
            for (uint32_t k = s * perBlock; k < (s + 1) * perBlock; ++k)
              part += a.at(row, k) * b.at(column, k);
            sum +=
                part * c.scale(scalesA[row][s]) * c.scale(scalesB[column][s]);
          }
          ASSERT_EQ(f.d(128, row, column), float(2 * sum))
              << where << " at " << row << ", " << column;
        }
    }
}

TEST(Tcgen05Scale, NegationOfBothOperands) {
  NarrowMmaFixture f;
  ScaledCase c{MmaKind::MXF4, packedE2m1, packedE2m1, 2};
  c.n = 8;
  NarrowMatrix a = f.matrix(c.a, 128, 64), b = f.matrix(c.b, 8, 64);
  MmaOperands operands = c.operands();
  operands.a = f.place(a, startA);
  operands.b = f.place(b, startB);
  f.placeScales(Scales(128, {127, 127}), columnScaleA, 0);
  f.placeScales(Scales(8, {127, 127}), columnScaleB, 0);
  ASSERT_TRUE(f.run(operands, Numerics::Fast)) << f.why();
  float plain = f.d(128, 5, 3);
  operands.instructionDescriptor |= 1u << 13;
  ASSERT_TRUE(f.run(operands, Numerics::Fast)) << f.why();
  EXPECT_EQ(f.d(128, 5, 3), -plain);
  operands.instructionDescriptor |= 1u << 14;
  ASSERT_TRUE(f.run(operands, Numerics::Exact)) << f.why();
  EXPECT_EQ(f.d(128, 5, 3), plain);
}

/// A quarter of the lanes multiplies with its own copy of the factors.
TEST(Tcgen05Scale, EveryQuarterReadsItsCopy) {
  NarrowMmaFixture f;
  ScaledCase c{MmaKind::MXF8F6F4, e4m3, e4m3, 1};
  c.n = 8;
  NarrowMatrix a = f.matrix(c.a, 128, 32), b = f.matrix(c.b, 8, 32);
  MmaOperands operands = c.operands();
  operands.a = f.place(a, startA);
  operands.b = f.place(b, startB);
  f.placeScales(Scales(128, {127}), columnScaleA, 0);
  f.placeScales(Scales(8, {127}), columnScaleB, 0);
  ASSERT_TRUE(f.run(operands, Numerics::Fast)) << f.why();
  float before[4];
  for (uint32_t quarter = 0; quarter < 4; ++quarter)
    before[quarter] = f.d(128, 32 * quarter + 7, 2);
  f.setByte(32 * 2 + 2, columnScaleB, 0, 130); // Column 2, third copy: 8.
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    ASSERT_TRUE(f.run(operands, numerics)) << f.why();
    for (uint32_t quarter = 0; quarter < 4; ++quarter)
      EXPECT_EQ(f.d(128, 32 * quarter + 7, 2),
                before[quarter] * (quarter == 2 ? 8 : 1));
  }
}

TEST(Tcgen05Scale, FactorsMustBeInEveryQuarter) {
  NarrowMmaFixture f;
  ScaledCase c{MmaKind::MXF8F6F4, e4m3, e4m3, 1};
  c.n = 8;
  MmaOperands operands = c.operands();
  operands.a = f.place(f.matrix(c.a, 128, 32), startA);
  operands.b = f.place(f.matrix(c.b, 8, 32), startB);
  f.placeScales(Scales(128, {127}), columnScaleA, 0);
  for (uint32_t lane = 0; lane < 8; ++lane)
    f.setByte(lane, columnScaleB, 0, 127);
  EXPECT_FALSE(f.run(operands, Numerics::Fast));
  EXPECT_NE(f.error.find("scale factors of B: uninitialised tensor memory: "
                         "lane 32, column 340"),
            std::string::npos)
      << f.error;
}

TEST(Tcgen05Scale, NaNFactors) {
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    NarrowMmaFixture f;
    ScaledCase c{MmaKind::MXF4NVF4, packedE2m1, packedE2m1, 4, true};
    c.n = 8;
    MmaOperands operands = c.operands();
    operands.a = f.place(f.matrix(c.a, 128, 64), startA);
    operands.b = f.place(f.matrix(c.b, 8, 64), startB);
    f.placeScales(Scales(128, {0x38, 0x38, 0x38, 0x38}), columnScaleA, 0);
    Scales scalesB(8, {0x38, 0x38, 0x38, 0x38});
    scalesB[4][2] = 0x7f;
    f.placeScales(scalesB, columnScaleB, 0);
    ASSERT_TRUE(f.run(operands, numerics)) << f.why();
    EXPECT_TRUE(std::isnan(f.d(128, 99, 4)));
    EXPECT_FALSE(std::isnan(f.d(128, 99, 3)));
    if (numerics == Numerics::Exact) {
      EXPECT_EQ(f.tensor.column(4)[99], 0x7fffffffu);
    }
  }
}

/// M = 256: each CTA has its rows of A and its factors; M = 128: layout B, the
/// columns of the second half in the upper 64 lanes, which hold their factors.
TEST(Tcgen05Scale, CtaPairs) {
  for (uint32_t m : {128u, 256u}) {
    NarrowMmaFixture even, odd;
    NarrowMmaFixture *ctas[] = {&even, &odd};
    ScaledCase c{MmaKind::MXF4NVF4, packedE2m1, packedE2m1, 4, true};
    uint32_t n = 96, rows = m / 2;
    c.n = n;
    NarrowMatrix a = even.matrix(c.a, m, 64), b = even.matrix(c.b, n, 64);
    Scales scalesA = randomScales(even, c, m),
           scalesB = randomScales(even, c, n);
    MmaOperands operands = c.operands();
    operands.ctas = 2;
    operands.instructionDescriptor &= ~(3u << 27);
    operands.instructionDescriptor |= (m >> 7) << 27;
    for (uint32_t p = 0; p < 2; ++p) {
      NarrowMmaFixture &f = *ctas[p];
      operands.a = f.place(a.part(p * rows, rows), startA);
      operands.b = f.place(b.part(p * n / 2, n / 2), startB);
      f.placeScales(
          Scales(scalesA.begin() + p * rows, scalesA.begin() + (p + 1) * rows),
          columnScaleA, 0);
      if (m == 256) {
        f.placeScales(scalesB, columnScaleB, 0);
        continue;
      }
      for (uint32_t column = 0; column < n; ++column)
        for (uint32_t s = 0; s < 4; ++s)
          for (uint32_t copy = 0; copy < 2; ++copy) {
            uint32_t half = column / (n / 2), i = column % (n / 2);
            f.setByte(64 * half + 32 * copy + i % 32, columnScaleB + i / 32, s,
                      scalesB[column][s]);
          }
    }
    for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
      MmaCtas memories(even.tensor, even.shared, odd.tensor, odd.shared);
      Mma mma;
      MmaRefusal refusal;
      std::string error;
      ASSERT_TRUE(Mma::issue(operands, memories, mma, refusal))
          << refusal.message;
      ASSERT_TRUE(Mma::landChain(&mma, 1, memories, numerics, error)) << error;
      for (uint32_t row = 0; row < m; ++row)
        for (uint32_t column = 0; column < n; ++column) {
          double sum = 0;
          for (uint32_t s = 0; s < 4; ++s) {
            double part = 0;
            for (uint32_t k = 16 * s; k < 16 * s + 16; ++k)
              part += a.at(row, k) * b.at(column, k);
            sum += part * ue4m3(scalesA[row][s]) * ue4m3(scalesB[column][s]);
          }
          uint32_t lane = row % rows, at = column;
          if (m == 128) {
            lane += 64 * (column / (n / 2));
            at = column % (n / 2);
          }
          ASSERT_EQ(bitsToFloat(ctas[row / rows]->tensor.column(at)[lane]),
                    float(sum))
              << "M = " << m << " at " << row << ", " << column;
        }
    }
  }
}

TEST(Tcgen05Scale, RefusesWithNumbers) {
  NarrowMmaFixture f;
  ScaledCase mx{MmaKind::MXF8F6F4, e4m3, e2m1, 1};
  ScaledCase nv{MmaKind::MXF4NVF4, packedE2m1, packedE2m1, 4, true};
  NarrowMatrix a = f.matrix(e4m3, 128, 32), b = f.matrix(e4m3, 40, 32);
  auto refuses = [&](const ScaledCase &c, auto change, const char *text,
                     bool unsupported = false) {
    MmaOperands operands = c.operands();
    operands.a = f.place(a, startA);
    operands.b = f.place(b, startB);
    change(operands);
    EXPECT_FALSE(f.run(operands, Numerics::Fast)) << text;
    EXPECT_NE(f.why().find(text), std::string::npos)
        << "got: " << f.why() << "\nexpected: " << text;
    EXPECT_EQ(f.refusal.unsupported, unsupported) << text;
  };
  using O = MmaOperands;
  auto flip = [](unsigned bit) {
    return [bit](O &o) { o.instructionDescriptor ^= 1u << bit; };
  };
  auto set = [](unsigned from, unsigned width, uint32_t value) {
    return [=](O &o) {
      o.instructionDescriptor &= ~(((1u << width) - 1) << from);
      o.instructionDescriptor |= value << from;
    };
  };
  // Every bit that must be zero.
  for (const ScaledCase &c : {mx, nv}) {
    refuses(c, flip(0), "bits 0 and 1 are 1");
    refuses(c, flip(1), "bits 0 and 1 are 2");
    refuses(c, flip(2), "sparsity bit is set in a dense mma");
    refuses(c, flip(3), "reserved bit");
    refuses(c, flip(6), "reserved bit");
    refuses(c, flip(24), "bits 24 to 26 are 1");
    refuses(c, flip(26), "bits 24 to 26 are 4");
    refuses(c, set(27, 2, 2), "M = 256, N = 40: expected an M of 128");
    refuses(c, set(27, 2, 0), "M = 0");
    refuses(c, set(17, 6, 33), "N = 264");
    refuses(c, set(17, 6, 0), "N = 0");
    refuses(
        c, [](O &o) { o.scaleA += 32 << 16; },
        "scale factors begin in tensor memory lane 32, expected lane 0");
    refuses(
        c, [](O &o) { o.scaleA = 510; },
        "scale factors of A: tensor memory column 512");
    refuses(
        c, [](O &o) { o.scaleB = 511; },
        "scale factors of B: tensor memory column 512");
  }
  refuses(mx, flip(31), "reserved bit 31");
  refuses(mx, flip(23), "scale type 0 (UE4M3) with scale_vec::1X");
  refuses(mx, set(7, 3, 2), "A type 2, expected 0 (e4m3)");
  refuses(mx, set(10, 3, 7), "B type 7, expected 0 (e4m3)");
  refuses(mx, flip(16), "must be K-major");
  refuses(nv, flip(12), "reserved bit (3, 6 or 12)");
  refuses(nv, flip(15), "a transpose bit (15 or 16) is set");
  refuses(nv, flip(16), "a transpose bit (15 or 16) is set");
  refuses(nv, set(7, 3, 5), "A type 5 and B type 1, expected 1 (e2m1)");
  refuses(nv, flip(31), "K = 96 (bit 31)", true);
  refuses(nv, set(29, 2, 1),
          "the id of A's scale factors is 1, expected 0 "
          "with scale_vec::4X");
  refuses(nv, set(4, 2, 2), "the id of B's scale factors is 2");
  ScaledCase two = nv;
  two.blocks = 2;
  refuses(two, flip(29), "scale type 0 (UE4M3) with scale_vec::2X");
  two.isUE4M3 = false;
  refuses(two, set(4, 2, 3),
          "the id of B's scale factors is 3, expected 0 or "
          "2 with scale_vec::2X");
}
