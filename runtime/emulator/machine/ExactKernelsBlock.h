//===- ExactKernelsBlock.h - Inner loops of the integer model ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by each variant, which defines BWGEMM_VECTOR_BYTES and
// BWGEMM_BLOCK_COLUMNS and has switched on its instructions. Everything here
// has internal linkage, so that no variant's code is taken for another's.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactKernels.h"

#include <cstring>

namespace bwgemm::emulator {
namespace {

typedef float Floats __attribute__((vector_size(BWGEMM_VECTOR_BYTES)));
typedef int32_t Ints __attribute__((vector_size(BWGEMM_VECTOR_BYTES)));
typedef uint32_t Unsigneds __attribute__((vector_size(BWGEMM_VECTOR_BYTES)));
typedef int16_t Shorts __attribute__((vector_size(BWGEMM_VECTOR_BYTES)));
typedef int16_t HalfShorts
    __attribute__((vector_size(BWGEMM_VECTOR_BYTES / 2)));

constexpr uint32_t lanes = BWGEMM_VECTOR_BYTES / 4;
/// A step takes two vectors of rows, whose exponents are one vector of Shorts.
constexpr uint32_t blockRows = 2 * lanes;
/// The exponent of a zero: so low that no window is set by it, and that two of
/// them still fit 16 bits.
constexpr int16_t zeroExponent = -8192;
/// Largest exponents below this are of sums of nothing but zeros.
constexpr int32_t emptyBelow = -4096;
/// Terms stay below 2^(F + 2), so that this many of them fit 32 bits.
constexpr uint32_t termsPerSum = 8;

template <class V, class T> inline V load(const T *from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}
template <class V, class T> inline void store(T *to, const V &value) {
  std::memcpy(to, &value, sizeof(V));
}
inline Floats asFloats(Ints bits) { return (Floats)bits; }
inline Ints asInts(Floats values) { return (Ints)values; }
inline Ints toInts(Floats values) {
  return __builtin_convertvector(values, Ints);
}
inline Floats toFloats(Ints values) {
  return __builtin_convertvector(values, Floats);
}
inline Ints maximum(Ints a, Ints b) { return a > b ? a : b; }

/// Cells of C as f32, with their raw exponents. One that is not finite has an
/// exponent that leaves its sum to the caller.
template <bool half>
inline void decomposeAddend(Ints cells, Floats &value, Ints &exponent) {
  Ints magnitude;
  if constexpr (half) {
    magnitude = cells & 0x7fff;
    Ints field = magnitude >> 10;
    exponent = maximum(field, Ints{} + 1) - 15;
    exponent = field == 0x1f ? Ints{} + 1024 : exponent;
    // The fraction of an f16 is the upper part of that of an f32, whose
    // exponent has another bias; subnormals come out right as well.
    value = asFloats(magnitude << 13) * 0x1p112f;
    value = asFloats(asInts(value) | (cells & 0x8000) << 16);
  } else {
    // Field 255 gives the exponent 128, which is above highestOf().
    magnitude = cells & 0x7fffffff;
    exponent = maximum(magnitude >> 23, Ints{} + 1) - 127;
    value = asFloats(cells);
  }
  exponent = magnitude == 0 ? Ints{} + zeroExponent : exponent;
}

/// The largest exponents for which every product that the window sees is exact
/// in f32 and every sum a normal f32 or zero.
inline int lowestOf(int window) { return window - 102; }
inline int highestOf(int window) { return window + 96; }

/// All the bits below the highest 24 of a number that is not negative: with the
/// highest bit at 24 + i, those up to bit i.
inline Ints bitsBelow(Ints magnitude) {
  Ints below = magnitude >> 24;
  below |= below >> 1;
  below |= below >> 2;
  return below | below >> 4;
}

#ifndef BWGEMM_TRUNCATE_TO_FLOATS
/// To f32, toward zero, whatever the host's rounding mode.
inline Floats truncateToFloats(Ints sum) {
  Ints sign = sum >> 31;
  Ints magnitude = (sum ^ sign) - sign;
  Floats value = toFloats(magnitude & ~bitsBelow(magnitude));
  return asFloats(asInts(value) | (sign & INT32_MIN));
}
#else
inline Floats truncateToFloats(Ints sum) {
  return (Floats)BWGEMM_TRUNCATE_TO_FLOATS(sum);
}
#endif

/// sum * 2^unit to f32 toward zero, or to f16 to nearest even; `scale` is unit
/// as an addend to the bits of an f32.
template <bool half> inline Ints roundSums(Ints sum, Ints scale) {
  if constexpr (!half) {
    Ints bits = asInts(truncateToFloats(sum)) + scale;
    return sum == 0 ? Ints{} : bits;
  } else {
    Ints sign = sum >> 31;
    Ints magnitude = (sum ^ sign) - sign;
    Ints kept = magnitude & ~bitsBelow(magnitude);
    Ints bits = asInts(toFloats(kept)) + scale;
    // Round to odd first, so that rounding to nearest even to fewer bits sees
    // that something was dropped.
    bits |= (magnitude != kept) & 1;
    Ints normal = (bits + 0xfff + ((bits >> 13) & 1) - 0x38000000) >> 13;
    Ints subnormal = asInts(asFloats(bits) + 0.5f) - 0x3f000000;
    Ints result = bits < 0x38800000 ? subnormal : normal;
    result = bits >= 0x477ff000 ? Ints{} + 0x7c00 : result;
    result = sum == 0 ? Ints{} : result;
    return result == 0 ? result : result | (sign & 0x8000);
  }
}

/// Rows `row` to row + blockRows - 1 of `columns` columns. `plain`: C is added
/// unscaled, and no row or column is special or disabled.
template <uint32_t columns, bool half, bool plain>
void multiplyBlock(const ExactKernelWork &work, uint32_t row, uint32_t n) {
  const size_t m = size_t(work.groups) * 16;
  const int window = work.model.windowBits;
  Shorts largest[columns];
  for (uint32_t j = 0; j < columns; ++j)
    largest[j] = Shorts{} + int16_t(2 * zeroExponent);
  const int16_t *exponentsA = work.aExponents + row;
  const int16_t *exponentsB = work.bExponents + n * work.bRowStride;
  for (uint32_t k = 0; k < work.k; ++k) {
    Shorts a = load<Shorts>(exponentsA);
#pragma GCC unroll 4
    for (uint32_t j = 0; j < columns; ++j) {
      Shorts exponent = a + exponentsB[j * work.bRowStride];
      largest[j] = exponent > largest[j] ? exponent : largest[j];
    }
    exponentsA += m;
    exponentsB += work.bKStride;
  }

  uint32_t *cells[2];
#pragma GCC unroll 2
  for (uint32_t v = 0; v < 2; ++v) {
    uint32_t at = row + v * lanes;
    cells[v] =
        work.cells + n * work.columnStride + work.laneOffset[at / 16] + at % 16;
  }
  // 2^(F - largest exponent), which a product is multiplied by.
  Floats inverse[columns][2];
  Unsigneds total[columns][2];
  // The lanes whose sum is left to the caller; their numbers may be anything.
  Ints slow[columns][2];
#pragma GCC unroll 4
  for (uint32_t j = 0; j < columns; ++j) {
    int16_t both[blockRows];
    store(both, largest[j]);
#pragma GCC unroll 2
    for (uint32_t v = 0; v < 2; ++v) {
      Ints top =
          __builtin_convertvector(load<HalfShorts>(both + v * lanes), Ints);
      Ints cell = load<Ints>(cells[v] + j * work.columnStride);
      if (!plain && !work.accumulate)
        cell = Ints{};
      Floats addend;
      Ints exponent;
      decomposeAddend<half>(cell, addend, exponent);
      top = maximum(top, plain ? exponent : exponent - work.scale);
      // The floor matters to f16 alone: f32 sums that low go to the caller.
      Ints isEmpty = top < emptyBelow;
      if (half)
        top = maximum(top, Ints{} + work.model.floor());
      top = isEmpty ? Ints{} : top;
      slow[j][v] = (Ints)((Unsigneds)(top - lowestOf(window)) >
                          uint32_t(highestOf(window) - lowestOf(window)));
      if (!plain)
        slow[j][v] |= load<Ints>(work.rowSpecial + row + v * lanes) |
                      work.columnSpecial[n + j];
      Ints power = (127 + window - top) << 23;
      inverse[j][v] = asFloats(power);
      if (!plain)
        power -= work.scale << 23;
      total[j][v] = (Unsigneds)toInts(addend * asFloats(power));
    }
  }

  const float *a = work.a + row;
  const float *b = work.b + n * work.bRowStride;
  for (uint32_t first = 0; first < work.k; first += termsPerSum) {
    uint32_t end = first + termsPerSum;
    end = end < work.k ? end : work.k;
    // C and the first terms fit together.
    Unsigneds part[columns][2];
#pragma GCC unroll 4
    for (uint32_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
      for (uint32_t v = 0; v < 2; ++v)
        part[j][v] = first == 0 ? total[j][v] : Unsigneds{};
    for (uint32_t k = first; k < end; ++k) {
      Floats a0 = load<Floats>(a), a1 = load<Floats>(a + lanes);
#pragma GCC unroll 4
      for (uint32_t j = 0; j < columns; ++j) {
        float value = b[j * work.bRowStride];
        part[j][0] += (Unsigneds)toInts(a0 * value * inverse[j][0]);
        part[j][1] += (Unsigneds)toInts(a1 * value * inverse[j][1]);
      }
      a += m;
      b += work.bKStride;
    }
#pragma GCC unroll 4
    for (uint32_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
      for (uint32_t v = 0; v < 2; ++v) {
        if (first == 0) {
          total[j][v] = part[j][v];
          continue;
        }
        Unsigneds sum = total[j][v] + part[j][v];
        // -2^31 has no magnitude in 32 bits.
        slow[j][v] |= ((Ints)((total[j][v] ^ sum) & (part[j][v] ^ sum)) >> 31) |
                      ((Ints)sum == Ints{} + INT32_MIN);
        total[j][v] = sum;
      }
  }

  Ints any = {};
#pragma GCC unroll 4
  for (uint32_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (uint32_t v = 0; v < 2; ++v) {
      any |= slow[j][v];
      if (!plain)
        any |= load<Ints>(work.rowDisabled + row + v * lanes);
    }
  uint64_t words[sizeof(Ints) / 8], some = 0;
  store(words, any);
  for (uint64_t word : words)
    some |= word;
  const bool keepsSome = some != 0;
  const Ints mask =
      Ints{} + (work.model.output == ExactOutput::F32Short ? ~0x3ff : ~0);
#pragma GCC unroll 4
  for (uint32_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (uint32_t v = 0; v < 2; ++v) {
      Ints scale = (127 << 23) - asInts(inverse[j][v]);
      Ints result = roundSums<half>((Ints)total[j][v], scale) & mask;
      uint32_t *to = cells[v] + j * work.columnStride;
      if (__builtin_expect(keepsSome, 0)) {
        Ints disabled = load<Ints>(work.rowDisabled + row + v * lanes);
        slow[j][v] &= ~disabled;
        result = (slow[j][v] | disabled) ? load<Ints>(to) : result;
      }
      store(to, result);
    }
  if (__builtin_expect(!keepsSome, 1))
    return;
  for (uint32_t j = 0; j < columns; ++j)
    for (uint32_t v = 0; v < 2; ++v)
      for (uint32_t lane = 0; lane < lanes; ++lane)
        if (slow[j][v][lane])
          work.single(work.context, row + v * lanes + lane, n + j);
}

template <bool half, bool plain> void multiplyAll(const ExactKernelWork &work) {
  constexpr uint32_t columns = BWGEMM_BLOCK_COLUMNS;
  for (uint32_t row = 0; row < work.groups * 16; row += blockRows) {
    uint32_t n = 0;
    for (; n + columns <= work.n; n += columns)
      multiplyBlock<columns, half, plain>(work, row, n);
    for (; n < work.n; ++n)
      multiplyBlock<1, half, plain>(work, row, n);
  }
}

void multiplyVariant(const ExactKernelWork &work) {
  bool plain = work.accumulate && work.scale == 0 && !work.hasExceptions;
  if (work.model.toF16())
    multiplyAll<true, false>(work);
  else if (plain)
    multiplyAll<false, true>(work);
  else
    multiplyAll<false, false>(work);
}

bool decomposeVariant(ExactFormat format, const float *values, size_t count,
                      float *finite, int16_t *exponents) {
  int32_t smallest = format.smallestExponent;
  int32_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    int32_t bits;
    std::memcpy(&bits, values + i, 4);
    int32_t magnitude = bits & 0x7fffffff;
    bool isFinite = magnitude < 0x7f800000;
    special |= !isFinite;
    bits = isFinite ? bits : 0;
    // An f32 subnormal has the exponent of field 1; none of the formats has a
    // smaller one.
    int32_t exponent = (magnitude >> 23) - 127;
    exponent = exponent > smallest ? exponent : smallest;
    exponents[i] =
        int16_t(isFinite && magnitude != 0 ? exponent : zeroExponent);
    std::memcpy(finite + i, &bits, 4);
  }
  return special != 0;
}

} // namespace
} // namespace bwgemm::emulator
