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
#include <mutex>
#include <vector>

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
    LetsGo,   ///< Progress; the next grid may begin as far as this cluster is
              ///< concerned, and the rest of it should come after that.
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
  /// True if some warp waits for the grid in front, which has not ended.
  bool waitsForGrid();

private:
  bool land();
  Result fair();
  Result random();
  bool runWarp(Warp &warp, uint64_t budget, bool &ran, bool &polled);
  /// The warps that a random schedule draws from.
  void findReady(std::vector<Warp *> &ready);
  /// Tells the grid once the cluster lets the next grid begin. True if it is to
  /// be held back.
  bool letGo();

  Cluster cluster;
  bool hasLetGo = false;
  bool prerequisiteEnded = false;
  uint64_t eventsBefore = 0, writesBefore = 0;
  uint64_t executed = 0; ///< Instructions.
  unsigned expirations = 0;
  unsigned idleRounds = 0;
  uint64_t computeRounds = 0;
  bool sawPolling = false;
  /// Of a random schedule: one that comes late, and for how many more turns.
  Warp *sleeper = nullptr;
  unsigned sleepingTurns = 0;
};

/// Executes all clusters of a chain of grids on the worker threads. Each grid
/// but the first may begin once the one in front of it lets it.
class Scheduler {
public:
  explicit Scheduler(std::vector<Grid *> chain)
      : grids(std::move(chain)), total(grids.size()) {}
  void run();
  /// What the grid with this number did.
  const CounterSet &counters(size_t grid) const { return total[grid]; }

private:
  struct Worker;

  bool stopped() const;
  /// The next cluster to launch and the number of its grid; false if none may
  /// be launched now.
  bool next(size_t &grid, Dim3 &index);

  std::vector<Grid *> grids;
  /// Moves whenever any cluster makes progress.
  std::atomic<uint64_t> progress{0};
  std::vector<CounterSet> total;
  std::mutex mutex;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_SCHEDULER_SCHEDULER_H
