//===- Tcgen05MmaExact.cpp - The integer model of the tensor core *- C++ -*===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaExact.h"
#include "machine/HalfConvert.h"

#include <algorithm>

namespace bwgemm::emulator {

/// Fraction bits kept below the largest exponent.
static constexpr int windowBits = 25;

namespace {
struct Format {
  int fractionBits;
  int smallestExponent; ///< Of the smallest normal number.
};
} // namespace

static Format formatOf(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
    return {10, -14};
  case MmaElement::BF16:
    return {7, -126};
  case MmaElement::TF32:
    return {10, -126};
  case MmaElement::E4M3:
    return {3, -6};
  case MmaElement::E5M2:
    return {2, -14};
  case MmaElement::U8:
  case MmaElement::S8:
    break;
  }
  return {0, 0}; // Integers do not come here.
}

int exactFractionBits(MmaElement element) {
  return formatOf(element).fractionBits;
}

static ExactTerm decompose(float value, Format format) {
  uint32_t bits = floatToBits(value);
  uint32_t exponentField = (bits >> 23) & 0xff, fraction = bits & 0x7fffff;
  bool negative = bits >> 31;
  ExactTerm term;
  if (exponentField == 0xff) {
    term.kind = fraction ? ExactTerm::Class::NaN : ExactTerm::Class::Infinite;
    term.significand = negative ? -1 : 1;
    return term;
  }
  if (exponentField == 0 && fraction == 0)
    return term;
  int exponent = exponentField ? int(exponentField) - 127 : -126;
  int32_t significand = int32_t(exponentField ? fraction | 0x800000 : fraction);
  // What is subnormal in the element's format may be normal as an f32; the
  // value is a multiple of the format's unit, so that no bit is lost.
  int raw = std::max(exponent, format.smallestExponent);
  significand >>= 23 - format.fractionBits + (raw - exponent);
  term.significand = negative ? -significand : significand;
  term.exponent = raw;
  return term;
}

ExactTerm exactElement(MmaElement element, float value) {
  return decompose(value, formatOf(element));
}

ExactTerm exactAddend(MmaAccumulator type, uint32_t bits) {
  if (type == MmaAccumulator::F16)
    return decompose(f16ToFloat(uint16_t(bits)), {10, -14});
  return decompose(bitsToFloat(bits), {23, -126});
}

/// significand * 2^shift, truncated toward zero.
static int64_t shiftTruncating(int64_t significand, int shift) {
  if (significand == 0) // Its exponent, and so the shift, mean nothing.
    return 0;
  if (shift >= 0)
    return significand * (int64_t(1) << shift);
  if (shift <= -63)
    return 0;
  int64_t magnitude = significand < 0 ? -significand : significand;
  magnitude >>= -shift;
  return significand < 0 ? -magnitude : magnitude;
}

/// sum * 2^unit to f32, toward zero.
static uint32_t roundToF32(int64_t sum, int unit) {
  if (sum == 0)
    return 0;
  uint32_t sign = sum < 0 ? 0x80000000u : 0;
  uint64_t magnitude = sum < 0 ? uint64_t(-sum) : uint64_t(sum);
  int top = 63 - __builtin_clzll(magnitude);
  int exponent = top + unit;
  if (exponent > 127)
    return sign | 0x7f800000u;
  // The last bit kept weighs 2^lowest.
  int lowest = std::max(exponent, -126) - 23;
  int drop = lowest - unit;
  uint64_t kept = drop >= 64  ? 0
                  : drop >= 0 ? magnitude >> drop
                              : magnitude << -drop;
  if (kept == 0) // Every zero is +0, also one that underflowed.
    return 0;
  if (exponent < -126)
    return sign | uint32_t(kept);
  return sign | uint32_t(exponent + 127) << 23 | uint32_t(kept & 0x7fffff);
}

/// sum * 2^unit to f16, to nearest even.
static uint32_t roundToF16(int64_t sum, int unit) {
  if (sum == 0)
    return 0;
  uint32_t sign = sum < 0 ? 0x8000u : 0;
  uint64_t magnitude = sum < 0 ? uint64_t(-sum) : uint64_t(sum);
  int top = 63 - __builtin_clzll(magnitude);
  int exponent = top + unit;
  if (exponent > 15)
    return sign | 0x7c00u;
  int lowest = std::max(exponent, -14) - 10;
  int drop = lowest - unit;
  uint64_t kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop >= 63) {
    kept = 0;
  } else {
    kept = magnitude >> drop;
    uint64_t rest = magnitude & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (kept & 1)))
      ++kept;
  }
  if (kept == 0)
    return 0;
  // `kept` counts units of the exponent's binade, so that a carry out of the
  // fraction moves on to the next one, up to infinity.
  uint32_t field = exponent < -14 ? 0 : uint32_t(exponent + 14) << 10;
  return sign | (field + uint32_t(kept));
}

uint32_t exactDot(const ExactTerm *a, int aFraction, const ExactTerm *b,
                  int bFraction, unsigned count, const ExactTerm &c,
                  unsigned scale, MmaAccumulator type) {
  bool toF16 = type == MmaAccumulator::F16;
  int largest = toF16 ? -21 : -133;
  bool nan = c.kind == ExactTerm::Class::NaN;
  bool plusInfinity = c.kind == ExactTerm::Class::Infinite && c.significand > 0;
  bool minusInfinity =
      c.kind == ExactTerm::Class::Infinite && c.significand < 0;
  for (unsigned i = 0; i < count; ++i) {
    int64_t product = int64_t(a[i].significand) * b[i].significand;
    if (a[i].kind != ExactTerm::Class::Finite ||
        b[i].kind != ExactTerm::Class::Finite) {
      nan |= a[i].kind == ExactTerm::Class::NaN ||
             b[i].kind == ExactTerm::Class::NaN || product == 0;
      plusInfinity |= product > 0;
      minusInfinity |= product < 0;
    } else if (product != 0) {
      largest = std::max(largest, a[i].exponent + b[i].exponent);
    }
  }
  if (nan || (plusInfinity && minusInfinity))
    return toF16 ? 0x7fffu : 0x7fffffffu;
  if (plusInfinity || minusInfinity)
    return toF16 ? (plusInfinity ? 0x7c00u : 0xfc00u)
                 : (plusInfinity ? 0x7f800000u : 0xff800000u);

  int cExponent = c.exponent - int(scale);
  if (c.significand != 0)
    largest = std::max(largest, cExponent);
  int unit = largest - windowBits;
  int cFraction = toF16 ? 10 : 23;
  int64_t sum = shiftTruncating(c.significand, cExponent - cFraction - unit);
  for (unsigned i = 0; i < count; ++i) {
    int64_t product = int64_t(a[i].significand) * b[i].significand;
    if (product == 0)
      continue;
    sum += shiftTruncating(product, a[i].exponent + b[i].exponent - aFraction -
                                        bFraction - unit);
  }
  return toF16 ? roundToF16(sum, unit) : roundToF32(sum, unit);
}

} // namespace bwgemm::emulator
