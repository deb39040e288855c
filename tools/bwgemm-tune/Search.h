//===- Search.h - The fastest of many candidates ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_SEARCH_H
#define BWGEMM_TOOLS_TUNE_SEARCH_H

#include "bwgemm-runtime/Measure.h"

#include <functional>
#include <string>
#include <vector>

namespace bwgemm::tune {

/// What calling a candidate once has shown.
struct Verdict {
  enum Kind {
    NotTried, ///< There was no time.
    Right,
    Wrong,    ///< Its result is wrong.
    Unusable, ///< It could not be called.
    Fault,    ///< It trapped or has a hazard.
  } kind = NotTried;
  std::string message;
  /// Nothing more can run on the device.
  bool isLost = false;
};

/// A problem's candidates on a device, by number.
class Bench {
public:
  virtual ~Bench() = default;
  /// Calls a candidate once and judges its result.
  virtual Verdict check(size_t candidate) = 0;
  /// Times candidates that are right, side by side, each with so many samples,
  /// fewer if that would take longer than `seconds` (0 for no limit), but one
  /// at least. Returns an error text.
  virtual std::string time(const std::vector<size_t> &candidates,
                           unsigned samples, double seconds,
                           std::vector<runtime::Timing> &timings) = 0;
};

struct SearchPlan {
  /// Samples of each candidate in a round. A quarter of them, and at least so
  /// many, go on to the second round; then `finalists`.
  unsigned samples[3] = {3, 7, 15};
  size_t atLeast = 4, finalists = 3;
  /// Seconds for all of it; 0 for no limit.
  double seconds = 0;
  /// Seconds since some moment.
  std::function<double()> clock;
  /// Called with the part that is done.
  std::function<void(double)> progress;
};

struct SearchResult {
  /// Of every candidate.
  std::vector<Verdict> verdicts;
  /// How many were timed; the fastest, and the time of candidate 0, which the
  /// cost model takes, in the last round. No time if it is not among them.
  size_t timed = 0;
  size_t best = 0;
  runtime::Timing bestTiming, modelTiming;
  /// Why there is no result; empty if there is one.
  std::string error;
};

/// How much faster than candidate 0 another one has to be to be taken: less may
/// be chance.
constexpr double leastGain = 1.005;

/// Checks candidates in their order, and times those that are right in rounds
/// with fewer candidates and more samples each; candidate 0 stays in all of
/// them. Of the time that there is, two fifths at most go to checks, and a
/// quarter and a fifth to the first two rounds. Numbers in `skipped` are left
/// out.
SearchResult search(Bench &bench, size_t candidates,
                    const std::vector<size_t> &skipped, const SearchPlan &plan);

/// As above, but of checks alone.
SearchResult checkAll(Bench &bench, size_t candidates,
                      const std::vector<size_t> &skipped,
                      const SearchPlan &plan);

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_SEARCH_H
