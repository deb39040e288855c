//===- Carry.cpp - Extended-precision arithmetic ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add.cc, addc, sub.cc, subc, mad.cc, madc (PTX ISA, extended-precision
// integer arithmetic). The carry flag is one bit a lane, in the warp.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"

namespace bwgemm::emulator {

namespace {
/// The condition code register: CC.CF of each lane.
struct CarryFlags {
  LaneMask carry = 0;
};

enum Flags : uint8_t {
  High = 1, ///< mad.hi: the addend meets the product's high half.
  ReadsCarry = 2,
  WritesCarry = 4,
  IsSub = 8,
  IsMad = 16,
  SignedProduct = 32,
};
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
} // namespace

template <class T> static T product(T a, T b, uint8_t flags) {
  if (!(flags & High))
    return a * b;
  constexpr unsigned bits = 8 * sizeof(T);
  using S = std::make_signed_t<T>;
  if (flags & SignedProduct)
    return T((int128(S(a)) * int128(S(b))) >> bits);
  return T((uint128(a) * uint128(b)) >> bits);
}

template <class T>
static Step withCarry(Warp &w, const Instruction &i, LaneMask mask) {
  const uint8_t flags = i.flags;
  const bool isMad = flags & IsMad;
  T *d = w.out<T>(i.operands[0]);
  const T *a = w.in<T>(i.operands[1]);
  const T *b = w.in<T>(i.operands[2]);
  const T *c = isMad ? w.in<T>(i.operands[3]) : nullptr;
  CarryFlags &cc = w.extension<CarryFlags>();
  LaneMask carry = 0;
  forLanes(mask, [&](unsigned l) {
    T x = isMad ? product(a[l], b[l], flags) : a[l];
    T y = isMad ? c[l] : b[l];
    T in = (flags & ReadsCarry) ? T(cc.carry >> l & 1) : 0;
    T result;
    bool out;
    if (flags & IsSub) {
      result = x - y - in;
      out = x < y || (x == y && in);
    } else {
      result = x + y + in;
      out = result < x || (in && result == x);
    }
    d[l] = result;
    carry |= LaneMask(out) << l;
  });
  if (flags & WritesCarry)
    cc.carry = (cc.carry & ~mask) | carry;
  return Step::Next;
}

static bool finish(Decode &decode, Type type, uint8_t flags, unsigned sources) {
  switch (type) {
  case Type::U32:
  case Type::S32:
    decode.out.handler = withCarry<uint32_t>;
    break;
  case Type::U64:
  case Type::S64:
    decode.out.handler = withCarry<uint64_t>;
    break;
  default:
    return wrongType(decode, type);
  }
  if (isSigned(type))
    flags |= SignedProduct;
  decode.out.flags = flags;
  return plainOperands(decode, type, sources);
}

bool decodeCarryArithmetic(Decode &decode, ArithmeticOp op, Type type) {
  if (op == ArithmeticOp::Mad)
    return finish(decode, type,
                  uint8_t(WritesCarry | IsMad | (decode.out.flags ? High : 0)),
                  3);
  return finish(decode, type,
                uint8_t(WritesCarry | (op == ArithmeticOp::Sub ? IsSub : 0)),
                2);
}

template <uint8_t base> static bool decodeAddSubC(Decode &decode) {
  Type type;
  uint8_t flags = base | ReadsCarry | (decode.take("cc") ? WritesCarry : 0);
  return decode.takeType(type) && finish(decode, type, flags, 2);
}

static bool decodeMadC(Decode &decode) {
  Type type;
  int part = decode.takeOne({"lo", "hi"});
  if (part < 0)
    return decode.error("expected '.lo' or '.hi' in '" + decode.mnemonic() +
                        "'");
  uint8_t flags = uint8_t(IsMad | ReadsCarry | (part == 1 ? High : 0) |
                          (decode.take("cc") ? WritesCarry : 0));
  return decode.takeType(type) && finish(decode, type, flags, 3);
}

void registerCarry(Registry &registry) {
  registry.add("addc", decodeAddSubC<0>);
  registry.add("subc", decodeAddSubC<IsSub>);
  registry.add("madc", decodeMadC);
}

} // namespace bwgemm::emulator
