//===- Scheduler.h - Clusters, warps and landings ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_SCHEDULER_SCHEDULER_H
#define BWGEMM_EMULATOR_SCHEDULER_SCHEDULER_H

#include "machine/Cta.h"
#include "machine/Grid.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace bwgemm::emulator {

/// Runs one cluster a slice at a time, so that a worker can keep several that
/// wait for each other.
class ClusterRun {
public:
  ClusterRun(Grid &grid, Dim3 index, CounterSet &counters, StoragePool &pool)
      : cluster(grid, index, counters, pool) {}

  enum class Result {
    Finished,
    Progress, ///< There is more to do.
    Idle,     ///< Every warp is blocked or polls, nothing is in flight, and
              ///< nothing changed: only another cluster can help.
    Fault,
  };
  Result slice();
  bool valid() const { return cluster.valid(); }
  /// Records the hang: what every warp waits for or does.
  void
  reportHang(std::string text = "no warp can go on and nothing is in flight");
  /// True if some warp polls, so that another cluster may release it.
  bool polls() const { return sawPolling; }

private:
  bool land();
  Result fair();
  Result random();
  bool runWarp(Warp &warp, uint64_t budget, bool &ran, bool &polled);

  Cluster cluster;
  uint64_t eventsBefore = 0, writesBefore = 0;
  uint64_t executed = 0; ///< Instructions.
  unsigned expirations = 0;
  unsigned idleRounds = 0;
  uint64_t computeRounds = 0;
  bool sawPolling = false;
};

/// Executes all clusters of the grid on the worker threads.
class Scheduler {
public:
  explicit Scheduler(Grid &grid) : grid(grid) {}
  void run();
  const CounterSet &counters() const { return total; }

private:
  void work();

  Grid &grid;
  /// Moves whenever any cluster makes progress.
  std::atomic<uint64_t> progress{0};
  CounterSet total;
  std::mutex mutex;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_SCHEDULER_SCHEDULER_H
