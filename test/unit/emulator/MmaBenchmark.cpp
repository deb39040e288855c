//===- MmaBenchmark.cpp - Rate of the tcgen05.mma kernels -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, per shape, the time of one mma with everything round it (decoding
// the descriptors, packing, multiplying), its rate, and the share of the
// multiplications in the time; then the time of a TMA box.
// Not a test: run it by hand on an idle machine.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"
#include "machine/Tcgen05MmaKernels.h"
#include "machine/Tma.h"

#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

using namespace bwgemm::emulator;

/// Processor time, so that a busy machine disturbs the figures little.
static double now() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// A descriptor of 128-byte swizzled tiles with 64 elements to a row.
static uint64_t descriptor(uint32_t address) {
  return uint64_t(address >> 4) | uint64_t(1024 >> 4) << 32 | 1ull << 46 |
         2ull << 61;
}

/// The time of the multiplications of one mma alone, operands packed.
static double timeArithmetic(uint32_t m, uint32_t n, uint32_t k) {
  TensorMemory tensor;
  alignas(64) static float a[maxPanelFloats], b[maxPanelFloats];
  uint32_t laneOffset[8];
  for (uint32_t group = 0; group < 8; ++group)
    laneOffset[group] = (m == 64 ? 32 : 16) * group % 128;
  PanelMultiply work;
  work.a = a;
  work.b = {b, k, 1};
  work.groups = m / 16;
  work.n = n;
  work.k = k;
  work.d = reinterpret_cast<float *>(tensor.column(0));
  work.dColumnStride = TensorMemory::columnStride;
  work.laneOffset = laneOffset;
  work.accumulate = false;
  unsigned count = 0;
  double start = now(), elapsed = 0;
  do {
    for (unsigned i = 0; i < 256; ++i, ++count)
      mmaKernels().multiply(work);
    work.accumulate = true;
    elapsed = now() - start;
  } while (elapsed < 0.2);
  return elapsed / count;
}

static void timeMma(const SharedWindow &shared, uint32_t m, uint32_t n,
                    bool mnMajorB, unsigned chain,
                    Numerics numerics = Numerics::Fast) {
  TensorMemory tensor;
  uint32_t address = 0;
  std::string error;
  tensor.allocate(256, address, error);
  MmaOperands operands;
  operands.instructionDescriptor = 1u << 4 | 1u << 7 | 1u << 10 |
                                   uint32_t(mnMajorB) << 16 | (n >> 3) << 17 |
                                   (m >> 4) << 24;
  operands.a = descriptor(1024);
  operands.b = descriptor(1024 + 16384);
  if (mnMajorB)
    operands.b |= uint64_t(8192 >> 4) << 16;
  MmaRefusal refusal;
  unsigned count = 0;
  double start = now(), elapsed = 0;
  do {
    for (unsigned i = 0; i < 256; i += chain, count += chain) {
      Mma mmas[maxMmaChain];
      bool good = true;
      for (unsigned c = 0; c < chain; ++c) {
        operands.accumulate = count + c > 0;
        operands.a = (operands.a & ~0x3fffull) | (64 + 2 * ((i + c) & 3));
        good &= Mma::issue(operands, tensor, shared, mmas[c], refusal);
      }
      if (!good ||
          !Mma::landChain(mmas, chain, tensor, shared, numerics, error)) {
        std::printf("failed: %s%s\n", refusal.message.c_str(), error.c_str());
        return;
      }
    }
    elapsed = now() - start;
  } while (elapsed < 0.2);
  double perMma = elapsed / count;
  std::printf("M %3u N %3u K 16 bf16, B %-8s chain %u %7.3f us  %6.1f GFMA/s",
              m, n, mnMajorB ? "MN-major" : "K-major", chain, perMma * 1e6,
              double(m) * n * 16 / perMma * 1e-9);
  if (numerics == Numerics::Exact)
    std::printf("  exact\n");
  else
    std::printf("  arithmetic %3.0f %%\n",
                100 * timeArithmetic(m, n, 16 * chain) / chain / perMma);
}

static void timeTma(const SharedWindow &shared) {
  std::vector<uint16_t> tensor(1024 * 1024);
  TensorMap map;
  map.globalAddress = reinterpret_cast<uint64_t>(tensor.data());
  map.rank = 2;
  map.element = TensorElement::BF16;
  map.swizzle = TensorSwizzle::B128;
  map.dims = {1024, 1024};
  map.strides = {2, 2048};
  map.box = {64, 64};
  map.elementStrides = {1, 1};
  TmaPlan plan;
  TmaTrap trap;
  if (!TmaPlan::make(map, plan, trap))
    return;
  GlobalCheck all{[](void *, uint64_t, uint64_t) { return true; }, nullptr};
  unsigned count = 0;
  double start = now(), elapsed = 0;
  do {
    for (unsigned i = 0; i < 256; ++i, ++count) {
      TmaCoordinates at{int32_t(64 * (i & 15)), int32_t(64 * (i >> 4))};
      if (checkTensorLoad(plan, at, 1024, shared, all, trap))
        tensorLoad(plan, at, 1024, shared);
    }
    elapsed = now() - start;
  } while (elapsed < 0.2);
  std::printf("TMA box 64 x 64 bf16, 128B swizzle  %7.3f us  %6.1f GB/s\n",
              elapsed / count * 1e6, 8192.0 * count / elapsed * 1e-9);
}

int main() {
  std::printf("kernels: %s\n", mmaKernels().name);
  std::vector<std::byte> storage(200 * 1024 + 1024);
  void *aligned = storage.data();
  size_t space = storage.size();
  std::align(1024, 199 * 1024, aligned, space);
  // Numbers from 1 to 2 of both signs, as bf16.
  auto *elements = static_cast<uint16_t *>(aligned);
  for (uint32_t i = 0; i < 199 * 512; ++i)
    elements[i] = uint16_t(0x3f80 | (i * 37 & 0x7f) | (i * 5 & 0x20) << 10);
  SharedWindow shared{static_cast<std::byte *>(aligned), 1024, 200 * 1024};
  for (unsigned chain : {1u, 4u}) {
    for (uint32_t m : {64u, 128u})
      for (uint32_t n : {64u, 128u, 256u})
        timeMma(shared, m, n, false, chain);
    timeMma(shared, 64, 64, true, chain);
    timeMma(shared, 128, 256, true, chain);
  }
  timeMma(shared, 128, 256, false, 1, Numerics::Exact);
  timeTma(shared);
  return 0;
}
