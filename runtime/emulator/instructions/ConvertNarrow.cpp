//===- ConvertNarrow.cpp - cvt of packed 8-, 6- and 4-bit types -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cvt: e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0 and s2f6, two or four in a
// register, from and to f32, f16x2 and bf16x2; and the stochastic rounding
// .rs, also to f16x2 and bf16x2.
//
//===----------------------------------------------------------------------===//

#include "instructions/ConvertNarrow.h"

#include "instructions/FloatSupport.h"

#include <cmath>

namespace bwgemm::emulator {

namespace {

/// A floating-point format of at most 16 bits, sign included.
struct Narrow {
  uint8_t bits;         ///< Of one element in the register.
  uint8_t mantissaBits; ///< Stored ones.
  int8_t minExponent;   ///< Of the smallest normal number.
  uint16_t largest;     ///< Code of the largest finite number.
  uint16_t infinity;    ///< Code of +infinity; 0 if there is none.
  uint16_t nan;         ///< Code of the NaN; of MAX_NORM if there is none.
  /// Element width without padding: the sign is its top bit.
  uint8_t valueBits;
};

constexpr Narrow e4m3{8, 3, -6, 0x7E, 0, 0x7F, 8};
constexpr Narrow e5m2{8, 2, -14, 0x7B, 0x7C, 0x7F, 8};
constexpr Narrow e2m3{8, 3, 0, 0x1F, 0, 0x1F, 6};
constexpr Narrow e3m2{8, 2, -2, 0x1F, 0, 0x1F, 6};
constexpr Narrow e2m1{4, 1, 0, 0x07, 0, 0x07, 4};
constexpr Narrow narrowF16{16, 10, -14, 0x7BFF, 0x7C00, 0x7FFF, 16};
constexpr Narrow narrowBf16{16, 7, -126, 0x7F7F, 0x7F80, 0x7FFF, 16};

enum class Round : uint8_t { Nearest, Stochastic };

/// How one element is written.
struct Target {
  const Narrow *format = nullptr;
  Round round = Round::Nearest;
  bool relu = false, satFinite = true;
  unsigned randomBits = 16;
};

/// `random` is added to the discarded part, aligned at its top, and the sum is
/// cut off (.rs); the alignment for the 8-bit and narrower types is what a
/// B200 was seen to do.
uint32_t write(const Target &t, double value, uint32_t random = 0) {
  const Narrow &f = *t.format;
  if (std::isnan(value))
    return f.nan;
  if (t.relu && std::signbit(value))
    return 0;
  uint32_t sign = std::signbit(value) ? 1u << (f.valueBits - 1) : 0;
  double magnitude = std::fabs(value);
  uint32_t beyond = t.satFinite || !f.infinity ? f.largest : f.infinity;
  if (std::isinf(magnitude))
    return sign | beyond;
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), int(f.minExponent));
  // Every f32, scaled so that the last kept digit is 1, is exact in f64.
  double scaled = std::ldexp(magnitude, int(f.mantissaBits) - exponent);
  double whole =
      t.round == Round::Nearest
          ? std::nearbyint(scaled)
          : std::floor(scaled + std::ldexp(double(random), -int(t.randomBits)));
  // A carry moves on to the next exponent by itself.
  int64_t code =
      (int64_t(exponent - f.minExponent) << f.mantissaBits) + int64_t(whole);
  return sign | (code > f.largest ? beyond : uint32_t(code));
}

/// The value of an element; NaN where the format has one.
double read(const Narrow &f, uint32_t code) {
  uint32_t magnitude = code & ((1u << (f.valueBits - 1)) - 1);
  bool negative = code >> (f.valueBits - 1) & 1;
  double value;
  if (magnitude > f.largest)
    value = f.infinity == magnitude ? INFINITY : NAN;
  else {
    uint32_t exponent = magnitude >> f.mantissaBits;
    uint32_t fraction = magnitude & ((1u << f.mantissaBits) - 1);
    if (exponent)
      fraction |= 1u << f.mantissaBits;
    value = std::ldexp(double(fraction), int(exponent ? exponent - 1 : 0) +
                                             f.minExponent - f.mantissaBits);
  }
  return negative ? -value : value;
}

/// What the instruction is, in Instruction::data.
struct Plan {
  Target target;
  const Narrow *source = nullptr; ///< Null for f32.
  uint8_t count = 2;              ///< Elements.
  bool roundUp = false;           ///< ue8m0: .rp, else .rz.
};

const Plan &planOf(const Instruction &i) {
  return *static_cast<const Plan *>(i.data);
}

/// ue8m0 holds an exponent alone: 2^(code - 127); 0xFF is the NaN.
uint32_t writeUe8m0(const Plan &plan, double value) {
  if (std::isnan(value))
    return 0xFF;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return plan.target.satFinite ? 0xFE : 0xFF;
  if (magnitude == 0)
    return 0;
  int exponent = std::ilogb(magnitude);
  if (plan.roundUp && std::ldexp(1.0, exponent) < magnitude)
    ++exponent;
  int code = exponent + 127;
  if (code > 0xFE)
    return plan.target.satFinite ? 0xFE : 0xFF;
  return code < 0 ? 0 : uint32_t(code);
}

double readUe8m0(uint32_t code) {
  return code == 0xFF ? NAN : std::ldexp(1.0, int(code) - 127);
}

/// s2f6: a signed byte in units of 1/64, clamped; NaN is the largest.
uint32_t writeS2f6(double value, bool relu) {
  if (std::isnan(value))
    return 0x7F;
  if (relu && value < 0)
    value = 0;
  double units = std::nearbyint(value * 64);
  units = units < -128 ? -128 : units > 127 ? 127 : units;
  return uint32_t(int32_t(units)) & 0xFF;
}

} // namespace

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// Element `e` of a source, 0 the uppermost: of two or four f32 operands, or
/// of one packed register.
static double sourceElement(const Warp &w, const Instruction &i,
                            const Plan &plan, unsigned e, unsigned lane) {
  if (!plan.source) {
    const Operand &first = i.operands[1];
    const Operand &operand = first.kind == Operand::Kind::Vector
                                 ? first.elements[e]
                                 : i.operands[1 + e];
    return bitsToFloat(w.in<uint32_t>(operand)[lane]);
  }
  unsigned bits = plan.source->bits;
  uint64_t raw = w.value(i.operands[1], lane);
  return read(*plan.source, uint32_t(raw >> (plan.count - 1 - e) * bits) &
                                ((1u << bits) - 1));
}

/// d = the elements, each written to the target format.
static Step narrowElements(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  unsigned bits = plan.target.format->bits;
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t packed = 0;
    for (unsigned e = 0; e < plan.count; ++e)
      packed =
          packed << bits | write(plan.target, sourceElement(w, i, plan, e, l));
    return packed;
  });
}

/// The bits that element `e` takes from rbits. Two elements share 16 bits: the
/// first reads them in reverse order (seen on a B200; the ISA says which bits
/// the pair has).
static uint32_t randomOf(const Plan &plan, uint32_t rbits, unsigned e) {
  if (plan.count == 2) {
    uint32_t half = e == 0 ? rbits >> 16 : rbits & 0xFFFF;
    return half & ((1u << plan.target.randomBits) - 1);
  }
  bool isUpper = e < 2;
  uint32_t field;
  if (plan.target.format->bits == 8)
    field = isUpper ? rbits >> 16 : rbits & 0xFFFF;
  else
    field = isUpper ? (rbits >> 16 & 0xFF00) | (rbits >> 8 & 0xFF)
                    : (rbits >> 8 & 0xFF00) | (rbits & 0xFF);
  if (e % 2 == 1)
    return field;
  uint32_t reversed = 0;
  for (unsigned b = 0; b < 16; ++b)
    reversed |= (field >> b & 1) << (15 - b);
  return reversed;
}

/// The same with .rs; the random bits are the last operand.
static Step stochasticElements(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  unsigned bits = plan.target.format->bits;
  const uint32_t *random = w.in<uint32_t>(i.operands[i.operandCount - 1]);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t packed = 0;
    for (unsigned e = 0; e < plan.count; ++e)
      packed =
          packed << bits | write(plan.target, sourceElement(w, i, plan, e, l),
                                 randomOf(plan, random[l], e));
    return packed;
  });
}

static Step toUe8m0(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    return uint64_t(writeUe8m0(plan, sourceElement(w, i, plan, 0, l))) << 8 |
           writeUe8m0(plan, sourceElement(w, i, plan, 1, l));
  });
}

static Step fromUe8m0(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t raw = w.value(i.operands[1], l);
    return uint64_t(write(plan.target, readUe8m0(raw >> 8 & 0xFF))) << 16 |
           write(plan.target, readUe8m0(raw & 0xFF));
  });
}

/// Scale factor of element `e`, from the last operand if there is one.
static double scaleOf(const Warp &w, const Instruction &i, unsigned e,
                      unsigned lane) {
  const Operand &scale = i.operands[i.operandCount - 1];
  if (!i.flags)
    return 1;
  return readUe8m0(uint32_t(w.value(scale, lane)) >> (e == 0 ? 8 : 0) & 0xFF);
}

static Step toS2f6(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t packed = 0;
    for (unsigned e = 0; e < 2; ++e)
      packed = packed << 8 |
               writeS2f6(sourceElement(w, i, plan, e, l) / scaleOf(w, i, e, l),
                         plan.target.relu);
    return packed;
  });
}

static Step fromS2f6(Warp &w, const Instruction &i, LaneMask mask) {
  const Plan &plan = planOf(i);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    uint64_t raw = w.value(i.operands[1], l), packed = 0;
    for (unsigned e = 0; e < 2; ++e) {
      double value = int8_t(raw >> (e == 0 ? 8 : 0)) / 64.0;
      packed = packed << 16 | write(plan.target, value * scaleOf(w, i, e, l));
    }
    return packed;
  });
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
struct Name {
  const char *word;
  const Narrow *format;
  uint8_t count;
};
} // namespace

static const Name names[] = {{"e4m3x2", &e4m3, 2}, {"e5m2x2", &e5m2, 2},
                             {"e2m3x2", &e2m3, 2}, {"e3m2x2", &e3m2, 2},
                             {"e2m1x2", &e2m1, 2}, {"e4m3x4", &e4m3, 4},
                             {"e5m2x4", &e5m2, 4}, {"e2m3x4", &e2m3, 4},
                             {"e3m2x4", &e3m2, 4}, {"e2m1x4", &e2m1, 4}};

static const Name *findName(std::string_view word) {
  for (const Name &name : names)
    if (word == name.word)
      return &name;
  return nullptr;
}

/// The type of the register that holds all elements.
static Type registerType(const Narrow &format, unsigned count) {
  switch (format.bits * count) {
  case 8:
    return Type::B8;
  case 16:
    return Type::B16;
  default:
    return Type::B32;
  }
}

static bool wrong(Decode &decode, const char *expected) {
  return decode.error(std::string("expected ") + expected + " in '" +
                      decode.mnemonic() + "'");
}

/// The source of a conversion of two elements: two f32 or one f16x2, bf16x2.
static bool takePairSource(Decode &decode, Plan &plan, bool f16Allowed) {
  if (decode.take("f32"))
    return true;
  if (f16Allowed && decode.take("f16x2"))
    plan.source = &narrowF16;
  else if (decode.take("bf16x2"))
    plan.source = &narrowBf16;
  else
    return wrong(decode, f16Allowed ? "source type f32, f16x2 or bf16x2"
                                    : "source type f32 or bf16x2");
  return true;
}

static size_t sourceOperands(const Plan &plan) { return plan.source ? 1 : 2; }

static bool pairOperands(Decode &decode, const Plan &plan, Type destination,
                         size_t more) {
  size_t count = 1 + sourceOperands(plan) + more;
  // An 8-bit result stands in a register of 16 bits or more.
  bool wider = destination == Type::B8;
  if (!decode.expectOperands(count, count) ||
      !decode.destination(0, destination, false, wider))
    return false;
  if (plan.source)
    return decode.sourceOperand(1, Type::B32);
  return decode.sourceOperand(1, Type::F32) &&
         decode.sourceOperand(2, Type::F32);
}

/// To e4m3, e5m2, e2m3, e3m2, e2m1.
static bool decodeToNarrow(Decode &decode, const Name &name, Plan &plan) {
  plan.target.format = name.format;
  plan.count = name.count;
  plan.target.relu = decode.take("relu");
  Type destination = registerType(*name.format, name.count);
  if (name.count == 4) {
    if (!decode.take("rs") || !decode.take("satfinite") || !decode.take("f32"))
      return wrong(decode, "'.rs', '.satfinite' and source type f32");
    plan.target.round = Round::Stochastic;
    decode.out.handler = stochasticElements;
    return decode.expectOperands(3, 3) && decode.destination(0, destination) &&
           decode.vectorSource(1, Type::F32, 4) &&
           decode.sourceOperand(2, Type::B32);
  }
  if (!decode.take("rn") || !decode.take("satfinite"))
    return wrong(decode, "'.rn.satfinite'");
  decode.out.handler = narrowElements;
  return takePairSource(decode, plan, true) &&
         pairOperands(decode, plan, destination, 0);
}

/// From one of them to f16x2; the second type of the mnemonic is taken.
static bool decodeFromNarrow(Decode &decode, const Name &name, Plan &plan,
                             bool toBf16) {
  if (!decode.take("rn"))
    return wrong(decode, "'.rn'");
  plan.target.format = toBf16 ? &narrowBf16 : &narrowF16;
  plan.target.relu = decode.take("relu");
  plan.target.satFinite = decode.take("satfinite");
  plan.source = name.format;
  decode.out.handler = narrowElements;
  Type source = registerType(*name.format, 2);
  return decode.expectOperands(2, 2) &&
         decode.destination(0, toBf16 ? Type::BF16x2 : Type::F16x2) &&
         decode.sourceOperand(1, source, source == Type::B8);
}

static bool decodeUe8m0(Decode &decode, Plan &plan) {
  int rounding = decode.takeOne({"rz", "rp"});
  if (rounding < 0)
    return wrong(decode, "'.rz' or '.rp'");
  plan.roundUp = rounding == 1;
  plan.target.satFinite = decode.take("satfinite");
  decode.out.handler = toUe8m0;
  return takePairSource(decode, plan, false) &&
         pairOperands(decode, plan, Type::B16, 0);
}

/// A .b16 scale factor with .scaled::n2::ue8m0.
static bool scaleOperand(Decode &decode, bool scaled, size_t index) {
  decode.out.flags = scaled;
  return !scaled || decode.sourceOperand(index, Type::B16);
}

static bool decodeToS2f6(Decode &decode, Plan &plan) {
  bool good = decode.take("rn") && decode.take("satfinite");
  plan.target.relu = decode.take("relu");
  bool scaled = decode.take("scaled::n2::ue8m0");
  if (!good)
    return wrong(decode, "'.rn.satfinite'");
  decode.out.handler = toS2f6;
  return takePairSource(decode, plan, false) &&
         pairOperands(decode, plan, Type::B16, scaled) &&
         scaleOperand(decode, scaled, 1 + sourceOperands(plan));
}

static bool decodeFromS2f6(Decode &decode, Plan &plan) {
  if (!decode.take("rn"))
    return wrong(decode, "'.rn'");
  plan.target.format = &narrowBf16;
  plan.target.satFinite = decode.take("satfinite");
  plan.target.relu = decode.take("relu");
  bool scaled = decode.take("scaled::n2::ue8m0");
  decode.out.handler = fromS2f6;
  size_t count = scaled ? 3 : 2;
  return decode.expectOperands(count, count) &&
         decode.destination(0, Type::BF16x2) &&
         decode.sourceOperand(1, Type::B16) && scaleOperand(decode, scaled, 2);
}

/// cvt.rs{.relu}{.satfinite}.f16x2.f32 and .bf16x2.f32 d, a, b, rbits.
static bool decodeStochasticPair(Decode &decode, Plan &plan, bool toBf16) {
  plan.target.format = toBf16 ? &narrowBf16 : &narrowF16;
  plan.target.round = Round::Stochastic;
  // The ISA gives f16 the low 13 bits of its half: as many as are cut off.
  plan.target.randomBits = toBf16 ? 16 : 13;
  plan.target.relu = decode.take("relu");
  plan.target.satFinite = decode.take("satfinite");
  if (!decode.take("f32"))
    return wrong(decode, "source type f32");
  decode.out.handler = stochasticElements;
  return pairOperands(decode, plan, toBf16 ? Type::BF16x2 : Type::F16x2, 1) &&
         decode.sourceOperand(3, Type::B32);
}

std::optional<bool> decodeNarrowCvt(Decode &decode) {
  const std::vector<std::string_view> &parts = decode.source.parts;
  auto has = [&](std::string_view word) {
    for (std::string_view part : parts)
      if (part == word)
        return true;
    return false;
  };
  // The destination is the first type, the source the last part.
  const Name *source = findName(parts.back()), *destination = nullptr;
  for (size_t i = 1; i + 1 < parts.size(); ++i)
    if (const Name *found = findName(parts[i]))
      destination = found;
  bool scaleSource = parts.back() == "ue8m0x2",
       fixedSource = parts.back() == "s2f6x2";
  bool isPair = has("f16x2") || has("bf16x2");
  if (!source && !destination && !has("ue8m0x2") && !has("s2f6x2") &&
      !(has("rs") && isPair))
    return std::nullopt;
  auto *plan = decode.newData<Plan>();
  decode.out.data = plan;
  if (destination && !source) {
    decode.take(destination->word);
    return decodeToNarrow(decode, *destination, *plan);
  }
  bool toBf16 = false;
  if (source || scaleSource || fixedSource) {
    decode.take(parts.back());
    toBf16 = decode.take("bf16x2");
    if (!toBf16 && (scaleSource || fixedSource || !decode.take("f16x2")))
      return wrong(decode, source ? "destination type f16x2 or bf16x2"
                                  : "destination type bf16x2");
  }
  if (source)
    return source->count == 2 ? decodeFromNarrow(decode, *source, *plan, toBf16)
                              : wrong(decode, "a source of two elements");
  if (scaleSource) {
    plan->target.format = &narrowBf16;
    decode.out.handler = fromUe8m0;
    return decode.take("rn") ? decode.expectOperands(2, 2) &&
                                   decode.destination(0, Type::BF16x2) &&
                                   decode.sourceOperand(1, Type::B16)
                             : wrong(decode, "'.rn'");
  }
  if (fixedSource)
    return decodeFromS2f6(decode, *plan);
  if (decode.take("ue8m0x2"))
    return decodeUe8m0(decode, *plan);
  if (decode.take("s2f6x2"))
    return decodeToS2f6(decode, *plan);
  decode.take("rs");
  toBf16 = decode.take("bf16x2");
  if (!toBf16)
    decode.take("f16x2");
  return decodeStochasticPair(decode, *plan, toBf16);
}

} // namespace bwgemm::emulator
