//===- Progress.cpp - What long runs show on a terminal ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace bwgemm::runner {

/// How many there are; the first has the line.
static std::atomic<unsigned> lines{0};

ProgressLine::ProgressLine(std::string text) : what(std::move(text)) {
  if (lines.fetch_add(1) == 0 && isatty(STDERR_FILENO))
    thread = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  lines.fetch_sub(1);
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  wake.notify_all();
  thread.join();
  if (shown)
    std::fputs("\r\033[K", stderr);
}

void ProgressLine::update(double done) {
  std::lock_guard<std::mutex> lock(mutex);
  part = done;
}

void ProgressLine::show() {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  while (!wake.wait_for(lock, std::chrono::seconds(1),
                        [this] { return finished; })) {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (part >= 0)
      std::fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s", what.c_str(),
                   100 * part, seconds);
    else
      std::fprintf(stderr, "\r\033[K%s: %.0f s", what.c_str(), seconds);
    std::fflush(stderr);
    shown = true;
  }
}

Watchdog::Watchdog(double seconds, std::function<void()> expired) {
  // The clock counts nanoseconds in 64 bits: what it cannot count never ends.
  if (!(seconds > 0 && seconds < 1e9))
    return;
  thread = std::thread([this, seconds, expired = std::move(expired)] {
    std::unique_lock<std::mutex> lock(mutex);
    if (!wake.wait_for(lock, std::chrono::duration<double>(seconds),
                       [this] { return finished; }))
      expired();
  });
}

Watchdog::~Watchdog() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  wake.notify_all();
  thread.join();
}

} // namespace bwgemm::runner
