//===- TensorPlans.h - Tensor maps that instructions name -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_TENSORPLANS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_TENSORPLANS_H

#include "instructions/AsyncSupport.h"
#include "instructions/Registry.h"
#include "machine/Tma.h"

#include <deque>

namespace bwgemm::emulator {

/// The plans of the tensor maps that a CTA used. Entries are never changed:
/// copies in flight point at them.
struct PlanCache {
  struct Entry {
    uint64_t address;
    bool fourRows;
    TensorMapWords words;
    TmaPlan plan;
  };
  std::deque<Entry> entries;
  AllocationCache allocations;
};

/// The plan of the tensor map that `operand` names, for tile::gather4 and
/// tile::scatter4 if `fourRows`; null if that trapped.
const TmaPlan *planOf(Warp &w, const Instruction &i, const Operand &operand,
                      unsigned lane, bool fourRows = false);

/// Lets the pure copy code ask about global memory.
struct GlobalAccess {
  AllocationCache *cache;
  const DeviceMemory *memory;
  GlobalCheck check();
};

/// Records why a copy traps.
Step report(Warp &w, const Instruction &i, unsigned lane, const TmaTrap &trap);

/// Reads the coordinates behind the tensor map in `[map, {x, y}]`, and checks
/// that the map has the rank in Instruction::flags. False if that trapped.
bool coordinatesOf(Warp &w, const Instruction &i, const Operand &operand,
                   const TmaPlan &plan, unsigned lane,
                   TmaCoordinates &coordinates);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_TENSORPLANS_H
