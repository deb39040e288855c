//===- Report.h - Messages and timings --------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_REPORT_H
#define BWGEMM_COMPILE_REPORT_H

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace bwgemm::compile {

/// Prints "bwgemm-compile: error: MESSAGE" and the like to standard error.
void error(const std::string &message);
void note(const std::string &message);
/// Without a kind before it, for --verbose.
void say(const std::string &message);

/// Wall times of stages, for --time.
class StageTimes {
public:
  StageTimes() : begin(Clock::now()), last(begin) {}
  /// Ends the stage that began with the end of the one before.
  void finish(const std::string &stage);
  /// A stage within the one that ends next.
  void addPart(const std::string &stage, double milliseconds);
  void print() const;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin, last;
  std::vector<std::pair<std::string, double>> stages;
};

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_REPORT_H
