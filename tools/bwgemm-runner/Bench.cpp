//===- Bench.cpp - Time a function ------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <algorithm>
#include <cmath>

namespace bwgemm::runner {
namespace {

/// Bytes of arguments that do not fit into any GPU's L2 cache (the largest have
/// about 128 MB).
constexpr size_t coldBytes = size_t(512) << 20;
constexpr unsigned maxRotation = 16;

} // namespace

std::string bench(const runtime::DriverApi &driver,
                  const std::vector<Operand> &operands, unsigned repetitions,
                  const TimedCall &call,
                  const std::function<void(double)> &progress,
                  BenchResult &result) {
  size_t bytes = 1;
  for (const Operand &operand : operands)
    bytes += operand.before.size();
  result.rotation =
      driver.emulated
          ? 1
          : unsigned(std::clamp<size_t>(coldBytes / bytes + 1, 2, maxRotation));
  std::vector<std::vector<DeviceOperand>> sets(result.rotation);
  std::vector<std::vector<void *>> descriptors(result.rotation);
  std::string error;
  double warmest = 0;
  for (unsigned i = 0; i < result.rotation; ++i) {
    sets[i].resize(operands.size());
    for (size_t a = 0; a < operands.size(); ++a) {
      if (error = sets[i][a].create(driver, operands[a]); !error.empty())
        return error;
      descriptors[i].push_back(sets[i][a].descriptor());
    }
    warmest = call(descriptors[i], error);
    if (!error.empty())
      return error;
  }
  if (repetitions == 0)
    repetitions =
        driver.emulated
            ? 3
            : unsigned(std::clamp(1000 / std::max(warmest, 1e-3), 5.0, 1000.0));
  std::vector<double> times;
  for (unsigned i = 0; i < repetitions; ++i) {
    times.push_back(call(descriptors[i % result.rotation], error));
    if (!error.empty())
      return error;
    if (progress)
      progress(double(i + 1) / repetitions);
  }
  std::sort(times.begin(), times.end());
  result.repetitions = repetitions;
  result.least = times.front();
  result.greatest = times.back();
  size_t middle = times.size() / 2;
  result.median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  result.done = true;
  return "";
}

} // namespace bwgemm::runner
