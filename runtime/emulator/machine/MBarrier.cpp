//===- MBarrier.cpp - State of one mbarrier object --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MBarrier.h"

namespace bwgemm::emulator {

static constexpr uint64_t mask20 = (1ull << 20) - 1;
static constexpr uint64_t mask21 = (1ull << 21) - 1;
/// The tx-count lies within 2^20 - 1 of zero (PTX ISA, mbarrier; that 2^20
/// traps, however it is reached, is measured on an H200).
static constexpr int64_t maxTx = (1 << 20) - 1;
static constexpr int64_t minTx = -((1 << 20) - 1);

MBarrierState MBarrierState::decode(uint64_t object) {
  MBarrierState state;
  state.parity = unsigned(object >> 63);
  state.pending = uint32_t((0 - (object >> 43)) & mask20);
  state.expected = uint32_t((0 - (object >> 1)) & mask20);
  // The field holds minus tx in two's complement.
  int64_t minusTx = int64_t((object >> 21) & mask21);
  if (minusTx > maxTx)
    minusTx -= 1 << 21;
  state.tx = int32_t(-minusTx);
  return state;
}

uint64_t MBarrierState::encode() const {
  uint64_t object = uint64_t(parity & 1) << 63;
  object |= ((0 - uint64_t(pending)) & mask20) << 43;
  object |= ((0 - uint64_t(int64_t(tx))) & mask21) << 21;
  object |= ((0 - uint64_t(expected)) & mask20) << 1;
  return object;
}

/// Starts the next phase if nothing is missing from this one.
static bool finishPhase(MBarrierState &state) {
  if (state.pending != 0 || state.tx != 0)
    return false;
  state.parity ^= 1;
  state.pending = state.expected;
  return true;
}

static const char *addTx(MBarrierState &state, int64_t bytes) {
  int64_t operand = bytes < 0 ? -bytes : bytes;
  if (operand > int64_t(MBarrier::maxTxOperand))
    return "the byte count of an mbarrier transaction must be below 2^20";
  int64_t sum = state.tx + bytes;
  if (sum > maxTx)
    return "the tx-count of the mbarrier exceeds 2^20 - 1";
  if (sum < minTx)
    return "the tx-count of the mbarrier falls below -(2^20 - 1)";
  state.tx = int32_t(sum);
  return nullptr;
}

static const char *subtractArrivals(MBarrierState &state, uint32_t count,
                                    bool drop) {
  if (count > state.pending)
    return "more arrivals than the mbarrier's phase still waits for";
  state.pending -= count;
  if (drop) {
    if (count > state.expected)
      return "more arrivals dropped than the mbarrier expects";
    state.expected -= count;
  }
  return nullptr;
}

static MBarrierOutcome finish(uint64_t &object, MBarrierState &state) {
  MBarrierOutcome outcome;
  outcome.completed = finishPhase(state);
  object = state.encode();
  return outcome;
}

MBarrierOutcome MBarrier::init(uint64_t &object, uint32_t count) {
  if (count > maxCount)
    return {"the count of mbarrier.init must be at most 2^20", false};
  // The sum, with its carries, is what the hardware stores: for a count of 0
  // the carry leaves parity 1 and a tx-count of -1.
  object =
      (uint64_t(maxCount - count) << 43) + (uint64_t(maxCount - count) << 1);
  return {};
}

MBarrierOutcome MBarrier::arrive(uint64_t &object, uint32_t count) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = subtractArrivals(state, count, false))
    return {trap, false};
  return finish(object, state);
}

MBarrierOutcome MBarrier::arriveDrop(uint64_t &object, uint32_t count) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = subtractArrivals(state, count, true))
    return {trap, false};
  return finish(object, state);
}

MBarrierOutcome MBarrier::expectArrival(uint64_t &object) {
  MBarrierState state = MBarrierState::decode(object);
  if (state.pending + 1 >= maxCount)
    return {"the pending arrivals of the mbarrier exceed 2^20 - 1", false};
  ++state.pending;
  object = state.encode();
  return {};
}

MBarrierOutcome MBarrier::expectTx(uint64_t &object, uint32_t bytes) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = addTx(state, bytes))
    return {trap, false};
  return finish(object, state);
}

MBarrierOutcome MBarrier::completeTx(uint64_t &object, uint32_t bytes) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = addTx(state, -int64_t(bytes)))
    return {trap, false};
  return finish(object, state);
}

MBarrierOutcome MBarrier::arriveExpectTx(uint64_t &object, uint32_t bytes,
                                         uint32_t count, bool drop) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = addTx(state, bytes))
    return {trap, false};
  if (const char *trap = subtractArrivals(state, count, drop))
    return {trap, false};
  return finish(object, state);
}

MBarrierOutcome MBarrier::arriveNoComplete(uint64_t &object, uint32_t count,
                                           bool drop) {
  MBarrierState state = MBarrierState::decode(object);
  if (const char *trap = subtractArrivals(state, count, drop))
    return {trap, false};
  if (finishPhase(state))
    return {"an arrive.noComplete completes the mbarrier's phase", false};
  object = state.encode();
  return {};
}

uint32_t MBarrier::pendingCount(uint64_t state) {
  return uint32_t((0 - (state >> 43)) & mask20);
}

std::string MBarrier::describe(uint64_t object) {
  MBarrierState state = MBarrierState::decode(object);
  std::string text = "phase parity " + std::to_string(state.parity) + ", " +
                     std::to_string(state.pending) + " of " +
                     std::to_string(state.expected) + " arrivals pending, ";
  if (state.tx > 0)
    text += std::to_string(state.tx) + " bytes outstanding";
  else if (state.tx < 0)
    text += std::to_string(-state.tx) + " bytes landed and never expected";
  else
    text += "no bytes outstanding";
  if (state.pending != 0 && state.tx > 0)
    text += ": neither all arrivals nor all expected bytes came";
  else if (state.pending != 0)
    text += ": an arrival is missing";
  else if (state.tx > 0)
    text += ": the bytes expected never landed";
  else if (state.tx < 0)
    text += ": expect_tx announced too few bytes";
  return text;
}

} // namespace bwgemm::emulator
