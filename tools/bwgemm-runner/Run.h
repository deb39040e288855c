//===- Run.h - Load, call, check and time a function ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_RUN_H
#define BWGEMM_TOOLS_RUNNER_RUN_H

#include "Bench.h"
#include "Check.h"
#include "Options.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bwgemm::runner {

/// Exit statuses, as for every program of the project.
enum class Status { Right = 0, Wrong = 1, BadInput = 2, Fault = 3 };

/// Everything there is to say about a run; what was not reached is empty.
struct RunResult {
  Status status = Status::Right;
  /// For BadInput and Fault: what happened.
  std::string message;

  std::string device, target, function, schedule, fallback;
  bool emulated = false;
  std::vector<std::string> arguments; ///< "bf16 512x256".
  std::vector<Shape> shapes;
  /// The sizes of the operations, for those whose sizes are known.
  std::vector<GemmSizes> operations;

  bool called = false;
  /// One call: on the emulator, the time it took to execute the kernels; on a
  /// GPU, from the call to its return.
  double callMilliseconds = 0;
  uint64_t launches = 0;
  /// The emulator's "hazards", "fault" and "counters".
  nlohmann::json hazards = nlohmann::json::array(), fault, counters;

  /// What was written outside of results.
  std::vector<std::string> guardErrors;
  CheckResult check;
  /// Calls whose results had the same bits, the first one included; and which
  /// element of a later call had others.
  unsigned repeated = 1;
  std::string unsteady;
  std::vector<std::string> outputs; ///< Files that were written.
  BenchResult bench;
  double wallSeconds = 0;

  /// Floating-point operations of one call.
  double flops() const;
};

RunResult run(const Options &options);

/// Prints one JSON object to standard output.
void printJson(const RunResult &result);

/// Prints the result for a person: results to standard output, errors to
/// standard error.
void printText(const RunResult &result);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_RUN_H
