//===- MBarrierTest.cpp - Phases of mbarrier objects ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected states are those that scripts of the same steps gave on an H200.
//
//===----------------------------------------------------------------------===//

#include "machine/MBarrier.h"

#include <gtest/gtest.h>

using namespace bwgemm::emulator;

static uint64_t made(uint32_t count) {
  uint64_t object = 0;
  EXPECT_EQ(MBarrier::init(object, count).trap, nullptr);
  return object;
}

TEST(MBarrier, InitEncoding) {
  EXPECT_EQ(made(1), 0x7FFFF800001FFFFEull);
  EXPECT_EQ(made(0), 0x8000000000200000ull);
  EXPECT_EQ(made(1u << 20), 0ull);
  uint64_t object = 0;
  EXPECT_NE(MBarrier::init(object, (1u << 20) + 1).trap, nullptr);
}

TEST(MBarrier, FieldsSurviveEncoding) {
  for (uint32_t pending : {0u, 1u, 128u, 1048575u})
    for (int32_t tx : {0, 1, -1, 8192, 1048575, -1048575})
      for (unsigned parity : {0u, 1u}) {
        MBarrierState state{parity, pending, 77, tx};
        MBarrierState again = MBarrierState::decode(state.encode());
        EXPECT_EQ(again.parity, parity);
        EXPECT_EQ(again.pending, pending);
        EXPECT_EQ(again.expected, 77u);
        EXPECT_EQ(again.tx, tx);
      }
}

TEST(MBarrier, FieldPositions) {
  MBarrierState state{1, 2, 3, 4};
  // Worked out by hand: minus 2 in 20 bits at 43, minus 4 in 21 bits at 21,
  // minus 3 in 20 bits at 1.
  uint64_t expected = (1ull << 63) | (0xFFFFEull << 43) | (0x1FFFFCull << 21) |
                      (0xFFFFDull << 1);
  EXPECT_EQ(state.encode(), expected);
}

TEST(MBarrier, FreshBarrierParity) {
  uint64_t object = made(1);
  EXPECT_TRUE(MBarrier::testParity(object, 1));
  EXPECT_FALSE(MBarrier::testParity(object, 0));
}

TEST(MBarrier, PhasesAlternateAndAlias) {
  uint64_t object = made(1), fresh = object;
  EXPECT_TRUE(MBarrier::arrive(object, 1).completed);
  EXPECT_TRUE(MBarrier::testParity(object, 0));
  EXPECT_FALSE(MBarrier::testParity(object, 1));
  EXPECT_TRUE(MBarrier::arrive(object, 1).completed);
  EXPECT_EQ(object, fresh) << "two phases later the object is as new";
}

TEST(MBarrier, CountsDownAndReloads) {
  uint64_t object = made(3);
  EXPECT_FALSE(MBarrier::arrive(object, 1).completed);
  EXPECT_EQ(MBarrierState::decode(object).pending, 2u);
  EXPECT_TRUE(MBarrier::arrive(object, 2).completed);
  EXPECT_EQ(MBarrierState::decode(object).pending, 3u);
}

TEST(MBarrier, BytesBeforeTheyAreExpected) {
  uint64_t object = made(1);
  EXPECT_FALSE(MBarrier::completeTx(object, 4096).completed);
  EXPECT_EQ(MBarrierState::decode(object).tx, -4096);
  EXPECT_TRUE(MBarrier::arriveExpectTx(object, 4096).completed);
}

TEST(MBarrier, ExpectTxMayCompleteThePhase) {
  uint64_t object = made(1);
  EXPECT_FALSE(MBarrier::completeTx(object, 64).completed);
  EXPECT_FALSE(MBarrier::arrive(object, 1).completed);
  EXPECT_TRUE(MBarrier::expectTx(object, 64).completed);
}

TEST(MBarrier, ArrivalAloneDoesNotCompleteWhileBytesAreDue) {
  uint64_t object = made(1);
  EXPECT_FALSE(MBarrier::arriveExpectTx(object, 100).completed);
  EXPECT_FALSE(MBarrier::completeTx(object, 60).completed);
  EXPECT_TRUE(MBarrier::completeTx(object, 40).completed);
  EXPECT_TRUE(MBarrier::testParity(object, 0));
}

TEST(MBarrier, ExpectZeroBytesCompletesNormally) {
  uint64_t object = made(1);
  EXPECT_TRUE(MBarrier::arriveExpectTx(object, 0).completed);
}

TEST(MBarrier, TxRange) {
  uint64_t object = made(1);
  EXPECT_NE(MBarrier::expectTx(object, 1u << 20).trap, nullptr);
  EXPECT_EQ(MBarrier::expectTx(object, (1u << 20) - 1).trap, nullptr);
  // Measured on an H200 (test/Differential, trap.mbarrier.expect-2^20-in-two).
  EXPECT_NE(MBarrier::expectTx(object, 1).trap, nullptr);
  EXPECT_EQ(MBarrierState::decode(object).tx, (1 << 20) - 1)
      << "traps change nothing";

  object = made(1);
  EXPECT_EQ(MBarrier::completeTx(object, (1u << 20) - 1).trap, nullptr);
  EXPECT_NE(MBarrier::completeTx(object, 1).trap, nullptr);
}

TEST(MBarrier, TooManyArrivals) {
  uint64_t object = made(2);
  EXPECT_NE(MBarrier::arrive(object, 3).trap, nullptr);
  EXPECT_EQ(object, made(2));
  // All have arrived and the phase is held open by bytes.
  EXPECT_EQ(MBarrier::arriveExpectTx(object, 16, 2).trap, nullptr);
  EXPECT_NE(MBarrier::arrive(object, 1).trap, nullptr);
}

TEST(MBarrier, DropLowersTheNextPhases) {
  uint64_t object = made(3);
  EXPECT_FALSE(MBarrier::arriveDrop(object, 1).completed);
  EXPECT_TRUE(MBarrier::arrive(object, 2).completed);
  EXPECT_EQ(MBarrierState::decode(object).pending, 2u);
  EXPECT_NE(MBarrier::arriveDrop(object, 3).trap, nullptr);
  EXPECT_TRUE(MBarrier::arriveDrop(object, 2).completed);
  EXPECT_EQ(MBarrierState::decode(object).expected, 0u);
  EXPECT_NE(MBarrier::arrive(object, 1).trap, nullptr);
}

TEST(MBarrier, CountsThatNoArrivalMeets) {
  uint64_t zero = made(0);
  EXPECT_TRUE(MBarrier::testParity(zero, 0));
  EXPECT_NE(MBarrier::arrive(zero, 1).trap, nullptr);
  uint64_t most = made(1u << 20);
  EXPECT_NE(MBarrier::arrive(most, 1).trap, nullptr);
}

TEST(MBarrier, NoCompleteMustNotComplete) {
  uint64_t object = made(2);
  EXPECT_EQ(MBarrier::arriveNoComplete(object, 1).trap, nullptr);
  EXPECT_NE(MBarrier::arriveNoComplete(object, 1).trap, nullptr);
}

TEST(MBarrier, ReturnedState) {
  uint64_t before = made(5);
  uint64_t state = MBarrier::arriveState(before, 2);
  EXPECT_EQ(state, (uint64_t(0xFFFFB) << 43) | 2);
  EXPECT_EQ(MBarrier::pendingCount(state), 5u);
  uint64_t object = before;
  MBarrier::arrive(object, 2);
  EXPECT_FALSE(MBarrier::testState(object, state));
  MBarrier::arrive(object, 3);
  EXPECT_TRUE(MBarrier::testState(object, state));
}

TEST(MBarrier, Description) {
  uint64_t object = made(128);
  MBarrier::arriveExpectTx(object, 8192, 127);
  EXPECT_EQ(MBarrier::describe(object),
            "phase parity 0, 1 of 128 arrivals pending, 8192 bytes "
            "outstanding: neither all arrivals nor all expected bytes came");
  MBarrier::arrive(object, 1);
  EXPECT_EQ(MBarrier::describe(object),
            "phase parity 0, 0 of 128 arrivals pending, 8192 bytes "
            "outstanding: the bytes expected never landed");
}
