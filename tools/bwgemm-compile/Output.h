//===- Output.h - Output files that appear whole or not at all --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_OUTPUT_H
#define BWGEMM_COMPILE_OUTPUT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace bwgemm::compile {

/// A file under a temporary name in the folder of its final one. It takes that
/// name with keep(), and is removed otherwise.
class OutputFile {
public:
  OutputFile() = default;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile();

  /// Makes the temporary file for `path`. Returns false after reporting why
  /// not.
  bool create(llvm::StringRef path, bool executable = false);
  bool isCreated() const { return !temporary.empty(); }
  bool isSpecialFile() const { return special; }
  const std::string &temporaryPath() const { return temporary; }
  /// Fills the file. Returns false after reporting an error.
  bool write(llvm::StringRef contents);
  /// Gives the file its name. Returns false after reporting an error.
  bool keep();

private:
  std::string path, temporary;
  /// Whether `path` is a device or a pipe, which keep() writes into.
  bool special = false;
};

/// Writes `contents` to standard output if `path` is "" or "-", to a device or
/// a pipe directly, else through OutputFile. Returns false after reporting an
/// error.
bool writeOutput(llvm::StringRef path, llvm::StringRef contents);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_OUTPUT_H
