//===- Bench.h - Time a function --------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_BENCH_H
#define BWGEMM_TOOLS_RUNNER_BENCH_H

#include "Library.h"
#include "Operands.h"

#include <functional>
#include <string>
#include <vector>

namespace bwgemm::runner {

/// Calls the function once with the given descriptors. Returns the time in
/// milliseconds, or a negative number with `error`.
using TimedCall = std::function<double(const std::vector<void *> &descriptors,
                                       std::string &error)>;

struct BenchResult {
  bool done = false;
  unsigned repetitions = 0;
  /// Copies of the arguments that the calls took turns with.
  unsigned rotation = 0;
  /// Milliseconds of a call.
  double median = 0, least = 0, greatest = 0;
};

/// Times `call` for copies of `operands` in device memory: one warm-up for each
/// copy, then `repetitions` calls (0: for about a second, 5 to 1000; on the
/// emulator 3) that take turns with the copies. On a GPU there are as many
/// copies as exceed its L2 cache several times, so that each call finds its
/// inputs in memory. Returns an error text.
std::string bench(const runtime::DriverApi &driver,
                  const std::vector<Operand> &operands, unsigned repetitions,
                  const TimedCall &call,
                  const std::function<void(double)> &progress,
                  BenchResult &result);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_BENCH_H
