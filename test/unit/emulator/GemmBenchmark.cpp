//===- GemmBenchmark.cpp - Time of a whole emulated GEMM --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GemmBenchmark KERNEL.ptx [SIZE] [OPTIONS]: runs a SIZE^3 GEMM (4096) with
// the emulator options given, and prints the wall time and the counters. Not
// a test: run it by hand on an idle machine.
//
//===----------------------------------------------------------------------===//

#include "GemmFixture.h"

#include <cstdlib>

using namespace bwgemm::emulator;

int main(int argc, char **argv) {
  std::string text, error;
  if (argc < 2 || !readFile(argv[1], text)) {
    std::fprintf(stderr, "usage: %s KERNEL.ptx [SIZE] [OPTIONS]\n", argv[0]);
    return 2;
  }
  size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4096;
  Options options;
  if (argc > 3 && !options.parse(argv[3], error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 2;
  }
  GemmFixture gemm(size, size, size);
  auto module = Module::load(text, argv[1], gemm.memory, error);
  if (!module) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  LaunchReport report = gemm.launch(*module, options);
  if (report.fault) {
    std::fprintf(stderr, "%s\n", report.fault->render().c_str());
    return 3;
  }
  std::printf("%zu^3: %.2f s, %.1f GFMA/s\n", size, report.seconds,
              double(size) * double(size) * double(size) / report.seconds *
                  1e-9);
  for (auto &[name, count] : report.counters)
    if (count)
      std::printf("  %-22s %llu\n", name.c_str(),
                  static_cast<unsigned long long>(count));
  return 0;
}
