//===- NarrowMmaFixture.h - Operands of narrow and sparse mmas --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of every element type that tcgen05.mma takes, and what belongs to
// them: scale factors and sparsity metadata. Everything is placed bit by bit as
// the PTX ISA and public kernel libraries describe it, with formulas of its
// own.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_EMULATOR_NARROWMMAFIXTURE_H
#define BWGEMM_TEST_UNIT_EMULATOR_NARROWMMAFIXTURE_H

#include "machine/HalfConvert.h"
#include "machine/Tcgen05Mma.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// An element type: its bits, the stride of elements in a 16-byte chunk, how
/// many a chunk holds, and the place of its bits in a cell of tensor memory.
struct NarrowType {
  const char *name;
  unsigned bits, stride, perChunk;
  unsigned cellStride, cellShift;
  unsigned code; ///< In the instruction descriptor.
};

inline constexpr NarrowType e4m3 = {"e4m3", 8, 8, 16, 8, 0, 0},
                            e5m2 = {"e5m2", 8, 8, 16, 8, 0, 1},
                            e2m3 = {"e2m3", 6, 6, 16, 8, 0, 3},
                            e3m2 = {"e3m2", 6, 6, 16, 8, 0, 4},
                            e2m1 = {"e2m1", 4, 4, 16, 8, 2, 5},
                            packedE2m1 = {"e2m1x2", 4, 4, 32, 4, 0, 1},
                            s8 = {"s8", 8, 8, 16, 8, 0, 1},
                            bf16Type = {"bf16", 16, 16, 8, 16, 0, 1},
                            f16Type = {"f16", 16, 16, 8, 16, 0, 0},
                            tf32Type = {"tf32", 32, 32, 4, 32, 0, 2};

/// The value of an encoding, from the definition of the format.
inline double narrowValue(const NarrowType &type, uint32_t bits) {
  std::string name = type.name;
  if (name == "s8")
    return int8_t(bits);
  if (name == "bf16")
    return bitsToFloat(bits << 16);
  if (name == "f16")
    return f16ToFloat(uint16_t(bits));
  if (name == "tf32")
    return bitsToFloat(bits);
  unsigned exponentBits = unsigned(name[1] - '0'),
           fractionBits = unsigned(name[3] - '0');
  unsigned fraction = bits & ((1u << fractionBits) - 1);
  unsigned exponent = (bits >> fractionBits) & ((1u << exponentBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double value = std::ldexp(double(fraction), -int(fractionBits));
  value = exponent ? std::ldexp(1 + value, int(exponent) - bias)
                   : std::ldexp(value, 1 - bias);
  return (bits >> (type.bits - 1)) & 1 ? -value : value;
}

/// Rows by `depth` encodings.
struct NarrowMatrix {
  NarrowType type = e4m3;
  uint32_t rows = 0, depth = 0;
  std::vector<uint32_t> bits;
  std::vector<double> values;
  double at(uint32_t row, uint32_t k) const { return values[row * depth + k]; }
  /// Rows [first, first + count).
  NarrowMatrix part(uint32_t first, uint32_t count) const {
    NarrowMatrix matrix = *this;
    matrix.rows = count;
    matrix.bits.assign(bits.begin() + first * depth,
                       bits.begin() + (first + count) * depth);
    matrix.values.assign(values.begin() + first * depth,
                         values.begin() + (first + count) * depth);
    return matrix;
  }
};

struct NarrowMmaFixture {
  static constexpr uint32_t sharedBegin = 1024, sharedEnd = 200 * 1024;
  std::unique_ptr<std::byte[]> storage{new std::byte[sharedEnd]()};
  SharedWindow shared{storage.get(), sharedBegin, sharedEnd};
  TensorMemory tensor;
  std::mt19937 random{3};
  MmaRefusal refusal;
  std::string error;

  NarrowMmaFixture() {
    uint32_t address;
    tensor.allocate(512, address, error);
  }

  /// Random encodings of small magnitude: sums of products are exact in f32.
  NarrowMatrix matrix(const NarrowType &type, uint32_t rows, uint32_t depth) {
    NarrowMatrix m;
    m.type = type;
    m.rows = rows;
    m.depth = depth;
    for (uint32_t i = 0; i < rows * depth; ++i) {
      uint32_t bits;
      if (i >= 256) { // Enough variety; judging every draw is slow.
        uint32_t from = uint32_t(random() % 256);
        m.bits.push_back(m.bits[from]);
        m.values.push_back(m.values[from]);
        continue;
      }
      do {
        bits = uint32_t(random());
        if (type.bits < 32)
          bits &= (1u << type.bits) - 1;
        if (type.bits == 32)
          bits = floatToBits(float(int(bits % 17) - 8));
        if (type.bits == 16)
          bits = std::string(type.name) == "bf16"
                     ? floatToBits(float(int(bits % 17) - 8)) >> 16
                     : floatToF16(float(int(bits % 17) - 8));
      } while (!(std::fabs(narrowValue(type, bits)) <= 16) ||
               std::fmod(narrowValue(type, bits) * 16, 1) != 0);
      m.bits.push_back(bits);
      m.values.push_back(narrowValue(type, bits));
    }
    return m;
  }

  static void putBits(std::byte *base, unsigned at, unsigned count,
                      uint32_t bits) {
    if (at % 8 == 0 && count % 8 == 0) {
      std::memcpy(base + at / 8, &bits, count / 8);
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      std::byte mask = std::byte(1u << ((at + i) % 8));
      std::byte &byte = base[(at + i) / 8];
      byte = (bits >> i) & 1 ? byte | mask : byte & ~mask;
    }
  }

  /// Places the matrix K-major without swizzle: eight rows of a chunk side by
  /// side, then the next eight rows, then the next chunk. Returns the
  /// descriptor.
  uint64_t place(const NarrowMatrix &m, uint32_t start) {
    uint32_t sbo = 128, lbo = m.rows * 16 + 128;
    for (uint32_t row = 0; row < m.rows; ++row)
      for (uint32_t k = 0; k < m.depth; ++k) {
        uint32_t chunk = k / m.type.perChunk;
        putBits(shared.at(start + row % 8 * 16 + row / 8 * sbo + chunk * lbo),
                k % m.type.perChunk * m.type.stride, m.type.bits,
                m.bits[row * m.depth + k]);
      }
    return uint64_t(start >> 4) | uint64_t(lbo >> 4) << 16 |
           uint64_t(sbo >> 4) << 32 | 1ull << 46;
  }

  /// Places A in tensor memory: row r in lane `laneOf(r)`.
  template <typename LaneOf>
  void placeTensor(const NarrowMatrix &m, uint32_t column, LaneOf laneOf) {
    unsigned perCell = 32 / m.type.cellStride;
    for (uint32_t row = 0; row < m.rows; ++row)
      for (uint32_t k = 0; k < m.depth; ++k)
        putBits(reinterpret_cast<std::byte *>(
                    tensor.column(column + k / perCell) + laneOf(row)),
                k % perCell * m.type.cellStride + m.type.cellShift, m.type.bits,
                m.bits[row * m.depth + k]);
    for (uint32_t c = column; c < column + 8; ++c)
      tensor.markWritten(c, {~0ull, ~0ull});
  }

  void setByte(uint32_t lane, uint32_t column, uint32_t byte, uint8_t value) {
    uint32_t &cell = tensor.column(column)[lane];
    cell = (cell & ~(0xffu << (8 * byte))) | uint32_t(value) << (8 * byte);
    tensor.markWritten(column, TensorMemory::LaneSet::range(lane, 1));
  }
  /// Places scale factors: row i in lane i % 32 of each quarter, column i / 32,
  /// factor s in byte id + s.
  void placeScales(const std::vector<std::vector<uint8_t>> &scales,
                   uint32_t column, uint32_t id) {
    for (uint32_t i = 0; i < scales.size(); ++i)
      for (uint32_t s = 0; s < scales[i].size(); ++s)
        for (uint32_t quarter = 0; quarter < 4; ++quarter)
          setByte(32 * quarter + i % 32, column + i / 32, id + s, scales[i][s]);
  }

  bool run(const MmaOperands &operands, Numerics numerics) {
    Mma mma;
    refusal = {};
    error.clear();
    return Mma::issue(operands, tensor, shared, mma, refusal) &&
           mma.land(tensor, shared, numerics, error);
  }
  std::string why() const { return refusal.message + error; }
  /// D of layout D (128 rows), or F (64) from lane 0.
  float d(uint32_t m, uint32_t row, uint32_t n) const {
    uint32_t lane = m == 128 ? row : 32 * (row / 16) + row % 16;
    return bitsToFloat(tensor.column(n)[lane]);
  }
};

/// UE8M0 and UE4M3, from their definitions.
inline double ue8m0(uint8_t bits) { return std::ldexp(1.0, int(bits) - 127); }
inline double ue4m3(uint8_t bits) { return narrowValue(e4m3, bits & 0x7f); }

} // namespace bwgemm::emulator

#endif // BWGEMM_TEST_UNIT_EMULATOR_NARROWMMAFIXTURE_H
