//===- Grid.cpp - One launch ------------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Grid.h"

#include <cstring>
#include <utility>

namespace bwgemm::emulator {

Grid::Grid(const Kernel &kernel, const LaunchConfig &config,
           DeviceMemory &memory, const Options &options)
    : kernel(kernel), config(config), memory(memory), options(options) {
  // At least one byte, so that there is always an address.
  paramBase = memory.allocate(config.params.size() + 1);
  if (paramBase && !config.params.empty())
    std::memcpy(reinterpret_cast<void *>(paramBase), config.params.data(),
                config.params.size());
}

Grid::~Grid() {
  if (paramBase)
    memory.release(paramBase);
}

bool Grid::takeCluster(Dim3 &index) {
  Dim3 count = clusterCount();
  uint64_t total = count.count();
  uint64_t number = nextCluster.load(std::memory_order_relaxed);
  do {
    // Stays at the end: cluster launch control may ask without end.
    if (number >= total)
      return false;
  } while (!nextCluster.compare_exchange_weak(number, number + 1));
  index.x = static_cast<uint32_t>(number % count.x);
  index.y = static_cast<uint32_t>(number / count.x % count.y);
  index.z = static_cast<uint32_t>(number / count.x / count.y);
  return true;
}

void Grid::fail(Fault fault) {
  std::lock_guard lock(mutex);
  if (!firstFault) {
    fault.kernel = kernel.info.name;
    firstFault = std::move(fault);
  }
  stopFlag.store(true, std::memory_order_relaxed);
}

std::optional<Fault> Grid::takeFault() {
  std::lock_guard lock(mutex);
  return std::move(firstFault);
}

void Grid::addHazard(Fault hazard) {
  std::lock_guard lock(mutex);
  hazard.kernel = kernel.info.name;
  hazardList.push_back(std::move(hazard));
}

std::vector<Fault> Grid::takeHazards() {
  std::lock_guard lock(mutex);
  return std::move(hazardList);
}

} // namespace bwgemm::emulator
