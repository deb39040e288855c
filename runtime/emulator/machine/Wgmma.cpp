//===- Wgmma.cpp - D = A * B + D in registers -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Wgmma.h"

#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"
#include "machine/Tcgen05MmaKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Operands in shared memory
//===----------------------------------------------------------------------===//

namespace {
/// How many indices and chunks an operand has, in the terms of SharedLayout.h.
struct Extent {
  uint32_t indices, chunks;
};
} // namespace

static Extent extentOf(const WgmmaShape &shape, char name, bool mnMajor) {
  bool isA = name == 'A';
  uint32_t rows = isA ? wgmmaRows : shape.n;
  uint32_t depth = isA ? shape.storedK() : shape.k();
  uint32_t perChunk = 16 / mmaElementBytes(shape.a);
  uint32_t along = mnMajor ? rows : depth;
  return {mnMajor ? depth : rows, (along + perChunk - 1) / perChunk};
}

bool decodeWgmmaOperand(const WgmmaShape &shape, char name, uint64_t bits,
                        const SharedWindow &shared, SharedMatrix &result,
                        std::string &error) {
  bool mnMajor = name == 'A' ? shape.mnMajorA : shape.mnMajorB;
  MatrixDescriptor descriptor = MatrixDescriptor::decodeWgmma(bits);
  result = SharedMatrix(descriptor, mnMajor);
  Extent extent = extentOf(shape, name, mnMajor);
  uint32_t end = result.end(extent.indices, extent.chunks);
  if (descriptor.start >= shared.begin && end <= shared.end)
    return true;
  error = std::string("operand ") + name + ": the matrix at shared address " +
          std::to_string(descriptor.start) + " (LBO " +
          std::to_string(descriptor.leadingOffset) + ", SBO " +
          std::to_string(descriptor.strideOffset) + ") ends at " +
          std::to_string(end) + ", outside of the CTA's shared memory [" +
          std::to_string(shared.begin) + ", " + std::to_string(shared.end) +
          ")";
  return false;
}

void appendWgmmaChunks(const WgmmaShape &shape, char name,
                       const SharedMatrix &matrix,
                       std::vector<uint32_t> &addresses) {
  Extent extent = extentOf(shape, name, matrix.mnMajor);
  for (uint32_t s = 0; s < extent.indices; ++s)
    for (uint32_t c = 0; c < extent.chunks; ++c)
      addresses.push_back(matrix.address(s, c));
}

/// Calls `visit(row, k, bytes)` for each element of an operand.
template <class Visit>
static void forEachElement(const WgmmaShape &shape, char name,
                           const SharedMatrix &matrix, const std::byte *origin,
                           Visit &&visit) {
  Extent extent = extentOf(shape, name, matrix.mnMajor);
  uint32_t bytes = mmaElementBytes(shape.a), perChunk = 16 / bytes;
  uint32_t rows = name == 'A' ? wgmmaRows : shape.n;
  for (uint32_t s = 0; s < extent.indices; ++s)
    for (uint32_t c = 0; c < extent.chunks; ++c) {
      const std::byte *from = origin + matrix.address(s, c);
      for (uint32_t e = 0; e < perChunk; ++e) {
        uint32_t along = c * perChunk + e;
        uint32_t row = matrix.mnMajor ? along : s;
        if (row < rows)
          visit(row, matrix.mnMajor ? s : along, from + e * bytes);
      }
    }
}

//===----------------------------------------------------------------------===//
// Fragments in registers
//===----------------------------------------------------------------------===//

/// The byte of element 0 of register `r` of A in `lane` within a row of 32
/// bytes, and the row within the 16 of a warp.
static uint32_t fragmentByte(unsigned r, unsigned lane) {
  return (lane % 4) * 4 + 16 * (r / 2);
}
static uint32_t fragmentRow(unsigned r, unsigned lane) {
  return lane / 4 + 8 * (r % 2);
}

/// Calls `visit(row, k, bytes)` for each element of A.
template <class Visit>
static void forEachRegisterElement(const WgmmaShape &shape,
                                   const WgmmaInput &input, Visit &&visit) {
  uint32_t bytes = mmaElementBytes(shape.a);
  for (unsigned warp = 0; warp < warpgroupWarps; ++warp)
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned lane = 0; lane < 32; ++lane) {
        const std::byte *word = reinterpret_cast<const std::byte *>(
            &input.aRegisters[(warp * 4 + r) * 32 + lane]);
        uint32_t row = warp * 16 + fragmentRow(r, lane);
        for (uint32_t e = 0; e < 4; e += bytes)
          visit(row, (fragmentByte(r, lane) + e) / bytes, word + e);
      }
}

void wgmmaLoadCells(const WgmmaShape &shape, const std::byte *file,
                    const uint32_t *slots, unsigned warp, uint32_t *cells) {
  bool isHalf = shape.d == MmaAccumulator::F16;
  for (uint32_t i = 0; i < shape.registers(); ++i) {
    const uint32_t *from = reinterpret_cast<const uint32_t *>(file + slots[i]);
    uint32_t first = isHalf ? i / 2 * 8 : i / 4 * 8 + i % 2;
    uint32_t row = warp * 16 + 8 * (isHalf ? i % 2 : i / 2 % 2);
    uint32_t *to = cells + first * wgmmaRows + row;
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t *cell = to + lane % 4 * 2 * wgmmaRows + lane / 4;
      if (isHalf) {
        cell[0] = from[lane] & 0xffff;
        cell[wgmmaRows] = from[lane] >> 16;
      } else {
        cell[0] = from[lane];
      }
    }
  }
}

void wgmmaStoreCells(const WgmmaShape &shape, std::byte *file,
                     const uint32_t *slots, unsigned warp,
                     const uint32_t *cells) {
  bool isHalf = shape.d == MmaAccumulator::F16;
  for (uint32_t i = 0; i < shape.registers(); ++i) {
    uint32_t *to = reinterpret_cast<uint32_t *>(file + slots[i]);
    uint32_t first = isHalf ? i / 2 * 8 : i / 4 * 8 + i % 2;
    uint32_t row = warp * 16 + 8 * (isHalf ? i % 2 : i / 2 % 2);
    const uint32_t *from = cells + first * wgmmaRows + row;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint32_t *cell = from + lane % 4 * 2 * wgmmaRows + lane / 4;
      to[lane] = isHalf ? cell[0] | cell[wgmmaRows] << 16 : cell[0];
    }
  }
}

//===----------------------------------------------------------------------===//
// Sparse A
//===----------------------------------------------------------------------===//

/// Where along K the elements of a row of a sparse A belong: stored element s
/// of row `row`. For 16-bit and 8-bit types every two stored elements are of a
/// group of four, each with two bits that say which; for tf32 every one is of a
/// group of two, and its four bits name the two 16-bit halves of a group of
/// four: 0b0100 is the first, 0b1110 the second element.
///
/// Metadata of 8-bit types: lane 4 g + t holds row g + 8 (t % 2) and the half
/// t / 2 of K. Others: the lanes 4 g + 2 * selector + h hold the half h of K,
/// row g in the low and row g + 8 in the high 16 bits.
static uint32_t positionOf(const WgmmaShape &shape, const WgmmaInput &input,
                           uint32_t row, uint32_t stored) {
  uint32_t half = stored / (shape.storedK() / 2);
  uint32_t inHalf = stored % (shape.storedK() / 2);
  uint32_t warp = row / 16, g = row % 8, upper = row / 8 % 2;
  const uint32_t *lanes = &input.metadata[warp * 32 + g * 4];
  switch (mmaElementBytes(shape.a)) {
  case 1: {
    uint32_t word = lanes[half * 2 + upper];
    uint32_t index = (word >> (2 * inHalf)) & 3;
    return half * shape.storedK() + inHalf / 2 * 4 + index;
  }
  case 2: {
    uint32_t word = lanes[shape.selector * 2 + half] >> (16 * upper);
    uint32_t index = (word >> (2 * inHalf)) & 3;
    return half * shape.storedK() + inHalf / 2 * 4 + index;
  }
  default: {
    uint32_t word = lanes[shape.selector * 2 + half] >> (16 * upper);
    uint32_t index = (word >> (4 * inHalf + 1)) & 1;
    return half * shape.storedK() + inHalf * 2 + index;
  }
  }
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

namespace {
/// Memory that a wgmma needs while it executes; one per host thread.
struct Scratch {
  alignas(64) float a[wgmmaRows * 16 * maxMmaChain];
  alignas(64) float b[maxPanelFloats];
  std::vector<float> d;
};
} // namespace

static Scratch &scratch() {
  static thread_local Scratch instance;
  return instance;
}

static const uint32_t rowGroups[] = {0, 16, 32, 48};

static ExactModel modelOf(const WgmmaShape &shape) {
  ExactModel model;
  bool isShort = mmaElementBytes(shape.a) == 1;
  if (isShort)
    model.windowBits = 13;
  if (shape.d == MmaAccumulator::F16)
    model.output = ExactOutput::F16;
  else if (isShort)
    model.output = ExactOutput::F32Short;
  return model;
}

static uint32_t addSaturating(uint32_t d, int64_t sum, bool saturate) {
  int64_t total = int64_t(int32_t(d)) + sum;
  if (saturate)
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(total);
}

/// A to scratch().a + 64 * firstK: (row, k) at k * 64 + row.
static void packA(const WgmmaShape &shape, const WgmmaInput &input,
                  const std::byte *origin, uint32_t firstK) {
  float *panel = scratch().a + size_t(firstK) * wgmmaRows;
  auto place = [&](uint32_t row, uint32_t k, const std::byte *bytes) {
    panel[k * wgmmaRows + row] = loadMmaElement(shape.a, bytes);
  };
  if (shape.aInRegisters)
    forEachRegisterElement(shape, input, place);
  else if (mmaElementBytes(shape.a) == 2 && input.a.shift == 0)
    mmaKernels().packTransposed(input.a, origin, shape.a, wgmmaRows, panel);
  else
    forEachElement(shape, 'A', input.a, origin, place);
  // The sign of a product is all that a negation changes.
  if (shape.negate)
    for (uint32_t i = 0; i < wgmmaRows * shape.storedK(); ++i)
      panel[i] = -panel[i];
}

static Panel packB(const WgmmaShape &shape, const WgmmaInput &input,
                   const std::byte *origin, uint32_t index, uint32_t count) {
  float *panel = scratch().b;
  if (mmaElementBytes(shape.b) == 2 && !shape.sparse && input.b.shift == 0)
    return mmaKernels().packB(input.b, origin, shape.b, shape.n, index, count,
                              panel);
  panel += size_t(index) * shape.k() * shape.n;
  forEachElement(shape, 'B', input.b, origin,
                 [&](uint32_t row, uint32_t k, const std::byte *bytes) {
                   panel[k * shape.n + row] = loadMmaElement(shape.b, bytes);
                 });
  return {scratch().b, 1, shape.n};
}

/// Accumulates in a copy of D. The sum of an integer wgmma's products stays
/// below 2^24, so that f32 forms it exactly and D is added as an integer.
static void multiplyThroughCopy(const WgmmaShape &shape, PanelMultiply work,
                                uint32_t *cells) {
  size_t count = size_t(shape.n) * wgmmaRows;
  std::vector<float> &copy = scratch().d;
  copy.resize(count);
  bool accumulate = work.accumulate;
  work.d = copy.data();
  if (shape.isInteger()) {
    work.accumulate = false;
    mmaKernels().multiply(work);
    for (size_t i = 0; i < count; ++i)
      cells[i] = addSaturating(accumulate ? cells[i] : 0, int64_t(copy[i]),
                               shape.saturate);
    return;
  }
  if (accumulate)
    for (size_t i = 0; i < count; ++i)
      copy[i] = f16ToFloat(uint16_t(cells[i]));
  mmaKernels().multiply(work);
  for (size_t i = 0; i < count; ++i)
    cells[i] = floatToF16(copy[i]);
}

/// .b1: the bits that A and B have in common, counted.
static void multiplyBits(const WgmmaShape &shape, const WgmmaInput &input,
                         const std::byte *origin, uint32_t *cells) {
  std::vector<uint64_t> a(wgmmaRows * 4), b(size_t(shape.n) * 4);
  auto placeIn = [](std::vector<uint64_t> &words) {
    return [&words](uint32_t row, uint32_t k, const std::byte *bytes) {
      reinterpret_cast<std::byte *>(&words[row * 4])[k] = *bytes;
    };
  };
  if (shape.aInRegisters)
    forEachRegisterElement(shape, input, placeIn(a));
  else
    forEachElement(shape, 'A', input.a, origin, placeIn(a));
  forEachElement(shape, 'B', input.b, origin, placeIn(b));
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t row = 0; row < wgmmaRows; ++row) {
      uint32_t &cell = cells[n * wgmmaRows + row];
      uint32_t sum = 0;
      for (unsigned word = 0; word < 4; ++word)
        sum +=
            uint32_t(__builtin_popcountll(a[row * 4 + word] & b[n * 4 + word]));
      cell = (input.accumulate ? cell : 0) + sum;
    }
}

/// Products one by one: each row of A meets other elements of B.
static void multiplySparse(const WgmmaShape &shape, const WgmmaInput &input,
                           const SharedWindow &shared, Numerics numerics,
                           uint32_t *cells) {
  packA(shape, input, shared.origin(), 0);
  Panel b = packB(shape, input, shared.origin(), 0, 1);
  const float *a = scratch().a;
  uint32_t stored = shape.storedK();
  bool isHalf = shape.d == MmaAccumulator::F16;
  ExactModel model = modelOf(shape);
  ExactFormat formatA = exactFormat(shape.a), formatB = exactFormat(shape.b);
  std::vector<uint32_t> positions(stored);
  std::vector<ExactTerm> termsA(stored), termsB(stored);
  for (uint32_t row = 0; row < wgmmaRows; ++row) {
    for (uint32_t s = 0; s < stored; ++s) {
      positions[s] = positionOf(shape, input, row, s);
      termsA[s] = exactElement(formatA, a[s * wgmmaRows + row]);
    }
    for (uint32_t n = 0; n < shape.n; ++n) {
      uint32_t &cell = cells[n * wgmmaRows + row];
      uint32_t c = input.accumulate ? cell : 0;
      auto elementB = [&](uint32_t s) {
        return b.data[n * b.rowStride + positions[s] * b.kStride];
      };
      if (shape.isInteger()) {
        int64_t sum = 0;
        for (uint32_t s = 0; s < stored; ++s)
          sum += int64_t(a[s * wgmmaRows + row]) * int64_t(elementB(s));
        cell = addSaturating(c, sum, shape.saturate);
      } else if (numerics == Numerics::Exact) {
        for (uint32_t s = 0; s < stored; ++s)
          termsB[s] = exactElement(formatB, elementB(s));
        cell = exactDot(model, termsA.data(), formatA, termsB.data(), formatB,
                        stored, exactAddend(model, c));
      } else {
        float sum = isHalf ? f16ToFloat(uint16_t(c)) : bitsToFloat(c);
        for (uint32_t s = 0; s < stored; ++s)
          sum = std::fma(a[s * wgmmaRows + row], elementB(s), sum);
        cell = isHalf ? floatToF16(sum) : floatToBits(sum);
      }
    }
  }
}

bool wgmmaChains(const WgmmaShape &shape) {
  return shape.d == MmaAccumulator::F32 && !shape.sparse &&
         mmaElementBytes(shape.a) == 2;
}

void wgmmaMultiply(const WgmmaShape &shape, const WgmmaInput *const *inputs,
                   uint32_t count, const SharedWindow &shared,
                   Numerics numerics, uint32_t *cells) {
  if (shape.bits)
    return multiplyBits(shape, *inputs[0], shared.origin(), cells);
  if (shape.sparse)
    return multiplySparse(shape, *inputs[0], shared, numerics, cells);
  PanelMultiply work;
  // The panels of B have one form for the whole chain.
  bool shifted = false;
  for (uint32_t i = 0; i < count; ++i)
    shifted |= inputs[i]->b.shift != 0;
  if (shifted && count > 1) {
    for (uint32_t i = 0; i < count; ++i)
      wgmmaMultiply(shape, inputs + i, 1, shared, numerics, cells);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    packA(shape, *inputs[i], shared.origin(), i * shape.k());
    work.b = packB(shape, *inputs[i], shared.origin(), i, count);
  }
  work.a = scratch().a;
  work.groups = wgmmaRows / 16;
  work.n = shape.n;
  work.k = shape.k() * count;
  work.dColumnStride = wgmmaRows;
  work.laneOffset = rowGroups;
  work.accumulate = inputs[0]->accumulate;
  if (numerics == Numerics::Exact && !shape.isInteger()) {
    ExactMultiply exact;
    exact.work = work;
    exact.cells = cells;
    exact.model = modelOf(shape);
    exact.a = exactFormat(shape.a);
    exact.b = exactFormat(shape.b);
    multiplyExactly(exact);
  } else if (shape.d != MmaAccumulator::F32) {
    multiplyThroughCopy(shape, work, cells);
  } else {
    work.d = reinterpret_cast<float *>(cells);
    mmaKernels().multiply(work);
  }
}

} // namespace bwgemm::emulator
