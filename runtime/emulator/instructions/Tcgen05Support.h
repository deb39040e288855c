//===- Tcgen05Support.h - What the tcgen05 families share -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_TCGEN05SUPPORT_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_TCGEN05SUPPORT_H

#include "instructions/AsyncSupport.h"
#include "instructions/Registry.h"
#include "machine/TensorMemory.h"

namespace bwgemm::emulator {

/// The CTAs that a tcgen05 instruction concerns: the one that executes it, or
/// with .cta_group::2 the pair whose %cluster_ctarank differ in bit 0, the even
/// one first.
struct CtaGroup {
  Cta *ctas[2] = {};
  unsigned count = 1;

  /// False, and says so in `error`, if the other CTA of the pair has exited.
  bool checkAlive(const Cta &self, std::string &error) const;
  /// The other CTA of the pair; null if there is none.
  Cta *peer(const Cta &self) const {
    return count == 1 ? nullptr : ctas[1 - (self.rank() & 1)];
  }
};

/// The group of an instruction whose `flags` is its .cta_group; traps and
/// returns false if the cluster has no such pair, or if the peer has exited.
bool ctaGroupOf(Warp &w, const Instruction &i, unsigned lane, CtaGroup &group);

/// The channel of a thread's asynchronous tcgen05 instructions: its mma, cp,
/// shift and commit land in program order. What it issues next lands behind the
/// mmas before it.
AsyncQueue::Channel tcgen05Channel(Warp &w, unsigned lane);

/// Refuses targets without tensor memory; takes .cta_group::1 or ::2, one of
/// which must be there and the same in the whole kernel, into `out.flags`.
bool takeCtaGroup(Decode &decode);
/// Refuses targets without tensor memory.
bool checkTcgen05Target(Decode &decode);
/// Takes .sync.aligned, which must be there.
bool takeSyncAligned(Decode &decode);

/// For .sync.aligned instructions: true if all threads of the warp execute it
/// together. Otherwise `step` is what the handler returns.
bool wholeWarp(Warp &w, const Instruction &i, LaneMask mask, Step &step);

/// The value of a 32-bit operand that must be the same in all threads; traps
/// and returns false if it is not.
bool uniformValue(Warp &w, const Instruction &i, const Operand &operand,
                  LaneMask mask, const char *what, uint32_t &value);
/// The same for the address in `[taddr]`.
bool uniformAddress(Warp &w, const Instruction &i, const Operand &operand,
                    LaneMask mask, uint32_t &address);

/// Checks that the CTA left no tensor memory allocated when its threads have
/// exited; records the trap and returns false if it did.
bool checkTensorMemoryFreed(Cta &cta);
/// Reports a tcgen05.ld that was never waited for, if hazards are checked.
void reportUnwaitedLoads(Cta &cta);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_TCGEN05SUPPORT_H
