//===- Options.h - The command line of bwgemm-compile -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_OPTIONS_H
#define BWGEMM_COMPILE_OPTIONS_H

#include "bwgemm/Target/Pipeline.h"

#include <optional>
#include <string>

namespace bwgemm::compile {

/// What to write.
enum class Emit { SharedLibrary, PTX, Cubin, LLVM, MLIR };

struct Options {
  /// File name, "-" for standard input.
  std::string input;
  /// File name; empty or "-" for standard output.
  std::string output;
  Emit emit = Emit::SharedLibrary;
  mlir::bwgemm::LowerOptions lower;
  /// File name of the C header; empty to write it beside the library.
  std::string header;
  /// Pass after which to print the module, "all" for every pass that changes
  /// it.
  std::string printAfter;
  /// Explain the schedules instead of compiling.
  bool explainSchedule = false;
  /// Print the schedules that are worth measuring instead of compiling.
  bool listSchedules = false;
  bool time = false;
  bool verbose = false;

  bool isText() const {
    return emit != Emit::SharedLibrary && emit != Emit::Cubin;
  }
};

/// Parses and checks the command line. Returns nothing if the program is to end
/// with `status`: after --help and --version, and after an error, which has
/// been reported.
std::optional<Options> parseOptions(int argc, char **argv, int &status);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_OPTIONS_H
