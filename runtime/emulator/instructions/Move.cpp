//===- Move.cpp - mov, cvta, isspacep, selp, mapa ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Lanes.h"
#include "instructions/Registry.h"
#include "instructions/Special.h"
#include "machine/Cta.h"
#include "machine/Grid.h"

namespace bwgemm::emulator {

namespace {
struct Copy {
  template <class T> static T apply(T a) { return a; }
};
} // namespace

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

static Step movPredicate(Warp &w, const Instruction &i, LaneMask mask) {
  w.setPredicate(i.operands[0], w.predicate(i.operands[1]), mask);
  return Step::Next;
}

/// mov.b128 d, a.
static Step mov128(Warp &w, const Instruction &i, LaneMask mask) {
  uint64_t *d = w.out<uint64_t>(i.operands[0]);
  const uint64_t *a = w.in<uint64_t>(i.operands[1]);
  forLanes(mask, [&](unsigned l) {
    uint64_t low = a[l], high = a[warpSize + l];
    d[l] = low;
    d[warpSize + l] = high;
  });
  return Step::Next;
}

/// mov.bN d, {a, b, …}: a is the least significant.
static Step pack(Warp &w, const Instruction &i, LaneMask mask) {
  const Operand &d = i.operands[0], &v = i.operands[1];
  if (d.width == 128) {
    uint64_t *out = w.out<uint64_t>(d);
    forLanes(mask, [&](unsigned l) {
      uint64_t words[2] = {0, 0};
      unsigned bits = 128 / v.count;
      for (unsigned e = 0; e < v.count; ++e)
        words[e * bits / 64] |= w.value(v.elements[e], l) << (e * bits % 64);
      out[l] = words[0];
      out[warpSize + l] = words[1];
    });
    return Step::Next;
  }
  if (d.width == 64 && v.count == 2) {
    uint64_t *out = w.out<uint64_t>(d);
    const uint32_t *low = w.in<uint32_t>(v.elements[0]);
    const uint32_t *high = w.in<uint32_t>(v.elements[1]);
    forLanes(mask,
             [&](unsigned l) { out[l] = low[l] | uint64_t(high[l]) << 32; });
    return Step::Next;
  }
  if (d.width == 32 && v.count == 2) {
    uint32_t *out = w.out<uint32_t>(d);
    const uint32_t *low = w.in<uint32_t>(v.elements[0]);
    const uint32_t *high = w.in<uint32_t>(v.elements[1]);
    forLanes(mask,
             [&](unsigned l) { out[l] = (low[l] & 0xFFFF) | high[l] << 16; });
    return Step::Next;
  }
  unsigned bits = d.width / v.count;
  uint64_t elementMask = (uint64_t(1) << bits) - 1;
  return setLanes(w, d, mask, [&](unsigned l) {
    uint64_t value = 0;
    for (unsigned e = 0; e < v.count; ++e)
      value |= (w.value(v.elements[e], l) & elementMask) << (e * bits);
    return value;
  });
}

/// mov.bN {a, b, …}, d. The source is read before any element is written.
static Step unpack(Warp &w, const Instruction &i, LaneMask mask) {
  const Operand &v = i.operands[0], &a = i.operands[1];
  if (a.width == 128) {
    const uint64_t *in = w.in<uint64_t>(a);
    forLanes(mask, [&](unsigned l) {
      uint64_t words[2] = {in[l], in[warpSize + l]};
      unsigned bits = 128 / v.count;
      for (unsigned e = 0; e < v.count; ++e)
        w.setValue(v.elements[e], l, words[e * bits / 64] >> (e * bits % 64));
    });
    return Step::Next;
  }
  unsigned bits = a.width / v.count;
  uint64_t elementMask = (uint64_t(1) << bits) - 1;
  forLanes(mask, [&](unsigned l) {
    uint64_t value = w.value(a, l);
    for (unsigned e = 0; e < v.count; ++e)
      w.setValue(v.elements[e], l, value >> (e * bits) & elementMask);
  });
  return Step::Next;
}

static bool elementType(unsigned bits, Type &type) {
  switch (bits) {
  case 8:
    type = Type::B8;
    return true;
  case 16:
    type = Type::B16;
    return true;
  case 32:
    type = Type::B32;
    return true;
  case 64:
    type = Type::B64;
    return true;
  default:
    return false;
  }
}

static bool decodeMov(Decode &decode) {
  Type type;
  if (!decode.takeType(type) || !decode.expectOperands(2, 2))
    return false;
  bool packs = decode.isVector(1), unpacks = decode.isVector(0);
  if (packs || unpacks) {
    size_t count = decode.operand(unpacks ? 0 : 1).elements.size();
    Type element;
    // An 8-bit element stands in a 16-bit register.
    if ((count != 2 && count != 4) ||
        !elementType(bitWidth(type) / unsigned(count), element) ||
        (packs && unpacks))
      return decode.error("expected a vector of 2 or 4 elements that together "
                          "have the type's width in '" +
                          decode.mnemonic() + "'");
    decode.out.handler = packs ? pack : unpack;
    if (packs)
      return decode.destination(0, type) &&
             decode.vectorSource(1, element, unsigned(count), false,
                                 element == Type::B8);
    return decode.vectorDestination(0, element, unsigned(count), true,
                                    element == Type::B8) &&
           decode.sourceOperand(1, type);
  }
  if (type == Type::Pred) {
    if (!decode.predicateDestination(0))
      return false;
    if (decode.isSpecialRegister(1)) {
      decode.markUsed(1);
      return decodeSpecialRegister(decode.operand(1).name, decode.out) ||
             decode.error("expected a special register of type pred");
    }
    decode.out.handler = movPredicate;
    return decode.predicateSource(1);
  }
  if (!decode.destination(0, type, true))
    return false;
  // Read straight into the destination, without a hidden register between.
  if (decode.isSpecialRegister(1) && !decode.last().isSink()) {
    decode.markUsed(1);
    return decodeSpecialRegister(decode.operand(1).name, decode.out) ||
           decode.error("expected a special register of type " +
                        std::string(typeName(type)));
  }
  bool sink = decode.last().isSink();
  if (!decode.sourceOperand(1, type))
    return false;
  if (sink) {
    decode.out.handler = [](Warp &, const Instruction &, LaneMask) {
      return Step::Next;
    };
    return true;
  }
  switch (bitWidth(type)) {
  case 16:
    decode.out.handler = map1<Copy, uint16_t, uint16_t>;
    return true;
  case 32:
    decode.out.handler = map1<Copy, uint32_t, uint32_t>;
    return true;
  case 64:
    decode.out.handler = map1<Copy, uint64_t, uint64_t>;
    return true;
  case 128:
    decode.out.handler = mov128;
    return true;
  default:
    return decode.error("expected a type of 16 bits or more in '" +
                        decode.mnemonic() + "'");
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// cvta and cvta.to: `extra` is the window's base, added or taken away.
static Step cvta(Warp &w, const Instruction &i, LaneMask mask) {
  const Operand &d = i.operands[0], &a = i.operands[1];
  uint64_t delta = i.extra;
  uint64_t keep = i.flags ? 0xFFFFFFFFu : ~uint64_t(0);
  return setLanes(w, d, mask,
                  [&](unsigned l) { return (w.value(a, l) & keep) + delta; });
}

static bool decodeCvta(Decode &decode) {
  bool to = decode.take("to");
  Space space = decode.takeSpace();
  Type type;
  if (space == Space::Generic)
    return decode.error("expected a state space in '" + decode.mnemonic() +
                        "'");
  if (!decode.takeType(type) || !decode.expectOperands(2, 2) ||
      !decode.destination(0, type) || !decode.sourceOperand(1, type))
    return false;
  if (type != Type::U64)
    return decode.error("expected type u64 in '" + decode.mnemonic() +
                        "': addresses have 64 bits");
  uint64_t window = space == Space::Shared || space == Space::SharedCluster
                        ? sharedWindow
                    : space == Space::Local ? localWindow
                                            : 0;
  decode.out.extra = to ? 0 - window : window;
  // Of a shared or local address, 32 bits count.
  decode.out.flags = window && !to;
  decode.out.handler = cvta;
  return true;
}

static Step isspacep(Warp &w, const Instruction &i, LaneMask mask) {
  Space space = Space(i.flags);
  LaneMask result = 0;
  forLanes(mask, [&](unsigned l) {
    GenericAddress at = splitGeneric(w.value(i.operands[1], l));
    bool is = false;
    switch (space) {
    case Space::Shared:
      is = at.space == Space::SharedCluster &&
           at.offset >> clusterRankShift == w.cta().rank();
      break;
    case Space::SharedCluster:
      is = at.space == Space::SharedCluster &&
           w.cluster().cta(unsigned(at.offset >> clusterRankShift)) != nullptr;
      break;
    case Space::Param:
      is = at.space == Space::Global &&
           at.offset - w.grid().paramBase < w.grid().config.params.size();
      break;
    default:
      is = at.space == space;
      break;
    }
    result |= LaneMask(is) << l;
  });
  w.setPredicate(i.operands[0], result, mask);
  return Step::Next;
}

static bool decodeIsspacep(Decode &decode) {
  Space space = decode.takeSpace();
  if (space == Space::Generic || space == Space::Const)
    return decode.error("expected '.global', '.shared', '.local' or '.param' "
                        "in '" +
                        decode.mnemonic() + "'");
  decode.out.flags = uint8_t(space);
  decode.out.handler = isspacep;
  return decode.expectOperands(2, 2) && decode.predicateDestination(0) &&
         decode.sourceOperand(1, Type::U64);
}

/// mapa d, a, r: the address of the same place in the CTA of rank r.
static Step mapa(Warp &w, const Instruction &i, LaneMask mask) {
  unsigned count = unsigned(w.cluster().ctas().size());
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t rank = w.value(i.operands[2], l);
    if (rank >= count)
      return w.trap(i, l,
                    "CTA rank " + std::to_string(rank) +
                        " is outside the cluster of " + std::to_string(count));
    uint64_t address = w.value(i.operands[1], l);
    uint64_t base = 0;
    if (i.flags) {
      GenericAddress at = splitGeneric(address);
      if (at.space != Space::SharedCluster)
        return w.trap(i, l, "expected a generic address of shared memory",
                      address);
      base = sharedWindow;
      address = at.offset;
    }
    w.setValue(i.operands[0], l,
               base +
                   ((address & clusterOffsetMask) | rank << clusterRankShift));
  }
  return Step::Next;
}

static bool decodeMapa(Decode &decode) {
  Space space = decode.takeSpace();
  Type type;
  if (!decode.takeType(type))
    return false;
  bool generic = space == Space::Generic;
  if ((!generic && space != Space::SharedCluster) ||
      (type != Type::U32 && type != Type::U64) ||
      (generic && type != Type::U64))
    return decode.error("expected 'mapa.shared::cluster.u32' or '.u64', or "
                        "'mapa.u64', got '" +
                        decode.mnemonic() + "'");
  decode.out.flags = generic;
  decode.out.handler = mapa;
  return decode.expectOperands(3, 3) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceU32(2);
}

static Step getctarank(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t address = w.value(i.operands[1], l);
    if (i.flags) {
      GenericAddress at = splitGeneric(address);
      if (at.space != Space::SharedCluster)
        return w.trap(i, l, "expected a generic address of shared memory",
                      address);
      address = at.offset;
    }
    w.setValue(i.operands[0], l, uint32_t(address) >> clusterRankShift);
  }
  return Step::Next;
}

static bool decodeGetctarank(Decode &decode) {
  Space space = decode.takeSpace();
  Type type;
  if (!decode.takeType(type))
    return false;
  bool generic = space == Space::Generic;
  if ((!generic && space != Space::SharedCluster) ||
      (type != Type::U32 && type != Type::U64) ||
      (generic && type != Type::U64))
    return decode.error("expected 'getctarank.shared::cluster.u32' or '.u64', "
                        "or 'getctarank.u64', got '" +
                        decode.mnemonic() + "'");
  decode.out.flags = generic;
  decode.out.handler = getctarank;
  return decode.expectOperands(2, 2) && decode.destination(0, Type::U32) &&
         decode.sourceOperand(1, type);
}

//===----------------------------------------------------------------------===//
// selp
//===----------------------------------------------------------------------===//

template <class T>
static BWGEMM_LANE_LOOP Step selp(Warp &w, const Instruction &i,
                                  LaneMask mask) {
  T *d = w.out<T>(i.operands[0]);
  const T *a = w.in<T>(i.operands[1]);
  const T *b = w.in<T>(i.operands[2]);
  LaneMask p = w.predicate(i.operands[3]);
  if (mask == allLanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warpSize; ++l) {
      T isA = T(0) - T(p >> l & 1);
      d[l] = (a[l] & isA) | (b[l] & ~isA);
    }
    return Step::Next;
  }
  forLanes(mask, [&](unsigned l) { d[l] = (p >> l & 1) ? a[l] : b[l]; });
  return Step::Next;
}

static bool decodeSelp(Decode &decode) {
  Type type;
  if (!decode.takeType(type) || !decode.expectOperands(4, 4) ||
      !decode.destination(0, type) || !decode.sourceOperand(1, type) ||
      !decode.sourceOperand(2, type) || !decode.predicateSource(3))
    return false;
  unsigned bits = bitWidth(type);
  if (bits != 16 && bits != 32 && bits != 64)
    return decode.error("expected a type of 16, 32 or 64 bits in '" +
                        decode.mnemonic() + "'");
  decode.out.handler =
      bits == 64 ? forHost<selp<uint64_t>>() : forHost<selp<uint32_t>>();
  return true;
}

void registerMove(Registry &registry) {
  registry.add("mov", decodeMov);
  registry.add("cvta", decodeCvta);
  registry.add("isspacep", decodeIsspacep);
  registry.add("mapa", decodeMapa);
  registry.add("getctarank", decodeGetctarank);
  registry.add("selp", decodeSelp);
}

} // namespace bwgemm::emulator
