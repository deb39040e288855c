//===- bwgemm-ptx-run.cpp - Launch a PTX kernel -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Buffers.h"
#include "CommandLine.h"
#include "Expectations.h"
#include "Session.h"

#include "bwgemm-runtime/Npy.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace bwgemm::ptxrun;
using namespace bwgemm::runtime;

namespace {

/// Exit statuses, as for every program of the project.
enum Status { Right = 0, Wrong = 1, BadInput = 2, Faulty = 3 };

/// The command line, as text.
struct Options {
  std::string file, entry, grid = "1", block = "1", cluster;
  std::string device = "auto", numerics;
  std::string profile, trace, traceWarp;
  unsigned sharedBytes = 0;
  uint64_t seed = 0;
  bool hazards = false, json = false, stats = false;
  std::vector<std::string> arguments, buffers, dumps, expects;
};

} // namespace

static const char description[] =
    "Launches one kernel of a PTX file, on a GPU or on the emulator, prints or "
    "saves its buffers and compares them with what they should be.";

static const char footer[] = R"(
Arguments, in the kernel's order, each with one --arg:
  u32:7  s64:-1  f32:1.5  bf16:0.25     a number (u8..u64, s8..s64, f16, bf16,
                                        f32, f64, e4m3, e5m2)
  buf:TYPE:SHAPE[:INIT]                 a new buffer's address; INIT is zeros
                                        (the default), ones, iota, int, uniform,
                                        normal, nan or FILE.npy
  NAME=buf:TYPE:SHAPE[:INIT]            the same with a name; without one it is
                                        named by its position, "0" for the first
  ptr:BUFFER[+BYTES]                    the address of a buffer that has another
                                        --arg or a --buffer=NAME=TYPE:SHAPE[:INIT]
  tma:BUFFER:box=64x128[:KEY=VALUE]...  a tensor map of a buffer, by value
      swizzle=none|32B|64B|128B  fill=zero|nan  type=tf32|...  in=param|global
      dims=64x128  strides=BYTESx...  estrides=1x1  offset=BYTES  l2=none|...
      interleave=none|16B|32B

Shapes of buffers are outermost first (rows x columns). box, dims, strides and
estrides are innermost first, as in cuTensorMapEncodeTiled and in the coordinates
of cp.async.bulk.tensor: a 128x64 bf16 buffer takes box=64x128. dims alone name
a window at the buffer's start, with the buffer's strides.

Expectations, each with one --expect:
  C:FILE.npy  C:zeros  C:ones  C:iota  C:all=2.5  C:1,2,3,4  C[0,3]:2.5
  and ":tol=T" behind any of them: |got - expected| <= T * (1 + |expected|).

Examples:
  bwgemm-ptx-run add.ptx --entry=add --grid=4 --block=256 \
      --arg=A=buf:f32:1024:iota --arg=B=buf:f32:1024:ones --arg=C=buf:f32:1024 \
      --arg=u32:1024 --expect='C[5]:6' --dump=C:sum.npy
  bwgemm-ptx-run load.ptx --entry=load --block=128 --smem=16384 --hazards \
      --buffer=A=bf16:128x64:normal --arg=tma:A:box=64x128:swizzle=128B \
      --arg=D=buf:bf16:128x64:nan --dump=D

Exit status: 0 the kernel ran and every expectation holds, 1 one does not,
2 bad usage or input, 3 the kernel trapped, hung or has a hazard.

The emulator's further options are in the environment variable BWGEMM_EMULATOR
(hazards=on|off, numerics=exact|fast, schedule=fair|random, seed=N, threads=N,
arch=sm_100a, trace=FILE, trace-warp=CTA:WARP, stats=FILE, profile=FILE, where -
is standard output); BWGEMM_DRIVER=emulator|PATH decides --device=auto.)";

static int complain(const std::string &message, Status status = BadInput) {
  std::fflush(stdout);
  std::fprintf(stderr, "bwgemm-ptx-run: error: %s\n", message.c_str());
  return status;
}

static std::string readFile(const std::string &name, std::string &contents) {
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  if (stream)
    text << stream.rdbuf();
  if (!stream || (text.str().empty() && !stream.eof()))
    return "cannot read '" + name + "'";
  contents = text.str();
  if (contents.empty())
    return "'" + name + "' is empty; expected PTX text";
  if (contents.find('\0') != std::string::npos)
    return "'" + name + "' is not PTX text (it has zero bytes)";
  return std::string();
}

/// Adds to BWGEMM_EMULATOR, which the emulator reads when it is opened. Later
/// settings win, so the command line is put behind.
static void setEmulatorOptions(const Options &options) {
  std::string settings;
  if (const char *text = std::getenv("BWGEMM_EMULATOR"))
    settings = text;
  auto add = [&](const std::string &setting) {
    settings += (settings.empty() ? "" : ",") + setting;
  };
  if (options.hazards)
    add("hazards=on");
  if (!options.numerics.empty())
    add("numerics=" + options.numerics);
  if (options.stats)
    add("stats=-");
  if (!options.profile.empty())
    add("profile=" + options.profile);
  if (!options.trace.empty())
    add("trace=" + options.trace);
  if (!options.traceWarp.empty())
    add("trace-warp=" + options.traceWarp);
  if (!settings.empty())
    setenv("BWGEMM_EMULATOR", settings.c_str(), 1);
}

/// Parses the text of all options. Returns "" or what is wrong.
static std::string interpret(const Options &options, Request &request,
                             Buffers &buffers, std::vector<DumpSpec> &dumps,
                             std::vector<ExpectSpec> &expects) {
  std::string error;
  if (!DriverChoice::parse(options.device, request.device, error))
    return "--device: " + error;
  request.file = options.file;
  request.entry = options.entry;
  request.sharedBytes = options.sharedBytes;
  if (error = readFile(options.file, request.ptx); !error.empty())
    return error;
  if (error = parseExtent(options.grid, request.grid); !error.empty())
    return "--grid: " + error;
  if (error = parseExtent(options.block, request.block); !error.empty())
    return "--block: " + error;
  if (!options.cluster.empty()) {
    request.cluster.emplace();
    if (error = parseExtent(options.cluster, *request.cluster); !error.empty())
      return "--cluster: " + error;
  }
  for (const std::string &text : options.buffers) {
    BufferSpec buffer;
    error = parseBuffer(text, buffer);
    if (error.empty())
      error = buffers.add(buffer, options.seed);
    if (!error.empty())
      return "--buffer=" + text + ": " + error;
  }
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    ArgumentSpec argument;
    error = parseArgument(options.arguments[i], i, argument);
    if (auto *buffer = std::get_if<BufferSpec>(&argument);
        buffer && error.empty())
      error = buffers.add(*buffer, options.seed);
    if (!error.empty())
      return "--arg=" + options.arguments[i] + ": " + error;
    request.arguments.push_back(std::move(argument));
  }
  for (const std::string &text : options.dumps) {
    if (error = parseDump(text, dumps.emplace_back()); !error.empty())
      return "--dump: " + error;
    if (!buffers.find(dumps.back().buffer, error))
      return "--dump=" + text + ": " + error;
  }
  for (const std::string &text : options.expects) {
    error = parseExpect(text, expects.emplace_back());
    if (!error.empty())
      return "--expect: " + error;
    if (error = prepare(expects.back(), buffers); !error.empty())
      return error;
  }
  return std::string();
}

/// Prints or saves the buffers that were asked for. In JSON mode printed ones
/// go into `json`.
static std::string dump(const std::vector<DumpSpec> &dumps, Buffers &buffers,
                        nlohmann::ordered_json *json) {
  for (const DumpSpec &spec : dumps) {
    std::string error;
    Buffer *buffer = buffers.find(spec.buffer, error);
    if (!buffer)
      return error;
    if (!spec.file.empty()) {
      if (!saveNpy(spec.file, buffer->spec.type, buffer->spec.shape,
                   buffer->host.data(), error))
        return error;
      continue;
    }
    std::string text;
    if (error = formatBuffer(*buffer, text); !error.empty())
      return error;
    if (json)
      (*json)["buffers"][spec.buffer] = text;
    else
      std::fputs(text.c_str(), stdout);
  }
  return std::string();
}

/// Runs and judges. `json` collects what --json prints.
static int runAndJudge(const Options &options, nlohmann::ordered_json &json) {
  Request request;
  Buffers buffers;
  std::vector<DumpSpec> dumps;
  std::vector<ExpectSpec> expects;
  auto fail = [&](const std::string &message, Status status) {
    json["error"] = message;
    return complain(message, status);
  };
  if (std::string error = interpret(options, request, buffers, dumps, expects);
      !error.empty())
    return fail(error, BadInput);

  setEmulatorOptions(options);
  Outcome outcome = run(request, buffers);
  json["device"] = outcome.device;
  json["kernel"] = options.entry;
  if (!outcome.device.empty())
    std::fprintf(stderr, "device: %s\n", outcome.device.c_str());
  if (options.hazards && !outcome.device.empty() && !outcome.emulated)
    std::fprintf(stderr, "note: --hazards has no effect on a GPU\n");
  if (!outcome.report.empty())
    json["report"] =
        nlohmann::ordered_json::parse(outcome.report, nullptr, false);
  if (!outcome.error.empty())
    return fail(outcome.error, BadInput);
  if (!outcome.fault.empty())
    return fail(outcome.fault, Faulty);
  json["kernel_ms"] = outcome.milliseconds;

  if (std::string error = dump(dumps, buffers, options.json ? &json : nullptr);
      !error.empty())
    return fail(error, BadInput);
  Status status = Right;
  for (const ExpectSpec &expect : expects) {
    Verdict verdict;
    if (std::string error = compare(expect, buffers, verdict); !error.empty())
      return fail(error, BadInput);
    json["expectations"].push_back({{"expect", expect.text},
                                    {"checked", verdict.checked},
                                    {"wrong", verdict.wrong}});
    if (verdict.wrong) {
      complain(verdict.message);
      status = Wrong;
    }
  }
  if (outcome.hazards)
    return fail("the kernel has " + std::to_string(outcome.hazards) +
                    (outcome.hazards == 1 ? " hazard" : " hazards"),
                Faulty);
  return status;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app(description, "bwgemm-ptx-run");
  app.footer(footer);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("FILE", options.file, "The PTX text")->required();
  app.add_option("--entry", options.entry, "The kernel's name")->required();
  app.add_option("--grid", options.grid, "Blocks: X, X,Y or X,Y,Z (1)");
  app.add_option("--block", options.block, "Threads in a block, likewise (1)");
  app.add_option("--cluster", options.cluster,
                 "Blocks in a cluster, likewise; the kernel's own if absent");
  app.add_option("--smem", options.sharedBytes,
                 "Dynamic shared memory, bytes (0)");
  app.add_option("--device", options.device,
                 "auto (a GPU that runs the PTX's target, else the emulator), "
                 "cuda or emulator");
  app.add_flag("--hazards", options.hazards,
               "Look for races and uninitialised reads (emulator)");
  app.add_option("--numerics", options.numerics,
                 "exact or fast sums in the tensor cores (emulator)");
  app.add_flag("--stats", options.stats,
               "Print what the kernel did: instructions by opcode, MMAs, bytes "
               "copied, bank conflicts and waits by line (emulator)");
  app.add_option("--profile", options.profile,
                 "Write how often each line ran, in how many lanes: FILE or - "
                 "(emulator)");
  app.add_option("--trace", options.trace,
                 "Write a line for each instruction, with the registers that "
                 "it changed: FILE or - (emulator)");
  app.add_option("--trace-warp", options.traceWarp,
                 "Trace one warp alone: CTA:WARP, such as 3x0x0:1");
  app.add_option("--seed", options.seed, "Of random buffer contents (0)");
  app.add_flag("--json", options.json,
               "Print one JSON object: status, device, kernel, kernel_ms, "
               "expectations, buffers, report");
  // Each of these takes one value per occurrence and may occur often; commas
  // belong to the value.
  auto repeated = [&](const char *name, std::vector<std::string> &values,
                      const char *text) {
    app.add_option(name, values, text)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  repeated("--arg", options.arguments, "An argument of the kernel (see below)");
  repeated("--buffer", options.buffers,
           "NAME=TYPE:SHAPE[:INIT], a buffer that is not an argument itself");
  repeated("--dump", options.dumps,
           "Print a buffer after the run, or save it: BUFFER:FILE.npy");
  repeated("--expect", options.expects,
           "What a buffer must hold after the run (see below)");
  nlohmann::ordered_json json;
  json["status"] = nullptr;
  std::optional<int> ended = bwgemm::tools::parse(app, argc, argv);
  if (ended == 0)
    return Right;
  int status = BadInput;
  if (ended) {
    // Whoever reads JSON finds one object, whatever went wrong.
    options.json = bwgemm::tools::hasFlag(argc, argv, "--json");
    json["error"] = bwgemm::tools::usageError;
  } else {
    status = runAndJudge(options, json);
  }
  if (options.json) {
    static constexpr const char *names[] = {"ok", "wrong", "error", "fault"};
    json["status"] = names[status];
    std::printf("%s\n",
                json.dump(2, ' ', false,
                          nlohmann::ordered_json::error_handler_t::replace)
                    .c_str());
  }
  return bwgemm::tools::flushOutput("bwgemm-ptx-run") ? status : int(BadInput);
}
