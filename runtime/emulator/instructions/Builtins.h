//===- Builtins.h - Functions of CUDA's device runtime ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_BUILTINS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_BUILTINS_H

#include "machine/CallStack.h"

#include <string>

namespace bwgemm::emulator {

/// What stands in for an external function: vprintf, __assertfail, malloc and
/// free. Null, with the reason in `error`, for every other name and for one of
/// these that is declared otherwise than CUDA declares it.
Builtin findBuiltin(const DeviceFunction &function, std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_BUILTINS_H
