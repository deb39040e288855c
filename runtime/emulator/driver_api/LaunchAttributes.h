//===- LaunchAttributes.h - Attributes of a launch --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_LAUNCHATTRIBUTES_H
#define BWGEMM_EMULATOR_DRIVER_API_LAUNCHATTRIBUTES_H

#include "Stream.h"

namespace bwgemm::emulator::driver {

/// Takes one attribute of a launch into the request.
CUresult applyAttribute(State &state, const CUlaunchAttribute &attribute,
                        LaunchRequest &request);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_LAUNCHATTRIBUTES_H
