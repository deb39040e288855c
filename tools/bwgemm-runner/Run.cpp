//===- Run.cpp - Load, call, check and time a function ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Progress.h"
#include "Session.h"

#include <chrono>

namespace bwgemm::runner {

using nlohmann::json;

/// Times the function; what the checked call said is kept.
static void time(Session &session, const Options &options, RunResult &result) {
  ProgressLine progress("timing");
  json hazards = result.hazards, counters = result.counters;
  uint64_t launches = result.launches;
  std::string error = bench(
      session, options, [&](double done) { progress.update(done); },
      result.bench);
  if (result.status == Status::Right && !error.empty()) {
    result.status = Status::BadInput;
    result.message = error;
  }
  result.hazards = hazards;
  result.counters = counters;
  result.launches = launches;
}

double RunResult::flops() const {
  double count = 0;
  for (const GemmSizes &s : operations)
    count += 2 * double(s.batch) * double(s.m) * double(s.n) * double(s.k);
  return count;
}

RunResult run(const Options &options) {
  RunResult result;
  auto start = std::chrono::steady_clock::now();
  // Declared after `result`: it is destroyed first.
  Session session(options, result);
  if (session.run() && options.bench)
    time(session, options, result);
  result.wallSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

} // namespace bwgemm::runner
