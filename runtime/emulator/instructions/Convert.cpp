//===- Convert.cpp - cvt and cvt.pack ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cvt: among all integer types, f16, bf16, tf32, f32 and f64, and the
// packed forms of two f32 to f16x2 and bf16x2 (ConvertNarrow.cpp has the
// narrower types). A value is read into one of two wide forms (integer or f64,
// which hold every source exactly) and written from there, rounding once.
//
//===----------------------------------------------------------------------===//

#include "instructions/ConvertNarrow.h"
#include "instructions/FloatSupport.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace bwgemm::emulator {

namespace {

struct Conversion {
  Type to = Type::B32, from = Type::B32;
  Rounding rounding = Rounding::Nearest;
  bool toIntegral = false; ///< .rni and its kin.
  bool sat = false, ftz = false, relu = false, satFinite = false;
};

/// What a source holds: an integer of any sign, or a number.
struct Wide {
  bool isFloat = false;
  bool negative = false; ///< Integers: sign and magnitude.
  uint64_t magnitude = 0;
  double number = 0;
  uint64_t raw = 0; ///< The bits that were read.
};

bool isInteger(Type type) { return !isFloat(type); }

double toIntegral(double value, Rounding mode) {
  switch (mode) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::NearestAway:
    return std::round(value);
  default:
    return std::nearbyint(value);
  }
}

Wide read(const Conversion &c, uint64_t bits) {
  Wide wide;
  unsigned width = bitWidth(c.from);
  if (isInteger(c.from)) {
    if (width < 64)
      bits &= (uint64_t(1) << width) - 1;
    if (isSigned(c.from) && (bits >> (width - 1) & 1)) {
      wide.negative = true;
      if (width < 64)
        bits |= ~uint64_t(0) << width;
      bits = 0 - bits;
    }
    wide.magnitude = bits;
    return wide;
  }
  wide.isFloat = true;
  wide.raw = bits;
  switch (c.from) {
  case Type::F16:
    wide.number = f16ToFloat(uint16_t(bits));
    break;
  case Type::BF16:
    wide.number = bf16ToFloat(uint16_t(bits));
    break;
  case Type::F64:
    wide.number = fromStorage<double>(bits);
    break;
  default: {
    float value = bitsToFloat(uint32_t(bits));
    // .ftz makes a NaN canonical on the way; to f16 it flushes nothing, which
    // only .rm and .rp can show (both measured on an H200).
    wide.number = !c.ftz              ? value
                  : c.to == Type::F16 ? canonical(value)
                                      : canonical(flushSubnormal(value));
    break;
  }
  }
  return wide;
}

/// An integer as f64, to odd if it has more than 53 digits: the rounding that
/// follows is then the only one.
double integerToOdd(const Wide &wide) {
  uint64_t m = wide.magnitude;
  if (m >> 53) {
    unsigned drop = 64 - 53 - unsigned(__builtin_clzll(m));
    uint64_t lost = m & ((uint64_t(1) << drop) - 1);
    m = (m >> drop) | (lost != 0);
    double value = std::ldexp(double(m), int(drop));
    return wide.negative ? -value : value;
  }
  return wide.negative ? -double(m) : double(m);
}

uint64_t limit(const Conversion &c, bool negative, uint64_t magnitude) {
  // The magnitude, clamped to the destination's range.
  unsigned width = bitWidth(c.to);
  if (!isSigned(c.to)) {
    if (negative)
      return 0;
    uint64_t most = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    return magnitude < most ? magnitude : most;
  }
  uint64_t most = (uint64_t(1) << (width - 1)) - 1 + negative;
  uint64_t clamped = magnitude < most ? magnitude : most;
  return negative ? 0 - clamped : clamped;
}

uint64_t writeInteger(const Conversion &c, const Wide &wide) {
  if (!wide.isFloat) {
    if (c.sat)
      return limit(c, wide.negative, wide.magnitude);
    return wide.negative ? 0 - wide.magnitude : wide.magnitude;
  }
  double value = wide.number;
  if (std::isnan(value)) {
    // PTX ISA, cvt: zero, or the top bit alone for 64-bit types.
    bool isWide = c.from == Type::F64 || bitWidth(c.to) == 64;
    return isWide ? uint64_t(1) << (bitWidth(c.to) - 1) : 0;
  }
  value = toIntegral(value, c.rounding);
  bool negative = value < 0;
  double magnitude = std::fabs(value);
  // Out of range values are clamped, with or without .sat.
  uint64_t integer = magnitude >= 0x1p64 ? ~uint64_t(0) : uint64_t(magnitude);
  return limit(c, negative, integer);
}

/// What a NaN becomes (measured on an H200): from f64 the sign and as much of
/// the payload as fits, quiet; else the canonical one.
uint64_t convertNaN(const Conversion &c, const Wide &wide) {
  uint64_t bits = toStorage<double>(wide.number);
  uint64_t sign = bits >> 63;
  bool fromF64 = c.from == Type::F64;
  switch (c.to) {
  case Type::F64:
    return bits | uint64_t(1) << 51;
  case Type::TF32:
    if (c.rounding != Rounding::NearestAway)
      return 0x7FFFE000u;
    // The step from infinity to the largest number is taken from NaNs as well.
    return (wide.raw & 0xFFFFE000u) - (c.satFinite ? 0x2000u : 0);
  case Type::F32:
    if (c.from == Type::BF16)
      return wide.raw << 16 & 0xFFFFFFFF;
    if (fromF64)
      return sign << 31 | 0x7FC00000u | (bits >> 29 & 0x3FFFFF);
    return 0x7FFFFFFF;
  case Type::BF16:
    return fromF64 ? sign << 15 | 0x7FC0 | (bits >> 45 & 0x3F) : 0x7FFF;
  default:
    return fromF64 ? sign << 15 | 0x7E00 | (bits >> 42 & 0x1FF) : 0x7FFF;
  }
}

uint64_t writeFloat(const Conversion &c, const Wide &wide) {
  double value = wide.isFloat ? wide.number : integerToOdd(wide);
  if (std::isnan(value) && !c.sat)
    return convertNaN(c, wide);
  if (c.toIntegral)
    value = toIntegral(value, c.rounding);
  if (c.sat)
    value = saturate01(value);
  if (c.relu && !(value > 0))
    value = 0;
  if (c.to == Type::F64) {
    if (wide.isFloat || !(wide.magnitude >> 53))
      return toStorage<double>(value);
    // Wider integers round here; the odd form is for narrower formats.
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                    FE_UPWARD};
    std::fesetround(modes[unsigned(c.rounding) & 3]);
    volatile uint64_t magnitude = wide.magnitude;
    volatile double rounded =
        double(magnitude >> 32) * 0x1p32 + double(magnitude & 0xFFFFFFFF);
    if (wide.negative)
      rounded =
          -double(magnitude >> 32) * 0x1p32 - double(magnitude & 0xFFFFFFFF);
    std::fesetround(FE_TONEAREST);
    return toStorage<double>(rounded);
  }
  const FloatFormat format = c.to == Type::F16    ? formatF16
                             : c.to == Type::BF16 ? formatBf16
                             : c.to == Type::TF32 ? formatTf32
                                                  : formatF32;
  uint32_t bits = roundTo(format, value, c.rounding);
  uint32_t infinity = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  uint32_t sign = 1u << (format.exponentBits + format.mantissaBits);
  if (c.satFinite && (bits & (sign - 1)) == infinity)
    --bits;
  if (c.to == Type::TF32)
    return bits << 13;
  if (c.to == Type::F32 && c.ftz)
    bits = floatToBits(flushSubnormal(bitsToFloat(bits)));
  return bits;
}

uint64_t convert(const Conversion &c, uint64_t bits) {
  Wide wide = read(c, bits);
  return isInteger(c.to) ? writeInteger(c, wide) : writeFloat(c, wide);
}

} // namespace

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// Any conversion, by lane. An integer narrower than the destination register
/// is extended to it.
static Step cvt(Warp &w, const Instruction &i, LaneMask mask) {
  const auto &c = *static_cast<const Conversion *>(i.data);
  const Operand &d = i.operands[0], &a = i.operands[1];
  unsigned width = bitWidth(c.to);
  bool extend = isInteger(c.to) && width < 64;
  return setLanes(w, d, mask, [&](unsigned l) {
    uint64_t value = convert(c, w.value(a, l));
    if (extend) {
      value <<= 64 - width;
      value = isSigned(c.to) ? uint64_t(int64_t(value) >> (64 - width))
                             : value >> (64 - width);
    }
    return value;
  });
}

namespace {

/// Conversions that kernels do often, for registers of the type's own width.
template <class R> struct To {
  template <class T> static R apply(T a) { return R(a); }
};
struct F32ToBf16 {
  static uint16_t apply(uint32_t a) { return floatToBf16(bitsToFloat(a)); }
};
struct F32ToF16 {
  static uint16_t apply(uint32_t a) { return floatToF16(bitsToFloat(a)); }
};
struct Bf16ToF32 {
  static uint32_t apply(uint16_t a) {
    // A shift: a NaN keeps its payload (measured on an H200).
    return uint32_t(a) << 16;
  }
};
struct F16ToF32 {
  static uint32_t apply(uint16_t a) {
    return floatToBits(canonical(f16ToFloat(a)));
  }
};
/// The first source is the upper half.
struct PackBf16 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return uint32_t(floatToBf16(bitsToFloat(a))) << 16 |
           floatToBf16(bitsToFloat(b));
  }
};
struct PackF16 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return uint32_t(floatToF16(bitsToFloat(a))) << 16 |
           floatToF16(bitsToFloat(b));
  }
};

} // namespace

/// A fast handler for plain conversions between registers of exactly these
/// widths, or null.
static Handler fastHandler(const Conversion &c, const Operand &d,
                           const Operand &a) {
  if (c.sat || c.ftz || c.relu || c.satFinite || c.toIntegral ||
      c.rounding != Rounding::Nearest || !d || d.isSink())
    return nullptr;
  unsigned to = bitWidth(c.to), from = bitWidth(c.from);
  if (d.width != to || a.width != from)
    return nullptr;
  if (isInteger(c.to) && isInteger(c.from)) {
    if (to <= from && to >= 32)
      return from == 64 ? (to == 64 ? map1<To<uint64_t>, uint64_t, uint64_t>
                                    : map1<To<uint32_t>, uint32_t, uint64_t>)
                        : map1<To<uint32_t>, uint32_t, uint32_t>;
    if (to == 64 && from == 32)
      return isSigned(c.from) ? map1<To<int64_t>, int64_t, int32_t>
                              : map1<To<uint64_t>, uint64_t, uint32_t>;
    if (to == 32 && from == 16)
      return isSigned(c.from) ? map1<To<int32_t>, int32_t, int16_t>
                              : map1<To<uint32_t>, uint32_t, uint16_t>;
    if (to == 16 && from == 32)
      return map1<To<uint16_t>, uint16_t, uint32_t>;
    return nullptr;
  }
  if (c.to == Type::F32) {
    if (c.from == Type::F32)
      return map1<To<uint32_t>, uint32_t, uint32_t>;
    if (c.from == Type::S32)
      return map1<To<float>, float, int32_t>;
    if (c.from == Type::U32)
      return map1<To<float>, float, uint32_t>;
    if (c.from == Type::BF16)
      return map1<Bf16ToF32, uint32_t, uint16_t>;
    if (c.from == Type::F16)
      return map1<F16ToF32, uint32_t, uint16_t>;
  }
  if (c.from == Type::F32) {
    if (c.to == Type::BF16)
      return map1<F32ToBf16, uint16_t, uint32_t>;
    if (c.to == Type::F16)
      return map1<F32ToF16, uint16_t, uint32_t>;
  }
  return nullptr;
}

/// cvt of two f32 into one register, `a` into the upper half.
static Step cvtPacked(Warp &w, const Instruction &i, LaneMask mask) {
  const auto &c = *static_cast<const Conversion *>(i.data);
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *b = w.in<uint32_t>(i.operands[2]);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    return convert(c, a[l]) << 16 | convert(c, b[l]);
  });
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodePackedPair(Decode &decode, Conversion &c, bool hasRounding) {
  bool isBf16 = c.to == Type::BF16x2;
  Type source;
  if (!decode.takeType(source))
    return false;
  if (source != Type::F32)
    return wrongType(decode, source);
  if (!hasRounding)
    return decode.error("expected '.rn' or '.rz' in '" + decode.mnemonic() +
                        "'");
  Type destination = c.to;
  c.to = isBf16 ? Type::BF16 : Type::F16;
  c.from = Type::F32;
  if (!decode.expectOperands(3, 3) || !decode.destination(0, destination) ||
      !decode.sourceOperand(1, Type::F32) ||
      !decode.sourceOperand(2, Type::F32))
    return false;
  bool plain = c.rounding == Rounding::Nearest && !c.relu && !c.satFinite;
  if (plain) {
    decode.out.handler = isBf16 ? map2<PackBf16, uint32_t, uint32_t, uint32_t>
                                : map2<PackF16, uint32_t, uint32_t, uint32_t>;
    return true;
  }
  auto *data = decode.newData<Conversion>();
  *data = c;
  decode.out.data = data;
  decode.out.handler = cvtPacked;
  return true;
}

/// Says whether the rounding that was written fits the types (PTX ISA, cvt,
/// restrictions on rounding).
static bool checkRounding(Decode &decode, const Conversion &c,
                          bool hasIntegerRounding, bool hasRounding) {
  bool intTo = isInteger(c.to), intFrom = isInteger(c.from);
  if (intTo && !intFrom && !hasIntegerRounding)
    return decode.error("expected an integer rounding such as '.rzi' in '" +
                        decode.mnemonic() + "'");
  if (!intTo && intFrom && !hasRounding)
    return decode.error("expected a rounding such as '.rn' in '" +
                        decode.mnemonic() + "'");
  if (intTo && intFrom && (hasRounding || hasIntegerRounding))
    return decode.error("unexpected rounding in '" + decode.mnemonic() + "'");
  if (!intTo && !intFrom) {
    // Half formats have to be named narrower than tf32, f32 and f64.
    bool narrows = bitWidth(c.to) < bitWidth(c.from) || c.to == Type::TF32;
    if (narrows && !hasRounding)
      return decode.error("expected a rounding such as '.rn' in '" +
                          decode.mnemonic() + "'");
    if (hasIntegerRounding && c.to != c.from)
      return decode.error("expected equal types with an integer rounding in '" +
                          decode.mnemonic() + "'");
  }
  return true;
}

static bool decodeCvt(Decode &decode) {
  Conversion c;
  if (auto narrow = decodeNarrowCvt(decode))
    return *narrow;
  int integral = decode.takeOne({"rni", "rzi", "rmi", "rpi"});
  bool hasRounding = takeRounding(decode, c.rounding);
  if (decode.take("rna")) {
    hasRounding = true;
    c.rounding = Rounding::NearestAway;
  }
  if (integral >= 0) {
    c.rounding = Rounding(integral);
    c.toIntegral = true;
  }
  c.ftz = decode.take("ftz");
  c.sat = decode.take("sat");
  c.relu = decode.take("relu");
  c.satFinite = decode.take("satfinite");
  if (!decode.takeType(c.to))
    return false;
  if (c.to == Type::F16x2 || c.to == Type::BF16x2)
    return decodePackedPair(decode, c, hasRounding);
  if (!decode.takeType(c.from))
    return false;
  auto known = [](Type type) {
    switch (type) {
    case Type::B8:
    case Type::B16:
    case Type::B32:
    case Type::B64:
    case Type::B128:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::F32x2:
    case Type::U16x2:
    case Type::S16x2:
    case Type::Pred:
      return false;
    default:
      return true;
    }
  };
  if (!known(c.to))
    return wrongType(decode, c.to);
  if (!known(c.from) || c.from == Type::TF32)
    return wrongType(decode, c.from);
  if (!checkRounding(decode, c, integral >= 0, hasRounding))
    return false;
  if (c.ftz && c.to != Type::F32 && c.from != Type::F32)
    return decode.error("'.ftz' needs type f32 in '" + decode.mnemonic() + "'");
  // Registers may be wider than integer types, and than 16-bit ones.
  if (!decode.expectOperands(2, 2) ||
      !decode.destination(0, c.to, false, isInteger(c.to)) ||
      !decode.sourceOperand(1, c.from, isInteger(c.from)))
    return false;
  decode.out.handler =
      fastHandler(c, decode.out.operands[0], decode.out.operands[1]);
  if (!decode.out.handler) {
    auto *data = decode.newData<Conversion>();
    *data = c;
    decode.out.data = data;
    decode.out.handler = cvt;
  }
  return true;
}

/// cvt.pack.sat.{u16,s16}.s32 d, a, b: d = {sat(a), sat(b)}; with 8, 4 or
/// 2-bit types and .b32 also c, of which the rest is shifted up.
static Step pack(Warp &w, const Instruction &i, LaneMask mask) {
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *b = w.in<uint32_t>(i.operands[2]);
  const uint32_t *c = i.operands[3] ? w.in<uint32_t>(i.operands[3]) : nullptr;
  unsigned bits = i.flags & 0x1F;
  bool isSignedType = i.flags & 0x20;
  auto clamp = [&](uint32_t raw) -> uint64_t {
    int64_t value = int32_t(raw);
    int64_t low = isSignedType ? -(int64_t(1) << (bits - 1)) : 0;
    int64_t high = (int64_t(1) << (bits - (isSignedType ? 1 : 0))) - 1;
    value = value < low ? low : value > high ? high : value;
    return uint64_t(value) & ((uint64_t(1) << bits) - 1);
  };
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t pair = clamp(a[l]) << bits | clamp(b[l]);
    if (c)
      pair |= uint64_t(c[l]) << (2 * bits);
    return pair & 0xFFFFFFFF;
  });
}

static bool decodeCvtPack(Decode &decode) {
  int type = decode.takeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!decode.take("sat") || type < 0 || !decode.take("s32"))
    return decode.error("expected 'cvt.pack.sat', a type and '.s32', got '" +
                        decode.mnemonic() + "'");
  static constexpr uint8_t widths[] = {16, 16, 8, 8, 4, 4, 2, 2};
  decode.out.flags = uint8_t(widths[type] | (type & 1 ? 0x20 : 0));
  decode.out.handler = pack;
  bool hasRest = decode.take("b32");
  if (hasRest == (type < 2))
    return decode.error("expected '.b32' with 8-bit and narrower types only in "
                        "'" +
                        decode.mnemonic() + "'");
  size_t count = hasRest ? 4 : 3;
  return decode.expectOperands(count, count) &&
         decode.destination(0, Type::B32) &&
         decode.sourceOperand(1, Type::S32) &&
         decode.sourceOperand(2, Type::S32) &&
         (!hasRest || decode.sourceOperand(3, Type::B32));
}

void registerConvert(Registry &registry) {
  registry.add("cvt", decodeCvt);
  registry.add("cvt.pack", decodeCvtPack);
}

} // namespace bwgemm::emulator
