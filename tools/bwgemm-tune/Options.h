//===- Options.h - The command line of bwgemm-tune --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_OPTIONS_H
#define BWGEMM_TOOLS_TUNE_OPTIONS_H

#include "Problems.h"

#include "bwgemm-runtime/Driver.h"

#include <optional>
#include <string>
#include <vector>

namespace bwgemm::tune {

using tools::Problem;

struct Options {
  std::vector<Problem> problems;
  std::string target;
  /// The database that is written.
  std::string output;
  /// Seconds for all problems together; 0 for no limit.
  double budget = 0;
  bool resume = false;
  /// Schedules of each problem that are tried, at most.
  unsigned candidates = 32;
  /// Compilers that run at one time; 0 for one on each core.
  unsigned jobs = 0;
  runtime::DriverChoice device;
  bool dryRun = false;
  uint64_t seed = 0;
  /// Where libraries are written to and that is all, or taken from.
  std::string compileTo, libraries;
};

/// Parses the command line. Returns the exit status if the program should end
/// at once: 0 after --help, 2 after an error, which has been printed.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_OPTIONS_H
