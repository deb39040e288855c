//===- Options.cpp - The command line of bwgemm-compile -------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Report.h"

#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

#include "llvm/Config/llvm-config.h"
#include <CLI/CLI.hpp>

using namespace bwgemm::compile;

static constexpr char kDescription[] =
    "Compiles matrix multiplications in MLIR's linalg to a shared library for\n"
    "NVIDIA Blackwell GPUs, callable from C, C++ and Python.";

static constexpr char kExamples[] =
    "Examples:\n"
    "  bwgemm-compile matmul.mlir -o libmatmul.so\n"
    "      the library, and libmatmul.h beside it that declares its functions\n"
    "  bwgemm-compile matmul.mlir --emit=ptx\n"
    "      the kernels' PTX on standard output; needs no GPU and no ptxas\n"
    "  bwgemm-compile matmul.mlir --schedule=swizzle,tile=128x64x64 -o m.so\n"
    "      a kernel of one's own choice instead of the one chosen by `auto`\n"
    "  bwgemm-compile matmul.mlir --explain-schedule\n"
    "      what `auto` takes, and what the alternatives would cost\n"
    "\n";

static constexpr char kOutputs[] =
    "What it writes, by --emit:\n"
    "  so     shared library: one C function for each public function of IN,\n"
    "         the PTX (symbol bwgemm_ptx), the cubin where ptxas is found, and "
    "a\n"
    "         description in JSON (symbol bwgemm_metadata)\n"
    "  ptx    PTX text                cubin  GPU machine code (needs ptxas)\n"
    "  llvm   LLVM IR of the host     mlir   the lowered module\n"
    "\n"
    "The exit status is 0 if all went well and 2 if not. Output files appear\n"
    "whole or not at all.";

static bool checkTarget(const std::string &target) {
  using mlir::bwgemm::TargetInfo;
  if (TargetInfo::find(target))
    return true;
  error("unknown target '" + target + "'; targets are " +
        TargetInfo::getNames());
  return false;
}

static bool checkSchedule(const std::string &schedule) {
  std::string message;
  if (mlir::bwgemm::ScheduleSpec::parse(schedule, message))
    return true;
  error(message);
  return false;
}

static std::optional<Emit> parseEmit(const std::string &name) {
  const std::pair<const char *, Emit> kinds[] = {{"so", Emit::SharedLibrary},
                                                 {"ptx", Emit::PTX},
                                                 {"cubin", Emit::Cubin},
                                                 {"llvm", Emit::LLVM},
                                                 {"mlir", Emit::MLIR}};
  for (auto [text, kind] : kinds)
    if (name == text)
      return kind;
  error("unknown --emit=" + name + "; expected so, ptx, cubin, llvm or mlir");
  return std::nullopt;
}

/// Checks that depend on several options.
static bool check(const Options &options) {
  if (options.explainSchedule && options.listSchedules) {
    error("--explain-schedule and --list-schedules exclude each other");
    return false;
  }
  bool prints = options.explainSchedule || options.listSchedules;
  if (prints && !options.output.empty()) {
    error(std::string(options.listSchedules ? "--list-schedules"
                                            : "--explain-schedule") +
          " prints to standard output and compiles nothing; expected no -o");
    return false;
  }
  if (prints)
    return true;
  if (!options.isText() && options.output.empty()) {
    error("expected -o FILE: this output is binary");
    return false;
  }
  if (options.emit == Emit::SharedLibrary && options.output == "-") {
    error("expected -o FILE, got '-': a library cannot go to standard output");
    return false;
  }
  if (!options.header.empty() && options.emit != Emit::SharedLibrary) {
    error("--header goes with --emit=so only");
    return false;
  }
  if (options.emit == Emit::Cubin && options.lower.ptxas == "none") {
    error("--emit=cubin needs ptxas, but --ptxas=none forbids it");
    return false;
  }
  return true;
}

std::optional<Options> bwgemm::compile::parseOptions(int argc, char **argv,
                                                     int &status) {
  Options options;
  std::string emit = "so";
  CLI::App app(kDescription, "bwgemm-compile");
  app.footer(kExamples +
             ("Schedules: a preset (" + mlir::bwgemm::getPresetNames() +
              "),\nthen fields, each with a comma before it:\n  " +
              mlir::bwgemm::getScheduleFields().str() + "\n\n") +
             kOutputs);
  app.get_formatter()->column_width(24);
  app.set_version_flag("--version",
                       "bwgemm-compile 0.1, LLVM " LLVM_VERSION_STRING,
                       "Print the version and exit");
  app.get_help_ptr()->description("Print this help and exit");
  app.add_option("IN", options.input, "MLIR file; - for standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options.output,
                 "Output file; text goes to standard output without it")
      ->type_name("FILE");
  app.add_option("--emit", emit, "so (default), ptx, cubin, llvm or mlir")
      ->type_name("KIND");
  app.add_option("--target", options.lower.target,
                 "GPU to compile for (default sm_100a)")
      ->type_name("NAME");
  app.add_option("--schedule", options.lower.schedule,
                 "How to map the product to the GPU (default auto)")
      ->type_name("SPEC");
  app.add_flag("--explain-schedule", options.explainSchedule,
               "Print each product's schedule, what it takes, its predicted "
               "time and the alternatives; compile nothing");
  app.add_flag("--list-schedules", options.listSchedules,
               "Print the schedules that are worth measuring for the one "
               "product, a SPEC a line, the most promising first; compile "
               "nothing");
  app.add_option("--database", options.lower.database,
                 "Measured schedules for auto: a file that bwgemm-tune wrote, "
                 "or 'none'; default is what BWGEMM_DATABASE names, else the "
                 "shipped ones")
      ->type_name("FILE");
  app.add_option("--ptxas", options.lower.ptxas,
                 "ptxas to use, or 'none'; found through CUDA_HOME and PATH "
                 "otherwise")
      ->type_name("FILE");
  app.add_option("--header", options.header,
                 "C header to write; default is OUT with .h")
      ->type_name("FILE");
  app.add_option("--print-after", options.printAfter,
                 "Print the module to standard error after this pass, or after "
                 "each that changes it with 'all'")
      ->type_name("PASS");
  app.add_flag("--time", options.time,
               "Say on standard error how long each stage took");
  app.add_flag("--verbose", options.verbose,
               "Say on standard error what is run and written");

  status = 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    // Help or version.
    status = app.exit(request);
    return std::nullopt;
  } catch (const CLI::ExtrasError &) {
    std::string extra;
    for (const std::string &argument : app.remaining())
      extra += " '" + argument + "'";
    error("unexpected" + extra + "; see bwgemm-compile --help");
    return std::nullopt;
  } catch (const CLI::ParseError &problem) {
    error(std::string(problem.what()) + "; see bwgemm-compile --help");
    return std::nullopt;
  }
  std::optional<Emit> kind = parseEmit(emit);
  if (!kind)
    return std::nullopt;
  options.emit = *kind;
  if (!checkTarget(options.lower.target) ||
      !checkSchedule(options.lower.schedule) || !check(options))
    return std::nullopt;
  return options;
}
