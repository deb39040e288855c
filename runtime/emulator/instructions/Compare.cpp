//===- Compare.cpp - setp, set, slct ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, comparison and selection instructions, of integers, f32, f64, f16,
// f16x2, bf16 and bf16x2.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/HalfConvert.h"

#include <cmath>

namespace bwgemm::emulator {

namespace {

/// In the order of the list that decodeCompare takes them from.
enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge, // Ordered; for integers signed or unsigned.
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu, // True if either is NaN.
  Num,
  Nan,
  Lo,
  Ls,
  Hi,
  Hs, // Unsigned.
};

enum class Combine : uint8_t { None, And, Or, Xor };

/// How the two sources are read.
enum class Class : uint8_t { Unsigned, Signed, Float };

} // namespace

static float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

/// Reads a source as the type that is compared. 16-bit floating-point formats
/// are exact in f32.
struct ReadF16 {
  using Value = float;
  static float read(uint32_t raw) { return f16ToFloat(uint16_t(raw)); }
};
struct ReadBF16 {
  using Value = float;
  static float read(uint32_t raw) { return bf16ToFloat(uint16_t(raw)); }
};
template <bool ftz> struct ReadF32 {
  using Value = float;
  static float read(uint32_t raw) {
    float value = bitsToFloat(raw);
    return ftz ? flushed(value) : value;
  }
};
template <class T> struct ReadPlain {
  using Value = T;
  static T read(Storage<T> raw) { return fromStorage<T>(raw); }
};

static LaneMask combine(Combine how, LaneMask value, LaneMask with) {
  switch (how) {
  case Combine::And:
    return value & with;
  case Combine::Or:
    return value | with;
  case Combine::Xor:
    return value ^ with;
  default:
    return value;
  }
}

/// Compares all lanes, also those that do not execute.
template <class Read, unsigned shift, class Op>
static BWGEMM_LANE_LOOP LaneMask
compareWith(const Storage<typename Read::Value> *x,
            const Storage<typename Read::Value> *y, Op op) {
  uint8_t bytes[warpSize];
  for (unsigned l = 0; l < warpSize; ++l)
    bytes[l] = op(Read::read(x[l] >> shift), Read::read(y[l] >> shift));
  return laneMask(bytes);
}

/// The bits of lanes outside of `mask` mean nothing.
template <class Read, unsigned shift = 0>
static BWGEMM_LANE_LOOP LaneMask compareLanes(Warp &w, Compare how,
                                              const Operand &a,
                                              const Operand &b) {
  using Raw = Storage<typename Read::Value>;
  const Raw *x = w.in<Raw>(a);
  const Raw *y = w.in<Raw>(b);
  auto unordered = [](auto p, auto q) { return (p != p) | (q != q); };
  auto with = [&](auto op) { return compareWith<Read, shift>(x, y, op); };
  // The ordered comparisons are false, and their opposites true, when a
  // number is missing; only ne and equ differ from the host's != and ==.
  switch (how) {
  case Compare::Eq:
    return with([](auto p, auto q) { return p == q; });
  case Compare::Ne:
    return with([=](auto p, auto q) { return (p != q) & !unordered(p, q); });
  case Compare::Lt:
  case Compare::Lo:
    return with([](auto p, auto q) { return p < q; });
  case Compare::Le:
  case Compare::Ls:
    return with([](auto p, auto q) { return p <= q; });
  case Compare::Gt:
  case Compare::Hi:
    return with([](auto p, auto q) { return p > q; });
  case Compare::Ge:
  case Compare::Hs:
    return with([](auto p, auto q) { return p >= q; });
  case Compare::Equ:
    return with([=](auto p, auto q) { return (p == q) | unordered(p, q); });
  case Compare::Neu:
    return with([](auto p, auto q) { return p != q; });
  case Compare::Ltu:
    return with([=](auto p, auto q) { return (p < q) | unordered(p, q); });
  case Compare::Leu:
    return with([=](auto p, auto q) { return (p <= q) | unordered(p, q); });
  case Compare::Gtu:
    return with([=](auto p, auto q) { return (p > q) | unordered(p, q); });
  case Compare::Geu:
    return with([=](auto p, auto q) { return (p >= q) | unordered(p, q); });
  case Compare::Num:
    return with([=](auto p, auto q) { return !unordered(p, q); });
  case Compare::Nan:
    return with([=](auto p, auto q) { return unordered(p, q); });
  }
  return 0;
}

/// setp d|e, a, b{, c}: operands d, e, a, b, c. The second destination takes
/// the negated comparison.
template <class Read>
static BWGEMM_LANE_LOOP Step setp(Warp &w, const Instruction &i,
                                  LaneMask mask) {
  Compare how = Compare(i.flags);
  Combine with = Combine(i.extra);
  LaneMask result = compareLanes<Read>(w, how, i.operands[2], i.operands[3]);
  LaneMask c = with == Combine::None ? 0 : w.predicate(i.operands[4]);
  w.setPredicate(i.operands[0], combine(with, result, c), mask);
  if (i.operands[1])
    w.setPredicate(i.operands[1], combine(with, ~result, c), mask);
  return Step::Next;
}

/// setp.f16x2 d|e: of the low and of the high halves.
template <class Read>
static BWGEMM_LANE_LOOP Step setpHalves(Warp &w, const Instruction &i,
                                        LaneMask mask) {
  Compare how = Compare(i.flags);
  Combine with = Combine(i.extra);
  LaneMask low = compareLanes<Read>(w, how, i.operands[2], i.operands[3]);
  LaneMask high = compareLanes<Read, 16>(w, how, i.operands[2], i.operands[3]);
  LaneMask c = with == Combine::None ? 0 : w.predicate(i.operands[4]);
  w.setPredicate(i.operands[0], combine(with, low, c), mask);
  w.setPredicate(i.operands[1], combine(with, high, c), mask);
  return Step::Next;
}

/// set.cmp.dtype.stype d, a, b{, c}: operands d, none, a, b, c.
template <class Read>
static BWGEMM_LANE_LOOP Step set(Warp &w, const Instruction &i, LaneMask mask) {
  Compare how = Compare(i.flags);
  Combine with = Combine(i.extra & 0xFF);
  LaneMask result = compareLanes<Read>(w, how, i.operands[2], i.operands[3]);
  if (with != Combine::None)
    result = combine(with, result, w.predicate(i.operands[4]));
  uint64_t yes = i.extra >> 32;
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    return result >> l & 1 ? yes : uint64_t(0);
  });
}

/// set.cmp.f16x2.f16x2 and set.cmp.u32.f16x2: each half says what its halves
/// compare as, in 16 bits.
template <class Read>
static BWGEMM_LANE_LOOP Step setHalves(Warp &w, const Instruction &i,
                                       LaneMask mask) {
  Compare how = Compare(i.flags);
  Combine with = Combine(i.extra & 0xFF);
  LaneMask low = compareLanes<Read>(w, how, i.operands[2], i.operands[3]);
  LaneMask high = compareLanes<Read, 16>(w, how, i.operands[2], i.operands[3]);
  LaneMask c = with == Combine::None ? 0 : w.predicate(i.operands[4]);
  low = combine(with, low, c);
  high = combine(with, high, c);
  uint64_t yes = i.extra >> 32;
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    return (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0);
  });
}

struct Handlers {
  Handler setp, set;
};

template <class Read> static Handlers both() {
  return {forHost<setp<Read>>(), forHost<set<Read>>()};
}

static bool pickHandlers(Type type, Compare how, bool ftz, Handlers &out,
                         Class &kind) {
  bool isUnsignedCompare = how >= Compare::Lo;
  kind = Class::Unsigned;
  switch (type) {
  case Type::B16:
  case Type::U16:
    out = both<ReadPlain<uint16_t>>();
    return true;
  case Type::B32:
  case Type::U32:
    out = both<ReadPlain<uint32_t>>();
    return true;
  case Type::B64:
  case Type::U64:
    out = both<ReadPlain<uint64_t>>();
    return true;
  case Type::S16:
    kind = Class::Signed;
    out = isUnsignedCompare ? both<ReadPlain<uint16_t>>()
                            : both<ReadPlain<int16_t>>();
    return true;
  case Type::S32:
    kind = Class::Signed;
    out = isUnsignedCompare ? both<ReadPlain<uint32_t>>()
                            : both<ReadPlain<int32_t>>();
    return true;
  case Type::S64:
    kind = Class::Signed;
    out = isUnsignedCompare ? both<ReadPlain<uint64_t>>()
                            : both<ReadPlain<int64_t>>();
    return true;
  case Type::F32:
    kind = Class::Float;
    out = ftz ? both<ReadF32<true>>() : both<ReadF32<false>>();
    return true;
  case Type::F64:
    kind = Class::Float;
    out = both<ReadPlain<double>>();
    return true;
  case Type::F16:
    kind = Class::Float;
    out = both<ReadF16>();
    return true;
  case Type::BF16:
    kind = Class::Float;
    out = both<ReadBF16>();
    return true;
  default:
    return false;
  }
}

static bool takeCompare(Decode &decode, Compare &how, Combine &with,
                        bool &ftz) {
  int compare = decode.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "equ",
                                "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
                                "lo", "ls", "hi", "hs"});
  if (compare < 0)
    return decode.error("expected a comparison such as '.eq' in '" +
                        decode.mnemonic() + "'");
  how = Compare(compare);
  with = Combine(decode.takeOne({"and", "or", "xor"}) + 1);
  ftz = decode.take("ftz");
  return true;
}

static bool checkCompare(Decode &decode, Type type, Compare how, Class kind,
                         bool ftz) {
  bool isBits = type == Type::B16 || type == Type::B32 || type == Type::B64;
  bool isEquality = how == Compare::Eq || how == Compare::Ne;
  bool isFloatOnly = how >= Compare::Equ && how <= Compare::Nan;
  bool isIntegerOnly = how >= Compare::Lo;
  if ((isBits && !isEquality) || (kind != Class::Float && isFloatOnly) ||
      (kind == Class::Float && isIntegerOnly))
    return decode.error("the comparison of '" + decode.mnemonic() +
                        "' does not exist for type " +
                        std::string(typeName(type)));
  if (ftz && type != Type::F32 && type != Type::F16 && type != Type::F16x2)
    return decode.error("'.ftz' does not exist for type " +
                        std::string(typeName(type)));
  return true;
}

static bool decodeSetp(Decode &decode) {
  Compare how;
  Combine with;
  bool ftz;
  Type type;
  if (!takeCompare(decode, how, with, ftz) || !decode.takeType(type))
    return false;
  size_t count = with == Combine::None ? 3 : 4;
  if (!decode.expectOperands(count, count) ||
      !decode.destinationPair(0, Type::Pred))
    return false;
  Type source = type;
  bool halves = type == Type::F16x2 || type == Type::BF16x2;
  if (halves) {
    source = Type::B32;
    if (!decode.out.operands[1])
      return decode.error("expected two destinations p|q of '" +
                          decode.mnemonic() + "'");
    if (how >= Compare::Lo)
      return wrongType(decode, type);
    decode.out.handler = type == Type::F16x2 ? forHost<setpHalves<ReadF16>>()
                                             : forHost<setpHalves<ReadBF16>>();
  } else {
    Handlers handlers;
    Class kind;
    if (!pickHandlers(type, how, ftz, handlers, kind))
      return wrongType(decode, type);
    if (!checkCompare(decode, type, how, kind, ftz))
      return false;
    decode.out.handler = handlers.setp;
  }
  decode.out.flags = uint8_t(how);
  decode.out.extra = uint64_t(with);
  return decode.sourceOperand(1, source) && decode.sourceOperand(2, source) &&
         (with == Combine::None || decode.predicateSource(3));
}

static bool decodeSet(Decode &decode) {
  Compare how;
  Combine with;
  bool ftz;
  Type result, type;
  if (!takeCompare(decode, how, with, ftz) || !decode.takeType(result) ||
      !decode.takeType(type))
    return false;
  size_t count = with == Combine::None ? 3 : 4;
  bool halves = type == Type::F16x2 || type == Type::BF16x2;
  uint64_t yes;
  switch (result) {
  case Type::U32:
  case Type::S32:
    yes = halves ? 0xFFFF : 0xFFFFFFFFu;
    break;
  case Type::U16:
  case Type::S16:
    yes = 0xFFFF;
    break;
  case Type::F32:
    yes = 0x3F800000u;
    break;
  case Type::F16:
  case Type::F16x2:
    yes = 0x3C00;
    break;
  case Type::BF16:
  case Type::BF16x2:
    yes = 0x3F80;
    break;
  default:
    return wrongType(decode, result);
  }
  Handlers handlers;
  Class kind = Class::Float;
  bool isMask = result == Type::U32 || result == Type::S32;
  bool inHalves = result == Type::F16x2 || result == Type::BF16x2;
  if (halves ? result != type && !isMask : inHalves)
    return wrongType(decode, result);
  if (halves)
    handlers.set = type == Type::F16x2 ? forHost<setHalves<ReadF16>>()
                                       : forHost<setHalves<ReadBF16>>();
  else if (!pickHandlers(type, how, ftz, handlers, kind))
    return wrongType(decode, type);
  if (!checkCompare(decode, type, how, kind, ftz))
    return false;
  decode.out.handler = handlers.set;
  decode.out.flags = uint8_t(how);
  decode.out.extra = uint64_t(with) | yes << 32;
  if (!decode.expectOperands(count, count) ||
      !decode.destination(0, halves ? Type::B32 : result))
    return false;
  decode.noOperand();
  Type source = halves ? Type::B32 : type;
  return decode.sourceOperand(1, source) && decode.sourceOperand(2, source) &&
         (with == Combine::None || decode.predicateSource(3));
}

/// slct d, a, b, c: c >= 0 ? a : b.
template <class T, class C, bool ftz>
static Step slct(Warp &w, const Instruction &i, LaneMask mask) {
  T *d = w.out<T>(i.operands[0]);
  const T *a = w.in<T>(i.operands[1]);
  const T *b = w.in<T>(i.operands[2]);
  const uint32_t *c = w.in<uint32_t>(i.operands[3]);
  forLanes(mask, [&](unsigned l) {
    C value = fromStorage<C>(c[l]);
    if constexpr (ftz)
      value = flushed(value);
    d[l] = value >= 0 ? a[l] : b[l];
  });
  return Step::Next;
}

static bool decodeSlct(Decode &decode) {
  bool ftz = decode.take("ftz");
  Type type, selector;
  if (!decode.takeType(type) || !decode.takeType(selector))
    return false;
  if (selector != Type::S32 && selector != Type::F32)
    return wrongType(decode, selector);
  if (bitWidth(type) < 16 || bitWidth(type) > 64)
    return wrongType(decode, type);
  bool wide = bitWidth(type) == 64;
  // -0 >= 0 holds, and so does a flushed negative subnormal.
  if (selector == Type::S32)
    decode.out.handler =
        wide ? slct<uint64_t, int32_t, false> : slct<uint32_t, int32_t, false>;
  else if (ftz)
    decode.out.handler =
        wide ? slct<uint64_t, float, true> : slct<uint32_t, float, true>;
  else
    decode.out.handler =
        wide ? slct<uint64_t, float, false> : slct<uint32_t, float, false>;
  return decode.expectOperands(4, 4) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceOperand(2, type) &&
         decode.sourceOperand(3, selector);
}

void registerCompare(Registry &registry) {
  registry.add("setp", decodeSetp);
  registry.add("set", decodeSet);
  registry.add("slct", decodeSlct);
}

} // namespace bwgemm::emulator
