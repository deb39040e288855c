//===- Half.cpp - f16, f16x2, bf16, bf16x2 arithmetic -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, half-precision floating-point instructions: add, sub, mul, fma,
// neg, abs, min, max. Each result is the exact one, rounded once to nearest
// even; a NaN result is 0x7FFF. ex2 and tanh of these types are in Math.cpp.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/Float16.h"

namespace bwgemm::emulator {

namespace {

enum Flags : uint8_t {
  Ftz = 1,
  Sat = 2,
  Relu = 4,
  NaN = 8,
  XorSign = 16,
  AbsInput = 32,
};

struct F16 {
  static constexpr uint16_t minNormal = 0x0400, infinity = 0x7C00, one = 0x3C00;
  static double read(uint16_t bits) { return f16ToFloat(bits); }
  static uint16_t write(double value) { return roundToF16(value); }
};
struct BF16 {
  static constexpr uint16_t minNormal = 0x0080, infinity = 0x7F80, one = 0x3F80;
  static double read(uint16_t bits) { return bf16ToFloat(bits); }
  static uint16_t write(double value) { return roundToBf16(value); }
};

template <class T> uint16_t flush(uint16_t bits) {
  return (bits & 0x7FFF) < T::minNormal ? bits & 0x8000 : bits;
}
template <class T> bool isNaN(uint16_t bits) {
  return (bits & 0x7FFF) > T::infinity;
}

/// The result of an operation: `exact` is its value, or the value rounded to
/// odd. With .ftz what is subnormal becomes zero, and that is judged by the
/// value rounded to the format's digits whatever its exponent (measured on an
/// H200): it is rounded once more where no subnormals are near.
template <class T> uint16_t round(double exact, uint8_t flags) {
  const double least = T::read(T::minNormal);
  if ((flags & Ftz) && std::fabs(exact) < least &&
      T::read(T::write(std::fabs(exact) * 0x1p12)) < least * 0x1p12)
    return std::signbit(exact) ? 0x8000 : 0;
  return T::write(exact);
}

/// What happens to every result, by modifier.
template <class T> uint16_t finishValue(uint16_t bits, uint8_t flags) {
  if (flags & Sat) {
    // NaN and negative values become +0, what exceeds 1 becomes 1.
    if (isNaN<T>(bits) || (bits & 0x8000))
      return 0;
    return bits > T::one ? T::one : bits;
  }
  if (flags & Relu) {
    if (isNaN<T>(bits))
      return 0x7FFF;
    return bits & 0x8000 ? 0 : bits;
  }
  return bits;
}

template <class T> struct Fma {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t c, uint8_t flags) {
    if (flags & Ftz) {
      a = flush<T>(a);
      b = flush<T>(b);
      c = flush<T>(c);
    }
    // The product of two 16-bit formats is exact in f64.
    return finishValue<T>(
        round<T>(addToOdd(T::read(a) * T::read(b), T::read(c)), flags), flags);
  }
};

template <class T> struct Add {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t flags) {
    if (flags & Ftz) {
      a = flush<T>(a);
      b = flush<T>(b);
    }
    return finishValue<T>(round<T>(addToOdd(T::read(a), T::read(b)), flags),
                          flags);
  }
};

template <class T> struct Sub {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t c, uint8_t flags) {
    // A NaN loses its sign in the result anyhow.
    return Add<T>::apply(a, b ^ 0x8000, c, flags);
  }
};

template <class T> struct Mul {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t flags) {
    if (flags & Ftz) {
      a = flush<T>(a);
      b = flush<T>(b);
    }
    return finishValue<T>(round<T>(T::read(a) * T::read(b), flags), flags);
  }
};

template <class T> struct Neg {
  static uint16_t apply(uint16_t a, uint16_t, uint16_t, uint8_t flags) {
    if (flags & Ftz)
      a = flush<T>(a);
    return isNaN<T>(a) ? 0x7FFF : a ^ 0x8000;
  }
};

template <class T> struct Abs {
  static uint16_t apply(uint16_t a, uint16_t, uint16_t, uint8_t flags) {
    if (flags & Ftz)
      a = flush<T>(a);
    return isNaN<T>(a) ? 0x7FFF : a & 0x7FFF;
  }
};

template <class T, bool isMin> struct MinMax {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t flags) {
    if (flags & Ftz) {
      a = flush<T>(a);
      b = flush<T>(b);
    }
    uint16_t sign = (a ^ b) & 0x8000;
    if (flags & AbsInput) {
      a &= 0x7FFF;
      b &= 0x7FFF;
    }
    bool nanA = isNaN<T>(a), nanB = isNaN<T>(b);
    if (nanA || nanB) {
      if ((flags & NaN) || (nanA && nanB))
        return 0x7FFF;
      uint16_t number = nanA ? b : a;
      return flags & XorSign ? (number & 0x7FFF) | sign : number;
    }
    // As sign-magnitude integers the numbers are in order, -0 below +0.
    auto order = [](uint16_t v) {
      return v & 0x8000 ? -int(v & 0x7FFF) - 1 : int(v);
    };
    uint16_t result = (order(a) < order(b)) == isMin ? a : b;
    return flags & XorSign ? (result & 0x7FFF) | sign : result;
  }
};

} // namespace

template <class F, unsigned sources, bool packed>
static Step half(Warp &w, const Instruction &i, LaneMask mask) {
  uint32_t *d = w.out<uint32_t>(i.operands[0]);
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *b = sources > 1 ? w.in<uint32_t>(i.operands[2]) : a;
  const uint32_t *c = sources > 2 ? w.in<uint32_t>(i.operands[3]) : a;
  const uint8_t flags = i.flags;
  forLanes(mask, [&](unsigned l) {
    uint32_t low =
        F::apply(uint16_t(a[l]), uint16_t(b[l]), uint16_t(c[l]), flags);
    if (packed)
      low |= uint32_t(F::apply(uint16_t(a[l] >> 16), uint16_t(b[l] >> 16),
                               uint16_t(c[l] >> 16), flags))
             << 16;
    d[l] = low;
  });
  return Step::Next;
}

template <template <class> class F, unsigned sources>
static Handler pick(Type type) {
  switch (type) {
  case Type::F16:
    return half<F<F16>, sources, false>;
  case Type::F16x2:
    return half<F<F16>, sources, true>;
  case Type::BF16:
    return half<F<BF16>, sources, false>;
  default:
    return half<F<BF16>, sources, true>;
  }
}

template <class T> using MinOf = MinMax<T, true>;
template <class T> using MaxOf = MinMax<T, false>;

bool decodeHalfArithmetic(Decode &decode, ArithmeticOp op, Type type) {
  bool isF16 = type == Type::F16 || type == Type::F16x2;
  uint8_t flags = 0;
  auto takeFlag = [&](std::string_view word, uint8_t flag) {
    if (decode.take(word))
      flags |= flag;
  };
  if (isF16)
    takeFlag("ftz", Ftz);
  unsigned sources = 2;
  Handler handler = nullptr;
  switch (op) {
  case ArithmeticOp::Add:
  case ArithmeticOp::Sub:
  case ArithmeticOp::Mul:
    decode.take("rn");
    if (isF16)
      takeFlag("sat", Sat);
    handler = op == ArithmeticOp::Add   ? pick<Add, 2>(type)
              : op == ArithmeticOp::Sub ? pick<Sub, 2>(type)
                                        : pick<Mul, 2>(type);
    break;
  case ArithmeticOp::Fma:
    if (!decode.take("rn"))
      return decode.error("expected '.rn' in '" + decode.mnemonic() + "'");
    if (isF16)
      takeFlag("sat", Sat);
    takeFlag("relu", Relu);
    handler = pick<Fma, 3>(type);
    sources = 3;
    break;
  case ArithmeticOp::Neg:
    handler = pick<Neg, 1>(type);
    sources = 1;
    break;
  case ArithmeticOp::Abs:
    handler = pick<Abs, 1>(type);
    sources = 1;
    break;
  case ArithmeticOp::Min:
  case ArithmeticOp::Max:
    takeFlag("NaN", NaN);
    if (decode.take("xorsign")) {
      if (!decode.take("abs"))
        return decode.error("expected '.xorsign.abs' in '" + decode.mnemonic() +
                            "'");
      flags |= XorSign | AbsInput;
    }
    handler =
        op == ArithmeticOp::Min ? pick<MinOf, 2>(type) : pick<MaxOf, 2>(type);
    break;
  default:
    return wrongType(decode, type);
  }
  decode.out.flags = flags;
  decode.out.handler = handler;
  return plainOperands(decode, type, sources);
}

} // namespace bwgemm::emulator
