//===- Probe.h - Hook for traces, profiles and statistics -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_PROBE_H
#define BWGEMM_EMULATOR_MACHINE_PROBE_H

#include "machine/Instruction.h"

#include <cstdint>

namespace bwgemm::emulator {

/// Executes instructions in place of the interpreter's loop, so that it can
/// look before and behind. A grid has none unless a trace, a profile or
/// statistics were asked for, and then nothing is spent on them. Called by all
/// worker threads.
class Probe {
public:
  virtual ~Probe() = default;
  /// Calls the instruction's handler for the lanes in `mask`.
  virtual Step execute(Warp &warp, const Instruction &instruction,
                       LaneMask mask) = 0;
  /// The guard left no lane of the fragment.
  virtual void skipped(Warp &warp, const Instruction &instruction) = 0;
  /// A tensor-core instruction whose shape is not in its text was issued.
  virtual void mma(const Instruction &instruction, uint32_t m, uint32_t n,
                   uint32_t k) = 0;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_PROBE_H
