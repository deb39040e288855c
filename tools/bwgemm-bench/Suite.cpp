//===- Suite.cpp - All problems, one after the other -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include "Bench.h"
#include "Compile.h"
#include "Device.h"
#include "Files.h"
#include "Progress.h"
#include "Session.h"

#include "bwgemm-runtime/CublasLt.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace bwgemm::bench {

using namespace bwgemm::runtime;
using namespace bwgemm::tools;
using runner::OperandSets;
using runner::RunResult;
using runner::Session;

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// The file of a library in `folder`. In a sweep sizes are open.
static std::string libraryPath(const std::string &folder,
                               const Problem &problem, bool open,
                               const std::string &schedule) {
  return folder + "/" +
         fileName((open ? "open" : problem.sizes()) + "." + problem.kind() +
                  "." + schedule) +
         ".so";
}

/// Makes a library. Behind an @ a schedule has the database that `auto` asks.
/// Returns an error text.
static std::string makeLibrary(const Options &options, const Problem &problem,
                               const std::string &schedule,
                               const std::string &path) {
  std::string source = path + ".mlir";
  std::string error =
      writeFile(source, makeModule(problem, options.sweep.axis != 0));
  std::string spec = schedule.substr(0, schedule.find('@'));
  if (problem.operands == runtime::ElementType::TF32)
    spec += ",precision=tf32";
  if (error.empty())
    error = runner::compile(source, path, options.target, spec,
                            schedule.find('@') == std::string::npos
                                ? ""
                                : schedule.substr(schedule.find('@') + 1));
  std::error_code ignored;
  std::filesystem::remove(source, ignored);
  return error;
}

int compileAll(const Options &options) {
  if (std::string error = makeFolder(options.compileTo); !error.empty()) {
    std::fprintf(stderr, "bwgemm-bench: error: %s\n", error.c_str());
    return 2;
  }
  runner::ProgressLine progress("compiling");
  size_t made = 0, failed = 0,
         all = options.problems.size() * options.schedules.size();
  for (const Problem &problem : options.problems)
    for (const std::string &schedule : options.schedules) {
      progress.update(double(made + failed) / double(all));
      std::string error =
          makeLibrary(options, problem, schedule,
                      libraryPath(options.compileTo, problem,
                                  options.sweep.axis != 0, schedule));
      ++(error.empty() ? made : failed);
      if (!error.empty())
        std::fprintf(stderr, "bwgemm-bench: error: %s, %s: %s\n",
                     problem.text().c_str(), schedule.c_str(), error.c_str());
    }
  std::printf("%zu libraries in %s\n", made, options.compileTo.c_str());
  return failed ? 2 : 0;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// A schedule's function on a problem.
struct Entry {
  runner::Options options;
  RunResult result;
  std::unique_ptr<Session> session;
  Row row;
  bool right = false;
};

class Suite {
public:
  Suite(const Options &options, Table &table)
      : options(options), table(table) {}

  /// Opens the device and measures what does not depend on a problem. Returns
  /// an error text.
  std::string open();
  int run();

private:
  void runProblem(const Problem &problem);
  [[noreturn]] void expire(const Problem &problem);
  void check(Entry &entry, const Problem &problem);
  std::string time(std::vector<std::unique_ptr<Entry>> &entries);
  std::string findLibrary(const Problem &problem, const std::string &schedule,
                          std::string &path);

  const Options &options;
  Table &table;
  runner::TemporaryFolder folder;
  Device device;
  const DriverApi *driver = nullptr;
  std::unique_ptr<CublasLt> cublas;
  ClockMeter clocks;
  /// A kernel has failed: nothing can run on this device any more.
  bool lost = false;
};

} // namespace

static MeasurePlan planOf(const Options &options) {
  MeasurePlan plan;
  plan.samples = options.samples;
  plan.seed = options.seed;
  return plan;
}

std::string Suite::open() {
  std::string error = folder.create();
  if (!error.empty())
    return error;
  error = device.open(options.device, options.target, options.dryRun);
  if (!error.empty())
    return error;
  driver = device.driver;
  table.device = driver->describe();
  table.target = options.target;
  table.emulated = driver->emulated;
  table.sweep = options.sweep;
  if (options.dryRun)
    return "";
  if (options.baseline == "cublas") {
    cublas = CublasLt::open(*driver, error);
    if (!cublas)
      return error + "; --baseline=none leaves it out";
    table.baseline = cublas->describe();
  }
  clocks.open(*driver);
  runner::ProgressLine progress("measuring the ceilings");
  return measureCeilings(*driver, options.target,
                         options.problems.front().operands, planOf(options),
                         &clocks, table.ceilings);
}

std::string Suite::findLibrary(const Problem &problem,
                               const std::string &schedule, std::string &path) {
  bool isOpen = options.sweep.axis != 0;
  if (!options.libraries.empty()) {
    path = libraryPath(options.libraries, problem, isOpen, schedule);
    return "";
  }
  path = libraryPath(folder.path(), problem, isOpen, schedule);
  // In a sweep one library serves all points.
  if (isOpen && std::filesystem::exists(path))
    return "";
  return makeLibrary(options, problem, schedule, path);
}

/// Loads, calls once and checks.
void Suite::check(Entry &entry, const Problem &problem) {
  Row &row = entry.row;
  row.status = "error";
  if (row.message = findLibrary(problem, row.asked, entry.options.input);
      !row.message.empty())
    return;
  entry.options.device = options.device;
  entry.options.contents.seed = options.seed;
  entry.options.contents.fill = options.init;
  entry.options.repeat = options.repeat;
  if (options.sweep.axis) {
    auto shape = [](bool transposed, int64_t rows, int64_t columns) {
      return transposed ? runner::Shape{columns, rows}
                        : runner::Shape{rows, columns};
    };
    entry.options.shapes = {shape(problem.transposedA, problem.m, problem.k),
                            shape(problem.transposedB, problem.k, problem.n),
                            {problem.m, problem.n}};
  }
  entry.session = std::make_unique<Session>(entry.options, entry.result);
  entry.right = entry.session->run();
  row.schedule = entry.result.schedule;
  row.message = entry.result.message.empty() ? entry.result.unsteady
                                             : entry.result.message;
  row.emulatedSeconds =
      entry.result.emulated ? entry.result.callMilliseconds / 1e3 : 0;
  switch (entry.result.status) {
  case runner::Status::Right:
    row.status = "right";
    break;
  case runner::Status::Wrong:
    row.status = "wrong";
    break;
  case runner::Status::BadInput:
    row.status = "error";
    break;
  case runner::Status::Fault:
    row.status = "fault";
    // A hazard leaves the device as it is.
    lost = !entry.result.called;
    break;
  }
}

/// Times all that are right, side by side.
std::string Suite::time(std::vector<std::unique_ptr<Entry>> &entries) {
  std::vector<Entry *> timed;
  for (const auto &entry : entries)
    if (entry->right)
      timed.push_back(entry.get());
  if (timed.empty())
    return "";
  // All have the same arguments.
  const Session &first = *timed.front()->session;
  MeasurePlan plan = planOf(options);
  plan.sets = setsBeyondCache(*driver, runner::bytesOf(first.arguments()));
  OperandSets sets;
  std::string error = sets.create(*driver, first.arguments(), plan.sets);
  if (!error.empty())
    return error;
  std::vector<Contender> contenders;
  for (Entry *entry : timed)
    contenders.push_back(
        runner::contenderOf(*entry->session, sets, entry->row.asked));
  std::unique_ptr<CublasLt::Plan> baseline;
  if (cublas) {
    std::string reason;
    baseline = runner::planBaseline(
        first, *cublas, sets, timed.front()->row.problem.epilogue, reason);
    for (Entry *entry : timed)
      entry->row.noBaseline = reason;
  }
  if (baseline) {
    std::vector<size_t> algorithms;
    if (error =
            runner::chooseAlgorithms(first, sets, *baseline, plan, algorithms);
        !error.empty())
      return error;
    for (size_t algorithm : algorithms)
      contenders.push_back(
          runner::contenderOf(first, sets, *baseline, algorithm));
  }
  std::vector<Timing> timings;
  if (error = measure(*driver, contenders, plan, &clocks, nullptr, timings);
      !error.empty())
    return error;
  double best = 0;
  for (size_t i = timed.size(); i < timings.size(); ++i)
    if (best == 0 || timings[i].median < best)
      best = timings[i].median;
  for (size_t i = 0; i < timed.size(); ++i) {
    Row &row = timed[i]->row;
    row.timed = true;
    row.median = timings[i].median;
    row.least = timings[i].least;
    row.greatest = timings[i].greatest;
    row.baseline = best;
    row.floor = table.ceilings.leastMicroseconds(row.problem.bytes(),
                                                 row.problem.flops());
  }
  return "";
}

/// Timing hangs: says what there is, and ends the process, as nothing else can.
void Suite::expire(const Problem &problem) {
  std::fputs(makeText(table).c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr,
               "bwgemm-bench: error: %s: hang: timing has not ended after %g "
               "s\n",
               problem.text().c_str(), runner::hangSeconds);
  _exit(3);
}

void Suite::runProblem(const Problem &problem) {
  std::vector<std::unique_ptr<Entry>> entries;
  for (const std::string &schedule : options.schedules) {
    entries.push_back(std::make_unique<Entry>());
    entries.back()->row.problem = problem;
    entries.back()->row.asked = schedule;
    if (lost) {
      entries.back()->row.status = "error";
      entries.back()->row.message = "not run: a kernel has failed before";
      continue;
    }
    check(*entries.back(), problem);
  }
  runner::Watchdog watchdog(options.dryRun || lost ? 0 : runner::hangSeconds,
                            [&] { expire(problem); });
  if (!options.dryRun && !lost)
    if (std::string error = time(entries); !error.empty())
      for (const auto &entry : entries)
        if (entry->right) {
          entry->row.status = "error";
          entry->row.message = error;
        }
  for (const auto &entry : entries)
    table.rows.push_back(entry->row);
}

int Suite::run() {
  std::vector<Problem> problems =
      options.sweep.axis ? options.sweep.points(options.problems.front())
                         : options.problems;
  runner::ProgressLine progress(options.dryRun ? "checking" : "timing");
  for (size_t i = 0; i < problems.size(); ++i) {
    progress.update(double(i) / double(problems.size()));
    runProblem(problems[i]);
  }
  table.clocks = clocks.range();
  if (options.sweep.axis)
    markDrops(table.rows);
  int status = 0;
  auto severity = [](const std::string &name) {
    return name == "fault" ? 3 : name == "wrong" ? 1 : name == "error" ? 2 : 0;
  };
  // A fault first, then wrong numbers, then what could not be done.
  for (int candidate : {2, 1, 3})
    for (const Row &row : table.rows)
      if (severity(row.status) == candidate)
        status = candidate;
  return status;
}

int runAll(const Options &options, Table &table, std::string &error) {
  Suite suite(options, table);
  if (error = suite.open(); !error.empty())
    return 2;
  return suite.run();
}

} // namespace bwgemm::bench
