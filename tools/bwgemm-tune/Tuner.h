//===- Tuner.h - All problems, one after the other --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_TUNER_H
#define BWGEMM_TOOLS_TUNE_TUNER_H

#include "Database.h"
#include "Options.h"
#include "Search.h"

#include <memory>
#include <string>
#include <vector>

namespace bwgemm::tune {

/// Where candidates come from and run.
class Workshop {
public:
  virtual ~Workshop() = default;
  /// Opens the device. Returns an error text.
  virtual std::string open() = 0;
  /// The device for a person, and its name in the database.
  virtual std::string describe() const = 0;
  virtual std::string deviceName() const = 0;
  /// Makes or finds the candidates of a problem, in at most about so many
  /// seconds (0 for no limit). What could not be compiled is in `failures`.
  /// Returns an error text.
  virtual std::string prepare(const Problem &problem, double seconds,
                              std::vector<std::string> &schedules,
                              std::vector<std::string> &failures) = 0;
  /// The candidates of the problem that was prepared last. `hang` is called
  /// with the number of one that does not end, before the process ends.
  virtual std::unique_ptr<Bench>
  bench(const Problem &problem,
        std::function<void(size_t, const std::string &)> hang) = 0;
};

/// Tunes all problems, writes the database, and prints a line for each to
/// standard output.
class Tuner {
public:
  /// All are referred to.
  Tuner(const Options &options, Workshop &workshop,
        std::function<double()> clock)
      : options(options), workshop(workshop), clock(std::move(clock)) {}

  /// Returns the exit status.
  int run();

private:
  bool open();
  void tune(const Problem &problem, double seconds);
  void report(const Problem &problem, const SearchResult &result,
              const std::vector<std::string> &schedules);
  void note(const Problem &problem, const std::string &schedule,
            const Verdict &verdict);
  void fail(const Problem &problem, const std::string &message);
  void save();
  void print(const Problem &problem, const std::string &text);
  void raise(int severity);

  const Options &options;
  Workshop &workshop;
  std::function<double()> clock;
  std::unique_ptr<Database> database;
  int status = 0;
  /// "3 of 25".
  std::string place;
  bool isLost = false;
  size_t gains = 0;
  double logOfGains = 0;
};

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_TUNER_H
