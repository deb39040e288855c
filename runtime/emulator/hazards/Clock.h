//===- Clock.h - Vector clocks ----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_HAZARDS_CLOCK_H
#define BWGEMM_EMULATOR_HAZARDS_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bwgemm::emulator {

/// Of each actor, the time up to which its actions have happened before.
/// Actors are numbered from 0; one that is not mentioned is at 0, and the first
/// action of any is at 1.
class Clock {
public:
  bool covers(uint32_t actor, uint32_t time) const {
    return actor < times.size() && times[actor] >= time;
  }
  void raise(uint32_t actor, uint32_t time) {
    if (actor >= times.size())
      times.resize(actor + 1);
    times[actor] = std::max(times[actor], time);
  }
  /// The later of both, of the actors from `first` on.
  void join(const Clock &other, size_t first = 0) {
    if (other.times.size() > times.size())
      times.resize(other.times.size());
    for (size_t a = first; a < other.times.size(); ++a)
      times[a] = std::max(times[a], other.times[a]);
  }
  void clear() { times.clear(); }

private:
  std::vector<uint32_t> times;
};

/// What a warp knows to have happened before, and what it tells others by a
/// barrier.
struct Knowledge {
  /// By barriers and fences that order ordinary accesses.
  Clock seen;
  /// Of that, what a fence.proxy.async has brought to the async proxy.
  Clock proxied;
  /// In whatever way: also by an arrival with too narrow a scope, or because
  /// an asynchronous operation completed that was issued behind it. What is
  /// known so may be overwritten, but not read with ordinary loads.
  Clock weak;
  /// Of tensor memory, with the tcgen05.fence that belongs to it.
  Clock tensor;

  /// All but `tensor`, which has fences of its own.
  void joinOrdinary(const Knowledge &other) {
    seen.join(other.seen);
    proxied.join(other.proxied);
    weak.join(other.weak);
  }
  void join(const Knowledge &other) {
    joinOrdinary(other);
    tensor.join(other.tensor);
  }
  /// The same, of the actors from `first` on; of the others weakly.
  void joinWeakly(const Knowledge &other, size_t first) {
    seen.join(other.seen, first);
    proxied.join(other.proxied, first);
    weak.join(other.weak);
  }
  /// An action of an asynchronous actor has completed.
  void complete(uint32_t actor, uint32_t time) {
    seen.raise(actor, time);
    weak.raise(actor, time);
  }
  void clear() {
    seen.clear();
    proxied.clear();
    weak.clear();
    tensor.clear();
  }
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_HAZARDS_CLOCK_H
