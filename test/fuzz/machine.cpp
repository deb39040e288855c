//===- machine.cpp - Fuzzes the execution of PTX ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is PTX text. Its kernels are launched with buffers of a few pages
// behind each parameter, a tensor map where one fits, and a budget of
// instructions; AddressSanitizer guards the buffers. A launch ends with or
// without a fault.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Mutator.h"
#include "machine/TensorMap.h"

#include <cstdlib>
#include <cstring>

using namespace bwgemm;
using namespace bwgemm::emulator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return fuzz::mutatePtx(data, size, maxSize, seed);
}

static constexpr uint64_t bufferBytes = 16384;

static uint64_t makeBuffer(DeviceMemory &memory, uint8_t fill) {
  uint64_t address = memory.allocate(bufferBytes);
  if (!address)
    return 0;
  auto *bytes = reinterpret_cast<uint8_t *>(address);
  for (uint64_t i = 0; i < bufferBytes; ++i)
    bytes[i] = static_cast<uint8_t>(i * fill >> 3);
  return address;
}

/// A map of 64 rows of 64 f16 with a box of `rows` rows.
static TensorMapWords makeMap(uint64_t address, unsigned swizzle) {
  uint64_t dims[2] = {64, 64}, strides[1] = {128};
  uint32_t box[2] = {swizzle == 1 ? 16u : 32u, 8}, steps[2] = {1, 1};
  TiledMapArguments arguments;
  arguments.dataType = 6;
  arguments.rank = 2;
  arguments.globalAddress = address;
  arguments.dims = dims;
  arguments.strides = strides;
  arguments.box = box;
  arguments.elementStrides = steps;
  arguments.swizzle = static_cast<int>(swizzle);
  TensorMapWords words{};
  std::string error;
  encodeTiled(arguments, words, error);
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * 16777619u;
  DeviceMemory memory;
  memory.setCapacity(8 << 20);
  std::string error;
  auto module =
      Module::load(std::string_view(reinterpret_cast<const char *>(data), size),
                   "f.ptx", memory, error);
  if (!module)
    return 0;
  Options options;
  options.threads = 1;
  options.budget = 4000;
  options.hazards = hash & 1;
  options.numerics = hash & 2 ? Numerics::Exact : Numerics::Fast;
  options.schedule = hash & 4 ? WarpOrder::Random : WarpOrder::Fair;
  options.seed = hash;
  unsigned launches = 0;
  for (const KernelInfo &kernel : module->kernels()) {
    if (++launches > 2)
      break;
    LaunchConfig config;
    config.cluster = kernel.reqCluster.value_or(Dim3{hash & 8 ? 2u : 1u, 1, 1});
    config.block = kernel.reqntid.value_or(Dim3{hash & 16 ? 128u : 40u, 1, 1});
    if (config.block.count() > 256 || config.cluster.count() > 4)
      continue;
    config.grid = config.cluster;
    if (hash & 32)
      config.grid.x *= 2;
    config.dynamicSharedBytes = hash & 64 ? 16384 : 0;
    config.stackBytes = 4096;
    if (kernel.paramBytes > 4096)
      continue;
    config.params.resize(kernel.paramBytes);
    for (const ParamInfo &param : kernel.params) {
      uint64_t buffer = makeBuffer(memory, uint8_t(hash >> 8));
      if (param.size >= 128) {
        TensorMapWords map = makeMap(buffer, hash >> 4 & 3);
        std::memcpy(&config.params[param.offset], map.data(), 128);
      } else if (param.size == 8) {
        std::memcpy(&config.params[param.offset], &buffer, 8);
      } else if (param.size) {
        std::memset(&config.params[param.offset], int(hash & 0x1F), param.size);
      }
    }
    launch(*module, kernel, config, memory, options);
  }
  return 0;
}
