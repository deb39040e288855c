//===- Progress.h - What long runs show on a terminal -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_PROGRESS_H
#define BWGEMM_TOOLS_RUNNER_PROGRESS_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace bwgemm::runner {

/// While it lives, one line on standard error says what is going on, for how
/// long, and how much is done. Nothing is written in the first second, and
/// nothing at all unless standard error is a terminal. Of several at one time,
/// the first one is seen.
class ProgressLine {
public:
  explicit ProgressLine(std::string what);
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine();
  /// The part that is done, 0 to 1.
  void update(double done);

private:
  void show();

  std::string what;
  std::mutex mutex;
  std::condition_variable wake;
  bool finished = false, shown = false;
  double part = -1;
  std::thread thread;
};

/// Ends the process when work on a GPU takes longer than anything that ends:
/// a kernel that waits for ever cannot be stopped in another way.
class Watchdog {
public:
  /// After `seconds`, calls `expired` on a thread of its own; that function
  /// must end the process. 0: never.
  Watchdog(double seconds, std::function<void()> expired);
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;
  ~Watchdog();

private:
  std::mutex mutex;
  std::condition_variable wake;
  bool finished = false;
  std::thread thread;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_PROGRESS_H
