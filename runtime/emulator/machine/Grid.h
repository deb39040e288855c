//===- Grid.h - One launch --------------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_GRID_H
#define BWGEMM_EMULATOR_MACHINE_GRID_H

#include "Emulator.h"
#include "machine/Counters.h"
#include "machine/Kernel.h"
#include "machine/Printf.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>

namespace bwgemm::emulator {

class Observer;
class Probe;

/// What all clusters of a launch share. Thread safe where it can change.
class Grid {
public:
  Grid(const Kernel &kernel, const LaunchConfig &config, DeviceMemory &memory,
       const Options &options);
  ~Grid();

  const Kernel &kernel;
  const LaunchConfig &config;
  DeviceMemory &memory;
  const Options &options;
  /// Device address of the kernel's parameters (a copy).
  uint64_t paramBase = 0;
  /// Null unless hazards are checked.
  Observer *observer = nullptr;
  /// Null unless instructions are traced or counted one by one.
  Probe *probe = nullptr;

  /// How many clusters the grid has along each axis.
  Dim3 clusterCount() const {
    const Dim3 &g = config.grid, &c = config.cluster;
    return {g.x / c.x, g.y / c.y, g.z / c.z};
  }
  /// Takes the next cluster that has neither been launched nor cancelled, and
  /// says its %clusterid; false if there is none left. Every cluster is given
  /// out once, to whoever launches it or to cluster launch control.
  bool takeCluster(Dim3 &index);

  //===--- Programmatic dependent launch ---===//

  /// The grid in front in the stream, if this one may begin before that has
  /// ended; else null.
  const Grid *prerequisite = nullptr;
  /// Whether this is another grid's prerequisite.
  bool hasDependent = false;

  /// As takeCluster, for a cluster that will be launched: clusterLetsGo and
  /// clusterEnded are called for it, once each.
  bool launchCluster(Dim3 &index);
  /// Each CTA of a cluster has executed griddepcontrol.launch_dependents or has
  /// ended.
  void clusterLetsGo() { lettingGo.fetch_add(1); }
  void clusterEnded();
  /// Whether there is no cluster left to launch.
  bool exhausted() const {
    return nextCluster.load() >= clusterCount().count();
  }
  /// Whether the dependent grid may begin.
  bool letsDependentBegin() const;
  /// Whether this grid and those in front of it have ended.
  bool complete() const;
  /// When the last cluster ended; nothing if none has.
  std::chrono::steady_clock::time_point endTime() const;

  /// Keeps the first fault and stops the grid.
  void fail(Fault fault);
  bool stopped() const { return stopFlag.load(std::memory_order_relaxed); }
  std::optional<Fault> takeFault();
  void addHazard(Fault hazard);
  std::vector<Fault> takeHazards();

  /// What kernels print.
  PrintStream output;

private:
  std::atomic<uint64_t> nextCluster{0};
  /// Clusters that are or will be launched, as far as is known; never fewer
  /// than there are.
  std::atomic<uint64_t> launched{0};
  std::atomic<uint64_t> lettingGo{0}, ended{0};
  std::atomic<std::chrono::steady_clock::rep> lastEnd{0};
  std::atomic<bool> stopFlag{false};
  std::mutex mutex;
  std::optional<Fault> firstFault;
  std::vector<Fault> hazardList;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_GRID_H
