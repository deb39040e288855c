//===- AsyncQueue.h - Operations in flight ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_ASYNCQUEUE_H
#define BWGEMM_EMULATOR_MACHINE_ASYNCQUEUE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace bwgemm::emulator {

/// Asynchronous operations of one cluster that were issued and have not
/// landed. Issuing and landing are separate events, so that a program that
/// does not wait sees the old contents.
///
/// Operations of one channel land in the order of issue; between channels
/// there is no order. Channel 0 is special: its operations are unordered even
/// among themselves (TMA loads).
class AsyncQueue {
public:
  using Channel = uint64_t;
  static constexpr Channel unordered = 0;

  /// Carries out the effect. Runs on the thread that executes the cluster,
  /// between instructions. Returns false if it failed: the fault has been
  /// recorded then, and the grid stops.
  using Landing = std::function<bool()>;

  /// A channel number not used before.
  Channel newChannel() { return nextChannel++; }

  /// `what` names the operation in hang reports and traces; it must be a
  /// string literal.
  void issue(Channel channel, const char *what, uint32_t line, Landing land);

  bool empty() const { return operations.empty(); }
  size_t size() const { return operations.size(); }

  /// Lands the operation issued first. The queue must not be empty.
  bool landFirst();
  /// Lands one that may land now, chosen by `draw`.
  bool landAny(uint64_t draw);

  void clear() { operations.clear(); }

private:
  struct Operation {
    Channel channel;
    const char *what;
    uint32_t line;
    Landing land;
  };
  bool landAt(size_t index);

  std::deque<Operation> operations;
  Channel nextChannel = 1;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_ASYNCQUEUE_H
