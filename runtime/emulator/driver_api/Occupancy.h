//===- Occupancy.h - Blocks that fit a multiprocessor -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_OCCUPANCY_H
#define BWGEMM_EMULATOR_DRIVER_API_OCCUPANCY_H

#include "State.h"

namespace bwgemm::emulator::driver {

/// How many blocks of `threads` threads with `sharedBytes` bytes of dynamic
/// shared memory run on one multiprocessor at a time, as far as threads, shared
/// memory and the number of blocks decide it. PTX does not say how many
/// registers its machine code needs.
int blocksPerMultiprocessor(const Architecture &arch, const Function &function,
                            int threads, uint64_t sharedBytes);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_OCCUPANCY_H
