//===- FakeBench.h - Candidates with times of our choice --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_TUNE_FAKEBENCH_H
#define BWGEMM_TEST_UNIT_TUNE_FAKEBENCH_H

#include "Search.h"

#include <cmath>

namespace bwgemm::tune {

/// Seconds that pass only when something is done.
struct FakeClock {
  double seconds = 0;
};

/// Candidates whose times are known; a check takes a second, and so does a
/// sample of a candidate.
class FakeBench : public Bench {
public:
  FakeBench(std::vector<double> times, FakeClock &clock)
      : times(std::move(times)), verdicts(this->times.size()), clock(clock) {
    for (Verdict &verdict : verdicts)
      verdict.kind = Verdict::Right;
  }

  Verdict check(size_t candidate) override {
    clock.seconds += 1;
    checked.push_back(candidate);
    return verdicts[candidate];
  }
  std::string time(const std::vector<size_t> &candidates, unsigned samples,
                   double seconds,
                   std::vector<runtime::Timing> &timings) override {
    if (seconds > 0)
      samples = std::max(
          1u, std::min(samples, unsigned(seconds / double(candidates.size()))));
    clock.seconds += samples * double(candidates.size());
    rounds.push_back(candidates);
    roundSamples.push_back(samples);
    timings.clear();
    for (size_t candidate : candidates) {
      timings.emplace_back();
      timings.back().median = timings.back().least = timings.back().greatest =
          times[candidate];
      timings.back().samples = samples;
    }
    return timeError;
  }

  std::vector<double> times;
  std::vector<Verdict> verdicts;
  std::string timeError;
  std::vector<size_t> checked;
  std::vector<std::vector<size_t>> rounds;
  std::vector<unsigned> roundSamples;

private:
  FakeClock &clock;
};

} // namespace bwgemm::tune

#endif // BWGEMM_TEST_UNIT_TUNE_FAKEBENCH_H
