//===- HalfConvert.h - f16, bf16 and tf32 conversions -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar conversions between the 16-bit floating-point formats and f32, on bit
// patterns. The vector forms live beside the matrix kernels that need them.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_HALFCONVERT_H
#define BWGEMM_EMULATOR_MACHINE_HALFCONVERT_H

#include <cstdint>
#include <cstring>

namespace bwgemm::emulator {

inline float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// f32 of a bf16 bit pattern; exact, payloads of NaN kept.
inline float bf16ToFloat(uint16_t bits) {
  return bitsToFloat(uint32_t(bits) << 16);
}

/// f32 of an f16 bit pattern; exact, payloads of NaN kept.
inline float f16ToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return bitsToFloat(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return bitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // A subnormal is mantissa * 2^-24, which f32 represents exactly.
  return bitsToFloat(sign | floatToBits(float(mantissa) * 0x1p-24f));
}

/// f16 bit pattern of an f32, rounded to nearest even, overflow to infinity;
/// every NaN becomes 0x7fff, the one the tensor cores produce (measured on an
/// H200).
inline uint16_t floatToF16(float value) {
  uint32_t bits = floatToBits(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude >= 0x477ff000u) // 65520 and above round to infinity.
    return sign | 0x7c00;
  if (magnitude < 0x38800000u) { // Below 2^-14: subnormal or zero.
    // Adding 0.5 places the unit of the sum's last bit at 2^-24, so that the
    // host's own rounding to nearest even does the work.
    float shifted = bitsToFloat(magnitude) + 0.5f;
    return sign | uint16_t(floatToBits(shifted) - floatToBits(0.5f));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - 0x38000000u) >> 13);
}

/// What a tensor copy with a tf32 element type writes for an f32 bit pattern:
/// rounded to nearest even at bit 13, every NaN 0x7fffe000 (measured on an
/// H200).
inline uint32_t roundToTf32(uint32_t bits) {
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000u)
    return 0x7fffe000u;
  if (magnitude == 0x7f800000u)
    return bits;
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return (bits & 0x80000000u) | (rounded & 0xffffe000u);
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_HALFCONVERT_H
