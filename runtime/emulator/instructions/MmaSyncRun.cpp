//===- MmaSyncRun.cpp - Execution of mma.sync and mma.sp --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements are in registers (PTX ISA, "Matrix fragments for mma"): a
// register of A is 8 rows of 16 bytes along K, lane 4r + c holding word c of
// row r, and a register of B is 8 columns likewise. C and D: lane 4r + c holds
// columns 2c and 2c + 1 of row r, and of row r + 8 in the second half of the
// registers.
//
//===----------------------------------------------------------------------===//

#include "instructions/MmaSync.h"

#include "instructions/WarpMatrix.h"
#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/HalfConvert.h"
#include "machine/WarpMmaKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bwgemm::emulator {

/// The most columns that A has.
static constexpr unsigned maxK = 128;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

void gatherRows(const Warp &w, const Operand &fragment, unsigned rows,
                unsigned rowBytes, uint8_t *bytes) {
  for (unsigned reg = 0; reg < fragment.count; ++reg) {
    const uint32_t *from = w.in<uint32_t>(fragment.elements[reg]);
    unsigned row = rows == 16 ? reg % 2 * 8 : 0;
    unsigned block = rows == 16 ? reg / 2 : reg;
    for (unsigned r = 0; r < 8; ++r)
      std::memcpy(bytes + (row + r) * rowBytes + 16 * block, from + 4 * r, 16);
  }
}

void gatherCells(const Warp &w, const Operand &fragment, bool isF16,
                 uint32_t *cells) {
  for (unsigned reg = 0; reg < fragment.count; ++reg) {
    const uint32_t *from = w.in<uint32_t>(fragment.elements[reg]);
    if (isF16) {
      uint32_t *to = cells + 64 * reg;
      for (unsigned l = 0; l < warpSize; ++l) {
        to[2 * l] = from[l] & 0xffff;
        to[2 * l + 1] = from[l] >> 16;
      }
    } else {
      uint32_t *to = cells + reg / 2 * 64 + reg % 2;
      for (unsigned l = 0; l < warpSize; ++l)
        to[2 * l] = from[l];
    }
  }
}

void scatterCells(Warp &w, const Operand &fragment, bool isF16,
                  const uint32_t *cells) {
  for (unsigned reg = 0; reg < fragment.count; ++reg) {
    uint32_t *to = w.out<uint32_t>(fragment.elements[reg]);
    if (isF16) {
      const uint32_t *from = cells + 64 * reg;
      for (unsigned l = 0; l < warpSize; ++l)
        to[l] = (from[2 * l] & 0xffff) | from[2 * l + 1] << 16;
    } else {
      const uint32_t *from = cells + reg / 2 * 64 + reg % 2;
      for (unsigned l = 0; l < warpSize; ++l)
        to[l] = from[2 * l];
    }
  }
}

/// The metadata of chunk `c` of a row, four bits, and the lane that has them.
/// Of four lanes, with 16 and 32 bits an element, each holds four chunks of row
/// r in its lower half and of row r + 8 in its upper half; with 8 and 4 bits,
/// two neighbours hold eight chunks of row r and of row r + 8 (measured on an
/// H200).
static unsigned metadataOf(const WarpMmaForm &form, const uint32_t *metadata,
                           unsigned row, unsigned c, unsigned &lane) {
  const unsigned chunks = form.k / form.sparsity.chunk;
  lane = row % 8 * 4 + form.sparsity.selector * (chunks / 4);
  if (form.sparsity.halves) {
    lane += c / 4;
    return metadata[lane] >> (row / 8 * 16 + c % 4 * 4) & 15;
  }
  lane += c / 8 * 2 + row / 8;
  return metadata[lane] >> (c % 8 * 4) & 15;
}

template <class T>
static bool spread(Warp &w, const Instruction &i, const WarpMmaForm &form,
                   const T *stored, T *full) {
  const uint32_t *metadata = w.in<uint32_t>(i.operands[4]);
  const unsigned chunk = form.sparsity.chunk, group = form.sparsity.group;
  const unsigned perChunk = chunk == 2 ? 1 : 2;
  std::fill(full, full + form.rows * form.k, T(0));
  for (unsigned row = 0; row < form.rows; ++row)
    for (unsigned c = 0; c < form.k / chunk; ++c) {
      unsigned lane;
      unsigned bits = metadataOf(form, metadata, row, c, lane);
      unsigned first = bits & 3, second = bits >> 2;
      if (first == second) {
        w.trap(i, lane,
               "metadata 0x" + std::string(1, "0123456789abcdef"[bits]) +
                   " of row " + std::to_string(row) + ", columns " +
                   std::to_string(c * chunk) + " on, names one place twice");
        return false;
      }
      T *to = full + row * form.k + c * chunk;
      const T *from = stored + row * (form.k / 2) + c * perChunk * group;
      if (chunk == 2) {
        // Both numbers belong to one 32-bit element, as two 16-bit halves.
        to[first / 2] = from[0];
        continue;
      }
      for (unsigned e = 0; e < group; ++e) {
        to[first * group + e] = from[e];
        to[second * group + e] = from[group + e];
      }
    }
  return true;
}

bool spreadSparse(Warp &w, const Instruction &i, const WarpMmaForm &form,
                  const float *stored, float *full) {
  return spread(w, i, form, stored, full);
}

bool spreadSparse(Warp &w, const Instruction &i, const WarpMmaForm &form,
                  const int16_t *stored, int16_t *full) {
  return spread(w, i, form, stored, full);
}

bool readWarpScales(Warp &w, const Instruction &i, const WarpMmaForm &form,
                    WarpScales &scales) {
  const unsigned blocks = form.scaleBlocks;
  const Operand *operands = i.operands + (form.sparsity.chunk ? 5 : 4);
  scales.type = form.scaleType;
  scales.blocks = blocks;
  for (unsigned ofB = 0; ofB < 2; ++ofB) {
    const uint32_t *data = w.in<uint32_t>(operands[2 * ofB]);
    const Operand *ids = operands[2 * ofB + 1].elements;
    unsigned byte = unsigned(w.value(ids[0], 0));
    unsigned thread = unsigned(w.value(ids[1], 0));
    unsigned threads = ofB ? 4 : 2;
    if (byte % blocks != 0 || byte + blocks > 4 || thread >= threads) {
      w.trap(i, 0,
             "byte " + std::to_string(byte) + " and thread " +
                 std::to_string(thread) + " of the scale factors of " +
                 (ofB ? "B" : "A") + ": expected a multiple of " +
                 std::to_string(blocks) + " below 4 and a thread below " +
                 std::to_string(threads));
      return false;
    }
    ScaleFactor *to = ofB ? scales.b : scales.a;
    for (unsigned row = 0; row < (ofB ? 8u : 16u); ++row) {
      // Of four lanes, one holds the factors of a column of B, and two those of
      // rows r and r + 8 of A.
      unsigned lane = row % 8 * 4 + (ofB ? thread : 2 * thread + row / 8);
      for (unsigned s = 0; s < blocks; ++s)
        to[row * blocks + s] = decodeScale(
            form.scaleType, uint8_t(data[lane] >> (8 * (byte + s))));
    }
  }
  return true;
}

static void countMma(Warp &w, const WarpMmaForm &form) {
  w.count(Counter::MmaIssued);
  w.count(Counter::MmaFlops, form.flops);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// cells += a[16][k] * b[8][k] in fp32 fused multiply-adds.
static void multiplyFast(const WarpMmaForm &form, const float *a,
                         const float *b, uint32_t *cells) {
  float sums[16 * 8];
  for (unsigned e = 0; e < 16 * 8; ++e)
    sums[e] =
        form.cIsF16 ? f16ToFloat(uint16_t(cells[e])) : bitsToFloat(cells[e]);
  warpMmaKernels().floats(a, b, form.k, sums);
  for (unsigned e = 0; e < 16 * 8; ++e)
    cells[e] = form.dIsF16 ? floatToF16(sums[e]) : floatToBits(sums[e]);
}

static void scaleValues(const ScaleFactor *factors, unsigned rows, unsigned k,
                        unsigned blocks, float *values) {
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned e = 0; e < k; ++e) {
      const ScaleFactor &factor = factors[row * blocks + e / (k / blocks)];
      values[row * k + e] *= factor.nan ? std::nanf("") : float(factor.value);
    }
}

/// cells += a[16][k] * b[8][k], in the numerics of the launch.
static void multiplyFloats(Warp &w, const WarpMmaForm &form, const float *a,
                           const float *b, const WarpScales *scales,
                           uint32_t *cells) {
  if (w.grid().options.numerics == Numerics::Fast)
    return multiplyFast(form, a, b, cells);
  WarpExact exact;
  exact.arch = archNumber(w.grid().options.arch);
  exact.a = form.a;
  exact.b = form.b;
  // Types of C and D differ in wmma only: the sum is that of the wider type.
  exact.toF16 = form.cIsF16 && form.dIsF16;
  if (form.cIsF16 && !form.dIsF16)
    for (unsigned e = 0; e < 16 * 8; ++e)
      cells[e] = floatToBits(f16ToFloat(uint16_t(cells[e])));
  exact.sparse = form.sparsity.chunk != 0;
  exact.k = form.k;
  exact.aValues = a;
  exact.bValues = b;
  exact.cells = cells;
  if (scales)
    warpMmaScaledExactly(exact, *scales);
  else
    warpMmaExactly(exact);
  if (form.dIsF16 && !form.cIsF16)
    for (unsigned e = 0; e < 16 * 8; ++e)
      cells[e] = floatToF16(bitsToFloat(cells[e]));
}

/// The same where B is not all finite and A is sparse: a zero that A does not
/// store multiplies nothing. Each row has a B of its own then, in which what
/// the row does not choose is zero.
static void multiplyRowByRow(Warp &w, const WarpMmaForm &form, const float *a,
                             const float *b, const float *chosen,
                             const WarpScales *scales, uint32_t *cells) {
  const unsigned k = form.k;
  uint32_t results[16 * 8];
  for (unsigned row = 0; row < 16; ++row) {
    float own[8 * maxK];
    for (unsigned n = 0; n < 8; ++n)
      for (unsigned e = 0; e < k; ++e)
        own[n * k + e] = chosen[row * k + e] != 0 ? b[n * k + e] : 0;
    uint32_t some[16 * 8];
    std::memcpy(some, cells, sizeof(some));
    multiplyFloats(w, form, a, own, scales, some);
    std::memcpy(results + 8 * row, some + 8 * row, 8 * sizeof(uint32_t));
  }
  std::memcpy(cells, results, sizeof(results));
}

static bool allFinite(const float *values, unsigned count) {
  bool finite = true;
  for (unsigned e = 0; e < count; ++e)
    finite &= (floatToBits(values[e]) & 0x7f800000) != 0x7f800000;
  return finite;
}

Step warpMmaFloats(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  const unsigned k = form.k;
  const bool isSparse = form.sparsity.chunk != 0;
  const unsigned storedK = isSparse ? k / 2 : k;
  uint8_t bytes[16 * maxK];
  alignas(64) float stored[16 * maxK], full[16 * maxK], b[8 * maxK];
  const unsigned aBytes = storedK * warpElementBits(form.a) / 8;
  gatherRows(w, i.operands[1], 16, aBytes, bytes);
  unpackWarpElements(form.a, bytes, 16 * storedK, stored);
  float *a = stored;
  if (isSparse) {
    if (!spreadSparse(w, i, form, stored, full))
      return Step::Fault;
    a = full;
  }
  const unsigned bBytes = k * warpElementBits(form.b) / 8;
  gatherRows(w, i.operands[2], 8, bBytes, bytes);
  unpackWarpElements(form.b, bytes, 8 * k, b);
  uint32_t cells[16 * 8];
  gatherCells(w, i.operands[3], form.cIsF16, cells);
  WarpScales scales;
  if (form.scaleBlocks) {
    if (!readWarpScales(w, i, form, scales))
      return Step::Fault;
    if (w.grid().options.numerics == Numerics::Fast) {
      scaleValues(scales.a, 16, k, scales.blocks, a);
      scaleValues(scales.b, 8, k, scales.blocks, b);
    }
  }
  const WarpScales *factors = form.scaleBlocks ? &scales : nullptr;
  if (isSparse && !allFinite(b, 8 * k)) {
    float ones[16 * maxK / 2], chosen[16 * maxK];
    std::fill(ones, ones + 16 * storedK, 1.0f);
    if (!spreadSparse(w, i, form, ones, chosen))
      return Step::Fault;
    multiplyRowByRow(w, form, a, b, chosen, factors, cells);
  } else {
    multiplyFloats(w, form, a, b, factors, cells);
  }
  scatterCells(w, i.operands[0], form.dIsF16, cells);
  countMma(w, form);
  return Step::Next;
}

/// f16 and bf16 to f32, which most kernels use.
Step warpMmaHalves(Warp &w, const Instruction &i, LaneMask mask) {
  if (w.grid().options.numerics == Numerics::Exact)
    return warpMmaFloats(w, i, mask);
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  HalfFragments work;
  work.blocks = form.k / 8;
  work.bf16 = form.a == MmaElement::BF16;
  for (unsigned reg = 0; reg < 2 * work.blocks; ++reg)
    work.a[reg] = w.in<uint32_t>(i.operands[1].elements[reg]);
  for (unsigned reg = 0; reg < work.blocks; ++reg)
    work.b[reg] = w.in<uint32_t>(i.operands[2].elements[reg]);
  for (unsigned reg = 0; reg < 4; ++reg) {
    work.c[reg] = w.in<uint32_t>(i.operands[3].elements[reg]);
    work.d[reg] = w.out<uint32_t>(i.operands[0].elements[reg]);
  }
  warpMmaKernels().halves(work);
  countMma(w, form);
  return Step::Next;
}

/// m8n8k4 of f16: four multiplications of 8 x 4 by 4 x 8, number q of them by
/// lanes 4q to 4q + 3 (rows and columns 0 to 3 of A and B) and 4q + 16 to
/// 4q + 19 (4 to 7).
Step warpMmaQuads(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  auto laneOf = [](unsigned q, unsigned index) {
    return 4 * q + index % 4 + index / 4 * 16;
  };
  auto half = [&w](const Operand &fragment, unsigned lane, unsigned e) {
    uint32_t word = w.in<uint32_t>(fragment.elements[e / 2])[lane];
    return f16ToFloat(uint16_t(word >> (e % 2 * 16)));
  };
  const bool isExact = w.grid().options.numerics == Numerics::Exact;
  uint32_t results[8][warpSize];
  for (unsigned q = 0; q < 4; ++q) {
    // Elements beyond row 7 and of other multiplications stay zero.
    float a[16 * 4] = {}, b[8 * 4];
    uint32_t cells[16 * 8] = {};
    for (unsigned x = 0; x < 8; ++x)
      for (unsigned k = 0; k < 4; ++k) {
        // By columns, a lane holds four rows of one column.
        a[4 * x + k] = form.aByColumns ? half(i.operands[1],
                                              laneOf(q, x / 4 * 4 + k), x % 4)
                                       : half(i.operands[1], laneOf(q, x), k);
        b[4 * x + k] =
            form.bByRows ? half(i.operands[2], laneOf(q, x / 4 * 4 + k), x % 4)
                         : half(i.operands[2], laneOf(q, x), k);
      }
    // Place `e` of a lane's f32 results; f16 results are a row of 8.
    auto place = [](unsigned index, unsigned e, bool isF16) {
      unsigned row = index / 4 * 4 + (index & 1) + (e & 2);
      unsigned column = (e & 4) + (index & 2) + (e & 1);
      return isF16 ? 8 * index + e : 8 * row + column;
    };
    for (unsigned index = 0; index < 8; ++index)
      for (unsigned e = 0; e < 8; ++e) {
        unsigned lane = laneOf(q, index);
        const Operand *c = i.operands[3].elements;
        cells[place(index, e, form.cIsF16)] =
            form.cIsF16
                ? w.in<uint32_t>(c[e / 2])[lane] >> (e % 2 * 16) & 0xffff
                : w.in<uint32_t>(c[e])[lane];
      }
    if (isExact) {
      if (form.cIsF16 && !form.dIsF16)
        for (uint32_t &cell : cells)
          cell = floatToBits(f16ToFloat(uint16_t(cell)));
      WarpExact exact;
      exact.arch = archNumber(w.grid().options.arch);
      exact.toF16 = form.dIsF16;
      exact.k = 4;
      exact.aValues = a;
      exact.bValues = b;
      exact.cells = cells;
      warpMmaExactly(exact);
    } else {
      multiplyFast(form, a, b, cells);
    }
    for (unsigned index = 0; index < 8; ++index)
      for (unsigned e = 0; e < 8; ++e)
        results[e][laneOf(q, index)] = cells[place(index, e, form.dIsF16)];
  }
  const Operand *d = i.operands[0].elements;
  for (unsigned l = 0; l < warpSize; ++l)
    for (unsigned e = 0; e < 8; ++e) {
      if (!form.dIsF16)
        w.out<uint32_t>(d[e])[l] = results[e][l];
      else if (e % 2 == 0)
        w.out<uint32_t>(d[e / 2])[l] = results[e][l] | results[e + 1][l] << 16;
    }
  countMma(w, form);
  return Step::Next;
}

static bool isNaN(double value) { return value != value; }

/// a * b + c; of several NaNs the payload that is kept is measured on an H200.
static double multiplyAdd(double a, double b, double c) {
  if (!isNaN(a) && !isNaN(b) && !isNaN(c))
    return std::fma(a, b, c);
  double value = isNaN(b) ? b : isNaN(c) ? c : a;
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  bits |= uint64_t(1) << 51; // Quiet.
  std::memcpy(&value, &bits, 8);
  return value;
}

/// f64: a chain of fused multiply-adds in K order. The layout is that of the
/// other types with registers of eight bytes.
Step warpMmaDoubles(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  double a[16][16], b[8][16], c[16][8];
  const Operand *fragments[4] = {i.operands[0].elements, i.operands[1].elements,
                                 i.operands[2].elements,
                                 i.operands[3].elements};
  const unsigned halves = form.rows / 8;
  for (unsigned l = 0; l < warpSize; ++l) {
    unsigned group = l / 4, thread = l % 4;
    for (unsigned reg = 0; reg < form.k / 4 * halves; ++reg)
      a[reg % halves * 8 + group][reg / halves * 4 + thread] =
          w.in<double>(fragments[1][reg])[l];
    for (unsigned reg = 0; reg < form.k / 4; ++reg)
      b[group][4 * reg + thread] = w.in<double>(fragments[2][reg])[l];
    for (unsigned reg = 0; reg < 2 * halves; ++reg)
      c[reg / 2 * 8 + group][2 * thread + reg % 2] =
          w.in<double>(fragments[3][reg])[l];
  }
  for (unsigned row = 0; row < form.rows; ++row)
    for (unsigned n = 0; n < 8; ++n)
      for (unsigned k = 0; k < form.k; ++k)
        c[row][n] = multiplyAdd(a[row][k], b[n][k], c[row][n]);
  for (unsigned l = 0; l < warpSize; ++l)
    for (unsigned reg = 0; reg < 2 * halves; ++reg)
      w.out<double>(fragments[0][reg])[l] =
          c[reg / 2 * 8 + l / 4][2 * (l % 4) + reg % 2];
  countMma(w, form);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static void unpackIntegers(const uint8_t *bytes, unsigned count, unsigned bits,
                           bool isSigned, int16_t *values) {
  for (unsigned e = 0; e < count; ++e) {
    if (bits == 8) {
      values[e] = isSigned ? int16_t(int8_t(bytes[e])) : int16_t(bytes[e]);
    } else {
      int value = bytes[e / 2] >> (e % 2 * 4) & 15;
      values[e] = int16_t(isSigned && value > 7 ? value - 16 : value);
    }
  }
}

Step warpMmaIntegers(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  const unsigned k = form.k;
  const bool isSparse = form.sparsity.chunk != 0;
  const unsigned storedK = isSparse ? k / 2 : k;
  uint8_t bytes[16 * maxK];
  alignas(64) int16_t stored[16 * maxK] = {}, full[16 * maxK], b[8 * maxK];
  gatherRows(w, i.operands[1], form.rows, storedK * form.integerBits / 8,
             bytes);
  unpackIntegers(bytes, form.rows * storedK, form.integerBits, form.aIsSigned,
                 stored);
  const int16_t *a = stored;
  if (isSparse) {
    if (!spreadSparse(w, i, form, stored, full))
      return Step::Fault;
    a = full;
  }
  gatherRows(w, i.operands[2], 8, k * form.integerBits / 8, bytes);
  unpackIntegers(bytes, 8 * k, form.integerBits, form.bIsSigned, b);
  uint32_t cells[16 * 8] = {};
  gatherCells(w, i.operands[3], false, cells);
  if (form.saturates) {
    // The sum of the products fits 32 bits; with C it is clamped once.
    int32_t sums[16 * 8] = {};
    warpMmaKernels().integers(a, b, k, sums);
    for (unsigned e = 0; e < 16 * 8; ++e)
      cells[e] = uint32_t(std::clamp<int64_t>(
          int64_t(sums[e]) + int32_t(cells[e]), INT32_MIN, INT32_MAX));
  } else {
    warpMmaKernels().integers(a, b, k, reinterpret_cast<int32_t *>(cells));
  }
  scatterCells(w, i.operands[0], false, cells);
  countMma(w, form);
  return Step::Next;
}

/// Single bits: the number of ones in the exclusive or, or the and, of a row
/// and a column.
Step warpMmaBits(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const WarpMmaForm &form = warpMmaForm(i);
  const unsigned words = form.k / 32;
  uint32_t a[16 * 8] = {}, b[8 * 8], cells[16 * 8] = {};
  gatherRows(w, i.operands[1], form.rows, 4 * words,
             reinterpret_cast<uint8_t *>(a));
  gatherRows(w, i.operands[2], 8, 4 * words, reinterpret_cast<uint8_t *>(b));
  gatherCells(w, i.operands[3], false, cells);
  for (unsigned row = 0; row < form.rows; ++row)
    for (unsigned n = 0; n < 8; ++n)
      for (unsigned word = 0; word < words; ++word) {
        uint32_t x = a[row * words + word], y = b[n * words + word];
        cells[8 * row + n] +=
            uint32_t(__builtin_popcount(form.isXor ? x ^ y : x & y));
      }
  scatterCells(w, i.operands[0], false, cells);
  countMma(w, form);
  return Step::Next;
}

} // namespace bwgemm::emulator
