//===- Counters.h - What a kernel did ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_COUNTERS_H
#define BWGEMM_EMULATOR_MACHINE_COUNTERS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

/// The counted events; `counterName` gives the key in LaunchReport::counters.
enum class Counter : uint8_t {
  Instructions,      ///< Warp instructions executed.
  Ctas,              ///< CTAs that ran to their end.
  DivergentBranches, ///< Branches that split a fragment.
  GlobalLoads,       ///< Warp-level loads from global memory.
  GlobalStores,
  GlobalBytesLoaded, ///< By ld, all lanes.
  GlobalBytesStored, ///< By st, all lanes.
  SharedLoads,
  SharedStores,
  Atomics,
  BarrierWaits,  ///< Warps that arrived at bar.sync and its kin.
  MBarrierWaits, ///< try_wait and test_wait executed.
  MmaIssued,
  MmaFlops,
  TmaLoads,
  TmaStores,
  TmaBytesLoaded, ///< Received: once in each CTA of a multicast.
  TmaBytesRead,   ///< By loads; a multicast reads once.
  TmaBytesStored,
  TmemAllocations,
  TmemColumnsHighWater, ///< The most columns that any CTA held at a time.
  TmemLoads,
  TmemStores,
  LaunchControlRequests, ///< clusterlaunchcontrol.try_cancel executed.
  ClustersCancelled,     ///< Requests that got a cluster.
  AsyncLanded,           ///< Operations that landed from the AsyncQueue.
  Count_,
};

const char *counterName(Counter counter);

/// One worker's counters; summed at the end of a launch.
class CounterSet {
public:
  void add(Counter counter, uint64_t n = 1) { values[size_t(counter)] += n; }
  uint64_t get(Counter counter) const { return values[size_t(counter)]; }
  /// For counters that hold the most of something.
  void raise(Counter counter, uint64_t n) {
    uint64_t &value = values[size_t(counter)];
    value = n > value ? n : value;
  }
  void merge(const CounterSet &other) {
    for (size_t i = 0; i < values.size(); ++i)
      if (Counter(i) == Counter::TmemColumnsHighWater)
        raise(Counter(i), other.values[i]);
      else
        values[i] += other.values[i];
  }

private:
  std::array<uint64_t, size_t(Counter::Count_)> values{};
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_COUNTERS_H
