//===- Tuner.cpp - All problems, one after the other ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"

#include "Progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bwgemm::tune {

/// Of the time for a problem, the part in which its candidates are compiled.
static constexpr double shareOfCompiling = 0.4;

/// A fault counts more than wrong numbers, and these more than what could not
/// be done.
void Tuner::raise(int severity) {
  auto rank = [](int value) { return value == 1 ? 2 : value == 2 ? 1 : value; };
  if (rank(severity) > rank(status))
    status = severity;
}

void Tuner::print(const Problem &problem, const std::string &text) {
  std::printf("%-34s  %s\n", problem.text().c_str(), text.c_str());
  std::fflush(stdout);
}

void Tuner::fail(const Problem &problem, const std::string &message) {
  std::fprintf(stderr, "bwgemm-tune: error: %s: %s\n", problem.text().c_str(),
               message.c_str());
}

void Tuner::save() {
  if (options.dryRun || options.output.empty())
    return;
  std::string error = database->save(options.output);
  if (error.empty())
    return;
  std::fprintf(stderr, "bwgemm-tune: error: %s\n", error.c_str());
  raise(2);
}

bool Tuner::open() {
  std::string error = workshop.open();
  if (error.empty()) {
    database =
        std::make_unique<Database>(options.target, workshop.deviceName());
    if (!options.output.empty())
      error = database->load(options.output);
  }
  // Found out before hours have been spent.
  if (error.empty() && !options.output.empty() && !options.dryRun)
    error = database->save(options.output);
  if (error.empty())
    return true;
  std::fprintf(stderr, "bwgemm-tune: error: %s\n", error.c_str());
  return false;
}

void Tuner::note(const Problem &problem, const std::string &schedule,
                 const Verdict &verdict) {
  if (verdict.kind == Verdict::Right || verdict.kind == Verdict::NotTried)
    return;
  fail(problem, schedule + ": " + verdict.message);
  raise(verdict.kind == Verdict::Wrong   ? 1
        : verdict.kind == Verdict::Fault ? 3
                                         : 2);
  if (verdict.kind != Verdict::Fault)
    return;
  isLost |= verdict.isLost;
  database->setFailed(problem, schedule, verdict.message);
  save();
}

void Tuner::report(const Problem &problem, const SearchResult &result,
                   const std::vector<std::string> &schedules) {
  size_t right = 0;
  for (const Verdict &verdict : result.verdicts)
    right += verdict.kind == Verdict::Right;
  std::string count =
      std::to_string(right) + " of " + std::to_string(schedules.size());
  if (options.dryRun)
    return print(problem, count + " candidates right");
  Finding finding;
  finding.schedule = schedules[result.best];
  finding.timing = result.bestTiming;
  finding.candidates = result.timed;
  if (result.modelTiming.samples) {
    finding.model = schedules.front();
    finding.modelMedian = result.modelTiming.median;
    ++gains;
    logOfGains += std::log(finding.modelMedian / finding.timing.median);
  }
  database->set(problem, finding);
  save();
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%8s  %9.2f us, %9.2f by the model  ",
                count.c_str(), finding.timing.median, finding.modelMedian);
  print(problem, numbers + finding.schedule);
}

void Tuner::tune(const Problem &problem, double seconds) {
  double begin = clock();
  runner::ProgressLine progress(place + ", " + problem.text());
  std::vector<std::string> schedules, failures;
  std::string error = workshop.prepare(problem, seconds * shareOfCompiling,
                                       schedules, failures);
  for (const std::string &failure : failures) {
    fail(problem, failure);
    raise(2);
  }
  if (!error.empty()) {
    fail(problem, error);
    return raise(2);
  }
  std::vector<size_t> skipped;
  for (size_t i = 0; i < schedules.size(); ++i)
    if (database->hasFailed(problem, schedules[i]))
      skipped.push_back(i);
  std::unique_ptr<Bench> bench = workshop.bench(
      problem, [&](size_t candidate, const std::string &message) {
        note(problem, schedules[candidate], {Verdict::Fault, message, true});
      });
  SearchPlan plan;
  plan.clock = clock;
  plan.progress = [&](double done) { progress.update(done); };
  if (seconds > 0)
    plan.seconds = std::max(seconds - (clock() - begin), 1e-3);
  SearchResult result = options.dryRun
                            ? checkAll(*bench, schedules.size(), skipped, plan)
                            : search(*bench, schedules.size(), skipped, plan);
  for (size_t i = 0; i < schedules.size(); ++i)
    note(problem, schedules[i], result.verdicts[i]);
  if (result.error.empty())
    return report(problem, result, schedules);
  fail(problem, "has no result: " + result.error);
  raise(2);
}

int Tuner::run() {
  double begin = clock();
  if (!open())
    return 2;
  std::printf("device    %s, target %s\n", workshop.describe().c_str(),
              options.target.c_str());
  std::vector<Problem> problems;
  for (const Problem &problem : options.problems)
    if (options.resume && database->has(problem))
      print(problem, "is in the database");
    else
      problems.push_back(problem);
  for (size_t i = 0; i < problems.size() && !isLost; ++i) {
    double seconds = 0;
    if (options.budget > 0) {
      double left = options.budget - (clock() - begin);
      if (left <= 0) {
        std::printf("the budget is spent with %zu of %zu problems left; "
                    "--resume goes on\n",
                    problems.size() - i, problems.size());
        raise(2);
        break;
      }
      seconds = left / double(problems.size() - i);
    }
    place = std::to_string(i + 1) + " of " + std::to_string(problems.size());
    tune(problems[i], seconds);
  }
  if (isLost)
    std::fprintf(stderr, "bwgemm-tune: error: nothing more can run on the "
                         "device; --resume goes on without that schedule\n");
  if (gains)
    std::printf("faster than the model's schedules by a factor of %.3f "
                "(geometric mean of %zu)\n",
                std::exp(logOfGains / double(gains)), gains);
  if (!options.dryRun)
    std::printf("%zu entries in %s\n", database->size(),
                options.output.c_str());
  return status;
}

} // namespace bwgemm::tune
