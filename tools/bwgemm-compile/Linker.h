//===- Linker.h - From a host object to a shared library --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_LINKER_H
#define BWGEMM_COMPILE_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace bwgemm::compile {

/// File name of something in the lib folder beside this program's bin folder.
std::string getLibraryPath(llvm::StringRef file);

/// Links `object` with the launch runtime into the shared library `output`,
/// which exports `functions` and bwgemm_* and needs nothing but libc. Returns
/// false after reporting an error.
bool linkLibrary(llvm::ArrayRef<char> object, llvm::StringRef output,
                 llvm::ArrayRef<std::string> functions, bool verbose);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_LINKER_H
