//===- Header.h - The C header of a compiled library ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_HEADER_H
#define BWGEMM_COMPILE_HEADER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace bwgemm::compile {

/// Text of the header for a library called `libraryName` ("libmatmul.so") with
/// the description `json` (see docs/Description.md).
std::string makeHeader(llvm::StringRef libraryName, llvm::StringRef json);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_HEADER_H
