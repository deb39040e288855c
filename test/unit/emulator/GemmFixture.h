//===- GemmFixture.h - Operands of a GEMM kernel for tests ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of small integers in device memory, their tensor maps, and the
// launch of a kernel with the parameters of tcgen05-gemm-64x64x64.ptx or
// tcgen05-pair-gemm.ptx.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_EMULATOR_GEMMFIXTURE_H
#define BWGEMM_TEST_UNIT_EMULATOR_GEMMFIXTURE_H

#include "Emulator.h"
#include "machine/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

inline bool readFile(const std::string &path, std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return false;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, count);
  std::fclose(file);
  return true;
}

/// D (M x N, f32, rows and columns padded to 64) = A (M x K) * B (N x K)^T, in
/// bf16.
struct GemmFixture {
  bwgemm::emulator::DeviceMemory memory;
  size_t m, n, k, pitch, dRows, dColumns;
  uint64_t a, b, d;

  GemmFixture(size_t m, size_t n, size_t k)
      : m(m), n(n), k(k), pitch((k + 7) / 8 * 8), dRows((m + 63) / 64 * 64),
        dColumns((n + 63) / 64 * 64), a(memory.allocate(m * pitch * 2)),
        b(memory.allocate(n * pitch * 2)),
        d(memory.allocate(dRows * dColumns * 4)) {
    std::mt19937 random(1);
    // Integers up to 4 as bf16: every sum is exact.
    const uint16_t values[] = {0x0000, 0x3f80, 0x4000, 0x4040,
                               0x4080, 0xbf80, 0xc000, 0xc040};
    for (uint64_t matrix : {a, b})
      for (size_t i = 0; i < (matrix == a ? m : n) * pitch; ++i)
        reinterpret_cast<uint16_t *>(matrix)[i] = values[random() % 8];
    std::memset(reinterpret_cast<void *>(d), 0xff, dRows * dColumns * 4);
  }

  bwgemm::emulator::TensorMapWords map(uint64_t address, size_t rows,
                                       uint32_t boxRows = 64) const {
    bwgemm::emulator::TensorMap map;
    map.globalAddress = address;
    map.rank = 2;
    map.element = bwgemm::emulator::TensorElement::BF16;
    map.swizzle = bwgemm::emulator::TensorSwizzle::B128;
    map.dims = {k, rows};
    map.strides = {2, pitch * 2};
    map.box = {64, boxRows};
    map.elementStrides = {1, 1};
    return map.encode();
  }

  /// One CTA, 64 x 64.
  bwgemm::emulator::LaunchReport
  launch(const bwgemm::emulator::Module &module,
         const bwgemm::emulator::Options &options) {
    return launch(module, options,
                  {uint32_t(dColumns / 64), uint32_t(dRows / 64), 1}, {}, 64);
  }
  /// A CTA pair, 256 x 128; D must be a multiple of that.
  bwgemm::emulator::LaunchReport
  launchPairs(const bwgemm::emulator::Module &module,
              const bwgemm::emulator::Options &options) {
    return launch(module, options,
                  {uint32_t(dColumns / 64), uint32_t(dRows / 256), 1},
                  {2, 1, 1}, 128);
  }

  bwgemm::emulator::LaunchReport
  launch(const bwgemm::emulator::Module &module,
         const bwgemm::emulator::Options &options, bwgemm::emulator::Dim3 grid,
         bwgemm::emulator::Dim3 cluster, uint32_t boxRowsOfA) {
    using namespace bwgemm::emulator;
    LaunchConfig config;
    config.grid = grid;
    config.block = {128, 1, 1};
    config.cluster = cluster;
    const KernelInfo *kernel = module.findKernel("gemm");
    if (!kernel)
      return {};
    config.params.resize(kernel->paramBytes);
    TensorMapWords maps[2] = {map(a, m, boxRowsOfA), map(b, n)};
    uint32_t tiles = uint32_t((k + 63) / 64), columns = uint32_t(dColumns);
    const void *values[] = {&maps[0], &maps[1], &d, &tiles, &columns};
    for (size_t i = 0; i < 5; ++i)
      std::memcpy(config.params.data() + kernel->params[i].offset, values[i],
                  kernel->params[i].size);
    return bwgemm::emulator::launch(module, *kernel, config, memory, options);
  }

  static float value(uint64_t matrix, size_t index) {
    uint32_t bits = uint32_t(reinterpret_cast<uint16_t *>(matrix)[index]) << 16;
    float result;
    std::memcpy(&result, &bits, 4);
    return result;
  }

  /// True if D is right; else the first place where it is not.
  bool compare(size_t &row, size_t &column) const {
    const float *result = reinterpret_cast<const float *>(d);
    for (row = 0; row < m; ++row)
      for (column = 0; column < n; ++column) {
        double sum = 0;
        for (size_t i = 0; i < k; ++i)
          sum +=
              double(value(a, row * pitch + i)) * value(b, column * pitch + i);
        if (result[row * dColumns + column] != float(sum))
          return false;
      }
    return true;
  }
};

#endif // BWGEMM_TEST_UNIT_EMULATOR_GEMMFIXTURE_H
