//===- Scheduler.cpp - Clusters over host threads ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scheduler/Scheduler.h"

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

void Scheduler::work() {
  CounterSet counters;
  StoragePool pool;
  std::vector<std::unique_ptr<ClusterRun>> waiting;
  bool noMore = false;
  uint64_t seen = 0;
  auto lastProgress = std::chrono::steady_clock::now();

  auto runOne = [&](ClusterRun &run) {
    ClusterRun::Result result;
    do {
      result = run.slice();
      if (result == ClusterRun::Result::Progress ||
          result == ClusterRun::Result::Finished)
        progress.fetch_add(1, std::memory_order_relaxed);
    } while (result == ClusterRun::Result::Progress && waiting.empty());
    return result;
  };

  while (!grid.stopped()) {
    // Those that wait first: they were started earlier.
    bool moved = false;
    for (size_t i = 0; i < waiting.size() && !grid.stopped();) {
      ClusterRun::Result result = runOne(*waiting[i]);
      moved |= result != ClusterRun::Result::Idle;
      if (result == ClusterRun::Result::Finished)
        waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(i));
      else
        ++i;
    }
    if (grid.stopped())
      break;
    if (moved)
      continue;
    Dim3 index;
    if (!noMore && waiting.size() < maxResident && grid.takeCluster(index)) {
      auto run = std::make_unique<ClusterRun>(grid, index, counters, pool);
      if (!run->valid()) {
        Fault fault;
        fault.kind = FaultKind::Unsupported;
        fault.message = "the host has not enough memory for a CTA's shared "
                        "memory, registers and local memory";
        grid.fail(std::move(fault));
        break;
      }
      ClusterRun::Result result = runOne(*run);
      if (result == ClusterRun::Result::Idle && !run->polls()) {
        // Blocked in its own barriers: no other cluster can help.
        run->reportHang();
        break;
      }
      if (result != ClusterRun::Result::Finished &&
          result != ClusterRun::Result::Fault)
        waiting.push_back(std::move(run));
      continue;
    }
    noMore = true;
    if (waiting.empty())
      break;
    // Only other workers' clusters can help now.
    uint64_t now = progress.load();
    auto time = std::chrono::steady_clock::now();
    if (now != seen) {
      seen = now;
      lastProgress = time;
    } else if (time - lastProgress > patience) {
      waiting.front()->reportHang();
      break;
    }
    std::this_thread::yield();
  }
  std::lock_guard lock(mutex);
  total.merge(counters);
}

void Scheduler::run() {
  unsigned threads = grid.options.threads;
  if (threads == 0)
    threads = std::thread::hardware_concurrency();
  if (threads == 0)
    threads = 1;
  uint64_t clusters = grid.clusterCount().count();
  if (threads > clusters)
    threads = static_cast<unsigned>(clusters);
  if (threads > 256)
    threads = 256;
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
  work();
  for (std::thread &worker : workers)
    worker.join();
}

} // namespace bwgemm::emulator
