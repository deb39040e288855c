//===- Pool.h - Memory pools ------------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_POOL_H
#define BWGEMM_EMULATOR_DRIVER_API_POOL_H

#include "State.h"

namespace bwgemm::emulator::driver {

/// Memory goes back to the host as soon as it is freed, so that a pool holds no
/// reserve; it counts what is in use.
struct Pool {
  CUmemPoolProps properties{};
  int reuse[3] = {1, 1, 1}; ///< The three permissions to reuse memory.
  uint64_t threshold = 0;
  uint64_t used = 0, usedHigh = 0, reservedHigh = 0;
};

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_POOL_H
