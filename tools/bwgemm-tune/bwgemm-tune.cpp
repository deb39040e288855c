//===- bwgemm-tune.cpp - Find the fastest schedules -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceWorkshop.h"

#include <chrono>
#include <cstdio>
#include <exception>

using namespace bwgemm::tune;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int main(int argc, char **argv) {
  Options options;
  if (auto status = parseOptions(argc, argv, options))
    return *status;
  try {
    if (!options.compileTo.empty())
      return compileAll(options);
    DeviceWorkshop workshop(options);
    return Tuner(options, workshop, now).run();
  } catch (const std::exception &failure) {
    // Out of memory, mostly; the standard library has no other way to say so.
    std::fprintf(stderr, "bwgemm-tune: error: %s\n", failure.what());
    return 2;
  }
}
