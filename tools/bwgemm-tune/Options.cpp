//===- Options.cpp - The command line of bwgemm-tune ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"

#include <cmath>
#include <cstdio>

namespace bwgemm::tune {

static const char *const introduction =
    R"(Finds the fastest schedules for matrix multiplications on a GPU, and writes
them to a database that schedule=auto reads (bwgemm-compile --database=FILE, or
BWGEMM_DATABASE).

FILE has one problem a line, as for bwgemm-bench: MxNxK TYPES TRANSPOSES
[EPILOGUE], such as 4096x4096x4096 bf16-bf16 nt.)";

static const char *const details =
    R"(Examples:
  bwgemm-tune shapes.txt --target=sm_90a -o schedules.json
  bwgemm-tune shapes.txt --target=sm_90a -o schedules.json --budget=600 --resume
      In ten minutes, without the problems that the database has already.
  bwgemm-tune shapes.txt --target=sm_90a --compile-to=libs
  bwgemm-tune shapes.txt --target=sm_90a --libraries=libs -o schedules.json
      First where there is bwgemm-compile, then where there is a GPU.
  bwgemm-tune shapes.txt --device=emulator --dry-run
      Checks the results of all candidates without a GPU.

How it searches: bwgemm-compile --list-schedules names the candidates, what the
cost model takes first. Each is compiled, called once and checked. All are
timed as bwgemm-bench does, side by side, with few samples; the best quarter and
then the best three with more. The fastest becomes the entry of the database,
unless what the model takes is within half a per cent. After every problem the
database is written, whole or not at all; entries for other problems stay.

Exit status: 0 every problem has a result; 1 a candidate was wrong; 2 bad usage
or input, or a problem has no result; 3 a kernel trapped, hung or has a hazard.)";

/// What CLI11 cannot check; fills in the problems.
static std::string complete(Options &options, const std::string &file,
                            const std::vector<std::string> &given,
                            const std::string &device) {
  std::string error;
  if (!tools::gatherProblems(file, given, options.problems, error))
    return error;
  if (!runtime::DriverChoice::parse(device, options.device, error))
    return "--device: " + error;
  if (!options.compileTo.empty() && !options.libraries.empty())
    return "--compile-to and --libraries exclude each other";
  if (options.output.empty() && options.compileTo.empty() && !options.dryRun)
    return "expected -o FILE, the database to write";
  if (options.output.empty() && options.resume)
    return "--resume goes on with a database: expected -o FILE";
  if (!(options.budget >= 0) || std::isinf(options.budget))
    return "--budget: expected a number of seconds";
  if (options.candidates < 1 || options.candidates > 1000)
    return "--candidates: expected 1 to 1000, got " +
           std::to_string(options.candidates);
  return "";
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app(introduction, "bwgemm-tune");
  app.footer(details);
  app.get_formatter()->column_width(30);
  std::string file, device = "auto";
  std::vector<std::string> problems;
  options.target = "sm_100a";
  app.add_option("FILE", file, "File of problems");
  app.add_option("--problem", problems, "A problem, as in a file; repeatable");
  app.add_option("--target", options.target, "Target (sm_100a)");
  app.add_option("-o,--output", options.output, "Database to write or extend");
  app.add_option("--budget", options.budget,
                 "Seconds for all problems together, shared out among them");
  app.add_flag("--resume", options.resume,
               "Leave out problems that the database has for this GPU");
  app.add_option("--candidates", options.candidates,
                 "Schedules of each problem to try at most (32)");
  app.add_option("--jobs", options.jobs,
                 "Compilers at one time (one on each core)");
  app.add_option("--device", device,
                 "auto (a GPU that can run the target, else the emulator), "
                 "cuda or emulator");
  app.add_flag("--dry-run", options.dryRun,
               "Check results, time nothing and write nothing; works on the "
               "emulator");
  app.add_option("--seed", options.seed,
                 "Seed of inputs and of the order of turns (0)");
  app.add_option("--compile-to", options.compileTo,
                 "Write the candidates' libraries into this folder, and run "
                 "nothing");
  app.add_option("--libraries", options.libraries,
                 "Take libraries from a folder that --compile-to made");
  if (std::optional<int> status = tools::parse(app, argc, argv))
    return status;
  std::string error = complete(options, file, problems, device);
  return tools::judge(app, error);
}

} // namespace bwgemm::tune
