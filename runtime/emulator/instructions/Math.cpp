//===- Math.cpp - Roots, exponentials, trigonometry -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, copysign, testp (PTX ISA,
// floating-point and half-precision instructions). The approximate forms are
// computed in f64 and rounded once: well within their error bounds, and the
// same on every host of one C library.
//
//===----------------------------------------------------------------------===//

#include "instructions/FloatSupport.h"

#include <cmath>

namespace bwgemm::emulator {

namespace {

struct Rcp {
  template <class T> static T apply(T a) { return T(1) / a; }
};
/// rcp.approx.ftz.f64: subnormal numbers count as zero on both sides, and the
/// low word of the result is zero (PTX ISA, rcp).
struct CoarseRcp {
  static double apply(double a) {
    if (std::fabs(a) < 0x1p-1022)
      a = std::copysign(0.0, a);
    double result = 1 / a;
    if (std::fabs(result) < 0x1p-1022)
      result = std::copysign(0.0, result);
    return fromStorage<double>(toStorage<double>(result) &
                               ~uint64_t(0xFFFFFFFF));
  }
};
struct Sqrt {
  static float apply(float a) { return std::sqrt(a); }
  static double apply(double a) { return std::sqrt(a); }
};
struct Rsqrt {
  template <class T> static T apply(T a) {
    // 1/sqrt(-0) is -inf.
    return a == 0 ? std::copysign(T(INFINITY), a)
                  : T(1.0 / std::sqrt(double(a)));
  }
};
struct Sin {
  static float apply(float a) { return float(std::sin(double(a))); }
};
struct Cos {
  static float apply(float a) { return float(std::cos(double(a))); }
};
struct Lg2 {
  static float apply(float a) { return float(std::log2(double(a))); }
};
struct Ex2 {
  static float apply(float a) { return float(std::exp2(double(a))); }
};
struct Tanh {
  static float apply(float a) { return float(std::tanh(double(a))); }
};

/// F on one or two 16-bit values.
template <class F, bool isBf16, bool ftz> struct OnHalf {
  static uint16_t one(uint16_t bits) {
    float value = isBf16 ? bf16ToFloat(bits) : f16ToFloat(bits);
    if (ftz && isBf16)
      value = flushSubnormal(value);
    if (ftz && !isBf16 && (bits & 0x7C00) == 0)
      value = std::copysign(0.0f, value);
    // f32 carries enough digits that rounding twice is within the bounds.
    float result = F::apply(value);
    return isBf16 ? floatToBf16(result) : floatToF16(result);
  }
  static uint32_t apply(uint32_t bits) {
    return one(uint16_t(bits)) | uint32_t(one(uint16_t(bits >> 16))) << 16;
  }
};

template <class F, bool isBf16, bool ftz> struct OnOneHalf {
  static uint16_t apply(uint16_t bits) {
    return OnHalf<F, isBf16, ftz>::one(bits);
  }
};

struct CopySign32 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return (b & 0x7FFFFFFF) | (a & 0x80000000);
  }
};
struct CopySign64 {
  static uint64_t apply(uint64_t a, uint64_t b) {
    constexpr uint64_t sign = uint64_t(1) << 63;
    return (b & ~sign) | (a & sign);
  }
};

} // namespace

/// rcp and sqrt: .approx{.ftz}.f32, .rnd{.ftz}.f32, .rnd.f64, and the coarse
/// .approx.ftz.f64.
template <class F> static bool decodeRounded(Decode &decode) {
  bool approx = decode.take("approx");
  Rounding rounding;
  bool hasRounding = takeRounding(decode, rounding);
  bool ftz = decode.take("ftz");
  Type type;
  if (!decode.takeType(type))
    return false;
  if (type != Type::F32 && type != Type::F64)
    return wrongType(decode, type);
  if (approx == hasRounding)
    return decode.error("expected either '.approx' or a rounding such as '.rn' "
                        "in '" +
                        decode.mnemonic() + "'");
  Handler handler = pickFloat<F, 1>(type, ftz, false);
  if (approx && type == Type::F64) {
    if (!std::is_same_v<F, Rcp> || !ftz)
      return decode.error("expected 'rcp.approx.ftz.f64' or a rounding such as "
                          "'.rn', got '" +
                          decode.mnemonic() + "'");
    handler = map1<CoarseRcp, double, double>;
  }
  setRounded(decode.out, handler, rounding);
  return plainOperands(decode, type, 1);
}

static bool decodeRsqrt(Decode &decode) {
  bool approx = decode.take("approx"), ftz = decode.take("ftz");
  Type type;
  if (!decode.takeType(type))
    return false;
  if (!approx || (type != Type::F32 && type != Type::F64))
    return decode.error("expected 'rsqrt.approx' of f32 or f64, got '" +
                        decode.mnemonic() + "'");
  decode.out.handler = pickFloat<Rsqrt, 1>(type, ftz, false);
  return plainOperands(decode, type, 1);
}

template <class F> static Handler f32Only(bool ftz) {
  return ftz ? modifiedHandler<F, float, 1, true, false>
             : modifiedHandler<F, float, 1, false, false>;
}

template <class F, bool hasHalf> static bool decodeApprox(Decode &decode) {
  bool approx = decode.take("approx"), ftz = decode.take("ftz");
  Type type;
  if (!decode.takeType(type))
    return false;
  if (!approx)
    return decode.error("expected '.approx' in '" + decode.mnemonic() + "'");
  Handler handler = nullptr;
  if (type == Type::F32) {
    handler = f32Only<F>(ftz);
  } else if constexpr (hasHalf) {
    switch (type) {
    case Type::F16:
      handler = ftz ? map1<OnOneHalf<F, false, true>, uint16_t, uint16_t>
                    : map1<OnOneHalf<F, false, false>, uint16_t, uint16_t>;
      break;
    case Type::F16x2:
      handler = ftz ? map1<OnHalf<F, false, true>, uint32_t, uint32_t>
                    : map1<OnHalf<F, false, false>, uint32_t, uint32_t>;
      break;
    case Type::BF16:
      handler = ftz ? map1<OnOneHalf<F, true, true>, uint16_t, uint16_t>
                    : map1<OnOneHalf<F, true, false>, uint16_t, uint16_t>;
      break;
    case Type::BF16x2:
      handler = ftz ? map1<OnHalf<F, true, true>, uint32_t, uint32_t>
                    : map1<OnHalf<F, true, false>, uint32_t, uint32_t>;
      break;
    default:
      break;
    }
  }
  if (!handler)
    return wrongType(decode, type);
  decode.out.handler = handler;
  return plainOperands(decode, type, 1);
}

/// copysign d, a, b: the sign of a on the value of b.
static bool decodeCopysign(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  if (type == Type::F32)
    decode.out.handler = map2<CopySign32, uint32_t, uint32_t, uint32_t>;
  else if (type == Type::F64)
    decode.out.handler = map2<CopySign64, uint64_t, uint64_t, uint64_t>;
  else
    return wrongType(decode, type);
  return plainOperands(decode, type, 2);
}

template <class T>
static Step testp(Warp &w, const Instruction &i, LaneMask mask) {
  const Storage<T> *a = w.in<Storage<T>>(i.operands[1]);
  LaneMask result = 0;
  forLanes(mask, [&](unsigned l) {
    int kind = std::fpclassify(fromStorage<T>(a[l]));
    bool is = false;
    switch (i.flags) {
    case 0:
      is = kind != FP_NAN && kind != FP_INFINITE;
      break;
    case 1:
      is = kind == FP_INFINITE;
      break;
    case 2:
      is = kind != FP_NAN;
      break;
    case 3:
      is = kind == FP_NAN;
      break;
    case 4:
      // Zero is counted as normal (measured on an H200).
      is = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    default:
      is = kind == FP_SUBNORMAL;
      break;
    }
    result |= LaneMask(is) << l;
  });
  w.setPredicate(i.operands[0], result, mask);
  return Step::Next;
}

static bool decodeTestp(Decode &decode) {
  int kind = decode.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type;
  if (kind < 0)
    return decode.error("expected a property such as '.finite' in '" +
                        decode.mnemonic() + "'");
  if (!decode.takeType(type))
    return false;
  if (type != Type::F32 && type != Type::F64)
    return wrongType(decode, type);
  decode.out.flags = uint8_t(kind);
  decode.out.handler = type == Type::F32 ? testp<float> : testp<double>;
  return decode.expectOperands(2, 2) && decode.predicateDestination(0) &&
         decode.sourceOperand(1, type);
}

void registerMath(Registry &registry) {
  registry.add("rcp", decodeRounded<Rcp>);
  registry.add("sqrt", decodeRounded<Sqrt>);
  registry.add("rsqrt", decodeRsqrt);
  registry.add("sin", decodeApprox<Sin, false>);
  registry.add("cos", decodeApprox<Cos, false>);
  registry.add("lg2", decodeApprox<Lg2, false>);
  registry.add("ex2", decodeApprox<Ex2, true>);
  registry.add("tanh", decodeApprox<Tanh, true>);
  registry.add("copysign", decodeCopysign);
  registry.add("testp", decodeTestp);
}

} // namespace bwgemm::emulator
