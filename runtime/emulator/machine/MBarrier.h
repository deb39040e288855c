//===- MBarrier.h - State of one mbarrier object ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase machine of an mbarrier (PTX ISA, "mbarrier") on the 64-bit object
// that lives in shared memory, bit for bit as an H200 keeps it:
//
//   bit  63       phase parity
//   bits 62..43   minus the pending arrivals, 20 bits
//   bits 41..21   minus the tx-count, 21-bit two's complement
//   bits 20..1    minus the expected arrivals, 20 bits
//   bit  0        zero
//
// Every operation works on the object itself and keeps no state beside it, so
// that a program which copies, overwrites or re-initialises a barrier gets
// what the hardware gives it.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MBARRIER_H
#define BWGEMM_EMULATOR_MACHINE_MBARRIER_H

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

/// The decoded fields of an mbarrier object.
struct MBarrierState {
  unsigned parity = 0;   ///< Parity of the phase in progress.
  uint32_t pending = 0;  ///< Arrivals that the phase still waits for.
  uint32_t expected = 0; ///< Arrivals of the next phase.
  int32_t tx = 0;        ///< Bytes announced and not yet landed.

  static MBarrierState decode(uint64_t object);
  uint64_t encode() const;
};

/// What one operation did.
struct MBarrierOutcome {
  /// Null if the hardware accepts the operation, else why it would trap.
  const char *trap = nullptr;
  /// The phase completed: waiters on the old parity may go on.
  bool completed = false;
};

/// The mbarrier operations. `object` is the 64-bit word in shared memory and
/// is left unchanged when the operation traps.
class MBarrier {
public:
  /// Arrival counts lie in [0, 2^20]; 0 and 2^20 make a barrier on which every
  /// arrival traps.
  static constexpr uint32_t maxCount = 1u << 20;
  /// The largest operand of expect_tx and complete_tx.
  static constexpr uint32_t maxTxOperand = (1u << 20) - 1;

  static MBarrierOutcome init(uint64_t &object, uint32_t count);
  /// Arrives `count` times.
  static MBarrierOutcome arrive(uint64_t &object, uint32_t count);
  /// Arrives `count` times and lowers the next phases' count by as much.
  static MBarrierOutcome arriveDrop(uint64_t &object, uint32_t count);
  /// Raises the pending arrivals of the phase by one (cp.async.mbarrier.arrive
  /// without .noinc).
  static MBarrierOutcome expectArrival(uint64_t &object);
  /// Raises the tx-count; completes the phase if that balances it.
  static MBarrierOutcome expectTx(uint64_t &object, uint32_t bytes);
  /// Lowers the tx-count; completes the phase if that balances it.
  static MBarrierOutcome completeTx(uint64_t &object, uint32_t bytes);
  /// expect_tx, then `count` arrivals, as one operation.
  static MBarrierOutcome arriveExpectTx(uint64_t &object, uint32_t bytes,
                                        uint32_t count = 1, bool drop = false);
  /// Arrives; the phase must not complete, or the operation traps.
  static MBarrierOutcome arriveNoComplete(uint64_t &object, uint32_t count,
                                          bool drop = false);

  /// True if the phase of parity `parity` is the one that completed last.
  static bool testParity(uint64_t object, unsigned parity) {
    return (object >> 63) != (parity & 1);
  }
  /// True if the phase in which an arrive returned `state` has completed.
  static bool testState(uint64_t object, uint64_t state) {
    return (object >> 63) != (state >> 63);
  }
  /// The value that mbarrier.arrive returns: phase and pending count of
  /// `before`, and the operand (arrivals or bytes) in the low bits.
  static uint64_t arriveState(uint64_t before, uint32_t operand) {
    return (before & 0xfffff80000000000ull) | operand;
  }
  /// mbarrier.pending_count of a value that mbarrier.arrive returned.
  static uint32_t pendingCount(uint64_t state);

  /// The state in words, for reports of hangs: "phase parity 1, 1 of 128
  /// arrivals pending, 8192 bytes outstanding".
  static std::string describe(uint64_t object);
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MBARRIER_H
