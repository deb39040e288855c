//===- bwgemm-runner.cpp - Run what bwgemm-compile made ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Run.h"

#include <cstdio>
#include <exception>

using namespace bwgemm::runner;

int main(int argc, char **argv) {
  Options options;
  RunResult result;
  if (auto status = parseOptions(argc, argv, options)) {
    // Whoever reads JSON finds one object, whatever went wrong.
    if (*status == bwgemm::tools::badUsage &&
        bwgemm::tools::hasFlag(argc, argv, "--json")) {
      result.status = Status::BadInput;
      result.message = bwgemm::tools::usageError;
      printJson(result);
    }
    return *status;
  }
  try {
    result = run(options);
    if (options.json)
      printJson(result);
    else
      printText(result);
    return bwgemm::tools::flushOutput("bwgemm-runner") ? int(result.status)
                                                       : int(Status::BadInput);
  } catch (const std::exception &failure) {
    // Out of memory, mostly; the standard library has no other way to say so.
    std::fprintf(stderr, "bwgemm-runner: error: %s\n", failure.what());
    return int(Status::BadInput);
  }
}
