//===- Parallel.h - Loops over all host cores -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_REFERENCE_PARALLEL_H
#define BWGEMM_RUNTIME_REFERENCE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace bwgemm::runtime {

/// Calls `body(begin, end)` for consecutive pieces of at most `grain` items
/// that together cover [0, count), on all cores. `body` runs concurrently.
template <typename Body>
void parallelFor(size_t count, size_t grain, const Body &body) {
  size_t pieces = (count + grain - 1) / grain;
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t piece; (piece = next.fetch_add(1)) < pieces;)
      body(piece * grain, std::min(count, (piece + 1) * grain));
  };
  size_t workers = std::min<size_t>(
      pieces, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_REFERENCE_PARALLEL_H
