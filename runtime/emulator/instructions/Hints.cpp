//===- Hints.cpp - createpolicy, pmevent, fns -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that stand alone: cache policies and performance events, which
// change no value, and the search for a set bit.
//
//===----------------------------------------------------------------------===//

#include "instructions/Lanes.h"
#include "instructions/Registry.h"

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// createpolicy, pmevent
//===----------------------------------------------------------------------===//

/// A policy is opaque (PTX ISA, createpolicy) and no copy looks at it.
static Step createPolicy(Warp &w, const Instruction &i, LaneMask mask) {
  return setLanes(w, i.operands[0], mask, [&](unsigned) { return i.extra; });
}

static bool decodeCreatePolicy(Decode &decode) {
  int kind = decode.takeOne({"range", "fractional", "cvt"});
  decode.take("global");
  bool isCvt = kind == 2;
  if (isCvt ? !decode.take("L2") : kind < 0)
    return decode.error("expected '.range', '.fractional' or '.cvt.L2' in '" +
                        decode.mnemonic() + "'");
  int primary = -1;
  if (!isCvt) {
    primary = decode.takeOne({"L2::evict_last", "L2::evict_normal",
                              "L2::evict_first", "L2::evict_unchanged"});
    if (primary < 0)
      return decode.error("expected a priority such as '.L2::evict_last' in '" +
                          decode.mnemonic() + "'");
    decode.takeOne({"L2::evict_first", "L2::evict_unchanged"});
  }
  if (!decode.take("b64"))
    return decode.error("expected type b64 in '" + decode.mnemonic() + "'");
  decode.out.extra = 0x1000000000000000u + (uint64_t(primary + 1) << 56);
  decode.out.handler = createPolicy;
  size_t least = kind == 0 ? 4 : isCvt ? 2 : 1;
  size_t most = kind == 0 ? 4 : 2;
  if (!decode.expectOperands(least, most) || !decode.destination(0, Type::B64))
    return false;
  if (kind == 0)
    return decode.address(1, Space::Global) && decode.sourceU32(2) &&
           decode.sourceU32(3);
  if (isCvt)
    return decode.sourceOperand(1, Type::B64);
  return decode.operandCount() == 1 || decode.sourceOperand(1, Type::F32);
}

static bool decodePmEvent(Decode &decode) {
  decode.take("mask");
  decode.out.handler = [](Warp &, const Instruction &, LaneMask) {
    return Step::Next;
  };
  int64_t events;
  return decode.expectOperands(1, 1) && decode.immediate(0, events);
}

//===----------------------------------------------------------------------===//
// fns
//===----------------------------------------------------------------------===//

/// The n-th set bit of a mask from a bit on, upwards if n is positive; n 0 asks
/// for the bit itself. All ones if there is none.
static uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t n) {
  if (base >= 32)
    return 0xFFFFFFFFu;
  if (n == 0)
    return mask >> base & 1 ? base : 0xFFFFFFFFu;
  int step = n > 0 ? 1 : -1;
  uint32_t left = n > 0 ? uint32_t(n) : 0 - uint32_t(n);
  for (int at = int(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0)
      return uint32_t(at);
  return 0xFFFFFFFFu;
}

static Step fns(Warp &w, const Instruction &i, LaneMask mask) {
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *b = w.in<uint32_t>(i.operands[2]);
  const int32_t *n = w.in<int32_t>(i.operands[3]);
  return setLanes(w, i.operands[0], mask,
                  [&](unsigned l) { return findNthSet(a[l], b[l], n[l]); });
}

static bool decodeFns(Decode &decode) {
  decode.out.handler = fns;
  if (!decode.take("b32"))
    return decode.error("expected type b32 in '" + decode.mnemonic() + "'");
  return decode.expectOperands(4, 4) && decode.destination(0, Type::B32) &&
         decode.sourceOperand(1, Type::B32) && decode.sourceU32(2) &&
         decode.sourceU32(3);
}

void registerHints(Registry &registry) {
  registry.add("createpolicy", decodeCreatePolicy);
  registry.add("pmevent", decodePmEvent);
  registry.add("fns", decodeFns);
}

} // namespace bwgemm::emulator
