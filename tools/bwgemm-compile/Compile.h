//===- Compile.h - From a file to what was asked for ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_COMPILE_H
#define BWGEMM_COMPILE_COMPILE_H

#include "Options.h"

namespace bwgemm::compile {

/// Does what the options say. Returns the exit status; errors have been
/// reported.
int compile(const Options &options);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_COMPILE_H
