//===- Linker.h - Several PTX texts become one ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_LINKER_H
#define BWGEMM_EMULATOR_DRIVER_API_LINKER_H

#include <string>
#include <vector>

namespace bwgemm::emulator::driver {

struct LinkInput {
  std::string name, ptx;
};

/// Joins PTX modules into one: one header with the newest version and target,
/// `.extern` declarations replaced by the definitions of other inputs, and the
/// first of several `.weak` definitions. False, with the reason in `error`, if
/// a name has two definitions.
bool linkPtx(const std::vector<LinkInput> &inputs, std::string &result,
             std::string &error);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_LINKER_H
