//===- Integer.cpp - Integer arithmetic -------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, integer arithmetic instructions: add, sub, mul, mad, mul24, mad24,
// sad, div, rem, abs, neg, min, max, dp4a, dp2a. Results wrap; the quotient and
// the remainder of a division by zero are all ones (measured on an H200).
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"

#include <limits>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Semantics
//===----------------------------------------------------------------------===//

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
/// Unsigned and at least 32 bits, so that nothing is promoted to int.
template <class T>
using Wrap = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
/// Twice as wide, of the same signedness.
template <class T> struct Twice;
template <> struct Twice<uint16_t> {
  using type = uint32_t;
};
template <> struct Twice<int16_t> {
  using type = int32_t;
};
template <> struct Twice<uint32_t> {
  using type = uint64_t;
};
template <> struct Twice<int32_t> {
  using type = int64_t;
};
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
template <> struct Twice<uint64_t> {
  using type = uint128;
};
template <> struct Twice<int64_t> {
  using type = int128;
};

struct Add {
  template <class T> static T apply(T a, T b) {
    return T(Wrap<T>(a) + Wrap<T>(b));
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) {
    return T(Wrap<T>(a) - Wrap<T>(b));
  }
};
struct MulLo {
  template <class T> static T apply(T a, T b) {
    return T(Wrap<T>(a) * Wrap<T>(b));
  }
};
struct MulHi {
  template <class T> static T apply(T a, T b) {
    using W = typename Twice<T>::type;
    return T((W(a) * W(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T> static typename Twice<T>::type apply(T a, T b) {
    using W = typename Twice<T>::type;
    return W(a) * W(b);
  }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) {
    return T(Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c));
  }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) {
    return T(Wrap<T>(MulHi::apply(a, b)) + Wrap<T>(c));
  }
};
struct MadWide {
  template <class T, class W> static W apply(T a, T b, W c) {
    using U = std::make_unsigned_t<W>;
    return W(U(W(a) * W(b)) + U(c));
  }
};
static int32_t saturate(int64_t value) {
  if (value > std::numeric_limits<int32_t>::max())
    return std::numeric_limits<int32_t>::max();
  if (value < std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::min();
  return int32_t(value);
}
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) + b);
  }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) - b);
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(MulHi::apply(a, b)) + c);
  }
};
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return T(~Unsigned<T>(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - Wrap<T>(a));
    return T(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return T(~Unsigned<T>(0));
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Neg {
  template <class T> static T apply(T a) { return T(0 - Wrap<T>(a)); }
};
struct Abs {
  template <class T> static T apply(T a) {
    return a < 0 ? T(0 - Wrap<T>(a)) : a;
  }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct MinRelu {
  static int32_t apply(int32_t a, int32_t b) {
    return Max::apply(Min::apply(a, b), 0);
  }
};
struct MaxRelu {
  static int32_t apply(int32_t a, int32_t b) {
    return Max::apply(Max::apply(a, b), 0);
  }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    Wrap<T> difference =
        a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
    return T(Wrap<T>(c) + difference);
  }
};

/// F on both 16-bit halves.
template <class F, class T> struct Halves {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t low = uint16_t(F::apply(T(a), T(b)));
    uint32_t high = uint16_t(F::apply(T(a >> 16), T(b >> 16)));
    return low | high << 16;
  }
};
struct MinRelu16 {
  static int16_t apply(int16_t a, int16_t b) {
    return Max::apply(Min::apply(a, b), int16_t(0));
  }
};
struct MaxRelu16 {
  static int16_t apply(int16_t a, int16_t b) {
    return Max::apply(Max::apply(a, b), int16_t(0));
  }
};

/// Sign or zero extension of the low 24 bits.
template <class T> static int64_t low24(T a) {
  if (std::is_signed_v<T>)
    return int32_t(uint32_t(a) << 8) >> 8;
  return uint32_t(a) & 0xFFFFFF;
}
template <bool high> struct Mul24 {
  template <class T> static T apply(T a, T b) {
    int64_t product = low24(a) * low24(b);
    return T(high ? product >> 16 : product);
  }
};
template <bool high> struct Mad24 {
  template <class T> static T apply(T a, T b, T c) {
    return T(Wrap<T>(Mul24<high>::apply(a, b)) + Wrap<T>(c));
  }
};

struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(Mul24<true>::apply(a, b)) + c);
  }
};

template <class A, class B> struct Dp4a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 4; ++i)
      c += uint32_t(int32_t(A(a >> 8 * i)) * int32_t(B(b >> 8 * i)));
    return c;
  }
};
/// Two 16-bit values of a by two bytes of b, the low or the high pair.
template <class A, class B, unsigned first> struct Dp2a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 2; ++i)
      c += uint32_t(int32_t(A(a >> 16 * i))) *
           uint32_t(int32_t(B(b >> 8 * (first + i))));
    return c;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Handlers by type
//===----------------------------------------------------------------------===//

template <class F> static Handler binaryOf(Type type) {
  switch (type) {
  case Type::U16:
    return map2<F, uint16_t, uint16_t, uint16_t>;
  case Type::S16:
    return map2<F, int16_t, int16_t, int16_t>;
  case Type::U32:
    return map2<F, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return map2<F, int32_t, int32_t, int32_t>;
  case Type::U64:
    return map2<F, uint64_t, uint64_t, uint64_t>;
  case Type::S64:
    return map2<F, int64_t, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

template <class F> static Handler ternaryOf(Type type) {
  switch (type) {
  case Type::U16:
    return map3<F, uint16_t, uint16_t, uint16_t, uint16_t>;
  case Type::S16:
    return map3<F, int16_t, int16_t, int16_t, int16_t>;
  case Type::U32:
    return map3<F, uint32_t, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return map3<F, int32_t, int32_t, int32_t, int32_t>;
  case Type::U64:
    return map3<F, uint64_t, uint64_t, uint64_t, uint64_t>;
  case Type::S64:
    return map3<F, int64_t, int64_t, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

template <class F> static Handler signedUnaryOf(Type type) {
  switch (type) {
  case Type::S16:
    return map1<F, int16_t, int16_t>;
  case Type::S32:
    return map1<F, int32_t, int32_t>;
  case Type::S64:
    return map1<F, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

template <class F> static Handler halvesOf(Type type) {
  if (type == Type::U16x2)
    return map2<Halves<F, uint16_t>, uint32_t, uint32_t, uint32_t>;
  if (type == Type::S16x2)
    return map2<Halves<F, int16_t>, uint32_t, uint32_t, uint32_t>;
  return nullptr;
}

static bool finish(Decode &decode, Handler handler, Type type,
                   unsigned sources) {
  if (!handler)
    return wrongType(decode, type);
  decode.out.handler = handler;
  return plainOperands(decode, type, sources);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool addSub(Decode &decode, ArithmeticOp op, Type type) {
  bool isAdd = op == ArithmeticOp::Add;
  if (decode.take("cc"))
    return decodeCarryArithmetic(decode, op, type);
  if (decode.take("sat")) {
    if (type != Type::S32)
      return wrongType(decode, type);
    return finish(decode,
                  isAdd ? map2<AddSat, int32_t, int32_t, int32_t>
                        : map2<SubSat, int32_t, int32_t, int32_t>,
                  type, 2);
  }
  Handler handler = isAdd ? binaryOf<Add>(type) : binaryOf<Sub>(type);
  if (!handler && isAdd)
    handler = halvesOf<Add>(type);
  return finish(decode, handler, type, 2);
}

enum class Part { Lo, Hi, Wide };

static bool takePart(Decode &decode, Part &part) {
  int which = decode.takeOne({"lo", "hi", "wide"});
  if (which < 0)
    return decode.error("expected '.lo', '.hi' or '.wide' in '" +
                        decode.mnemonic() + "'");
  part = Part(which);
  return true;
}

static bool wideType(Type type, Type &wide) {
  switch (type) {
  case Type::U16:
    wide = Type::U32;
    return true;
  case Type::S16:
    wide = Type::S32;
    return true;
  case Type::U32:
    wide = Type::U64;
    return true;
  case Type::S32:
    wide = Type::S64;
    return true;
  default:
    return false;
  }
}

static bool mul(Decode &decode, Type type) {
  Part part;
  if (!takePart(decode, part))
    return false;
  if (part == Part::Lo)
    return finish(decode, binaryOf<MulLo>(type), type, 2);
  if (part == Part::Hi)
    return finish(decode, binaryOf<MulHi>(type), type, 2);
  Type wide;
  if (!wideType(type, wide))
    return wrongType(decode, type);
  switch (type) {
  case Type::U16:
    decode.out.handler = map2<MulWide, uint32_t, uint16_t, uint16_t>;
    break;
  case Type::S16:
    decode.out.handler = map2<MulWide, int32_t, int16_t, int16_t>;
    break;
  case Type::U32:
    decode.out.handler = map2<MulWide, uint64_t, uint32_t, uint32_t>;
    break;
  default:
    decode.out.handler = map2<MulWide, int64_t, int32_t, int32_t>;
    break;
  }
  return decode.expectOperands(3, 3) && decode.destination(0, wide) &&
         decode.sourceOperand(1, type) && decode.sourceOperand(2, type);
}

static bool mad(Decode &decode, Type type) {
  Part part;
  if (!takePart(decode, part))
    return false;
  if (decode.take("cc")) {
    decode.out.flags = part == Part::Hi;
    if (part == Part::Wide)
      return decode.error("expected '.lo' or '.hi' with '.cc' in '" +
                          decode.mnemonic() + "'");
    return decodeCarryArithmetic(decode, ArithmeticOp::Mad, type);
  }
  if (part == Part::Lo)
    return finish(decode, ternaryOf<MadLo>(type), type, 3);
  if (part == Part::Hi) {
    if (decode.take("sat")) {
      if (type != Type::S32)
        return wrongType(decode, type);
      return finish(decode, map3<MadHiSat, int32_t, int32_t, int32_t, int32_t>,
                    type, 3);
    }
    return finish(decode, ternaryOf<MadHi>(type), type, 3);
  }
  Type wide;
  if (!wideType(type, wide))
    return wrongType(decode, type);
  switch (type) {
  case Type::U16:
    decode.out.handler = map3<MadWide, uint32_t, uint16_t, uint16_t, uint32_t>;
    break;
  case Type::S16:
    decode.out.handler = map3<MadWide, int32_t, int16_t, int16_t, int32_t>;
    break;
  case Type::U32:
    decode.out.handler = map3<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>;
    break;
  default:
    decode.out.handler = map3<MadWide, int64_t, int32_t, int32_t, int64_t>;
    break;
  }
  return decode.expectOperands(4, 4) && decode.destination(0, wide) &&
         decode.sourceOperand(1, type) && decode.sourceOperand(2, type) &&
         decode.sourceOperand(3, wide);
}

static bool minMax(Decode &decode, ArithmeticOp op, Type type) {
  bool isMin = op == ArithmeticOp::Min;
  if (decode.take("relu")) {
    if (type == Type::S32)
      return finish(decode,
                    isMin ? map2<MinRelu, int32_t, int32_t, int32_t>
                          : map2<MaxRelu, int32_t, int32_t, int32_t>,
                    type, 2);
    if (type == Type::S16x2)
      return finish(
          decode,
          isMin
              ? map2<Halves<MinRelu16, int16_t>, uint32_t, uint32_t, uint32_t>
              : map2<Halves<MaxRelu16, int16_t>, uint32_t, uint32_t, uint32_t>,
          type, 2);
    return wrongType(decode, type);
  }
  Handler handler = isMin ? binaryOf<Min>(type) : binaryOf<Max>(type);
  if (!handler)
    handler = isMin ? halvesOf<Min>(type) : halvesOf<Max>(type);
  return finish(decode, handler, type, 2);
}

template <ArithmeticOp op> static bool decodeArithmetic(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::F32: {
    // add, sub and fma of PTX 8.6 take 16-bit inputs to an f32 result.
    Type narrow;
    if (decode.takeOptionalType(narrow))
      return decodeMixedArithmetic(decode, op, narrow);
    return decodeFloatArithmetic(decode, op, type);
  }
  case Type::F64:
  case Type::F32x2:
    return decodeFloatArithmetic(decode, op, type);
  case Type::F16:
  case Type::F16x2:
  case Type::BF16:
  case Type::BF16x2:
    return decodeHalfArithmetic(decode, op, type);
  default:
    break;
  }
  switch (op) {
  case ArithmeticOp::Add:
  case ArithmeticOp::Sub:
    return addSub(decode, op, type);
  case ArithmeticOp::Mul:
    return mul(decode, type);
  case ArithmeticOp::Mad:
    return mad(decode, type);
  case ArithmeticOp::Fma:
    return wrongType(decode, type);
  case ArithmeticOp::Div:
    return finish(decode, binaryOf<Div>(type), type, 2);
  case ArithmeticOp::Neg:
    return finish(decode, signedUnaryOf<Neg>(type), type, 1);
  case ArithmeticOp::Abs:
    return finish(decode, signedUnaryOf<Abs>(type), type, 1);
  case ArithmeticOp::Min:
  case ArithmeticOp::Max:
    return minMax(decode, op, type);
  }
  return false;
}

static bool decodeRem(Decode &decode) {
  Type type;
  return decode.takeType(type) && finish(decode, binaryOf<Rem>(type), type, 2);
}

static bool decodeSad(Decode &decode) {
  Type type;
  return decode.takeType(type) && finish(decode, ternaryOf<Sad>(type), type, 3);
}

template <class Low, class High, unsigned sources>
static bool decode24(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  int part = decode.takeOne({"lo", "hi"});
  if (part < 0)
    return decode.error("expected '.lo' or '.hi' in '" + decode.mnemonic() +
                        "'");
  if (type != Type::U32 && type != Type::S32)
    return wrongType(decode, type);
  if (sources == 3 && part == 1 && decode.take("sat")) {
    if (type != Type::S32)
      return wrongType(decode, type);
    return finish(decode, map3<Mad24HiSat, int32_t, int32_t, int32_t, int32_t>,
                  type, 3);
  }
  Handler handler;
  if constexpr (sources == 2)
    handler = part == 0 ? binaryOf<Low>(type) : binaryOf<High>(type);
  else
    handler = part == 0 ? ternaryOf<Low>(type) : ternaryOf<High>(type);
  return finish(decode, handler, type, sources);
}

template <class F>
static const Handler dot =
    forHost<map3Loop<F, uint32_t, uint32_t, uint32_t, uint32_t>>();

static bool decodeDp4a(Decode &decode) {
  Type a, b;
  if (!decode.takeType(a) || !decode.takeType(b))
    return false;
  if ((a != Type::U32 && a != Type::S32) || (b != Type::U32 && b != Type::S32))
    return wrongType(decode, a);
  bool sa = a == Type::S32, sb = b == Type::S32;
  decode.out.handler =
      sa ? (sb ? dot<Dp4a<int8_t, int8_t>> : dot<Dp4a<int8_t, uint8_t>>)
         : (sb ? dot<Dp4a<uint8_t, int8_t>> : dot<Dp4a<uint8_t, uint8_t>>);
  return plainOperands(decode, Type::B32, 3);
}

template <unsigned first> static Handler dp2a(bool sa, bool sb) {
  return sa ? (sb ? dot<Dp2a<int16_t, int8_t, first>>
                  : dot<Dp2a<int16_t, uint8_t, first>>)
            : (sb ? dot<Dp2a<uint16_t, int8_t, first>>
                  : dot<Dp2a<uint16_t, uint8_t, first>>);
}

static bool decodeDp2a(Decode &decode) {
  Type a, b;
  if (!decode.takeType(a) || !decode.takeType(b))
    return false;
  int part = decode.takeOne({"lo", "hi"});
  if ((a != Type::U32 && a != Type::S32) ||
      (b != Type::U32 && b != Type::S32) || part < 0)
    return decode.error("expected '.lo' or '.hi' and types u32 or s32 in '" +
                        decode.mnemonic() + "'");
  bool sa = a == Type::S32, sb = b == Type::S32;
  decode.out.handler = part == 0 ? dp2a<0>(sa, sb) : dp2a<2>(sa, sb);
  return plainOperands(decode, Type::B32, 3);
}

void registerInteger(Registry &registry) {
  registry.add("add", decodeArithmetic<ArithmeticOp::Add>);
  registry.add("sub", decodeArithmetic<ArithmeticOp::Sub>);
  registry.add("mul", decodeArithmetic<ArithmeticOp::Mul>);
  registry.add("mad", decodeArithmetic<ArithmeticOp::Mad>);
  registry.add("fma", decodeArithmetic<ArithmeticOp::Fma>);
  registry.add("div", decodeArithmetic<ArithmeticOp::Div>);
  registry.add("neg", decodeArithmetic<ArithmeticOp::Neg>);
  registry.add("abs", decodeArithmetic<ArithmeticOp::Abs>);
  registry.add("min", decodeArithmetic<ArithmeticOp::Min>);
  registry.add("max", decodeArithmetic<ArithmeticOp::Max>);
  registry.add("rem", decodeRem);
  registry.add("sad", decodeSad);
  registry.add("mul24", decode24<Mul24<false>, Mul24<true>, 2>);
  registry.add("mad24", decode24<Mad24<false>, Mad24<true>, 3>);
  registry.add("dp4a", decodeDp4a);
  registry.add("dp2a", decodeDp2a);
}

} // namespace bwgemm::emulator
