//===- Execute.h - Carrying work out ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_EXECUTE_H
#define BWGEMM_EMULATOR_DRIVER_API_EXECUTE_H

#include "Stream.h"

namespace bwgemm::emulator::driver {

/// Carries out one piece of work of the context's. False if it waits for
/// something that has not come; it is to be tried again later. A failure
/// becomes the context's. The lock is let go while kernels and the program's
/// functions run.
bool execute(State &state, std::unique_lock<std::mutex> &lock, Context *context,
             Work &work);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_EXECUTE_H
