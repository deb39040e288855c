//===- ScalarBenchmark.cpp - Rate of ordinary instructions ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bwgemm-scalar-benchmark scalar-mix.ptx [REPETITIONS]: prints how many
// million warp instructions a second one core executes of that kernel, best
// and median of the repetitions, in processor time. Not a test: run it by
// hand.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

using namespace bwgemm::emulator;

/// Processor time of the process, so that a busy machine disturbs little.
static double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

static bool readFile(const char *path, std::string &text) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return false;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, count);
  std::fclose(file);
  return true;
}

int main(int argc, char **argv) {
  std::string text, error;
  if (argc < 2 || !readFile(argv[1], text)) {
    std::fprintf(stderr, "usage: %s scalar-mix.ptx [REPETITIONS]\n", argv[0]);
    return 2;
  }
  int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 9;
  DeviceMemory memory;
  auto module = Module::load(text, argv[1], memory, error);
  if (!module) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  const KernelInfo *kernel = module->findKernel("mix");
  if (!kernel || kernel->params.size() != 3) {
    std::fprintf(stderr, "%s: expected a kernel 'mix' with 3 parameters\n",
                 argv[1]);
    return 1;
  }
  constexpr uint32_t ctas = 64, threads = 128, rounds = 400;
  uint64_t in = memory.allocate(ctas * threads * 4);
  uint64_t out = memory.allocate(ctas * threads * 4);
  for (uint32_t i = 0; i < ctas * threads; ++i)
    reinterpret_cast<float *>(in)[i] = float(i % 17) - 8;
  LaunchConfig config;
  config.grid = {ctas, 1, 1};
  config.block = {threads, 1, 1};
  config.params.resize(kernel->paramBytes);
  const void *values[] = {&in, &out, &rounds};
  for (size_t i = 0; i < 3; ++i)
    std::memcpy(config.params.data() + kernel->params[i].offset, values[i],
                kernel->params[i].size);
  Options options;
  options.threads = 1;
  std::vector<double> rates;
  for (int i = 0; i < repetitions; ++i) {
    double start = now();
    LaunchReport report = launch(*module, *kernel, config, memory, options);
    double elapsed = now() - start;
    if (report.fault) {
      std::fprintf(stderr, "%s\n", report.fault->render().c_str());
      return 3;
    }
    rates.push_back(double(report.counters["instructions"]) / elapsed * 1e-6);
  }
  std::sort(rates.begin(), rates.end());
  std::printf("%.1f M warp instructions/s on one core (median %.1f)\n",
              rates.back(), rates[rates.size() / 2]);
  return 0;
}
