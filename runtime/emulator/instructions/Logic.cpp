//===- Logic.cpp - Logic, shifts and bit fields -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// and, or, xor, not, cnot, lop3, shl, shr, shf, bfe, bfi, bfind, brev, popc,
// clz, prmt, szext, bmsk (PTX ISA, logic and shift instructions and the
// bit-field instructions of integer arithmetic).
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"

namespace bwgemm::emulator {

namespace {

struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return T(~a); }
};
struct CNot {
  template <class T> static T apply(T a) { return a == 0; }
};
/// Shift counts above the width are clamped to it.
struct Shl {
  template <class T> static T apply(T a, uint32_t b) {
    return b < 8 * sizeof(T) ? T(uint64_t(a) << b) : T(0);
  }
};
struct Shr {
  template <class T> static T apply(T a, uint32_t b) {
    constexpr uint32_t bits = 8 * sizeof(T);
    if (std::is_signed_v<T>)
      return T(a >> (b < bits ? b : bits - 1));
    return b < bits ? T(a >> b) : T(0);
  }
};
template <bool left, bool wrap> struct Shf {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = wrap ? c & 31 : (c < 32 ? c : 32);
    uint64_t both = uint64_t(b) << 32 | a;
    return left ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  }
};
struct Popc {
  template <class T> static uint32_t apply(T a) {
    return uint32_t(__builtin_popcountll(a));
  }
};
struct Clz {
  template <class T> static uint32_t apply(T a) {
    return a ? uint32_t(__builtin_clzll(a)) - (64 - 8 * sizeof(T))
             : uint32_t(8 * sizeof(T));
  }
};
struct Brev {
  template <class T> static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      result |= T(a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return result;
  }
};
/// Position of the most significant bit that is not a sign bit; with
/// shiftamt, the left shift that brings it to the top. All ones if none.
template <bool shiftAmount> struct Bfind {
  template <class T> static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    U value = U(std::is_signed_v<T> && a < 0 ? ~U(a) : U(a));
    if (value == 0)
      return ~0u;
    uint32_t top = 63 - uint32_t(__builtin_clzll(value));
    return shiftAmount ? uint32_t(8 * sizeof(T)) - 1 - top : top;
  }
};
/// A position or length of a bit field. The 32-bit instructions look at the
/// low byte, the 64-bit ones at all of it (measured on an H200; PTX allows 0
/// to 255).
template <class T> uint64_t fieldOperand(uint32_t value) {
  return sizeof(T) == 4 ? value & 0xFF : value;
}

struct Bfe {
  template <class T> static T apply(T a, uint32_t b, uint32_t c) {
    constexpr uint32_t bits = 8 * sizeof(T), top = bits - 1;
    using U = std::make_unsigned_t<T>;
    const uint64_t pos = fieldOperand<T>(b), len = fieldOperand<T>(c);
    U fill = 0;
    if (std::is_signed_v<T> && len != 0) {
      uint64_t at = pos + len - 1 < top ? pos + len - 1 : top;
      fill = (U(a) >> at & 1) ? ~U(0) : U(0);
    }
    if (len == 0)
      return 0;
    U value = pos < bits ? U(U(a) >> pos) : U(0);
    // Bits above the source are sign bits for a signed type.
    if (pos >= bits)
      value = fill;
    else if (pos)
      value |= fill << (bits - pos);
    if (len >= bits)
      return T(value);
    U mask = (U(1) << len) - 1;
    return T((value & mask) | (fill & ~mask));
  }
};
struct Szext {
  template <bool wrap, class T> static T extend(T a, uint32_t n) {
    using U = std::make_unsigned_t<T>;
    if (wrap)
      n &= 31;
    if (n >= 32)
      return a;
    if (n == 0) // Measured on an H200, signed and unsigned.
      return 0;
    U mask = (U(1) << n) - 1;
    if (std::is_signed_v<T> && (U(a) >> (n - 1) & 1))
      return T(U(a) | ~mask);
    return T(U(a) & mask);
  }
};
template <bool wrap> struct SzextOf {
  template <class T> static T apply(T a, uint32_t n) {
    return Szext::extend<wrap, T>(a, n);
  }
};
template <bool wrap> struct Bmsk {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t from = wrap ? a & 31 : a, count = wrap ? b & 31 : b;
    if (from >= 32 || count == 0)
      return 0;
    uint32_t mask = count >= 32 ? ~0u : (1u << count) - 1;
    return mask << from;
  }
};

struct Prmt {
  /// The byte of {b, a} that a selector nibble names; its top bit replicates
  /// the sign.
  static uint32_t byte(uint64_t both, uint32_t selector) {
    uint32_t value = uint32_t(both >> 8 * (selector & 7)) & 0xFF;
    if (selector & 8)
      return value & 0x80 ? 0xFF : 0;
    return value;
  }
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= byte(both, c >> 4 * i & 0xF) << 8 * i;
    return result;
  }
};
enum class PrmtMode { F4E, B4E, Rc8, Ecl, Ecr, Rc16 };
template <PrmtMode mode> struct PrmtOf {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t n = c & 3, result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t from = 0;
      switch (mode) {
      case PrmtMode::F4E:
        from = n + i;
        break;
      case PrmtMode::B4E:
        from = (n - i) & 7;
        break;
      case PrmtMode::Rc8:
        from = n;
        break;
      case PrmtMode::Ecl:
        from = i > n ? i : n;
        break;
      case PrmtMode::Ecr:
        from = i < n ? i : n;
        break;
      case PrmtMode::Rc16:
        from = (n & 1) * 2 + (i & 1);
        break;
      }
      result |= (uint32_t(both >> 8 * from) & 0xFF) << 8 * i;
    }
    return result;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// and, or, xor, not, cnot
//===----------------------------------------------------------------------===//

template <class F>
static Step onPredicates(Warp &w, const Instruction &i, LaneMask mask) {
  w.setPredicate(
      i.operands[0],
      F::apply(w.predicate(i.operands[1]), w.predicate(i.operands[2])), mask);
  return Step::Next;
}

static Step notPredicate(Warp &w, const Instruction &i, LaneMask mask) {
  w.setPredicate(i.operands[0], ~w.predicate(i.operands[1]), mask);
  return Step::Next;
}

template <class F> static bool decodeBinary(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::Pred:
    decode.out.handler = onPredicates<F>;
    return decode.expectOperands(3, 3) && decode.predicateDestination(0) &&
           decode.predicateSource(1) && decode.predicateSource(2);
  case Type::B16:
    decode.out.handler = map2<F, uint16_t, uint16_t, uint16_t>;
    break;
  case Type::B32:
    decode.out.handler = map2<F, uint32_t, uint32_t, uint32_t>;
    break;
  case Type::B64:
    decode.out.handler = map2<F, uint64_t, uint64_t, uint64_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  return plainOperands(decode, type, 2);
}

template <class F> static bool decodeUnary(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::Pred:
    if (!std::is_same_v<F, Not>)
      return wrongType(decode, type);
    decode.out.handler = notPredicate;
    return decode.expectOperands(2, 2) && decode.predicateDestination(0) &&
           decode.predicateSource(1);
  case Type::B16:
    decode.out.handler = map1<F, uint16_t, uint16_t>;
    break;
  case Type::B32:
    decode.out.handler = map1<F, uint32_t, uint32_t>;
    break;
  case Type::B64:
    decode.out.handler = map1<F, uint64_t, uint64_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  return plainOperands(decode, type, 1);
}

//===----------------------------------------------------------------------===//
// lop3
//===----------------------------------------------------------------------===//

static uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  // Entry number (a, b, c) of the table, as PTX defines with 0xF0, 0xCC, 0xAA.
  for (unsigned entry = 0; entry < 8; ++entry)
    if (table >> entry & 1)
      result |=
          (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
  return result;
}

/// lop3.b32 d, a, b, c, table; with .or/.and also d|p and a predicate q:
/// p = (d != 0) or/and q.
static Step lop3(Warp &w, const Instruction &i, LaneMask mask) {
  const uint32_t *a = w.in<uint32_t>(i.operands[2]);
  const uint32_t *b = w.in<uint32_t>(i.operands[3]);
  const uint32_t *c = w.in<uint32_t>(i.operands[4]);
  uint32_t table = uint32_t(i.extra);
  LaneMask nonZero = 0;
  forLanes(mask, [&](unsigned l) {
    uint32_t value = lookUp(a[l], b[l], c[l], table);
    nonZero |= LaneMask(value != 0) << l;
    w.setValue(i.operands[0], l, value);
  });
  if (i.flags) {
    LaneMask q = w.predicate(i.operands[5]);
    w.setPredicate(i.operands[1], i.flags == 1 ? nonZero | q : nonZero & q,
                   mask);
  }
  return Step::Next;
}

static bool decodeLop3(Decode &decode) {
  int combine = decode.takeOne({"or", "and"});
  if (!decode.take("b32"))
    return decode.error("expected type b32 in '" + decode.mnemonic() + "'");
  size_t count = combine >= 0 ? 6 : 5;
  int64_t table;
  if (!decode.expectOperands(count, count) ||
      !decode.destinationPair(0, Type::B32) ||
      !decode.sourceOperand(1, Type::B32) ||
      !decode.sourceOperand(2, Type::B32) ||
      !decode.sourceOperand(3, Type::B32) || !decode.immediate(4, table))
    return false;
  if (table < 0 || table > 255)
    return decode.error("expected a lookup table from 0 to 255, got " +
                        std::to_string(table));
  if (combine >= 0 && !decode.predicateSource(5))
    return false;
  decode.out.flags = uint8_t(combine + 1);
  decode.out.extra = uint64_t(table);
  decode.out.handler = lop3;
  return true;
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static bool shiftOperands(Decode &decode, Type type) {
  return decode.expectOperands(3, 3) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceU32(2);
}

static bool decodeShl(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::B16:
    decode.out.handler = map2<Shl, uint16_t, uint16_t, uint32_t>;
    break;
  case Type::B32:
    decode.out.handler = map2<Shl, uint32_t, uint32_t, uint32_t>;
    break;
  case Type::B64:
    decode.out.handler = map2<Shl, uint64_t, uint64_t, uint32_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  return shiftOperands(decode, type);
}

static bool decodeShr(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::B16:
  case Type::U16:
    decode.out.handler = map2<Shr, uint16_t, uint16_t, uint32_t>;
    break;
  case Type::S16:
    decode.out.handler = map2<Shr, int16_t, int16_t, uint32_t>;
    break;
  case Type::B32:
  case Type::U32:
    decode.out.handler = map2<Shr, uint32_t, uint32_t, uint32_t>;
    break;
  case Type::S32:
    decode.out.handler = map2<Shr, int32_t, int32_t, uint32_t>;
    break;
  case Type::B64:
  case Type::U64:
    decode.out.handler = map2<Shr, uint64_t, uint64_t, uint32_t>;
    break;
  case Type::S64:
    decode.out.handler = map2<Shr, int64_t, int64_t, uint32_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  return shiftOperands(decode, type);
}

template <class F>
static const Handler three32 =
    forHost<map3Loop<F, uint32_t, uint32_t, uint32_t, uint32_t>>();

static bool decodeShf(Decode &decode) {
  int direction = decode.takeOne({"l", "r"});
  int mode = decode.takeOne({"wrap", "clamp"});
  if (direction < 0 || mode < 0 || !decode.take("b32"))
    return decode.error("expected 'shf.l' or 'shf.r' with '.wrap' or '.clamp' "
                        "and '.b32', got '" +
                        decode.mnemonic() + "'");
  decode.out.handler =
      direction == 0
          ? (mode == 0 ? three32<Shf<true, true>> : three32<Shf<true, false>>)
          : (mode == 0 ? three32<Shf<false, true>>
                       : three32<Shf<false, false>>);
  return plainOperands(decode, Type::B32, 3);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <class F> static bool decodeCount(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  if (type == Type::B32)
    decode.out.handler = map1<F, uint32_t, uint32_t>;
  else if (type == Type::B64)
    decode.out.handler = map1<F, uint32_t, uint64_t>;
  else
    return wrongType(decode, type);
  return decode.expectOperands(2, 2) && decode.destination(0, Type::B32) &&
         decode.sourceOperand(1, type);
}

static bool decodeBrev(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  if (type == Type::B32)
    decode.out.handler = map1<Brev, uint32_t, uint32_t>;
  else if (type == Type::B64)
    decode.out.handler = map1<Brev, uint64_t, uint64_t>;
  else
    return wrongType(decode, type);
  return plainOperands(decode, type, 1);
}

template <bool shift> static Handler bfindOf(Type type) {
  switch (type) {
  case Type::U32:
    return map1<Bfind<shift>, uint32_t, uint32_t>;
  case Type::S32:
    return map1<Bfind<shift>, uint32_t, int32_t>;
  case Type::U64:
    return map1<Bfind<shift>, uint32_t, uint64_t>;
  case Type::S64:
    return map1<Bfind<shift>, uint32_t, int64_t>;
  default:
    return nullptr;
  }
}

static bool decodeBfind(Decode &decode) {
  bool shift = decode.take("shiftamt");
  Type type;
  if (!decode.takeType(type))
    return false;
  decode.out.handler = shift ? bfindOf<true>(type) : bfindOf<false>(type);
  if (!decode.out.handler)
    return wrongType(decode, type);
  return decode.expectOperands(2, 2) && decode.destination(0, Type::U32) &&
         decode.sourceOperand(1, type);
}

static bool decodeBfe(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  switch (type) {
  case Type::U32:
    decode.out.handler = map3<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>;
    break;
  case Type::S32:
    decode.out.handler = map3<Bfe, int32_t, int32_t, uint32_t, uint32_t>;
    break;
  case Type::U64:
    decode.out.handler = map3<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
    break;
  case Type::S64:
    decode.out.handler = map3<Bfe, int64_t, int64_t, uint32_t, uint32_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  return decode.expectOperands(4, 4) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceU32(2) &&
         decode.sourceU32(3);
}

/// bfi d, a, b, pos, len: the low bits of a into b.
template <class T>
static Step bfi(Warp &w, const Instruction &i, LaneMask mask) {
  T *d = w.out<T>(i.operands[0]);
  const T *a = w.in<T>(i.operands[1]);
  const T *b = w.in<T>(i.operands[2]);
  const uint32_t *c = w.in<uint32_t>(i.operands[3]);
  const uint32_t *e = w.in<uint32_t>(i.operands[4]);
  constexpr uint32_t bits = 8 * sizeof(T);
  forLanes(mask, [&](unsigned l) {
    const uint64_t pos = fieldOperand<T>(c[l]), len = fieldOperand<T>(e[l]);
    if (pos >= bits || len == 0) {
      d[l] = b[l];
      return;
    }
    T field = len >= bits ? ~T(0) : (T(1) << len) - 1;
    d[l] = (b[l] & ~T(field << pos)) | T((a[l] & field) << pos);
  });
  return Step::Next;
}

static bool decodeBfi(Decode &decode) {
  Type type;
  if (!decode.takeType(type))
    return false;
  if (type == Type::B32)
    decode.out.handler = bfi<uint32_t>;
  else if (type == Type::B64)
    decode.out.handler = bfi<uint64_t>;
  else
    return wrongType(decode, type);
  return decode.expectOperands(5, 5) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceOperand(2, type) &&
         decode.sourceU32(3) && decode.sourceU32(4);
}

static bool decodePrmt(Decode &decode) {
  if (!decode.take("b32"))
    return decode.error("expected type b32 in '" + decode.mnemonic() + "'");
  static const Handler modes[] = {
      three32<PrmtOf<PrmtMode::F4E>>, three32<PrmtOf<PrmtMode::B4E>>,
      three32<PrmtOf<PrmtMode::Rc8>>, three32<PrmtOf<PrmtMode::Ecl>>,
      three32<PrmtOf<PrmtMode::Ecr>>, three32<PrmtOf<PrmtMode::Rc16>>};
  int mode = decode.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decode.out.handler = mode < 0 ? three32<Prmt> : modes[mode];
  return plainOperands(decode, Type::B32, 3);
}

static bool decodeSzext(Decode &decode) {
  int mode = decode.takeOne({"wrap", "clamp"});
  Type type;
  if (mode < 0)
    return decode.error("expected '.wrap' or '.clamp' in '" +
                        decode.mnemonic() + "'");
  if (!decode.takeType(type))
    return false;
  if (type == Type::U32)
    decode.out.handler =
        mode == 0 ? map2<SzextOf<true>, uint32_t, uint32_t, uint32_t>
                  : map2<SzextOf<false>, uint32_t, uint32_t, uint32_t>;
  else if (type == Type::S32)
    decode.out.handler = mode == 0
                             ? map2<SzextOf<true>, int32_t, int32_t, uint32_t>
                             : map2<SzextOf<false>, int32_t, int32_t, uint32_t>;
  else
    return wrongType(decode, type);
  return shiftOperands(decode, type);
}

static bool decodeBmsk(Decode &decode) {
  int mode = decode.takeOne({"wrap", "clamp"});
  if (mode < 0 || !decode.take("b32"))
    return decode.error("expected '.wrap' or '.clamp' and '.b32' in '" +
                        decode.mnemonic() + "'");
  decode.out.handler = mode == 0
                           ? map2<Bmsk<true>, uint32_t, uint32_t, uint32_t>
                           : map2<Bmsk<false>, uint32_t, uint32_t, uint32_t>;
  return plainOperands(decode, Type::B32, 2);
}

void registerLogic(Registry &registry) {
  registry.add("and", decodeBinary<And>);
  registry.add("or", decodeBinary<Or>);
  registry.add("xor", decodeBinary<Xor>);
  registry.add("not", decodeUnary<Not>);
  registry.add("cnot", decodeUnary<CNot>);
  registry.add("lop3", decodeLop3);
  registry.add("shl", decodeShl);
  registry.add("shr", decodeShr);
  registry.add("shf", decodeShf);
  registry.add("popc", decodeCount<Popc>);
  registry.add("clz", decodeCount<Clz>);
  registry.add("brev", decodeBrev);
  registry.add("bfind", decodeBfind);
  registry.add("bfe", decodeBfe);
  registry.add("bfi", decodeBfi);
  registry.add("prmt", decodePrmt);
  registry.add("szext", decodeSzext);
  registry.add("bmsk", decodeBmsk);
}

} // namespace bwgemm::emulator
