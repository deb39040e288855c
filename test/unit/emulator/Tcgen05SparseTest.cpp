//===- Tcgen05SparseTest.cpp - tcgen05.mma.sp -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse A is drawn whole, compressed here, and multiplied whole in a plain
// loop in double precision.
//
//===----------------------------------------------------------------------===//

#include "NarrowMmaFixture.h"

#include <gtest/gtest.h>
#include <limits>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t startA = 2048, startB = 65536, columnA = 300,
                   columnMetadata = 316, columnScaleA = 320, columnScaleB = 340;

struct SparseCase {
  MmaKind kind;
  NarrowType a, b;
  uint32_t granule, kept; ///< Of `granule` elements along K, `kept` are stored.
  unsigned blocks = 0;
  bool isUE4M3 = false;
  unsigned selector = 0;
  uint32_t stored() const { return 2 * a.perChunk; }
  uint32_t depth() const { return 2 * stored(); }
};

const SparseCase sparseCases[] = {
    {MmaKind::F16, bf16Type, bf16Type, 4, 2},
    {MmaKind::F16, f16Type, f16Type, 4, 2, 0, false, 1},
    {MmaKind::TF32, tf32Type, tf32Type, 2, 1},
    {MmaKind::TF32, tf32Type, tf32Type, 2, 1, 0, false, 1},
    {MmaKind::F8F6F4, e4m3, e5m2, 4, 2},
    {MmaKind::F8F6F4, e2m3, e2m1, 4, 2},
    {MmaKind::I8, s8, s8, 4, 2},
    {MmaKind::MXF8F6F4, e5m2, e3m2, 4, 2, 1},
    {MmaKind::MXF4, packedE2m1, packedE2m1, 8, 4, 2},
    {MmaKind::MXF4NVF4, packedE2m1, packedE2m1, 8, 4, 4, true},
};

/// A compressed, and the four metadata bits of each chunk of each row.
struct Compressed {
  NarrowMatrix stored;
  std::vector<uint32_t> metadata; ///< row * chunks + chunk
  std::vector<uint8_t> kept;      ///< Whole A: row * depth + k
};

Compressed compress(NarrowMmaFixture &f, const SparseCase &c,
                    const NarrowMatrix &whole) {
  Compressed result;
  result.stored.type = whole.type;
  result.stored.rows = whole.rows;
  result.stored.depth = whole.depth / 2;
  result.kept.resize(whole.rows * whole.depth);
  // Two indices of two bits each: of elements, or of pairs of them.
  static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
  for (uint32_t row = 0; row < whole.rows; ++row)
    for (uint32_t chunk = 0; chunk < whole.depth / c.granule; ++chunk) {
      uint32_t bits =
          c.kept == 1 ? (f.random() & 1 ? 0xe : 0x4) : pairs[f.random() % 7];
      result.metadata.push_back(bits);
      std::vector<uint32_t> places;
      if (c.kept == 1)
        places = {bits == 0xe ? 1u : 0u};
      else if (c.kept == 2)
        places = {bits & 3, bits >> 2};
      else
        places = {2 * (bits & 3), 2 * (bits & 3) + 1, 2 * (bits >> 2),
                  2 * (bits >> 2) + 1};
      for (uint32_t place : places) {
        uint32_t at = row * whole.depth + chunk * c.granule + place;
        result.kept[at] = 1;
        result.stored.bits.push_back(whole.bits[at]);
        result.stored.values.push_back(whole.values[at]);
      }
    }
  return result;
}

uint32_t laneOf(uint32_t m, uint32_t row) {
  return m == 128 ? row : 32 * (row / 16) + row % 16;
}

/// 16 and 32 bits: chunks 0 to 3 of a row lie eight lanes before chunks 4 to 7,
/// in the lower half of a cell for the first and the upper for the second eight
/// of 16 rows. Narrower: a row's chunks lie side by side in its lane.
void placeMetadata(NarrowMmaFixture &f, const SparseCase &c, uint32_t m,
                   const Compressed &a) {
  uint32_t chunks = c.depth() / c.granule;
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      uint32_t lane = laneOf(m, row), column = columnMetadata, shift;
      if (c.a.bits >= 16) {
        lane = laneOf(m, row / 16 * 16) + row % 8 + 8 * (chunk / 4);
        column += c.selector;
        shift = 16 * (row % 16 / 8) + 4 * (chunk % 4);
      } else {
        column += chunk / 8;
        shift = 4 * (chunk % 8);
      }
      uint32_t &cell = f.tensor.column(column)[lane];
      cell = (cell & ~(15u << shift)) | a.metadata[row * chunks + chunk]
                                            << shift;
      f.tensor.markWritten(column, TensorMemory::LaneSet::range(lane, 1));
    }
}

uint32_t descriptor(const SparseCase &c, uint32_t m, uint32_t n) {
  uint32_t bits = 1u << 2 | c.a.code << 7 | c.b.code << 10 | (n >> 3) << 17;
  if (c.blocks)
    return bits | uint32_t(!c.isUE4M3) << 23 | (m >> 7) << 27;
  return bits | c.selector | (c.kind == MmaKind::I8 ? 2u : 1u) << 4 |
         (m >> 4) << 24;
}

MmaOperands operandsOf(const SparseCase &c, uint32_t m, uint32_t n) {
  MmaOperands operands;
  operands.kind = c.kind;
  operands.sparse = true;
  operands.scaleBlocks = uint8_t(c.blocks);
  operands.instructionDescriptor = descriptor(c, m, n);
  operands.metadata = columnMetadata;
  operands.scaleA = columnScaleA;
  operands.scaleB = columnScaleB;
  return operands;
}

} // namespace

TEST(Tcgen05Sparse, EveryKind) {
  for (const SparseCase &c : sparseCases)
    for (uint32_t m : {64u, 128u})
      for (bool fromTensor : {false, true})
        for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
          if (m == 64 && c.blocks)
            continue;
          NarrowMmaFixture f;
          uint32_t n = 16, depth = c.depth();
          NarrowMatrix a = f.matrix(c.a, m, depth), b = f.matrix(c.b, n, depth);
          Compressed compressed = compress(f, c, a);
          MmaOperands operands = operandsOf(c, m, n);
          operands.aInTensorMemory = fromTensor;
          operands.a =
              fromTensor ? columnA : f.place(compressed.stored, startA);
          if (fromTensor)
            f.placeTensor(compressed.stored, columnA,
                          [&](uint32_t row) { return laneOf(m, row); });
          operands.b = f.place(b, startB);
          placeMetadata(f, c, m, compressed);
          // Factors that grow along K: 1, 2, 4, 8.
          uint8_t one = c.isUE4M3 ? 0x38 : 127, step = c.isUE4M3 ? 8 : 1;
          std::vector<uint8_t> factors;
          for (unsigned s = 0; s < c.blocks; ++s)
            factors.push_back(uint8_t(one + step * s));
          f.placeScales({m, factors}, columnScaleA, 0);
          f.placeScales({n, std::vector<uint8_t>(c.blocks, one)}, columnScaleB,
                        0);
          ASSERT_TRUE(f.run(operands, numerics))
              << mmaKindName(c.kind) << ": " << f.why();
          for (uint32_t row = 0; row < m; ++row)
            for (uint32_t column = 0; column < n; ++column) {
              double sum = 0;
              for (uint32_t k = 0; k < depth; ++k)
                if (compressed.kept[row * depth + k])
                  sum += a.at(row, k) * b.at(column, k) *
                         (c.blocks ? 1 << (k * c.blocks / depth) : 1);
              uint32_t cell = f.tensor.column(column)[laneOf(m, row)];
              double d = c.kind == MmaKind::I8 ? int32_t(cell)
                                               : double(bitsToFloat(cell));
              ASSERT_EQ(d, sum) << mmaKindName(c.kind) << ", M = " << m
                                << " at " << row << ", " << column;
            }
        }
}

/// What A does not store takes no part: a NaN or an infinity of B there does
/// not show.
TEST(Tcgen05Sparse, BBesideTheStoredElements) {
  for (Numerics numerics : {Numerics::Fast, Numerics::Exact}) {
    NarrowMmaFixture f;
    const SparseCase &c = sparseCases[0];
    NarrowMatrix a = f.matrix(c.a, 64, 32), b = f.matrix(c.b, 8, 32);
    Compressed compressed = compress(f, c, a);
    // Row 3 stores elements 0 and 1 of every four; B has NaNs at 2.
    for (uint32_t chunk = 0; chunk < 8; ++chunk)
      compressed.metadata[3 * 8 + chunk] = 0x4;
    compressed.metadata[4 * 8] = 0x8; // Row 4 meets one.
    for (uint32_t k = 2; k < 32; k += 4)
      b.bits[5 * 32 + k] = 0x7fc0;
    MmaOperands operands = operandsOf(c, 64, 8);
    operands.a = f.place(compressed.stored, startA);
    operands.b = f.place(b, startB);
    placeMetadata(f, c, 64, compressed);
    ASSERT_TRUE(f.run(operands, numerics)) << f.why();
    EXPECT_FALSE(std::isnan(f.d(64, 3, 5)));
    EXPECT_TRUE(std::isnan(f.d(64, 4, 5)));
    EXPECT_FALSE(std::isnan(f.d(64, 4, 4)));
  }
}

TEST(Tcgen05Sparse, Refuses) {
  NarrowMmaFixture f;
  const SparseCase &c = sparseCases[4];
  NarrowMatrix a = f.matrix(c.a, 64, 64), b = f.matrix(c.b, 8, 64);
  Compressed compressed = compress(f, c, a);
  MmaOperands good = operandsOf(c, 64, 8);
  good.a = f.place(compressed.stored, startA);
  good.b = f.place(b, startB);
  auto refuses = [&](auto change, const char *text, bool unsupported = false) {
    MmaOperands operands = good;
    change(operands);
    EXPECT_FALSE(f.run(operands, Numerics::Fast)) << text;
    EXPECT_NE(f.why().find(text), std::string::npos) << f.why();
    EXPECT_EQ(f.refusal.unsupported, unsupported) << text;
  };
  using O = MmaOperands;
  refuses([](O &) {}, "sparsity metadata: uninitialised tensor memory: lane 0, "
                      "column 316");
  compressed.metadata[7 * 16 + 2] = 0x3;
  placeMetadata(f, c, 64, compressed);
  refuses([](O &) {}, "sparsity metadata 0x3 of row 7, chunk 2 has no meaning: "
                      "expected 0x4, 0x6, 0x8, 0x9, 0xc, 0xd or 0xe");
  compressed.metadata[7 * 16 + 2] = 0x4;
  placeMetadata(f, c, 64, compressed);
  ASSERT_TRUE(f.run(good, Numerics::Fast)) << f.why();
  refuses([](O &o) { o.instructionDescriptor ^= 4; },
          "the sparsity bit (2) is clear with .sp");
  refuses([](O &o) { o.instructionDescriptor |= 1; },
          "the sparsity selector is 1, expected 0");
  refuses([](O &o) { o.metadata |= 16 << 16; },
          "the sparsity metadata and D begin in tensor memory lanes 16 and 0");
  refuses([](O &o) { o.metadata += 1; }, "an odd column is not modelled", true);
  refuses([](O &o) { o.metadata = 512; }, "column 512");
  refuses([](O &o) { o.b |= 6ull << 61; }, "64 bytes of K in a 32B swizzle",
          true);
  refuses([](O &o) { o.sparse = false; },
          "the sparsity bit is set in a dense mma");
}
