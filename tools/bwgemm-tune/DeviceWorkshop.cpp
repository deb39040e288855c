//===- DeviceWorkshop.cpp - Candidates on a GPU or the emulator -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceWorkshop.h"

#include "Bench.h"
#include "Files.h"
#include "Progress.h"
#include "Session.h"

#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace bwgemm::tune {

using namespace bwgemm::runtime;

static CandidatePlan planOf(const Options &options) {
  CandidatePlan plan;
  plan.target = options.target;
  plan.most = options.candidates;
  plan.jobs = options.jobs ? options.jobs
                           : std::max(std::thread::hardware_concurrency(), 1u);
  return plan;
}

int compileAll(const Options &options) {
  runner::ProgressLine progress("compiling");
  size_t made = 0, failed = 0;
  for (size_t i = 0; i < options.problems.size(); ++i) {
    const Problem &problem = options.problems[i];
    Candidates candidates;
    CandidatePlan plan = planOf(options);
    plan.progress = [&](double done) {
      progress.update((double(i) + done) / double(options.problems.size()));
    };
    std::string error =
        makeCandidates(problem, options.compileTo, plan, candidates);
    if (!error.empty())
      candidates.failures.push_back(error);
    made += candidates.libraries.size();
    failed += candidates.failures.size();
    for (const std::string &failure : candidates.failures)
      std::fprintf(stderr, "bwgemm-tune: error: %s: %s\n",
                   problem.text().c_str(), failure.c_str());
  }
  std::printf("%zu libraries in %s\n", made, options.compileTo.c_str());
  return failed ? 2 : 0;
}

std::string DeviceWorkshop::open() {
  std::string error = folder.create();
  return error.empty()
             ? device.open(options.device, options.target, options.dryRun)
             : error;
}

std::string DeviceWorkshop::prepare(const Problem &problem, double seconds,
                                    std::vector<std::string> &schedules,
                                    std::vector<std::string> &failures) {
  // Libraries of the problem before are loaded, and need their files no more.
  std::error_code ignored;
  for (const std::string &library : candidates.libraries)
    if (options.libraries.empty())
      std::filesystem::remove(library, ignored);
  candidates = Candidates();
  CandidatePlan plan = planOf(options);
  plan.seconds = seconds;
  std::string error =
      options.libraries.empty()
          ? makeCandidates(problem, folder.path(), plan, candidates)
          : takeCandidates(problem, options.libraries, plan, candidates);
  schedules = candidates.schedules;
  failures = candidates.failures;
  return error;
}

namespace {

/// The candidates of one problem. The first that is right makes the operands,
/// on which all others run.
class DeviceBench : public Bench {
public:
  DeviceBench(const Options &options, const DriverApi &driver,
              const std::vector<std::string> &libraries,
              std::function<void(size_t, const std::string &)> hang)
      : options(options), driver(driver), hang(std::move(hang)) {
    for (const std::string &library : libraries) {
      entries.push_back(std::make_unique<Entry>());
      entries.back()->options.input = library;
    }
  }

  Verdict check(size_t candidate) override;
  std::string time(const std::vector<size_t> &candidates, unsigned samples,
                   double seconds, std::vector<Timing> &timings) override;

private:
  struct Entry {
    runner::Options options;
    runner::RunResult result;
    std::unique_ptr<runner::Session> session;
  };

  const Options &options;
  const DriverApi &driver;
  std::function<void(size_t, const std::string &)> hang;
  std::vector<std::unique_ptr<Entry>> entries;
  runner::Session *first = nullptr;
  runner::OperandSets sets;
};

} // namespace

Verdict DeviceBench::check(size_t candidate) {
  Entry &entry = *entries[candidate];
  entry.options.device = options.device;
  entry.options.contents.seed = options.seed;
  entry.session =
      std::make_unique<runner::Session>(entry.options, entry.result);
  entry.session->onHang(
      [this, candidate](const std::string &what) { hang(candidate, what); });
  bool right = first ? entry.session->runLike(*first) : entry.session->run();
  if (right && !first)
    first = entry.session.get();
  Verdict verdict;
  verdict.message = entry.result.message;
  switch (entry.result.status) {
  case runner::Status::Right:
    verdict.kind = Verdict::Right;
    break;
  case runner::Status::Wrong:
    verdict.kind = Verdict::Wrong;
    if (verdict.message.empty())
      verdict.message = "its result is wrong";
    for (const std::string &hint : entry.result.check.hints)
      verdict.message += "; " + hint;
    break;
  case runner::Status::BadInput:
    verdict.kind = Verdict::Unusable;
    break;
  case runner::Status::Fault:
    verdict.kind = Verdict::Fault;
    // A hazard leaves the device as it is.
    verdict.isLost = !entry.result.called;
    if (verdict.message.empty())
      verdict.message = "it has a hazard";
    break;
  }
  // What is not timed need not be there any more.
  if (!right)
    entry.session.reset();
  return verdict;
}

std::string DeviceBench::time(const std::vector<size_t> &candidates,
                              unsigned samples, double seconds,
                              std::vector<Timing> &timings) {
  MeasurePlan plan;
  plan.samples = samples;
  plan.seed = options.seed;
  plan.mostSeconds = seconds;
  plan.sets = setsBeyondCache(driver, runner::bytesOf(first->arguments()));
  // The sets of the round before serve all.
  if (sets.count() == 0)
    if (std::string error = sets.create(driver, first->arguments(), plan.sets);
        !error.empty())
      return error;
  std::vector<Contender> contenders;
  for (size_t candidate : candidates)
    contenders.push_back(runner::contenderOf(*entries[candidate]->session, sets,
                                             std::to_string(candidate)));
  runner::Watchdog watchdog(runner::hangSeconds, [&] {
    std::fprintf(stderr,
                 "bwgemm-tune: error: hang: timing has not ended after %g s\n",
                 runner::hangSeconds);
    _exit(3);
  });
  return measure(driver, contenders, plan, nullptr, nullptr, timings);
}

std::unique_ptr<Bench>
DeviceWorkshop::bench(const Problem &,
                      std::function<void(size_t, const std::string &)> hang) {
  return std::make_unique<DeviceBench>(options, *device.driver,
                                       candidates.libraries, std::move(hang));
}

} // namespace bwgemm::tune
