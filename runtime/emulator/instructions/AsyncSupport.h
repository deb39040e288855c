//===- AsyncSupport.h - What asynchronous families share --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_ASYNCSUPPORT_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_ASYNCSUPPORT_H

#include "instructions/Lanes.h"
#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/MBarrier.h"
#include "machine/SharedWindow.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bwgemm::emulator {

/// Where an operation was issued, for faults that show when it lands.
struct Scene {
  Cta *cta = nullptr;
  const Instruction *instruction = nullptr;
  int warp = -1;
  int lane = -1;

  Scene() = default;
  Scene(Warp &warp, const Instruction &instruction, unsigned lane)
      : cta(&warp.cta()), instruction(&instruction), warp(int(warp.id())),
        lane(int(lane)) {}

  /// Records the fault; returns false, for a landing to return.
  bool fail(FaultKind kind, std::string message) const;
  /// Records a hazard, which stops nothing.
  void hazard(std::string message) const;
};

/// The lowest lane of a mask that is not empty.
inline unsigned firstLane(LaneMask mask) {
  return unsigned(__builtin_ctz(mask));
}

inline SharedWindow sharedWindowOf(Cta &cta) {
  return {cta.sharedData(), sharedBase, cta.sharedEnd()};
}

/// How many phases each mbarrier of a CTA has completed, for reports: the
/// object itself holds the parity alone.
struct MBarrierPhases {
  std::vector<std::pair<uint32_t, uint64_t>> completed;
  uint64_t &at(uint32_t offset) {
    for (auto &[place, count] : completed)
      if (place == offset)
        return count;
    completed.emplace_back(offset, 0);
    return completed.back().second;
  }
};

/// Notes an operation on the mbarrier at `offset` in the shared memory of
/// `cta`, and wakes whoever waits.
void mbarrierChanged(Cta &cta, uint32_t offset, const MBarrierOutcome &outcome);

/// An asynchronous operation's effect on an mbarrier when it lands: lowers
/// the tx-count by `bytes`, or, if `isArrival`, arrives once. False if it
/// trapped.
bool landOnMBarrier(Cta &cta, uint32_t offset, uint32_t bytes, bool isArrival,
                    const Scene &scene);

/// The state of an mbarrier in words: "mbarrier at 0x400, phase 3: …".
std::string describeMBarrier(Cta &cta, uint32_t offset);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_ASYNCSUPPORT_H
