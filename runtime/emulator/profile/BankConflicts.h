//===- BankConflicts.h - Wavefronts of shared-memory accesses ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes and serves one word of each per cycle;
// lanes that want the same word share it. A warp's access of up to 8 bytes a
// lane is one pass, one of 16 bytes a pass for each half of the warp; matrices
// of ldmatrix and stmatrix are a pass each. A pass takes as many wavefronts as
// the most different words that it wants of one bank, and would take as many as
// its words fill lines of 128 bytes if no two of them were in one bank's way.
// Found on an H200 in 36 cases: strides from 0 to 132 bytes, one and two lanes
// to an address, 4, 8 and 16 bytes a lane.
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

/// The lanes that an access of `bytes` bytes a lane serves in one pass.
uint32_t lanesPerPass(uint32_t bytes);

/// The wavefronts of an access of `bytes` (1, 2, 4, 8, 16 or 32) bytes at each
/// of the addresses of the lanes in `mask`, in passes of `lanes` lanes.
Wavefronts wavefrontsOf(const uint32_t (&address)[warpSize], LaneMask mask,
                        uint32_t bytes, uint32_t lanes);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PROFILE_BANKCONFLICTS_H
