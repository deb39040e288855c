//===- Options.h - The command line of bwgemm-runner ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_OPTIONS_H
#define BWGEMM_TOOLS_RUNNER_OPTIONS_H

#include "Check.h"
#include "Operands.h"

#include "bwgemm-runtime/Driver.h"

#include <optional>
#include <string>
#include <vector>

namespace bwgemm::runner {

struct Options {
  std::string input;
  /// For .mlir input; empty if not given.
  std::string target, schedule;
  runtime::DriverChoice device;
  std::string function;
  std::vector<Shape> shapes;
  Contents contents;
  /// One name for each argument that is read; an empty one stands for generated
  /// contents. Empty if --input is not given.
  std::vector<std::string> inputs;
  std::string outputFolder;
  CheckMode check = CheckMode::Auto;
  /// --check was given: not being able to check is an error then.
  bool checkRequired = false;
  /// Calls in all, whose results have to have the same bits.
  unsigned repeat = 1;
  bool bench = false;
  /// Samples (calls on the emulator) of --bench; 0 for the default.
  unsigned repetitions = 0;
  std::string baseline;
  bool hazards = false;
  bool json = false;
  /// Seconds until a call counts as hung; negative for the default.
  double timeout = -1;
};

/// Parses the command line. Returns the exit status if the program should end
/// at once: 0 after --help, 2 after an error, which has been printed.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_OPTIONS_H
