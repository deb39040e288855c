//===- WarpMatrix.h - What warp-level matrix families share -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of lanes, the whole-warp rule and target checks, for cp.async,
// ldmatrix, stmatrix and mma.sync.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_WARPMATRIX_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_WARPMATRIX_H

#include "instructions/Registry.h"
#include "machine/Warp.h"

#include <string_view>

namespace bwgemm::emulator {

/// Host addresses of lanes.
using LanePlaces = std::byte *[warpSize];

/// Translates the addresses that `operand` has in `lanes`: `bytes` (a power of
/// two) bytes each, aligned to `bytes`. Shared memory is that of the executing
/// CTA. False after a trap, whose message begins with `what`.
bool locateLanes(Warp &w, const Instruction &i, const Operand &operand,
                 Space space, LaneMask lanes, uint32_t bytes, const char *what,
                 LanePlaces places);

/// Tells the hazard checker of accesses of `bytes` bytes at `operand`.
void observeLanes(Warp &w, const Instruction &i, const Operand &operand,
                  Space space, LaneMask lanes, uint32_t bytes, bool isWrite);

/// For .sync.aligned instructions: true if all 32 threads of the warp execute
/// it together; otherwise `step` is what the handler returns (PTX ISA: the
/// behaviour is undefined if a thread has exited or does not take part).
bool allThreads(Warp &w, const Instruction &i, LaneMask mask, Step &step);

/// Resolves a fragment of `count` registers: a vector, or a register alone if
/// that is one.
bool fragmentDestination(Decode &decode, size_t index, Type type,
                         unsigned count);
bool fragmentSource(Decode &decode, size_t index, Type type, unsigned count);

/// Takes .sync.aligned, which must be there.
bool takeSync(Decode &decode);

/// The number of an architecture: 90 of "sm_90a"; 0 if it is none.
unsigned archNumber(std::string_view arch);
/// Refuses a .target below sm_`least`.
bool requireTarget(Decode &decode, unsigned least, std::string_view what);
/// Refuses a .target that is not one of the architectures `numbers` with the
/// suffix a or f.
bool requireSpecificTarget(Decode &decode,
                           std::initializer_list<unsigned> numbers,
                           std::string_view what);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_WARPMATRIX_H
