//===- Scheduler.cpp - Clusters over host threads ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scheduler/Scheduler.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace bwgemm::emulator {

/// How many clusters a worker starts while earlier ones only wait for other
/// clusters. Together with the hardware's own residency this bounds what a
/// grid-wide barrier may span.
static constexpr size_t maxResident = 512;
/// How long clusters may poll without any progress anywhere in the grid
/// before that is a hang.
static constexpr auto patience = std::chrono::seconds(2);

/// How many clusters of a grid a worker starts before the grid in front has
/// ended, and how many it holds back meanwhile. They take memory, and a few
/// show what many would.
static constexpr size_t maxEarly = 64;
/// How long a worker that can start nothing more waits for the others before
/// it goes on with the clusters that it holds back.
static constexpr auto holdBack = std::chrono::milliseconds(20);

bool Scheduler::stopped() const {
  for (const Grid *grid : grids)
    if (grid->stopped())
      return true;
  return false;
}

bool Scheduler::next(size_t &number, Dim3 &index) {
  for (number = 0; number < grids.size(); ++number) {
    Grid &grid = *grids[number];
    if (grid.prerequisite && !grid.prerequisite->letsDependentBegin())
      return false;
    if (grid.launchCluster(index))
      return true;
  }
  return false;
}

/// One host thread's clusters.
struct Scheduler::Worker {
  using Runs = std::vector<std::unique_ptr<ClusterRun>>;

  explicit Worker(Scheduler &scheduler)
      : scheduler(scheduler), counters(scheduler.grids.size()) {}

  void work();

  Scheduler &scheduler;
  std::vector<CounterSet> counters;
  StoragePool pool;
  /// Clusters that have been started and wait for others, and those that have
  /// let the next grid begin and shall end after it has.
  Runs waiting, heldBack;

private:
  ClusterRun::Result run(ClusterRun &cluster);
  bool runWaiting(size_t &early);
  bool start(size_t grid, Dim3 index);
};

ClusterRun::Result Scheduler::Worker::run(ClusterRun &cluster) {
  ClusterRun::Result result;
  do {
    result = cluster.slice();
    if (result != ClusterRun::Result::Idle &&
        result != ClusterRun::Result::Fault)
      scheduler.progress.fetch_add(1, std::memory_order_relaxed);
  } while (result == ClusterRun::Result::Progress && waiting.empty() &&
           !scheduler.stopped());
  return result;
}

/// Runs each waiting cluster for a while. True if any of them got further;
/// `early` becomes the number of those that wait for the grid in front.
bool Scheduler::Worker::runWaiting(size_t &early) {
  bool moved = false;
  early = 0;
  for (size_t i = 0; i < waiting.size() && !scheduler.stopped();) {
    ClusterRun::Result result = run(*waiting[i]);
    moved |= result != ClusterRun::Result::Idle;
    early += waiting[i]->waitsForGrid();
    if (result == ClusterRun::Result::LetsGo)
      heldBack.push_back(std::move(waiting[i]));
    if (result == ClusterRun::Result::LetsGo ||
        result == ClusterRun::Result::Finished)
      waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(i));
    else
      ++i;
  }
  return moved;
}

/// Launches a cluster. False if that ends the launch.
bool Scheduler::Worker::start(size_t number, Dim3 index) {
  Grid &grid = *scheduler.grids[number];
  auto cluster =
      std::make_unique<ClusterRun>(grid, index, counters[number], pool);
  if (!cluster->valid()) {
    Fault fault;
    fault.kind = FaultKind::Unsupported;
    fault.message = "the host has not enough memory for a CTA's shared "
                    "memory, registers and local memory";
    grid.fail(std::move(fault));
    return false;
  }
  ClusterRun::Result result = run(*cluster);
  switch (result) {
  case ClusterRun::Result::Finished:
  case ClusterRun::Result::Fault:
    return true;
  case ClusterRun::Result::LetsGo:
    heldBack.push_back(std::move(cluster));
    return true;
  case ClusterRun::Result::Idle:
    if (!cluster->polls() && !cluster->waitsForGrid()) {
      // Blocked in its own barriers: no other cluster can help.
      cluster->reportHang();
      return false;
    }
    [[fallthrough]];
  case ClusterRun::Result::Progress:
    waiting.push_back(std::move(cluster));
    return true;
  }
  return true;
}

void Scheduler::Worker::work() {
  uint64_t seen = 0;
  auto lastProgress = std::chrono::steady_clock::now();
  while (!scheduler.stopped()) {
    // Those that wait first: they were started earlier.
    size_t early = 0;
    bool moved = runWaiting(early);
    if (scheduler.stopped())
      break;
    if (moved)
      continue;
    size_t grid;
    Dim3 index;
    if (waiting.size() < maxResident && early < maxEarly &&
        heldBack.size() < maxEarly && scheduler.next(grid, index)) {
      if (!start(grid, index))
        break;
      continue;
    }
    bool noMore = scheduler.grids.back()->exhausted();
    if (noMore && waiting.empty() && heldBack.empty())
      break;
    // Only other workers' clusters can help now.
    uint64_t now = scheduler.progress.load();
    auto time = std::chrono::steady_clock::now();
    if (now != seen) {
      seen = now;
      lastProgress = time;
    }
    if (!heldBack.empty() &&
        (noMore || early >= maxEarly || heldBack.size() >= maxEarly ||
         time - lastProgress > holdBack)) {
      for (auto &cluster : heldBack)
        waiting.push_back(std::move(cluster));
      heldBack.clear();
      continue;
    }
    if (time - lastProgress > patience) {
      // Of those that wait, one that does not wait for another grid.
      ClusterRun *blamed = nullptr;
      for (auto &cluster : waiting)
        if (!blamed || (blamed->waitsForGrid() && !cluster->waitsForGrid()))
          blamed = cluster.get();
      // A worker without clusters leaves it to the one that has some.
      if (blamed) {
        blamed->reportHang();
        break;
      }
    }
    std::this_thread::yield();
  }
  std::lock_guard lock(scheduler.mutex);
  for (size_t i = 0; i < counters.size(); ++i)
    scheduler.total[i].merge(counters[i]);
}

void Scheduler::run() {
  unsigned threads = grids.front()->options.threads;
  if (threads == 0)
    threads = std::thread::hardware_concurrency();
  if (threads == 0)
    threads = 1;
  uint64_t clusters = 0;
  for (const Grid *grid : grids)
    clusters = std::max(clusters, grid->clusterCount().count());
  if (threads > clusters)
    threads = static_cast<unsigned>(clusters);
  if (threads > 256)
    threads = 256;
  auto work = [this] { Worker(*this).work(); };
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
}

} // namespace bwgemm::emulator
