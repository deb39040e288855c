//===- Options.cpp - The command line of bwgemm-runner ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bwgemm::runner {
namespace {

const char *const introduction =
    R"(Runs a matrix multiplication that bwgemm-compile made, checks every number it
should, and times it.

IN is a library made by bwgemm-compile, or a .mlir file, which is compiled
first. It runs on a GPU that can execute it, else on the emulator, which
executes the very same PTX on the CPU.)";

const char *const examples =
    R"(Examples:
  bwgemm-runner matmul.mlir
      Compiles, runs and checks, with normally distributed inputs.
  bwgemm-runner matmul.mlir --schedule=swizzle,tile=128x128x64 --init=int
      Another schedule; integer inputs, for which the result must be exact.
  bwgemm-runner matmul.so --shapes=512x256,384x256,512x384
      Shapes for the arguments whose extents the library leaves open.
  bwgemm-runner matmul.so --input=A.npy,B.npy --output=results
      Your own matrices; the result is written to results/arg2.npy.
  bwgemm-runner matmul.so --device=emulator --hazards
      Looks for races, missing waits and reads of what was never written.

How results are judged: each is compared with a dot product in double
precision. It may differ by what fp32 accumulation of K products can cost,
about K 2^-24 sum |a||b| (with accumulator=f16 about (K/8) 2^-11 sum
|a||b|), and one rounding to the result type. With small
integers nothing may be lost, and it must be equal. "max_rel_err" is the
largest error divided by sum |a||b| of its dot product.

Exit status: 0 the result is right; 1 it is wrong; 2 bad usage or input;
3 a kernel trapped, hung or has a hazard.)";

std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// Turns --init into fills.
bool parseInit(const std::string &text, Contents &contents,
               std::string &error) {
  contents.nanResults = text == "nan-out";
  if (text == "normal" || text == "nan-out")
    contents.fill = runtime::Fill::Normal;
  else if (text == "uniform")
    contents.fill = runtime::Fill::Uniform;
  else if (text == "int")
    contents.fill = runtime::Fill::Int;
  else if (text == "ones")
    contents.fill = runtime::Fill::Ones;
  else if (text == "zeros")
    contents.fill = runtime::Fill::Zeros;
  else {
    error =
        "--init: expected normal, uniform, int, ones, zeros or nan-out, got '" +
        text + "'";
    return false;
  }
  return true;
}

bool parseCheck(const std::string &text, Options &options, std::string &error) {
  if (text == "full")
    options.check = CheckMode::Full;
  else if (text == "sample")
    options.check = CheckMode::Sample;
  else if (text == "none")
    options.check = CheckMode::None;
  else if (text == "auto")
    options.check = CheckMode::Auto;
  else {
    error = "--check: expected full, sample, none or auto, got '" + text + "'";
    return false;
  }
  return true;
}

bool isMlir(const std::string &path) {
  auto endsWith = [&](const char *end) {
    size_t length = std::strlen(end);
    return path.size() > length &&
           path.compare(path.size() - length, length, end) == 0;
  };
  return endsWith(".mlir") || endsWith(".mlirbc");
}

constexpr unsigned maxRepeat = 1000000;

/// What CLI11 cannot check.
std::string validate(const Options &options) {
  if (!isMlir(options.input)) {
    const char *given = !options.target.empty()     ? "--target"
                        : !options.schedule.empty() ? "--schedule"
                                                    : nullptr;
    if (given)
      return std::string(given) +
             " is for .mlir input; a library has been compiled for its target "
             "and schedule already";
  }
  if (!options.baseline.empty()) {
    if (options.baseline != "cublas")
      return "--baseline: expected cublas, got '" + options.baseline + "'";
    if (!options.bench)
      return "--baseline needs --bench";
  }
  if (options.repeat < 1 || options.repeat > maxRepeat)
    return "--repeat: expected 1 to " + std::to_string(maxRepeat) + ", got " +
           std::to_string(options.repeat);
  if (options.repetitions && !options.bench)
    return "--repetitions needs --bench";
  return "";
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app(introduction, "bwgemm-runner");
  app.footer(examples);
  app.get_formatter()->column_width(30);
  std::string device = "auto", shapes, init = "normal", inputs, check = "auto";
  app.add_option("IN", options.input, "Library or .mlir file")->required();
  auto *compiling = app.add_option_group("For .mlir input");
  compiling->add_option("--target", options.target,
                        "Target, passed on to bwgemm-compile (sm_100a)");
  compiling->add_option("--schedule", options.schedule,
                        "Schedule, passed on to bwgemm-compile");
  auto *running = app.add_option_group("What to run, and where");
  running->add_option("--device", device,
                      "auto (a GPU that can run the target, else the "
                      "emulator), cuda or emulator");
  running->add_option("--func", options.function,
                      "Function to call, if there are several");
  running->add_flag("--hazards", options.hazards,
                    "Have the emulator look for hazards (slower)");
  running
      ->add_option("--timeout", options.timeout,
                   "Seconds after which a call counts as hung; 0 for never "
                   "(30 on a GPU, never on the emulator, which knows)")
      ->check([](const std::string &text) -> std::string {
        // Not a number fails this comparison as well.
        if (std::strtod(text.c_str(), nullptr) >= 0)
          return "";
        return "expected a number of seconds, 0 for never, got '" + text + "'";
      });
  auto *data = app.add_option_group("Arguments");
  data->add_option("--shapes", shapes,
                   "Shapes of arguments with unknown extents, in order: "
                   "512x256,384x256,512x384");
  data->add_option(
      "--init", init,
      "Contents of inputs: normal, uniform, int (-3 to 3), ones, "
      "zeros, or nan-out (normal; and NaN also in results that are "
      "accumulated into)");
  data->add_option("--seed", options.contents.seed,
                   "Seed of random contents (0)");
  data->add_option("--input", inputs,
                   "Files for the arguments that are read, in order: "
                   "A.npy,B.npy; an empty name leaves one to --init. bf16 and "
                   "fp8 are raw unsigned integers");
  data->add_option("--output", options.outputFolder,
                   "Folder for results: argN.npy");
  auto *judging = app.add_option_group("Judging and timing");
  auto *checkOption = judging->add_flag(
      "--check{auto}", check,
      "--check=full (every element), --check=sample (corners of all tiles, "
      "edges and random elements) or --check=none; without it, full or sample "
      "by size");
  judging->add_option("--repeat", options.repeat,
                      "Call so many times, and compare every bit of the "
                      "results with those of the first call (1)");
  judging->add_flag("--bench", options.bench,
                    "Time it: warm-up, then samples after pauses, buffers that "
                    "rotate, short kernels from a graph; median and spread");
  judging->add_option("--repetitions", options.repetitions,
                      "Samples of --bench (9; on the emulator calls, 3)");
  judging->add_option("--baseline", options.baseline,
                      "cublas: time the best of cuBLASLt's algorithms in turn "
                      "with it (on a GPU; BWGEMM_CUBLASLT names the library)");
  judging->add_flag("--json", options.json,
                    "Print one JSON object instead of text");
  if (std::optional<int> status = tools::parse(app, argc, argv))
    return status;
  std::string error;
  bool good = runtime::DriverChoice::parse(device, options.device, error);
  if (!good)
    error = "--device: " + error;
  good = good && parseInit(init, options.contents, error) &&
         parseCheck(check, options, error) &&
         (shapes.empty() || parseShapes(shapes, options.shapes, error));
  if (!inputs.empty())
    options.inputs = splitAtCommas(inputs);
  options.checkRequired = checkOption->count() && check != "none";
  if (good)
    error = validate(options);
  return tools::judge(app, error);
}

} // namespace bwgemm::runner
