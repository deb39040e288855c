//===- ExactDot.cpp - The integer model of tensor cores ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactDot.h"
#include "machine/HalfConvert.h"

#include <algorithm>

namespace bwgemm::emulator {

ExactFormat exactFormat(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
    return exactF16;
  case MmaElement::BF16:
    return exactBF16;
  case MmaElement::TF32:
    return exactTF32;
  case MmaElement::E4M3:
    return exactE4M3;
  case MmaElement::E5M2:
    return exactE5M2;
  case MmaElement::E2M3:
    return exactE2M3;
  case MmaElement::E3M2:
    return exactE3M2;
  case MmaElement::E2M1:
  case MmaElement::PackedE2M1:
    return exactE2M1;
  case MmaElement::U8:
  case MmaElement::S8:
    break;
  }
  return {}; // Integers do not come here.
}

ExactTerm exactElement(ExactFormat format, float value) {
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

ExactTerm exactAddend(const ExactModel &model, uint32_t bits) {
  float value = model.toF16() ? f16ToFloat(uint16_t(bits)) : bitsToFloat(bits);
  return exactElement(model.addend(), value);
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

uint32_t exactRound(const ExactModel &model, int64_t sum, int unit) {
  if (model.toF16())
    return roundToF16(sum, unit);
  uint32_t result = roundToF32(sum, unit);
  if (model.output == ExactOutput::F32Short) {
    result &= ~0x3ffu;
    if (result == 0x80000000u)
      result = 0;
  }
  return result;
}

uint32_t exactDot(const ExactModel &model, const ExactTerm *a,
                  ExactFormat aFormat, const ExactTerm *b, ExactFormat bFormat,
                  unsigned count, const ExactTerm &c, unsigned scale,
                  int productExponent) {
  int largest = model.floor();
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
      largest =
          std::max(largest, a[i].exponent + b[i].exponent + productExponent);
    }
  }
  if (nan || (plusInfinity && minusInfinity))
    return model.toF16() ? 0x7fffu : 0x7fffffffu;
  if (plusInfinity || minusInfinity)
    return model.toF16() ? (plusInfinity ? 0x7c00u : 0xfc00u)
                         : (plusInfinity ? 0x7f800000u : 0xff800000u);

  int cExponent = c.exponent - int(scale);
  if (c.significand != 0)
    largest = std::max(largest, cExponent);
  int unit = largest - model.windowBits;
  int64_t sum = shiftTruncating(c.significand,
                                cExponent - model.addend().fractionBits - unit);
  int shift =
      productExponent - aFormat.fractionBits - bFormat.fractionBits - unit;
  for (unsigned i = 0; i < count; ++i) {
    int64_t product = int64_t(a[i].significand) * b[i].significand;
    sum += shiftTruncating(product, a[i].exponent + b[i].exponent + shift);
  }
  return exactRound(model, sum, unit);
}

} // namespace bwgemm::emulator
