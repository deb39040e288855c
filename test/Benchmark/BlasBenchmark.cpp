//===- BlasBenchmark.cpp - The emulator beside OpenBLAS ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bwgemm-blas-benchmark LIBRARY.so [REPETITIONS] [OPENBLAS.so | none]
//
// Times a library that bwgemm-compile made of examples/matmul-4096.mlir, on
// the emulator, beside OpenBLAS's sgemm of the same size on the same cores:
// the two take turns, and each turn's wall time and processor time are
// printed, then the best of each and their ratio. Results are compared, so
// that what is timed is right. Not a test: run it by hand; docs/
// EmulationTime.md says how.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static constexpr int64_t size = 4096;

namespace {
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
using Matmul = void (*)(Matrix *, Matrix *, Matrix *);
/// cblas_sgemm: 101 is row-major; 111 and 112 are not and are transposed.
using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                       const float *, int, float, float *, int);

struct Times {
  double wall = 1e30, processor = 1e30;
};
} // namespace

static double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <class Body> static Times measure(Body body) {
  double wall = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
  body();
  return {now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - used};
}

static void keepBest(Times &best, const Times &times) {
  best.wall = std::min(best.wall, times.wall);
  best.processor = std::min(best.processor, times.processor);
}

static Sgemm openBlas(const char *path) {
  for (const char *name : {path, "libopenblas.so.0", "libopenblas.so"})
    if (name)
      if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
        if (void *function = dlsym(library, "cblas_sgemm"))
          return reinterpret_cast<Sgemm>(function);
  return nullptr;
}

static void sgemm(Sgemm function, const std::vector<float> &a,
                  const std::vector<float> &b, std::vector<float> &d) {
  function(101, 111, 112, size, size, size, 1, a.data(), size, b.data(), size,
           0, d.data(), size);
}

/// The fastest of OpenBLAS's kernels here; it chooses them when it is loaded,
/// so that each is tried in a process of its own.
static std::string bestCore(const char *path, const std::vector<float> &a,
                            const std::vector<float> &b,
                            std::vector<float> &d) {
  std::string best;
  double bestTime = 1e30;
  for (const char *core : {"SKYLAKEX", "HASWELL", "ZEN"}) {
    int ends[2];
    if (pipe(ends) != 0)
      return best;
    pid_t child = fork();
    if (child == 0) {
      setenv("OPENBLAS_CORETYPE", core, 1);
      Times times;
      if (Sgemm function = openBlas(path))
        for (int i = 0; i < 3; ++i)
          keepBest(times, measure([&] { sgemm(function, a, b, d); }));
      bool written = write(ends[1], &times.processor, 8) == 8;
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    double time = 1e30;
    if (child > 0) {
      if (read(ends[0], &time, 8) != 8)
        time = 1e30;
      waitpid(child, nullptr, 0);
    }
    close(ends[0]);
    if (time < bestTime) {
      bestTime = time;
      best = core;
    }
  }
  return best;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: %s LIBRARY.so [REPETITIONS] [OPENBLAS.so | none]\n",
                 argv[0]);
    return 2;
  }
  int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const char *blasPath = argc > 3 ? argv[3] : nullptr;
  setenv("BWGEMM_DRIVER", "emulator", 0);

  std::vector<float> a(size * size), b(size * size), expected(size * size);
  std::vector<float> d(size * size);
  std::vector<uint16_t> aBits(size * size), bBits(size * size);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  auto fill = [&](std::vector<float> &values, std::vector<uint16_t> &bits) {
    for (size_t i = 0; i < values.size(); ++i) {
      float value = normal(random);
      uint32_t word;
      std::memcpy(&word, &value, 4);
      bits[i] = uint16_t(word >> 16);
      word &= 0xffff0000u;
      std::memcpy(&values[i], &word, 4);
    }
  };
  fill(a, aBits);
  fill(b, bBits);

  bool alone = blasPath && std::strcmp(blasPath, "none") == 0;
  std::string core;
  if (!alone)
    core = bestCore(blasPath, a, b, expected);
  if (!core.empty())
    setenv("OPENBLAS_CORETYPE", core.c_str(), 1);
  Sgemm blas = alone ? nullptr : openBlas(blasPath);
  if (!blas && !alone)
    std::fprintf(stderr, "no libopenblas.so.0 was found; the emulator alone\n");
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto matmul = reinterpret_cast<Matmul>(dlsym(library, "_mlir_ciface_matmul"));
  if (!matmul) {
    std::fprintf(stderr, "%s: expected a function matmul\n", argv[1]);
    return 2;
  }
  auto matrix = [](void *data) {
    return Matrix{data, data, 0, {size, size}, {size, 1}};
  };
  Matrix matrixA = matrix(aBits.data()), matrixB = matrix(bBits.data()),
         matrixD = matrix(d.data());

  Times bestBlas, bestEmulator;
  for (int i = 0; i < repetitions; ++i) {
    if (blas) {
      Times times = measure([&] { sgemm(blas, a, b, expected); });
      keepBest(bestBlas, times);
      std::printf("OpenBLAS %-8s  wall %6.3f s  processor %6.3f s\n",
                  core.c_str(), times.wall, times.processor);
    }
    Times times = measure([&] { matmul(&matrixA, &matrixB, &matrixD); });
    keepBest(bestEmulator, times);
    std::printf("emulator           wall %6.3f s  processor %6.3f s\n",
                times.wall, times.processor);
    std::fflush(stdout);
  }
  if (!blas)
    return 0;
  double worst = 0;
  for (size_t i = 0; i < d.size(); ++i)
    worst = std::max(worst, double(std::fabs(d[i] - expected[i])));
  // Each sum has 4096 terms of about 1.
  if (!(worst < 0.05)) {
    std::fprintf(stderr, "the results differ by %g\n", worst);
    return 1;
  }
  std::printf("best of %d: the emulator takes %.2f times as long as OpenBLAS "
              "in wall time, %.2f in processor time\n",
              repetitions, bestEmulator.wall / bestBlas.wall,
              bestEmulator.processor / bestBlas.processor);
  return 0;
}
