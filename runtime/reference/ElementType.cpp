//===- ElementType.cpp - Matrix element types and conversions ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/ElementType.h"

#include <cmath>
#include <cstring>

namespace bwgemm::runtime {
namespace {

enum class Kind : uint8_t { Float, Signed, Unsigned };

struct Format {
  ElementType type;
  const char *name;
  /// MLIR's spelling, where it differs.
  const char *alias;
  Kind kind;
  unsigned bytes;
  /// Floating point: exponent and stored significand bits, and how many low
  /// bits of the storage do not count.
  unsigned exponent, mantissa, unused;
};

/// In the order of ElementType.
constexpr Format formats[] = {
    {ElementType::F64, "f64", nullptr, Kind::Float, 8, 11, 52, 0},
    {ElementType::F32, "f32", nullptr, Kind::Float, 4, 8, 23, 0},
    {ElementType::TF32, "tf32", nullptr, Kind::Float, 4, 8, 10, 13},
    {ElementType::F16, "f16", nullptr, Kind::Float, 2, 5, 10, 0},
    {ElementType::BF16, "bf16", nullptr, Kind::Float, 2, 8, 7, 0},
    {ElementType::E4M3, "e4m3", "f8E4M3FN", Kind::Float, 1, 4, 3, 0},
    {ElementType::E5M2, "e5m2", "f8E5M2", Kind::Float, 1, 5, 2, 0},
    {ElementType::I8, "i8", "si8", Kind::Signed, 1, 0, 0, 0},
    {ElementType::U8, "u8", "ui8", Kind::Unsigned, 1, 0, 0, 0},
    {ElementType::I16, "i16", "si16", Kind::Signed, 2, 0, 0, 0},
    {ElementType::U16, "u16", "ui16", Kind::Unsigned, 2, 0, 0, 0},
    {ElementType::I32, "i32", "si32", Kind::Signed, 4, 0, 0, 0},
    {ElementType::U32, "u32", "ui32", Kind::Unsigned, 4, 0, 0, 0},
    {ElementType::I64, "i64", "si64", Kind::Signed, 8, 0, 0, 0},
    {ElementType::U64, "u64", "ui64", Kind::Unsigned, 8, 0, 0, 0},
};

const Format &formatOf(ElementType type) { return formats[size_t(type)]; }

uint64_t lowMask(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double doubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr unsigned doubleMantissa = 52;
constexpr int doubleBias = 1023;
constexpr uint64_t doubleInfinity = uint64_t(0x7FF) << doubleMantissa;

int biasOf(const Format &f) { return (1 << (f.exponent - 1)) - 1; }

/// OFP8 E4M3 gives the top exponent to numbers, all but its last code.
bool hasInfinity(const Format &f) { return f.type != ElementType::E4M3; }

/// Magnitude code (no sign bit) of the largest finite number.
uint64_t largestCode(const Format &f) {
  uint64_t topExponent = lowMask(f.exponent) << f.mantissa;
  return hasInfinity(f) ? topExponent - 1
                        : topExponent | (lowMask(f.mantissa) - 1);
}

double decodeFloat(const Format &f, uint64_t bits) {
  bits >>= f.unused;
  uint64_t code = bits & lowMask(f.exponent + f.mantissa);
  uint64_t sign = (bits >> (f.exponent + f.mantissa) & 1) << 63;
  uint64_t fraction = code & lowMask(f.mantissa);
  int exponent = int(code >> f.mantissa);
  if (code > largestCode(f)) {
    bool infinite = hasInfinity(f) && fraction == 0;
    uint64_t payload = infinite ? 0 : fraction << (doubleMantissa - f.mantissa);
    return doubleOf(sign | doubleInfinity | payload);
  }
  if (exponent == 0) {
    double magnitude =
        std::ldexp(double(fraction), 1 - biasOf(f) - int(f.mantissa));
    return sign ? -magnitude : magnitude;
  }
  uint64_t field = uint64_t(exponent - biasOf(f) + doubleBias);
  return doubleOf(sign | field << doubleMantissa |
                  fraction << (doubleMantissa - f.mantissa));
}

uint64_t encodeFloat(const Format &f, double value) {
  uint64_t bits = bitsOf(value);
  uint64_t sign = (bits >> 63) << (f.exponent + f.mantissa);
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  unsigned dropped = doubleMantissa - f.mantissa;

  if (magnitude > doubleInfinity) {
    uint64_t payload = magnitude >> dropped & lowMask(f.mantissa);
    // A payload that lies in the dropped bits only must not read as infinity.
    if (payload == 0 || !hasInfinity(f))
      payload = lowMask(f.mantissa);
    return (sign | lowMask(f.exponent) << f.mantissa | payload) << f.unused;
  }

  int exponent = int(magnitude >> doubleMantissa) - doubleBias;
  uint64_t significand =
      (magnitude & lowMask(doubleMantissa)) | uint64_t(1) << doubleMantissa;
  // Below the smallest normal number, the exponent stays and more bits go. A
  // double that is itself subnormal is far below half of any other type's
  // least number, so its missing leading one does not matter.
  int smallest = 1 - biasOf(f);
  uint64_t code;
  if (exponent >= smallest) {
    code = (uint64_t(exponent - smallest) << f.mantissa) +
           (significand >> dropped);
  } else {
    unsigned shift = unsigned(smallest - exponent);
    if (shift > f.mantissa + 1)
      return sign << f.unused; // Less than half of the least number.
    dropped += shift;
    code = significand >> dropped;
  }
  // `code` is now the code of the magnitude rounded toward zero: its leading
  // one adds the 1 that the exponent field of a normal number has above the
  // field of a subnormal. A carry out of the significand is right as well.
  uint64_t rest = significand & lowMask(dropped);
  uint64_t half = uint64_t(1) << (dropped - 1);
  if (rest > half || (rest == half && (code & 1)))
    ++code;
  if (code > largestCode(f)) {
    bool saturates = f.bytes == 1;
    code = saturates ? largestCode(f) : lowMask(f.exponent) << f.mantissa;
  }
  return (sign | code) << f.unused;
}

uint64_t encodeInteger(const Format &f, double value) {
  if (std::isnan(value))
    return 0;
  // nearbyint would follow the rounding mode of the caller; this does not.
  double below = std::floor(value), rest = value - below;
  bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  double rounded = up ? below + 1 : below;
  unsigned bits = 8 * f.bytes;
  if (f.kind == Kind::Unsigned) {
    if (rounded <= 0)
      return 0;
    return rounded >= std::ldexp(1, int(bits)) ? lowMask(bits)
                                               : uint64_t(rounded);
  }
  double limit = std::ldexp(1, int(bits) - 1);
  int64_t integer = rounded >= limit    ? int64_t(lowMask(bits - 1))
                    : rounded <= -limit ? -int64_t(lowMask(bits - 1)) - 1
                                        : int64_t(rounded);
  return uint64_t(integer) & lowMask(bits);
}

} // namespace

std::string_view name(ElementType type) { return formatOf(type).name; }

std::optional<ElementType> parseElementType(std::string_view name) {
  for (const Format &f : formats)
    if (name == f.name || (f.alias && name == f.alias))
      return f.type;
  return std::nullopt;
}

std::string elementTypeNames() {
  std::string names;
  for (const Format &f : formats) {
    if (!names.empty())
      names += ", ";
    names += f.name;
  }
  return names;
}

size_t sizeInBytes(ElementType type) { return formatOf(type).bytes; }

bool isFloat(ElementType type) { return formatOf(type).kind == Kind::Float; }

unsigned mantissaBits(ElementType type) { return formatOf(type).mantissa; }

double smallestNormal(ElementType type) {
  return isFloat(type) ? std::ldexp(1, 1 - biasOf(formatOf(type))) : 0;
}

double largestFinite(ElementType type) {
  const Format &f = formatOf(type);
  if (f.kind == Kind::Float)
    return type == ElementType::F64
               ? doubleOf(doubleInfinity - 1)
               : decodeFloat(f, largestCode(f) << f.unused);
  unsigned bits = 8 * f.bytes - (f.kind == Kind::Signed);
  return toDouble(type, lowMask(bits));
}

double toDouble(ElementType type, uint64_t bits) {
  const Format &f = formatOf(type);
  switch (f.kind) {
  case Kind::Float:
    return type == ElementType::F64 ? doubleOf(bits) : decodeFloat(f, bits);
  case Kind::Unsigned:
    return double(bits & lowMask(8 * f.bytes));
  case Kind::Signed:
    break;
  }
  unsigned unused = 64 - 8 * f.bytes;
  return double(int64_t(bits << unused) >> unused);
}

uint64_t fromDouble(ElementType type, double value) {
  if (type == ElementType::F64)
    return bitsOf(value);
  const Format &f = formatOf(type);
  return f.kind == Kind::Float ? encodeFloat(f, value)
                               : encodeInteger(f, value);
}

double roundTo(ElementType type, double value) {
  return toDouble(type, fromDouble(type, value));
}

uint64_t loadBits(ElementType type, const void *address) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, sizeInBytes(type));
  return bits;
}

void storeBits(ElementType type, void *address, uint64_t bits) {
  std::memcpy(address, &bits, sizeInBytes(type));
}

void decode(ElementType type, const void *source, int64_t stride, size_t count,
            double *result) {
  const auto *bytes = static_cast<const unsigned char *>(source);
  int64_t step = stride * int64_t(sizeInBytes(type));
  for (size_t i = 0; i < count; ++i)
    result[i] = toDouble(type, loadBits(type, bytes + int64_t(i) * step));
}

uint64_t poisonBits(ElementType type) {
  const Format &f = formatOf(type);
  uint64_t bytes = uint64_t(0xA5A5A5A5A5A5A5A5) & lowMask(8 * f.bytes);
  if (f.kind != Kind::Float)
    return bytes;
  uint64_t signAndExponent = lowMask(f.exponent + 1) << (f.mantissa + f.unused);
  uint64_t bits = signAndExponent | bytes;
  return f.type == ElementType::E4M3 ? 0xFF : bits;
}

} // namespace bwgemm::runtime
