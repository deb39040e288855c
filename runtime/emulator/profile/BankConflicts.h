//===- BankConflicts.h - Wavefronts of shared-memory accesses ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes and serves one word of each per cycle;
// lanes that want the same word share it. An access of up to 4 bytes a lane is
// one pass over the warp, one of 8 bytes two passes of 16 lanes, one of 16
// bytes four passes of 8 lanes. A pass takes as many wavefronts as the most
// different words that it wants of one bank. Measured on an H200: 1, 2 and 4
// cycles per conflict-free warp instruction of 4, 8 and 16 bytes a lane, 1 and
// 4 for ldmatrix .x1 and .x4.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PROFILE_BANKCONFLICTS_H
#define BWGEMM_EMULATOR_PROFILE_BANKCONFLICTS_H

#include "machine/Types.h"

#include <cstdint>

namespace bwgemm::emulator {

struct Wavefronts {
  uint32_t needed = 0; ///< That the access takes.
  uint32_t ideal = 0;  ///< That it would take without conflicts.
};

/// The wavefronts of an access of `bytes` (1, 2, 4, 8, 16 or 32) bytes at each
/// of the addresses of the lanes in `mask`.
Wavefronts wavefrontsOf(const uint32_t (&address)[warpSize], LaneMask mask,
                        uint32_t bytes);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PROFILE_BANKCONFLICTS_H
