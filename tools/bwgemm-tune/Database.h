//===- Database.h - The schedules that were found ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_DATABASE_H
#define BWGEMM_TOOLS_TUNE_DATABASE_H

#include "Problems.h"

#include "bwgemm-runtime/Measure.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bwgemm::tune {

using tools::Problem;

/// What was found for a problem, and how.
struct Finding {
  std::string schedule;
  runtime::Timing timing;
  /// Candidates that were timed.
  size_t candidates = 0;
  /// What the cost model takes, and its time beside the other; empty and 0 if
  /// it could not be timed.
  std::string model;
  double modelMedian = 0;
};

/// The file that `schedule=auto` reads (docs/Tuning.md describes it), for one
/// target and device: entries of others stay as they are.
class Database {
public:
  Database(std::string target, std::string device)
      : target(std::move(target)), device(std::move(device)) {}

  /// Reads a file; one that is not there is empty. Returns an error text.
  std::string load(const std::string &path);
  /// Writes the file whole or not at all. Returns an error text.
  std::string save(const std::string &path) const;
  std::string text() const;

  bool has(const Problem &problem) const;
  /// Adds an entry, in the place of one for the same problem.
  void set(const Problem &problem, const Finding &finding);
  /// Notes that a schedule made a kernel trap or hang, and whether it did.
  void setFailed(const Problem &problem, const std::string &schedule,
                 const std::string &what);
  bool hasFailed(const Problem &problem, const std::string &schedule) const;
  size_t size() const { return entries.size(); }

private:
  using Json = nlohmann::ordered_json;
  /// What an entry is found by.
  Json keyOf(const Problem &problem) const;
  std::string parse(const std::string &text);

  std::string target, device;
  std::vector<Json> entries, failures;
};

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_DATABASE_H
