//===- Observer.h - Hooks for the hazard checker ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_OBSERVER_H
#define BWGEMM_EMULATOR_MACHINE_OBSERVER_H

#include "machine/Types.h"

#include <cstdint>

namespace bwgemm::emulator {

class Warp;
struct Instruction;

/// Told of events that change no machine state but order memory. There is
/// none by default and a handler asks `warp.observer()` first.
class Observer {
public:
  virtual ~Observer() = default;
  /// membar, fence.* and tcgen05.fence: `instruction.text` says which.
  virtual void fence(Warp &warp, const Instruction &instruction,
                     LaneMask mask) = 0;
  /// A generic-proxy access of one lane.
  virtual void access(Warp &warp, const Instruction &instruction, unsigned lane,
                      Space space, uint64_t address, uint32_t bytes,
                      bool isWrite) = 0;
  /// An atomic operation takes what was there without a look at it, as an
  /// exchange does; its write is an access.
  virtual void exchange(Warp &warp, const Instruction &instruction, Space space,
                        uint64_t address) = 0;
  /// The warp passed a CTA or cluster barrier, or a phase of an mbarrier.
  virtual void barrier(Warp &warp, const Instruction &instruction) = 0;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_OBSERVER_H
