//===- Float.cpp - f32, f64 and f32x2 arithmetic ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, floating-point instructions: add, sub, mul, fma, mad, div, neg,
// abs, min, max. div.approx and div.full give the correctly rounded quotient,
// which lies within their error bounds.
//
//===----------------------------------------------------------------------===//

#include "instructions/FloatSupport.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace bwgemm::emulator {

namespace {

/// The f64 result that a NaN operand gives: its payload, quiet.
double quiet(double value) {
  uint64_t bits = toStorage<double>(value) | uint64_t(1) << 51;
  return fromStorage<double>(bits);
}

// Of two NaN operands of an f64 sum or product the second is passed on, of
// fma's the second, third, first in this order (measured on an H200). Every f32
// NaN is the same.
struct AddF {
  static float apply(float a, float b) { return a + b; }
  static double exact(float a, float b) { return addToOdd(a, b); }
  static double apply(double a, double b) { return b != b ? quiet(b) : a + b; }
};
struct SubF {
  static float apply(float a, float b) { return a - b; }
  static double exact(float a, float b) { return addToOdd(a, -b); }
  static double apply(double a, double b) { return b != b ? quiet(b) : a - b; }
};
struct MulF {
  static float apply(float a, float b) { return a * b; }
  static double apply(double a, double b) { return b != b ? quiet(b) : a * b; }
  static double exact(float a, float b) { return double(a) * double(b); }
};
struct DivF {
  template <class T> static T apply(T a, T b) { return a / b; }
  /// Quotients of f32 are at least 2^-48 of their size away from any number
  /// that a rounding to 24 digits turns on, so f64 is as good as exact.
  static double exact(float a, float b) { return double(a) / double(b); }
};
struct FmaF {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    if (b != b || c != c)
      return quiet(b != b ? b : c);
    return __builtin_fma(a, b, c);
  }
  static double exact(float a, float b, float c) {
    return addToOdd(double(a) * double(b), c);
  }
};
/// div.approx: a divisor above 2^126 counts as infinite, and then an infinite
/// dividend gives NaN (PTX ISA, div).
struct DivApproxF {
  static float apply(float a, float b) {
    if (std::fabs(b) > 0x1p126f && std::fabs(b) < INFINITY)
      return std::isinf(a) ? NAN : a * std::copysign(0.0f, b);
    return a / b;
  }
  static double apply(double a, double b) { return a / b; }
};

enum MinMaxFlags : uint8_t {
  IsMin = 1,
  NaNResult = 2,
  XorSign = 4,
  Ftz = 8,
  AbsInput = 16
};

/// A NaN loses to a number unless .NaN asks for it; -0 is below +0.
template <class T> T minMax(T a, T b, uint8_t flags) {
  if (a != a || b != b) {
    if (sizeof(T) == 8 && a != a && b != b)
      return T(quiet(b));
    if ((flags & NaNResult) || (a != a && b != b))
      return canonical(std::numeric_limits<T>::quiet_NaN());
    return a != a ? b : a;
  }
  bool aLess = a < b || (a == b && std::signbit(a));
  return aLess == bool(flags & IsMin) ? a : b;
}

/// f32 without modifiers, on the bits: numbers in the order of their values,
/// -0 below +0.
template <bool isMin> struct PlainMinMax {
  static uint32_t apply(uint32_t a, uint32_t b) {
    int32_t orderA = int32_t(a) ^ int32_t(uint32_t(int32_t(a) >> 31) >> 1);
    int32_t orderB = int32_t(b) ^ int32_t(uint32_t(int32_t(b) >> 31) >> 1);
    bool isNaNA = (a & 0x7FFFFFFF) > 0x7F800000;
    bool isNaNB = (b & 0x7FFFFFFF) > 0x7F800000;
    uint32_t result = (orderA < orderB) == isMin ? a : b;
    result = isNaNA ? b : result;
    uint32_t other = isNaNA ? 0x7FFFFFFF : a;
    return isNaNB ? other : result;
  }
};

} // namespace

template <class T, unsigned sources>
static Step minMaxLanes(Warp &w, const Instruction &i, LaneMask mask) {
  using Raw = Storage<T>;
  Raw *d = w.out<Raw>(i.operands[0]);
  const Raw *in[3] = {};
  for (unsigned s = 0; s < sources; ++s)
    in[s] = w.in<Raw>(i.operands[1 + s]);
  const uint8_t flags = i.flags;
  forLanes(mask, [&](unsigned l) {
    T result{};
    bool sign = false;
    for (unsigned s = 0; s < sources; ++s) {
      T value = fromStorage<T>(in[s][l]);
      if (flags & Ftz)
        value = readFloat<T, true>(value);
      sign ^= std::signbit(value);
      if (flags & AbsInput)
        value = std::fabs(value);
      result = s == 0 ? value : minMax(result, value, flags);
    }
    if ((flags & XorSign) && result == result)
      result = std::copysign(result, sign ? T(-1) : T(1));
    d[l] = toStorage<T>(result);
  });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Rounding modes
//===----------------------------------------------------------------------===//

bool takeRounding(Decode &decode, Rounding &rounding) {
  int mode = decode.takeOne({"rn", "rz", "rm", "rp"});
  rounding = mode < 0 ? Rounding::Nearest : Rounding(mode);
  return mode >= 0;
}

/// `extra` is the handler that does the work. It is called through a pointer,
/// so that no operation moves out from between the changes of mode.
static Step rounded(Warp &w, const Instruction &i, LaneMask mask) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                  FE_UPWARD};
  auto inner = reinterpret_cast<Handler>(i.extra);
  std::fesetround(modes[i.flags & 3]);
  Step step = inner(w, i, mask);
  std::fesetround(FE_TONEAREST);
  return step;
}

void setRounded(Instruction &out, Handler inner, Rounding rounding) {
  if (rounding == Rounding::Nearest) {
    out.handler = inner;
    return;
  }
  out.handler = rounded;
  out.extra = reinterpret_cast<uint64_t>(inner);
  out.flags = uint8_t(rounding);
}

//===----------------------------------------------------------------------===//
// f32x2
//===----------------------------------------------------------------------===//

/// F on both f32 halves of a 64-bit register.
template <class F, unsigned sources, bool ftz>
static Step packed(Warp &w, const Instruction &i, LaneMask mask) {
  using M = Modified<F, float, ftz, false>;
  uint64_t *d = w.out<uint64_t>(i.operands[0]);
  const uint64_t *a = w.in<uint64_t>(i.operands[1]);
  const uint64_t *b = w.in<uint64_t>(i.operands[2]);
  const uint64_t *c = sources > 2 ? w.in<uint64_t>(i.operands[3]) : a;
  forLanes(mask, [&](unsigned l) {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 32) {
      float x = bitsToFloat(uint32_t(a[l] >> shift));
      float y = bitsToFloat(uint32_t(b[l] >> shift));
      float value;
      if constexpr (sources > 2)
        value = M::apply(x, y, bitsToFloat(uint32_t(c[l] >> shift)));
      else
        value = M::apply(x, y);
      result |= uint64_t(floatToBits(value)) << shift;
    }
    d[l] = result;
  });
  return Step::Next;
}

static bool decodePacked(Decode &decode, ArithmeticOp op) {
  Rounding rounding;
  bool has = takeRounding(decode, rounding);
  bool ftz = decode.take("ftz");
  Handler handler;
  switch (op) {
  case ArithmeticOp::Add:
    handler = ftz ? packed<AddF, 2, true> : packed<AddF, 2, false>;
    break;
  case ArithmeticOp::Sub:
    handler = ftz ? packed<SubF, 2, true> : packed<SubF, 2, false>;
    break;
  case ArithmeticOp::Mul:
    handler = ftz ? packed<MulF, 2, true> : packed<MulF, 2, false>;
    break;
  case ArithmeticOp::Fma:
    if (!has)
      return decode.error("expected a rounding such as '.rn' in '" +
                          decode.mnemonic() + "'");
    handler = ftz ? packed<FmaF, 3, true> : packed<FmaF, 3, false>;
    break;
  default:
    return wrongType(decode, Type::F32x2);
  }
  setRounded(decode.out, handler, rounding);
  return plainOperands(decode, Type::F32x2, op == ArithmeticOp::Fma ? 3 : 2);
}

//===----------------------------------------------------------------------===//
// neg, abs
//===----------------------------------------------------------------------===//

namespace {
/// A NaN becomes the canonical one in f32 and keeps its sign in f64 (measured
/// on an H200; PTX leaves it open).
template <class T, bool isNeg, bool ftz> struct SignOp {
  static Storage<T> apply(Storage<T> bits) {
    constexpr Storage<T> sign = Storage<T>(1) << (8 * sizeof(T) - 1);
    T value = fromStorage<T>(bits);
    if (value != value) {
      if constexpr (sizeof(T) == 8)
        return toStorage<T>(quiet(value));
      else
        return toStorage<T>(canonical(value));
    }
    if (ftz)
      bits = toStorage<T>(readFloat<T, true>(fromStorage<T>(bits)));
    return isNeg ? bits ^ sign : bits & ~sign;
  }
};
} // namespace

template <bool isNeg> static Handler signHandler(Type type, bool ftz) {
  if (type == Type::F64)
    return map1<SignOp<double, isNeg, false>, uint64_t, uint64_t>;
  return ftz ? map1<SignOp<float, isNeg, true>, uint32_t, uint32_t>
             : map1<SignOp<float, isNeg, false>, uint32_t, uint32_t>;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeMinMax(Decode &decode, ArithmeticOp op, Type type, bool ftz) {
  uint8_t flags = op == ArithmeticOp::Min ? IsMin : 0;
  if (ftz)
    flags |= Ftz;
  if (decode.take("NaN"))
    flags |= NaNResult;
  if (decode.take("xorsign"))
    flags |= XorSign;
  if (decode.take("abs"))
    flags |= AbsInput;
  if ((flags & XorSign) && !(flags & AbsInput))
    return decode.error("expected '.xorsign.abs' in '" + decode.mnemonic() +
                        "'");
  if (type == Type::F64 && flags > IsMin)
    return decode.error("'" + decode.mnemonic() + "' has no modifiers for f64");
  decode.out.flags = flags;
  bool three = decode.operandCount() == 4;
  if (type == Type::F64) {
    decode.out.handler = minMaxLanes<double, 2>;
    three = false;
  } else {
    decode.out.handler = three ? minMaxLanes<float, 3> : minMaxLanes<float, 2>;
    using Bits = uint32_t;
    if (!three && flags == IsMin)
      decode.out.handler = map2<PlainMinMax<true>, Bits, Bits, Bits>;
    else if (!three && flags == 0)
      decode.out.handler = map2<PlainMinMax<false>, Bits, Bits, Bits>;
  }
  return plainOperands(decode, type, three ? 3 : 2);
}

bool decodeFloatArithmetic(Decode &decode, ArithmeticOp op, Type type) {
  if (type == Type::F32x2)
    return decodePacked(decode, op);
  Rounding rounding;
  bool hasRounding = takeRounding(decode, rounding);
  bool ftz = decode.take("ftz"), isF64 = type == Type::F64;
  if (ftz && isF64)
    return decode.error("'.ftz' does not exist for type f64 in '" +
                        decode.mnemonic() + "'");
  if (op == ArithmeticOp::Min || op == ArithmeticOp::Max ||
      op == ArithmeticOp::Neg || op == ArithmeticOp::Abs) {
    if (hasRounding)
      return decode.error("unexpected rounding in '" + decode.mnemonic() + "'");
    if (op == ArithmeticOp::Min || op == ArithmeticOp::Max)
      return decodeMinMax(decode, op, type, ftz);
    decode.out.handler = op == ArithmeticOp::Neg
                             ? signHandler<true>(type, ftz)
                             : signHandler<false>(type, ftz);
    return plainOperands(decode, type, 1);
  }
  bool sat = !isF64 && decode.take("sat");
  Handler handler = nullptr;
  unsigned sources = 2;
  bool roundingRequired = false;
  switch (op) {
  case ArithmeticOp::Add:
    handler = pickFloat<AddF, 2>(type, ftz, sat);
    break;
  case ArithmeticOp::Sub:
    handler = pickFloat<SubF, 2>(type, ftz, sat);
    break;
  case ArithmeticOp::Mul:
    handler = pickFloat<MulF, 2>(type, ftz, sat);
    break;
  case ArithmeticOp::Fma:
  case ArithmeticOp::Mad:
    // mad rounds once as fma does, since sm_20.
    roundingRequired = true;
    handler = pickFloat<FmaF, 3>(type, ftz, sat);
    sources = 3;
    break;
  case ArithmeticOp::Div:
    handler = pickFloat<DivF, 2>(type, ftz, sat);
    switch (decode.takeOne({"approx", "full"})) {
    case 0:
      handler = pickFloat<DivApproxF, 2>(type, ftz, sat);
      [[fallthrough]];
    case 1:
      if (isF64 || hasRounding)
        return decode.error("unsupported form '" + decode.mnemonic() + "'");
      break;
    default:
      roundingRequired = true;
      break;
    }
    break;
  default:
    return wrongType(decode, type);
  }
  if (roundingRequired && !hasRounding)
    return decode.error("expected a rounding such as '.rn' in '" +
                        decode.mnemonic() + "'");
  setRounded(decode.out, handler, rounding);
  return plainOperands(decode, type, sources);
}

} // namespace bwgemm::emulator
