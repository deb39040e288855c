//===- Report.cpp - Messages and timings ----------------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace bwgemm::compile;

static void print(const char *kind, const std::string &message) {
  llvm::errs() << "bwgemm-compile: " << kind << message << '\n';
}

void bwgemm::compile::error(const std::string &message) {
  print("error: ", message);
}

void bwgemm::compile::note(const std::string &message) {
  print("note: ", message);
}

void bwgemm::compile::say(const std::string &message) { print("", message); }

static double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void StageTimes::finish(const std::string &stage) {
  Clock::time_point now = Clock::now();
  stages.push_back({stage, milliseconds(now - last)});
  last = now;
}

void StageTimes::addPart(const std::string &stage, double milliseconds) {
  stages.push_back({"  " + stage, milliseconds});
}

void StageTimes::print() const {
  for (const auto &[stage, time] : stages)
    llvm::errs() << llvm::format("%9.1f ms  ", time) << stage << '\n';
  llvm::errs() << llvm::format("%9.1f ms  ", milliseconds(last - begin))
               << "total, without the start of the process\n";
}
