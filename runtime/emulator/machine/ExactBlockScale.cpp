//===- ExactBlockScale.cpp - The integer model of scaled e2m1 ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactBlockScale.h"
#include "machine/ExactDot.h"

#include <algorithm>
#include <cstdlib>

namespace bwgemm::emulator {

/// Below every exponent that occurs.
static constexpr int none = -100000;

/// Partial sums of one dot product: K = 128 in groups of 4.
static constexpr unsigned maxPartials = 32;

namespace {
/// significand * 2^exponent, the sum of consecutive products.
struct Partial {
  int64_t significand = 0;
  int exponent = 0;
  int product = none; ///< The largest exponent of a product that is not zero.
  int scale = none;   ///< Of the two scales, if a product is not zero.
};
} // namespace

/// The exponent in the encoding of an e2m1 that is not zero, from twice its
/// value: 0 up to 1.5, 1 up to 3, 2 up to 6.
static int elementExponent(int twice) {
  int magnitude = std::abs(twice);
  return magnitude < 4 ? 0 : magnitude < 8 ? 1 : 2;
}

static Partial sumOf(const ScaledDot &dot, unsigned first, unsigned count) {
  const ScaleFactor &scaleA = dot.scaleA[first / dot.scaleBlock];
  const ScaleFactor &scaleB = dot.scaleB[first / dot.scaleBlock];
  Partial partial;
  int32_t sum = 0;
  int largest = none;
  for (unsigned k = first; k < first + count; ++k) {
    int32_t product = int32_t(dot.a[k]) * dot.b[k];
    sum += product;
    if (product != 0)
      largest = std::max(largest,
                         elementExponent(dot.a[k]) + elementExponent(dot.b[k]));
  }
  int32_t scale = scaleA.significand * scaleB.significand;
  partial.significand = int64_t(sum) * scale;
  partial.exponent = scaleA.exponent - scaleA.fractionBits + scaleB.exponent -
                     scaleB.fractionBits - 2;
  if (largest != none && scale != 0) {
    partial.scale = scaleA.exponent + scaleB.exponent;
    partial.product = largest + partial.scale;
  }
  return partial;
}

/// significand * 2^exponent in units of 2^unit, toward zero.
static int64_t truncate(int64_t significand, int exponent, int unit) {
  if (significand == 0)
    return 0;
  int shift = exponent - unit;
  if (shift >= 0)
    return significand * (int64_t(1) << shift);
  if (shift <= -63)
    return 0;
  int64_t magnitude = std::abs(significand) >> -shift;
  return significand < 0 ? -magnitude : magnitude;
}

static uint32_t roundToward0(int64_t units, int unit) {
  return exactRound(ExactModel(), units, unit);
}

/// Without the partial sums that a subnormal result does not see.
static uint32_t roundSubnormal(const Partial *partials, const int64_t *units,
                               unsigned count, int64_t addend, int unit,
                               int largestScale) {
  constexpr int floor = -174;
  int64_t threshold = unit < floor ? int64_t(1) << (floor - unit) : 1;
  int64_t sum = addend;
  for (unsigned i = 0; i < count; ++i)
    if (partials[i].scale == none || partials[i].scale == largestScale ||
        std::abs(units[i]) >= threshold)
      sum += units[i];
  return roundToward0(sum, unit);
}

uint32_t exactScaledDot(const ScaledDot &dot, uint32_t c) {
  constexpr uint32_t nan = 0x7fffffff;
  for (unsigned s = 0; s < dot.depth / dot.scaleBlock; ++s)
    if (dot.scaleA[s].nan || dot.scaleB[s].nan)
      return nan;
  ExactTerm addend = exactAddend(ExactModel(), c);
  if (addend.kind == ExactTerm::Class::NaN)
    return nan;
  if (addend.kind == ExactTerm::Class::Infinite)
    return c;

  Partial partials[maxPartials];
  int64_t units[maxPartials];
  bool grouped = dot.type == ScaleType::UE8M0;
  unsigned size = grouped ? 16 : 4, count = dot.depth / size;
  int largest = none, largestScale = none;
  for (unsigned i = 0; i < count; ++i) {
    partials[i] = sumOf(dot, i * size, size);
    largest = std::max(largest, partials[i].product);
    largestScale = std::max(largestScale, partials[i].scale);
  }
  if (largest == none)
    return c;
  bool hasAddend = addend.significand != 0;
  int addendUnit = addend.exponent - exactF32.fractionBits;

  if (!grouped && hasAddend && addend.exponent >= largest) {
    int unit = addend.exponent - 35;
    int64_t sum = truncate(addend.significand, addendUnit, unit);
    for (unsigned first = 0; first < dot.depth; first += 16) {
      Partial partial = sumOf(dot, first, 16);
      sum += truncate(partial.significand, partial.exponent, unit);
    }
    return roundToward0(sum, unit);
  }

  int unit =
      std::max((hasAddend ? std::max(largest, addend.exponent) : largest) - 39,
               largestScale - 35);
  int64_t start = truncate(addend.significand, addendUnit, unit);
  int64_t sum = start;
  for (unsigned i = 0; i < count; ++i) {
    const Partial &partial = partials[i];
    int partialUnit = unit;
    if (grouped && hasAddend && partial.product != none &&
        addend.exponent >= partial.product)
      partialUnit = std::max(unit, addend.exponent - 35);
    units[i] = truncate(partial.significand, partial.exponent, partialUnit) *
               (int64_t(1) << (partialUnit - unit));
    sum += units[i];
  }
  uint32_t result = roundToward0(sum, unit);
  uint32_t magnitude = result & 0x7fffffff;
  if (grouped && magnitude != 0 && magnitude < 0x800000)
    return roundSubnormal(partials, units, count, start, unit, largestScale);
  return result;
}

} // namespace bwgemm::emulator
