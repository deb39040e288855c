//===- Float16.h - Rounding to narrow floating-point formats ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_FLOAT16_H
#define BWGEMM_EMULATOR_MACHINE_FLOAT16_H

#include "machine/HalfConvert.h"

#include <cmath>
#include <cstdint>

namespace bwgemm::emulator {

/// The rounding modifiers .rn, .rz, .rm, .rp and .rna (ties away from zero).
enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// A binary interchange format; all have infinities and NaNs like IEEE 754.
struct FloatFormat {
  unsigned mantissaBits;
  int minExponent; ///< Of the smallest normal number.
  unsigned exponentBits;
};
inline constexpr FloatFormat formatF16{10, -14, 5};
inline constexpr FloatFormat formatBf16{7, -126, 8};
inline constexpr FloatFormat formatTf32{10, -126, 8};
inline constexpr FloatFormat formatF32{23, -126, 8};

/// Bits of `value` in `format`, rounded once. NaN becomes the canonical NaN,
/// all ones but for the sign.
inline uint32_t roundTo(FloatFormat format, double value, Rounding mode) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const unsigned width = format.mantissaBits + format.exponentBits;
  const uint32_t sign = uint32_t(bits >> 63) << width;
  const uint32_t infinity = ((1u << format.exponentBits) - 1)
                            << format.mantissaBits;
  const uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  if (magnitude > 0x7FF0000000000000)
    return (1u << width) - 1;
  if (magnitude == 0x7FF0000000000000)
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = int(magnitude >> 52);
  uint64_t m = magnitude & 0xFFFFFFFFFFFFF;
  if (exponent) {
    m |= uint64_t(1) << 52;
  } else {
    int shift = __builtin_clzll(m) - 11;
    m <<= shift;
    exponent = 1 - shift;
  }
  exponent -= 1023; // Of the leading bit, which is bit 52 of m.
  const bool isSubnormal = exponent < format.minExponent;
  int shift = 52 - int(format.mantissaBits) +
              (isSubnormal ? format.minExponent - exponent : 0);
  uint64_t quotient = shift < 64 ? m >> shift : 0;
  uint64_t rest = shift < 64 ? m - (quotient << shift) : m;
  // Beyond 54 places, everything is below half a unit.
  uint64_t half = shift <= 54 ? uint64_t(1) << (shift - 1) : ~uint64_t(0);
  bool up = false;
  switch (mode) {
  case Rounding::Nearest:
    up = rest > half || (rest == half && (quotient & 1));
    break;
  case Rounding::NearestAway:
    up = rest >= half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = rest && sign;
    break;
  case Rounding::Up:
    up = rest && !sign;
    break;
  }
  quotient += up;
  // A carry out of the mantissa raises the exponent by itself.
  uint64_t result = isSubnormal ? quotient
                                : (uint64_t(exponent - format.minExponent)
                                   << format.mantissaBits) +
                                      quotient;
  if (result >= infinity) {
    bool toInfinity =
        mode == Rounding::Nearest || mode == Rounding::NearestAway ||
        (mode == Rounding::Up && !sign) || (mode == Rounding::Down && sign);
    return sign | (toInfinity ? infinity : infinity - 1);
  }
  return sign | uint32_t(result);
}

inline uint16_t roundToF16(double value, Rounding mode = Rounding::Nearest) {
  return uint16_t(roundTo(formatF16, value, mode));
}
inline uint16_t roundToBf16(double value, Rounding mode = Rounding::Nearest) {
  return uint16_t(roundTo(formatBf16, value, mode));
}

/// bf16 bits of an f32, to nearest even; NaN becomes 0x7FFF.
inline uint16_t floatToBf16(float value) {
  uint32_t bits = floatToBits(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return 0x7FFF;
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// a + b, where a rounding to a narrower format follows: the result is exact,
/// or has an odd last bit, so that the second rounding gives what a single
/// one of the exact sum would (rounding to odd).
inline double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double virtualB = sum - a;
  double error = (a - (sum - virtualB)) + (b - virtualB);
  if (error == 0)
    return sum;
  uint64_t bits;
  std::memcpy(&bits, &sum, sizeof(bits));
  if (bits & 1)
    return sum;
  // The exact sum lies between two neighbours; take the odd one.
  bool towardsZero =
      (error < 0) != (sum < 0 || (sum == 0 && std::signbit(sum)));
  bits += towardsZero ? -1 : 1;
  std::memcpy(&sum, &bits, sizeof(sum));
  return sum;
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_FLOAT16_H
