//===- Options.cpp - The command line of bwgemm-bench ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"

#include <cstdio>
#include <sstream>

namespace bwgemm::bench {

static const char *const introduction =
    R"(Times matrix multiplications on a GPU: a list of problems, over schedules,
side by side with cuBLASLt, and compares them with what memory and tensor cores
can do at most, measured in the same run.

FILE has one problem a line, MxNxK TYPES TRANSPOSES [EPILOGUE]:

  4096x4096x4096 bf16-bf16 nt    # D = A * B^T, B stored N x K
  8192x1024x8192 f16-f32 nn
  512x512x4096 bf16-f32 tn accumulate
  4096x4096x4096 bf16-bf16 nt bias_gelu     # or bias, bias_relu,
                                            # bias_gelu_approx)";

static const char *const details =
    R"(Examples:
  bwgemm-bench shapes.txt --target=sm_90a --svg=shapes.svg
  bwgemm-bench shapes.txt --schedules='auto;persistent,tile=128x256x64'
  bwgemm-bench shapes.txt --schedules='auto;auto@none;auto@mine.json'
      Behind an @: the database that auto asks (none: the cost model alone).
  bwgemm-bench --problem='4096x4096x4096 bf16-bf16 nt' --sweep=K=64:8192:64
      Throughput against K; the drops are marked. Sizes are left open: one
      library for each schedule serves all points.
  bwgemm-bench shapes.txt --compile-to=libs    # where there is bwgemm-compile
  bwgemm-bench shapes.txt --libraries=libs     # where there is a GPU
  bwgemm-bench shapes.txt --device=emulator --dry-run
      Checks the results without a GPU.

How it is measured: each result is checked first. Then contenders take turns in
random order, with a pause before each sample, since a GPU's clock follows its
temperature; buffers rotate, larger together than the L2 cache; executions below
50 us are replayed from a graph; all kernels of a function count. A table has
the median, the least and the greatest of the samples. Of cuBLASLt the best of
all algorithms that its heuristics name counts.

Exit status: 0 all results are right; 1 some are wrong; 2 bad usage or input,
or something that could not be measured; 3 a kernel trapped, hung or has a
hazard.)";

static std::vector<std::string> splitAtSemicolons(const std::string &text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ';');)
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

/// What CLI11 cannot check; fills in the problems.
static std::string complete(Options &options, const std::string &file,
                            const std::vector<std::string> &given,
                            const std::string &sweep,
                            const std::string &schedules,
                            const std::string &device,
                            const std::string &init) {
  std::string error;
  if (!tools::gatherProblems(file, given, options.problems, error))
    return error;
  if (!sweep.empty()) {
    if (!tools::parseSweep(sweep, options.sweep, error))
      return error;
    for (const Problem &problem : options.problems)
      if (problem.epilogue != runtime::MatmulEpilogue::None)
        return "--sweep: expected a problem without bias, got '" +
               problem.text() + "'";
    if (options.problems.size() != 1)
      return "--sweep: expected one problem to start from, got " +
             std::to_string(options.problems.size());
  }
  options.schedules = splitAtSemicolons(schedules);
  if (options.schedules.empty())
    return "--schedules: expected at least one schedule";
  if (!runtime::DriverChoice::parse(device, options.device, error))
    return "--device: " + error;
  if (options.baseline != "cublas" && options.baseline != "none")
    return "--baseline: expected cublas or none, got '" + options.baseline +
           "'";
  std::optional<runtime::Fill> fill = runtime::parseFill(init);
  if (!fill || *fill == runtime::Fill::Poison || *fill == runtime::Fill::Iota)
    return "--init: expected normal, uniform, int, ones or zeros, got '" +
           init + "'";
  options.init = *fill;
  if (options.samples < 1 || options.samples > 1000)
    return "--samples: expected 1 to 1000, got " +
           std::to_string(options.samples);
  if (options.repeat < 1 || options.repeat > 100000)
    return "--repeat: expected 1 to 100000, got " +
           std::to_string(options.repeat);
  if (!options.compileTo.empty() && !options.libraries.empty())
    return "--compile-to and --libraries exclude each other";
  return "";
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app(introduction, "bwgemm-bench");
  app.footer(details);
  app.get_formatter()->column_width(30);
  std::string file, sweep, schedules = "auto", device = "auto", init = "normal";
  std::vector<std::string> problems;
  options.target = "sm_100a";
  options.baseline = "cublas";
  app.add_option("FILE", file, "File of problems");
  app.add_option("--problem", problems, "A problem, as in a file; repeatable");
  app.add_option("--sweep", sweep,
                 "Walk through a size of the one problem: K=64:8192:64");
  app.add_option("--schedules", schedules,
                 "Schedules, separated by semicolons (auto)");
  app.add_option("--target", options.target, "Target (sm_100a)");
  app.add_option("--device", device,
                 "auto (a GPU that can run the target, else the emulator), "
                 "cuda or emulator");
  app.add_flag("--dry-run", options.dryRun,
               "Check results and time nothing; works on the emulator");
  app.add_option("--baseline", options.baseline,
                 "cublas, or none to leave it out");
  app.add_option("--samples", options.samples, "Samples of each (9)");
  app.add_option("--repeat", options.repeat,
                 "Before timing, call each so many times, and compare every "
                 "bit of the results with those of the first call (1)");
  app.add_option(
      "--init", init,
      "Contents of inputs: normal, uniform, int, ones or zeros, with "
      "which a GPU is faster than with data");
  app.add_option("--seed", options.seed,
                 "Seed of inputs and of the order of turns (0)");
  app.add_option("--compile-to", options.compileTo,
                 "Write the libraries into this folder, and run nothing");
  app.add_option("--libraries", options.libraries,
                 "Take libraries from a folder that --compile-to made");
  app.add_option("--json", options.json, "Write the table as JSON");
  app.add_option("--csv", options.csv, "Write the table as CSV");
  app.add_option("--svg", options.svg, "Write a plot as SVG");
  if (std::optional<int> status = tools::parse(app, argc, argv))
    return status;
  std::string error =
      complete(options, file, problems, sweep, schedules, device, init);
  return tools::judge(app, error);
}

} // namespace bwgemm::bench
