//===- Locate.h - Opening driver libraries ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_DRIVER_LOCATE_H
#define BWGEMM_RUNTIME_DRIVER_LOCATE_H

#include <string>

namespace bwgemm::runtime {

/// dlopens `name`. On failure returns null and appends the loader's reason to
/// `error`.
void *openLibrary(const std::string &name, std::string &error);

/// Finds and opens libbwgemm-emulator.so, in the order that Driver.h gives at
/// setEmulatorLibrary. On success `path` gets the name that worked; on failure
/// `error` says where it was looked for.
void *openEmulator(std::string &path, std::string &error);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_DRIVER_LOCATE_H
