//===- Options.h - The command line of bwgemm-bench -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_BENCH_OPTIONS_H
#define BWGEMM_TOOLS_BENCH_OPTIONS_H

#include "Problems.h"

#include "bwgemm-runtime/Driver.h"
#include "bwgemm-runtime/Fill.h"

#include <optional>
#include <string>
#include <vector>

namespace bwgemm::bench {

using tools::Problem;
using tools::Sweep;

struct Options {
  std::vector<Problem> problems;
  Sweep sweep;
  std::vector<std::string> schedules;
  std::string target;
  runtime::DriverChoice device;
  bool dryRun = false;
  /// "cublas" or "none".
  std::string baseline;
  unsigned samples = 9;
  /// Calls of each whose results have to have the same bits.
  unsigned repeat = 1;
  runtime::Fill init = runtime::Fill::Normal;
  uint64_t seed = 0;
  /// Where libraries are written to and that is all, or taken from.
  std::string compileTo, libraries;
  std::string json, csv, svg;
};

/// Parses the command line. Returns the exit status if the program should end
/// at once: 0 after --help, 2 after an error, which has been printed.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace bwgemm::bench

#endif // BWGEMM_TOOLS_BENCH_OPTIONS_H
