//===- Counters.cpp - What a kernel did -------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Counters.h"

#include "Emulator.h"

#include <algorithm>

namespace bwgemm::emulator {

const char *counterName(Counter counter) {
  static const char *const names[] = {
      "instructions",
      "ctas",
      "divergent_branches",
      "global_loads",
      "global_stores",
      "global_bytes_loaded",
      "global_bytes_stored",
      "shared_loads",
      "shared_stores",
      "atomics",
      "barrier_waits",
      "mbarrier_waits",
      "mma_issued",
      "mma_flops",
      "tma_loads",
      "tma_stores",
      "tma_bytes_loaded",
      "tma_bytes_read",
      "tma_bytes_stored",
      "tmem_allocations",
      "tmem_columns_high_water",
      "tmem_loads",
      "tmem_stores",
      "launch_control_requests",
      "clusters_cancelled",
      "async_landed",
  };
  static_assert(sizeof(names) / sizeof(names[0]) == size_t(Counter::Count_));
  return names[size_t(counter)];
}

void addCounters(Counters &sum, const Counters &more) {
  for (const auto &[name, value] : more) {
    uint64_t &total = sum[name];
    if (name == counterName(Counter::TmemColumnsHighWater))
      total = std::max(total, value);
    else
      total += value;
  }
}

} // namespace bwgemm::emulator
