//===- Files.h - Files that tools write ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_COMMON_FILES_H
#define BWGEMM_TOOLS_COMMON_FILES_H

#include <string>

namespace bwgemm::tools {

/// Writes a file whole or not at all. Returns an error text.
std::string writeFile(const std::string &path, const std::string &text);

/// Makes a folder, with those that it lies in. Returns an error text.
std::string makeFolder(const std::string &path);

/// "persistent,tile=128x256x64" as a part of a file name.
std::string fileName(const std::string &text);

} // namespace bwgemm::tools

#endif // BWGEMM_TOOLS_COMMON_FILES_H
