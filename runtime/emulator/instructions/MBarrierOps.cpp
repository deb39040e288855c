//===- MBarrierOps.cpp - mbarrier.* -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// init, inval, arrive and its forms, expect_tx, complete_tx, test_wait,
// try_wait, pending_count (PTX ISA, "mbarrier"). The phase machine is
// machine/MBarrier.h. The lanes of a warp operate one after the other, lowest
// first.
//
//===----------------------------------------------------------------------===//

#include "hazards/Ordering.h"
#include "instructions/AsyncSupport.h"
#include "instructions/Registry.h"
#include "machine/Observer.h"

#include <cstdio>
#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// An mbarrier that an operand names.
struct Place {
  std::byte *memory = nullptr;
  Cta *cta = nullptr;
  uint32_t offset = 0;

  uint64_t load() const {
    uint64_t object;
    std::memcpy(&object, memory, 8);
    return object;
  }
  void store(uint64_t object) const { std::memcpy(memory, &object, 8); }
};
} // namespace

/// False if the access trapped. `Instruction::extra` holds the state space.
static bool locate(Warp &w, const Instruction &i, const Operand &operand,
                   unsigned lane, Place &place) {
  Space space = Space(i.extra);
  uint64_t address = w.address(operand, lane);
  place.memory = w.access(i, space, address, 8, 8, lane, "mbarrier operation");
  if (!place.memory)
    return false;
  if (space == Space::Generic) {
    GenericAddress generic = splitGeneric(address);
    if (generic.space != Space::SharedCluster) {
      w.trap(i, lane, "an mbarrier must lie in shared memory", address);
      return false;
    }
    address = generic.offset;
  }
  place.cta = w.cluster().cta(unsigned(address >> clusterRankShift));
  place.offset = uint32_t(address & clusterOffsetMask);
  return true;
}

static Step init(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    Place place;
    if (!locate(w, i, i.operands[0], lane, place))
      return Step::Fault;
    uint64_t object = 0;
    MBarrierOutcome outcome =
        MBarrier::init(object, uint32_t(w.value(i.operands[1], lane)));
    if (outcome.trap)
      return w.trap(i, lane, outcome.trap);
    place.store(object);
    place.cta->extension<MBarrierPhases>().at(place.offset) = 0;
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->mbarrierInit(Scene(w, i, lane), *place.cta, place.offset,
                             false);
  }
  w.cluster().signal();
  return Step::Next;
}

/// The object's word stays: a later load sees it, as on the hardware.
static Step inval(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    Place place;
    unsigned lane = firstLane(rest);
    if (!locate(w, i, i.operands[0], lane, place))
      return Step::Fault;
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->mbarrierInit(Scene(w, i, lane), *place.cta, place.offset, true);
  }
  return Step::Next;
}

/// The forms of arrive, and of the two that only move the tx-count.
enum class Form : uint8_t {
  Arrive,
  Drop,
  ArriveExpectTx,
  DropExpectTx,
  NoComplete,
  DropNoComplete,
  ExpectTx,
  CompleteTx,
};

static MBarrierOutcome apply(Form form, uint64_t &object, uint32_t operand) {
  switch (form) {
  case Form::Arrive:
    return MBarrier::arrive(object, operand);
  case Form::Drop:
    return MBarrier::arriveDrop(object, operand);
  case Form::ArriveExpectTx:
    return MBarrier::arriveExpectTx(object, operand);
  case Form::DropExpectTx:
    return MBarrier::arriveExpectTx(object, operand, 1, true);
  case Form::NoComplete:
    return MBarrier::arriveNoComplete(object, operand);
  case Form::DropNoComplete:
    return MBarrier::arriveNoComplete(object, operand, true);
  case Form::ExpectTx:
    return MBarrier::expectTx(object, operand);
  case Form::CompleteTx:
    return MBarrier::completeTx(object, operand);
  }
  return {};
}

/// What the instruction asked for, for faults.
static std::string describe(Form form, uint32_t operand) {
  std::string number = std::to_string(operand);
  switch (form) {
  case Form::ArriveExpectTx:
  case Form::DropExpectTx:
    return "1 arrival and " + number + " bytes";
  case Form::ExpectTx:
  case Form::CompleteTx:
    return number + " bytes";
  default:
    return number + (operand == 1 ? " arrival" : " arrivals");
  }
}

/// Operands: state or none, address, count or none. `flags` holds the form.
static Step change(Warp &w, const Instruction &i, LaneMask mask) {
  Form form = Form(i.flags);
  Ordering *ordering = orderingOf(w.cluster());
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    Place place;
    if (!locate(w, i, i.operands[1], lane, place))
      return Step::Fault;
    uint32_t operand =
        i.operands[2] ? uint32_t(w.value(i.operands[2], lane)) : 1;
    uint64_t before = place.load(), object = before;
    if (ordering)
      ordering->mbarrierFound(Scene(w, i, lane), *place.cta, place.offset,
                              before);
    MBarrierOutcome outcome = apply(form, object, operand);
    if (outcome.trap)
      return w.trap(i, lane,
                    std::string(outcome.trap) + ": " + describe(form, operand) +
                        " on the " + describeMBarrier(*place.cta, place.offset),
                    place.offset);
    place.store(object);
    if (ordering)
      ordering->mbarrierUsed(Scene(w, i, lane), *place.cta, place.offset,
                             form < Form::ExpectTx);
    mbarrierChanged(*place.cta, place.offset, outcome);
    if (i.operands[0])
      w.setValue(i.operands[0], lane, MBarrier::arriveState(before, operand));
  }
  return Step::Next;
}

static std::string describeWait(const Warp &w, const Wait &wait) {
  Cta &cta = w.cta();
  auto offset = uint32_t(wait.a);
  std::string text = "completion of phase parity " + std::to_string(wait.b) +
                     " of the " + describeMBarrier(cta, offset);
  // The wait may have been meant for the phase before the one before.
  uint64_t phase = cta.extension<MBarrierPhases>().at(offset);
  if (phase >= 2)
    text += " (phase " + std::to_string(phase - 2) +
            " of the same parity has completed, and so has the one after it: "
            "was this wait too late for it?)";
  return text;
}

/// True if an operand has one value for the whole warp, lanes that do not
/// execute included.
static bool isUniform(const Warp &w, const Operand &operand) {
  if (operand.kind == Operand::Kind::Constant)
    return true;
  if (operand.kind == Operand::Kind::Address && operand.base != Base::Register)
    return operand.base == Base::Absolute || operand.base == Base::Shared;
  auto same = [](const auto *lanes) {
    auto difference = lanes[0] ^ lanes[0];
    for (unsigned l = 0; l < warpSize; ++l)
      difference |= lanes[l] ^ lanes[0];
    return difference == 0;
  };
  return operand.width == 64 ? same(w.in<uint64_t>(operand))
                             : same(w.in<uint32_t>(operand));
}

/// Tests all lanes. Operands: predicate, address, parity or state. `flags` is
/// 1 for a parity. False if an access trapped.
static bool testAll(Warp &w, const Instruction &i, LaneMask mask,
                    LaneMask &done, Wait &wait) {
  done = 0;
  // Most often all lanes wait for the same phase.
  bool uniform = mask == allLanes && isUniform(w, i.operands[1]) &&
                 isUniform(w, i.operands[2]);
  Ordering *ordering = orderingOf(w.cluster());
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    Place place;
    if (!locate(w, i, i.operands[1], lane, place))
      return false;
    if (place.cta != &w.cta()) {
      w.trap(i, lane, "a CTA may wait on an mbarrier of its own alone",
             place.offset);
      return false;
    }
    uint64_t object = place.load();
    if (ordering)
      ordering->mbarrierFound(Scene(w, i, lane), *place.cta, place.offset,
                              object);
    uint64_t value = w.value(i.operands[2], lane);
    unsigned parity = i.flags ? unsigned(value & 1) : unsigned(value >> 63);
    if (MBarrier::testParity(object, parity)) {
      done |= uniform ? mask : 1u << lane;
      if (ordering)
        ordering->mbarrierWaited(Scene(w, i, lane), place.offset);
    } else {
      wait.a = place.offset;
      wait.b = parity;
    }
    if (uniform)
      break;
  }
  if (Observer *observer = done ? w.observer() : nullptr)
    observer->barrier(w, i);
  return true;
}

static Step testWait(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask done;
  Wait wait;
  if (!testAll(w, i, mask, done, wait))
    return Step::Fault;
  w.count(Counter::MBarrierWaits);
  w.setPredicate(i.operands[0], done, mask);
  return done == mask ? Step::Next : Step::Yield;
}

/// Waits until every lane's phase completed; the time limit, after which the
/// hardware answers false, is up when nothing else can run.
static Step tryWait(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask done;
  Wait wait;
  if (!testAll(w, i, mask, done, wait))
    return Step::Fault;
  if (done != mask && !w.fragment().wait.expired) {
    wait.describe = describeWait;
    wait.canExpire = true;
    return w.block(wait);
  }
  w.count(Counter::MBarrierWaits);
  w.setPredicate(i.operands[0], done, mask);
  return Step::Next;
}

static Step pendingCount(Warp &w, const Instruction &i, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    w.setValue(i.operands[0], lane,
               MBarrier::pendingCount(w.value(i.operands[1], lane)));
  });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes .b64 and the state space; refuses what is not shared memory.
static bool takeSpaceAndType(Decode &decode, bool clusterAllowed) {
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::Shared &&
      space != Space::SharedCluster)
    return decode.error("an mbarrier must lie in shared memory");
  if (space == Space::SharedCluster && !clusterAllowed)
    return decode.error("expected .shared::cta: this operation works on the "
                        "CTA's own mbarriers alone");
  if (!decode.take("b64"))
    return decode.error("expected type b64");
  decode.out.extra = uint64_t(space);
  return true;
}

/// Takes .sem and .scope. They do not change what one cluster sees here: its
/// instructions execute one after the other.
static bool takeSemantics(Decode &decode,
                          std::initializer_list<std::string_view> allowed) {
  int semantics = decode.takeOne(allowed);
  int scope = decode.takeOne({"cta", "cluster"});
  if (semantics >= 0 && scope < 0)
    return decode.error("expected a scope, .cta or .cluster, with the memory "
                        "semantics");
  return true;
}

static Space spaceOf(const Decode &decode) { return Space(decode.out.extra); }

static bool decodeInit(Decode &decode) {
  if (!takeSpaceAndType(decode, false) || !decode.expectOperands(2, 2) ||
      !decode.address(0, spaceOf(decode)) || !decode.sourceU32(1))
    return false;
  decode.out.handler = init;
  return true;
}

static bool decodeInval(Decode &decode) {
  if (!takeSpaceAndType(decode, false) || !decode.expectOperands(1, 1) ||
      !decode.address(0, spaceOf(decode)))
    return false;
  decode.out.handler = inval;
  return true;
}

static bool decodeArriveForm(Decode &decode, bool drop) {
  bool expectTx = decode.take("expect_tx");
  bool noComplete = !expectTx && decode.take("noComplete");
  if (!takeSemantics(decode, {"release", "relaxed"}) ||
      !takeSpaceAndType(decode, true))
    return false;
  if (noComplete && spaceOf(decode) == Space::SharedCluster)
    return decode.error("arrive.noComplete works on the CTA's own mbarriers "
                        "alone");
  // LLVM and the ISA always write a destination, `_` where none is wanted.
  size_t least = expectTx || noComplete ? 3 : 2;
  if (!decode.expectOperands(least, 3) ||
      !decode.destination(0, Type::B64, true) ||
      !decode.address(1, spaceOf(decode)))
    return false;
  // The state of another CTA's barrier is not returned.
  if (spaceOf(decode) == Space::SharedCluster &&
      !decode.out.operands[0].isSink())
    return decode.error("expected the sink _ as destination with "
                        ".shared::cluster");
  if (decode.operandCount() == 3) {
    if (!decode.sourceU32(2))
      return false;
  } else {
    decode.noOperand();
  }
  Form form = expectTx     ? (drop ? Form::DropExpectTx : Form::ArriveExpectTx)
              : noComplete ? (drop ? Form::DropNoComplete : Form::NoComplete)
                           : (drop ? Form::Drop : Form::Arrive);
  decode.out.flags = uint8_t(form);
  decode.out.handler = change;
  return true;
}

static bool decodeArrive(Decode &decode) {
  return decodeArriveForm(decode, false);
}
static bool decodeArriveDrop(Decode &decode) {
  return decodeArriveForm(decode, true);
}

static bool decodeTx(Decode &decode, Form form) {
  if (!takeSemantics(decode, {"relaxed"}) || !takeSpaceAndType(decode, true) ||
      !decode.expectOperands(2, 2))
    return false;
  decode.noOperand();
  if (!decode.address(0, spaceOf(decode)) || !decode.sourceU32(1))
    return false;
  decode.out.flags = uint8_t(form);
  decode.out.handler = change;
  return true;
}

static bool decodeExpectTx(Decode &decode) {
  return decodeTx(decode, Form::ExpectTx);
}
static bool decodeCompleteTx(Decode &decode) {
  return decodeTx(decode, Form::CompleteTx);
}

static bool decodeWait(Decode &decode, bool isTry) {
  bool parity = decode.take("parity");
  if (!takeSemantics(decode, {"acquire", "relaxed"}) ||
      !takeSpaceAndType(decode, false) ||
      !decode.expectOperands(3, isTry ? 4 : 3) ||
      !decode.predicateDestination(0) || !decode.address(1, spaceOf(decode)) ||
      !decode.sourceOperand(2, parity ? Type::B32 : Type::B64))
    return false;
  // The hint is measured to change nothing.
  if (decode.operandCount() == 4 && !decode.sourceU32(3))
    return false;
  decode.out.flags = parity;
  decode.out.handler = isTry ? tryWait : testWait;
  return true;
}

static bool decodeTestWait(Decode &decode) { return decodeWait(decode, false); }
static bool decodeTryWait(Decode &decode) { return decodeWait(decode, true); }

static bool decodePendingCount(Decode &decode) {
  if (!decode.take("b64"))
    return decode.error("expected type b64");
  if (!decode.expectOperands(2, 2) || !decode.destination(0, Type::U32) ||
      !decode.sourceOperand(1, Type::B64))
    return false;
  decode.out.handler = pendingCount;
  return true;
}

void registerMBarrierOps(Registry &registry) {
  registry.add("mbarrier.init", decodeInit);
  registry.add("mbarrier.inval", decodeInval);
  registry.add("mbarrier.arrive", decodeArrive);
  registry.add("mbarrier.arrive_drop", decodeArriveDrop);
  registry.add("mbarrier.expect_tx", decodeExpectTx);
  registry.add("mbarrier.complete_tx", decodeCompleteTx);
  registry.add("mbarrier.test_wait", decodeTestWait);
  registry.add("mbarrier.try_wait", decodeTryWait);
  registry.add("mbarrier.pending_count", decodePendingCount);
}

} // namespace bwgemm::emulator
