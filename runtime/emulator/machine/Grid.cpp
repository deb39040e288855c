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

bool Grid::launchCluster(Dim3 &index) {
  // Counted first, so that nobody takes the last cluster for launched and ended
  // between its being taken and counted.
  launched.fetch_add(1);
  if (takeCluster(index))
    return true;
  launched.fetch_sub(1);
  return false;
}

void Grid::clusterEnded() {
  lastEnd.store(std::chrono::steady_clock::now().time_since_epoch().count());
  ended.fetch_add(1);
}

bool Grid::letsDependentBegin() const {
  return exhausted() && lettingGo.load() == launched.load();
}

bool Grid::complete() const {
  return exhausted() && ended.load() == launched.load() &&
         (!prerequisite || prerequisite->complete());
}

std::chrono::steady_clock::time_point Grid::endTime() const {
  using Clock = std::chrono::steady_clock;
  return Clock::time_point(Clock::duration(lastEnd.load()));
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
