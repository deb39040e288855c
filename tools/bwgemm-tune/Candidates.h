//===- Candidates.h - Libraries of a problem's schedules --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_CANDIDATES_H
#define BWGEMM_TOOLS_TUNE_CANDIDATES_H

#include "Problems.h"

#include <functional>
#include <string>
#include <vector>

namespace bwgemm::tune {

using tools::Problem;

/// Schedules, and a library of each. The first is what the cost model takes, if
/// that could be compiled.
struct Candidates {
  std::vector<std::string> schedules, libraries;
  /// What could not be compiled, and why.
  std::vector<std::string> failures;
};

struct CandidatePlan {
  std::string target;
  /// Candidates at most, and compilers that run at one time.
  size_t most = 32;
  unsigned jobs = 1;
  /// After so many seconds no compiler is started, but for the first; 0 for no
  /// limit.
  double seconds = 0;
  std::function<void(double)> progress;
};

/// The folder of a problem's libraries in `folder`.
std::string candidateFolder(const std::string &folder, const Problem &problem,
                            const std::string &target);

/// Asks bwgemm-compile for the schedules that are worth measuring and compiles
/// the first ones into candidateFolder, where a file `schedules` lists them.
/// Returns an error text.
std::string makeCandidates(const Problem &problem, const std::string &folder,
                           const CandidatePlan &plan, Candidates &candidates);

/// Finds in `folder` what makeCandidates has left there. Returns an error text.
std::string takeCandidates(const Problem &problem, const std::string &folder,
                           const CandidatePlan &plan, Candidates &candidates);

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_CANDIDATES_H
