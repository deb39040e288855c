//===- bwgemm-runner.cpp - Run what bwgemm-compile made ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include <cstdio>
#include <exception>

using namespace bwgemm::runner;

int main(int argc, char **argv) {
  Options options;
  if (auto status = parseOptions(argc, argv, options))
    return *status;
  try {
    RunResult result = run(options);
    if (options.json)
      printJson(result);
    else
      printText(result);
    return int(result.status);
  } catch (const std::exception &failure) {
    // Out of memory, mostly; the standard library has no other way to say so.
    std::fprintf(stderr, "bwgemm-runner: error: %s\n", failure.what());
    return int(Status::BadInput);
  }
}
