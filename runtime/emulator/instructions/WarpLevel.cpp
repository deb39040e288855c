//===- WarpLevel.cpp - Shuffles, votes, elect -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, bar.warp.sync,
// activemask (PTX ISA, data movement and parallel synchronization). Each waits
// until all lanes that its member mask names, and that have not exited, are at
// the instruction.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"

#include <cmath>

namespace bwgemm::emulator {

/// Lanes that execute together name several masks (tiles of a warp): each set
/// goes through the handler by itself, once all sets are complete.
static Step bySets(Warp &w, const Instruction &i, const uint32_t *lanes,
                   LaneMask mask) {
  LaneMask named = 0;
  forLanes(mask, [&](unsigned l) { named |= lanes[l]; });
  if (named & w.alive() & ~w.fragment().mask)
    return w.blockForConvergence(named);
  for (LaneMask rest = mask; rest;) {
    uint32_t members = lanes[__builtin_ctz(rest)];
    LaneMask set = 0;
    forLanes(rest,
             [&](unsigned l) { set |= LaneMask(lanes[l] == members) << l; });
    rest &= ~set;
    Step step = i.handler(w, i, set);
    if (step != Step::Next)
      return step;
  }
  return Step::Next;
}

/// Reads the member mask and checks that the executing lanes are in it. False
/// if the handler has to return `step`.
static bool gather(Warp &w, const Instruction &i, const Operand &operand,
                   LaneMask mask, LaneMask &members, Step &step) {
  const uint32_t *lanes = w.in<uint32_t>(operand);
  unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
  members = lanes[first];
  // Most often the mask is a constant and names just the lanes that are here.
  if (operand.constant && members == mask)
    return true;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    if (lanes[l] != members) {
      step = bySets(w, i, lanes, mask);
      return false;
    }
    if (!(members >> l & 1)) {
      step = w.trap(i, l, "the executing lane is not in the member mask");
      return false;
    }
  }
  if ((members & w.alive() & ~mask) == 0)
    return true;
  // Lanes whose guard is false are here and will not come.
  LaneMask absent = members & w.fragment().mask & ~mask;
  if (absent) {
    step = w.trap(i, unsigned(__builtin_ctz(absent)),
                  "a lane in the member mask does not execute the instruction");
    return false;
  }
  step = w.blockForConvergence(members);
  return false;
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

enum class Shuffle : uint8_t { Up, Down, Bfly, Idx };

/// Where each lane reads, and whether that lane is in range.
template <Shuffle mode>
static BWGEMM_LANE_LOOP LaneMask sourceLanes(const uint32_t *b,
                                             const uint32_t *c,
                                             int32_t *sources) {
  uint8_t bytes[warpSize];
  for (unsigned l = 0; l < warpSize; ++l) {
    int32_t lane = int32_t(l), bval = int32_t(b[l] & 31);
    int32_t cval = int32_t(c[l] & 31), segment = int32_t(c[l] >> 8 & 31);
    int32_t maxLane = (lane & segment) | (cval & ~segment);
    int32_t minLane = lane & segment;
    int32_t from = mode == Shuffle::Up     ? lane - bval
                   : mode == Shuffle::Down ? lane + bval
                   : mode == Shuffle::Bfly ? lane ^ bval
                                           : minLane | (bval & ~segment);
    bool in = mode == Shuffle::Up ? from >= maxLane : from <= maxLane;
    bytes[l] = in;
    sources[l] = in ? from & 31 : lane;
  }
  return laneMask(bytes);
}

/// Operands: d, p, a, b, c, membermask.
template <Shuffle mode>
static BWGEMM_LANE_LOOP Step shfl(Warp &w, const Instruction &i,
                                  LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[5], mask, members, step))
    return step;
  int32_t sources[warpSize];
  LaneMask inRange = sourceLanes<mode>(w.in<uint32_t>(i.operands[3]),
                                       w.in<uint32_t>(i.operands[4]), sources);
  if (!i.operands[0].isSink()) {
    const uint32_t *a = w.in<uint32_t>(i.operands[2]);
    uint32_t results[warpSize];
    for (unsigned l = 0; l < warpSize; ++l)
      results[l] = a[sources[l]];
    uint32_t *d = w.out<uint32_t>(i.operands[0]);
    forLanes(mask, [&](unsigned l) { d[l] = results[l]; });
  }
  if (i.operands[1])
    w.setPredicate(i.operands[1], inRange, mask);
  return Step::Next;
}

static bool decodeShfl(Decode &decode) {
  int mode = decode.takeOne({"up", "down", "bfly", "idx"});
  if (mode < 0 || !decode.take("b32"))
    return decode.error("expected '.up', '.down', '.bfly' or '.idx' and "
                        "'.b32' in '" +
                        decode.mnemonic() + "'");
  const Handler handlers[] = {
      forHost<shfl<Shuffle::Up>>(), forHost<shfl<Shuffle::Down>>(),
      forHost<shfl<Shuffle::Bfly>>(), forHost<shfl<Shuffle::Idx>>()};
  decode.out.handler = handlers[mode];
  return decode.expectOperands(5, 5) && decode.destinationPair(0, Type::B32) &&
         decode.sourceOperand(1, Type::B32) && decode.sourceU32(2) &&
         decode.sourceU32(3) && decode.sourceU32(4);
}

//===----------------------------------------------------------------------===//
// vote, match, redux, elect
//===----------------------------------------------------------------------===//

enum class Vote : uint8_t { All, Any, Uni, Ballot };

/// Operands: d, predicate, membermask.
static Step vote(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[2], mask, members, step))
    return step;
  LaneMask ballot = w.predicate(i.operands[1]) & mask;
  bool result = false;
  switch (Vote(i.flags)) {
  case Vote::All:
    result = ballot == mask;
    break;
  case Vote::Any:
    result = ballot != 0;
    break;
  case Vote::Uni:
    result = ballot == mask || ballot == 0;
    break;
  case Vote::Ballot:
    return setLanes(w, i.operands[0], mask,
                    [&](unsigned) { return uint64_t(ballot); });
  }
  w.setPredicate(i.operands[0], result ? allLanes : 0, mask);
  return Step::Next;
}

static bool decodeVote(Decode &decode) {
  int kind = decode.takeOne({"all", "any", "uni", "ballot"});
  bool isBallot = kind == 3;
  if (kind < 0 || !decode.take(isBallot ? "b32" : "pred"))
    return decode.error("expected '.all.pred', '.any.pred', '.uni.pred' or "
                        "'.ballot.b32' in '" +
                        decode.mnemonic() + "'");
  decode.out.flags = uint8_t(kind);
  decode.out.handler = vote;
  return decode.expectOperands(3, 3) &&
         (isBallot ? decode.destination(0, Type::B32)
                   : decode.predicateDestination(0)) &&
         decode.predicateSource(1) && decode.sourceU32(2);
}

/// match.any: the lanes with the same value; match.all: the mask if all have
/// the same, else 0, and a predicate. Operands: d, p, a, membermask.
static Step match(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[3], mask, members, step))
    return step;
  uint64_t values[warpSize] = {};
  forLanes(mask, [&](unsigned l) { values[l] = w.value(i.operands[2], l); });
  uint32_t results[warpSize] = {};
  forLanes(mask, [&](unsigned l) {
    forLanes(mask, [&](unsigned other) {
      results[l] |= uint32_t(values[l] == values[other]) << other;
    });
  });
  LaneMask same = 0;
  forLanes(mask, [&](unsigned l) {
    bool all = results[l] == mask;
    same |= LaneMask(all) << l;
    if (i.flags && !all)
      results[l] = 0;
  });
  setLanes(w, i.operands[0], mask,
           [&](unsigned l) { return uint64_t(results[l]); });
  if (i.operands[1])
    w.setPredicate(i.operands[1], same, mask);
  return Step::Next;
}

static bool decodeMatch(Decode &decode) {
  int kind = decode.takeOne({"any", "all"});
  Type type;
  if (kind < 0)
    return decode.error("expected '.any' or '.all' in '" + decode.mnemonic() +
                        "'");
  if (!decode.take("sync"))
    return decode.error("expected '.sync' in '" + decode.mnemonic() + "'");
  if (!decode.takeType(type))
    return false;
  if (type != Type::B32 && type != Type::B64)
    return wrongType(decode, type);
  decode.out.flags = uint8_t(kind);
  decode.out.handler = match;
  return decode.expectOperands(3, 3) && decode.destinationPair(0, Type::B32) &&
         decode.sourceOperand(1, type) && decode.sourceU32(2);
}

enum class Redux : uint8_t { Add, Min, Max, And, Or, Xor };
enum ReduxFlags : uint8_t {
  ReduxMask = 7,
  Signed = 8,
  Float = 16,
  AbsF = 32,
  NaNF = 64
};

static float reduceFloat(Redux op, float a, float b, bool keepsNaN) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keepsNaN)
      return std::nanf("");
    return std::isnan(a) ? b : a;
  }
  bool aLess = a < b || (a == b && std::signbit(a));
  return (op == Redux::Min) == aLess ? a : b;
}

/// Operands: d, a, membermask.
static Step redux(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[2], mask, members, step))
    return step;
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  Redux op = Redux(i.flags & ReduxMask);
  bool isFirst = true;
  uint32_t result = 0;
  forLanes(mask, [&](unsigned l) {
    uint32_t value = a[l];
    if (i.flags & AbsF)
      value &= 0x7FFFFFFF;
    if (isFirst) {
      result = value;
      isFirst = false;
      return;
    }
    if (i.flags & Float) {
      result = toStorage<float>(reduceFloat(op, fromStorage<float>(result),
                                            fromStorage<float>(value),
                                            i.flags & NaNF));
      return;
    }
    bool less =
        i.flags & Signed ? int32_t(value) < int32_t(result) : value < result;
    switch (op) {
    case Redux::Add:
      result += value;
      break;
    case Redux::Min:
      result = less ? value : result;
      break;
    case Redux::Max:
      result = less ? result : value;
      break;
    case Redux::And:
      result &= value;
      break;
    case Redux::Or:
      result |= value;
      break;
    case Redux::Xor:
      result ^= value;
      break;
    }
  });
  if ((i.flags & Float) && std::isnan(fromStorage<float>(result)))
    result = 0x7FFFFFFF;
  return setLanes(w, i.operands[0], mask,
                  [&](unsigned) { return uint64_t(result); });
}

static bool decodeRedux(Decode &decode) {
  int op = decode.takeOne({"add", "min", "max", "and", "or", "xor"});
  bool abs = decode.take("abs"), nan = decode.take("NaN");
  Type type;
  if (op < 0)
    return decode.error("expected '.add', '.min', '.max', '.and', '.or' or "
                        "'.xor' in '" +
                        decode.mnemonic() + "'");
  if (!decode.takeType(type))
    return false;
  bool isBits = op >= 3, isMinMax = op == 1 || op == 2;
  bool good = isBits ? type == Type::B32
                     : type == Type::U32 || type == Type::S32 ||
                           (type == Type::F32 && isMinMax);
  if (!good || ((abs || nan) && type != Type::F32))
    return wrongType(decode, type);
  decode.out.flags = uint8_t(op | (type == Type::S32 ? Signed : 0) |
                             (type == Type::F32 ? Float : 0) |
                             (abs ? AbsF : 0) | (nan ? NaNF : 0));
  decode.out.handler = redux;
  return decode.expectOperands(3, 3) && decode.destination(0, type) &&
         decode.sourceOperand(1, type) && decode.sourceU32(2);
}

/// elect.sync d|p, membermask: the lowest lane is elected.
static Step elect(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[2], mask, members, step))
    return step;
  unsigned leader = static_cast<unsigned>(__builtin_ctz(mask));
  setLanes(w, i.operands[0], mask, [&](unsigned) { return uint64_t(leader); });
  w.setPredicate(i.operands[1], 1u << leader, mask);
  return Step::Next;
}

static bool decodeElect(Decode &decode) {
  decode.out.handler = elect;
  if (!decode.expectOperands(2, 2) || !decode.destinationPair(0, Type::B32))
    return false;
  if (!decode.out.operands[1])
    return decode.error("expected two destinations d|p of 'elect.sync'");
  return decode.sourceU32(1);
}

static Step warpSync(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask members;
  Step step;
  if (!gather(w, i, i.operands[0], mask, members, step))
    return step;
  return Step::Next;
}

static bool decodeWarpSync(Decode &decode) {
  decode.out.handler = warpSync;
  return decode.expectOperands(1, 1) && decode.sourceU32(0);
}

static Step activemask(Warp &w, const Instruction &i, LaneMask mask) {
  return setLanes(w, i.operands[0], mask,
                  [&](unsigned) { return uint64_t(mask); });
}

static bool decodeActivemask(Decode &decode) {
  decode.out.handler = activemask;
  if (!decode.take("b32"))
    return decode.error("expected type b32 in '" + decode.mnemonic() + "'");
  return decode.expectOperands(1, 1) && decode.destination(0, Type::B32);
}

void registerWarpLevel(Registry &registry) {
  registry.add("shfl.sync", decodeShfl);
  registry.add("vote.sync", decodeVote);
  registry.add("match", decodeMatch);
  registry.add("redux.sync", decodeRedux);
  registry.add("elect.sync", decodeElect);
  registry.add("bar.warp.sync", decodeWarpSync);
  registry.add("activemask", decodeActivemask);
}

} // namespace bwgemm::emulator
