//===- Bench.cpp - Time a function ------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "Progress.h"
#include "Session.h"

#include <algorithm>
#include <numeric>

namespace bwgemm::runner {

using namespace bwgemm::runtime;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

size_t bytesOf(const std::vector<Operand> &operands) {
  size_t bytes = 0;
  for (const Operand &operand : operands)
    bytes += operand.before.size();
  return bytes;
}

std::string OperandSets::create(const DriverApi &driver,
                                const std::vector<Operand> &operands,
                                unsigned count) {
  sets.resize(count);
  pointers.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    sets[i].resize(operands.size());
    for (size_t a = 0; a < operands.size(); ++a) {
      std::string error = i ? sets[i][a].createLike(driver, sets[0][a])
                            : sets[i][a].create(driver, operands[a]);
      if (!error.empty())
        return error;
      pointers[i].push_back(sets[i][a].descriptor());
    }
  }
  return "";
}

Contender contenderOf(const Session &session, const OperandSets &sets,
                      std::string name) {
  return {std::move(name), [&](CUstream stream, unsigned set) {
            return session.enqueue(sets.descriptors(set), stream);
          }};
}

//===----------------------------------------------------------------------===//
// Baseline
//===----------------------------------------------------------------------===//

std::unique_ptr<CublasLt::Plan> planBaseline(const Session &session,
                                             const CublasLt &cublas,
                                             const OperandSets &sets,
                                             MatmulEpilogue epilogue,
                                             std::string &error) {
  const std::vector<OperationInfo> &operations = session.function().operations;
  auto refuse = [&](const std::string &why) {
    error = "--baseline=cublas: " + why;
    return nullptr;
  };
  if (operations.size() != 1)
    return refuse("expected a function of one matrix product, got " +
                  std::to_string(operations.size()));
  const OperationInfo &operation = operations.front();
  uint64_t addresses = 256;
  for (const OperandInfo *info : {&operation.a, &operation.b, &operation.d}) {
    if (info->argument < 0)
      return refuse("expected a product of the function's arguments");
    const Operand &operand = session.arguments()[size_t(info->argument)];
    if (operand.shape.size() != 2 || operand.empty() || operand.strides[1] != 1)
      return refuse(
          "expected matrices with elements and contiguous rows, got " +
          operand.text());
    for (unsigned set = 0; set < sets.count(); ++set)
      addresses |= sets.operand(set, size_t(info->argument)).address(operand);
  }
  auto argument = [&](const OperandInfo &info) -> const Operand & {
    return session.arguments()[size_t(info.argument)];
  };
  const Operand &a = argument(operation.a), &b = argument(operation.b),
                &d = argument(operation.d);
  if (operation.a.type != operation.b.type)
    return refuse("expected operands of one type");
  MatmulProblem problem;
  problem.m = d.shape[0];
  problem.n = d.shape[1];
  problem.k = operation.a.transposed ? a.shape[0] : a.shape[1];
  problem.operands = operation.a.type;
  problem.result = d.info.type;
  problem.transposedA = operation.a.transposed;
  problem.transposedB = operation.b.transposed;
  problem.accumulate = operation.accumulate;
  problem.epilogue = epilogue;
  problem.ldA = a.strides[0];
  problem.ldB = b.strides[0];
  problem.ldD = d.strides[0];
  // The lowest bit that any address has.
  std::string reason;
  auto plan = cublas.plan(problem, unsigned(addresses & -addresses), reason);
  return plan ? std::move(plan) : refuse(reason);
}

Contender contenderOf(const Session &session, const OperandSets &sets,
                      const CublasLt::Plan &plan, size_t algorithm) {
  const OperationInfo &operation = session.function().operations.front();
  auto address = [&session, &sets](unsigned set, const OperandInfo &info) {
    size_t argument = size_t(info.argument);
    return sets.operand(set, argument).address(session.arguments()[argument]);
  };
  const std::vector<Operand> &arguments = session.arguments();
  auto vector = std::find_if(
      arguments.begin(), arguments.end(),
      [](const Operand &operand) { return operand.shape.size() == 1; });
  OperandInfo bias = operation.d;
  if (vector != arguments.end())
    bias.argument = vector - arguments.begin();
  return {"cuBLASLt", [=, &operation, &plan](CUstream stream, unsigned set) {
            return plan.enqueue(
                algorithm, address(set, operation.a), address(set, operation.b),
                address(set, operation.d), address(set, bias), stream);
          }};
}

std::string chooseAlgorithms(const Session &session, const OperandSets &sets,
                             const CublasLt::Plan &plan,
                             const MeasurePlan &measurePlan,
                             std::vector<size_t> &algorithms) {
  constexpr size_t kept = 3;
  algorithms.resize(plan.algorithms());
  std::iota(algorithms.begin(), algorithms.end(), size_t(0));
  if (algorithms.size() <= kept)
    return "";
  std::vector<Contender> all;
  for (size_t algorithm : algorithms)
    all.push_back(contenderOf(session, sets, plan, algorithm));
  MeasurePlan quick = measurePlan;
  quick.samples = 3;
  std::vector<Timing> timings;
  if (std::string error =
          measure(session.driver(), all, quick, nullptr, nullptr, timings);
      !error.empty())
    return error;
  std::sort(algorithms.begin(), algorithms.end(), [&](size_t x, size_t y) {
    return timings[x].median < timings[y].median;
  });
  algorithms.resize(kept);
  return "";
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// On the emulator, whose times say how long emulating takes.
static std::string benchCalls(Session &session, unsigned calls,
                              const std::function<void(double)> &progress,
                              BenchResult &result) {
  OperandSets sets;
  std::string error =
      sets.create(session.driver(), session.arguments(), /*count=*/1);
  if (!error.empty())
    return error;
  std::vector<double> times;
  for (unsigned i = 0; i < calls; ++i) {
    double milliseconds = session.callOnce(sets.descriptors(0));
    if (milliseconds < 0)
      return ""; // It is in the session's result.
    times.push_back(milliseconds);
    progress(double(i + 1) / calls);
  }
  std::sort(times.begin(), times.end());
  result.repetitions = calls;
  result.rotation = 1;
  result.least = times.front();
  result.greatest = times.back();
  size_t middle = times.size() / 2;
  result.median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  result.done = true;
  return "";
}

static std::string benchOnGpu(Session &session, const Options &options,
                              const std::function<void(double)> &progress,
                              BenchResult &result) {
  const DriverApi &driver = session.driver();
  MeasurePlan plan;
  plan.sets = setsBeyondCache(driver, bytesOf(session.arguments()));
  plan.samples = options.repetitions ? options.repetitions : 9;
  plan.seed = options.contents.seed;
  OperandSets sets;
  std::string error = sets.create(driver, session.arguments(), plan.sets);
  if (!error.empty())
    return error;
  std::vector<Contender> contenders = {
      contenderOf(session, sets, session.function().name)};
  std::unique_ptr<CublasLt::Plan> baseline;
  if (session.baseline()) {
    baseline = planBaseline(session, *session.baseline(), sets,
                            MatmulEpilogue::None, error);
    if (!baseline)
      return error;
    std::vector<size_t> algorithms;
    if (error = chooseAlgorithms(session, sets, *baseline, plan, algorithms);
        !error.empty())
      return error;
    for (size_t algorithm : algorithms)
      contenders.push_back(contenderOf(session, sets, *baseline, algorithm));
  }
  ClockMeter clocks;
  clocks.open(driver);
  std::vector<Timing> timings;
  if (error = measure(driver, contenders, plan, &clocks, progress, timings);
      !error.empty())
    return error;
  const Timing &own = timings.front();
  result.repetitions = own.samples;
  result.rotation = plan.sets;
  result.median = own.median / 1e3;
  result.least = own.least / 1e3;
  result.greatest = own.greatest / 1e3;
  result.perSample = own.perSample;
  result.graph = own.graph;
  result.clocks = clocks.range();
  result.done = true;
  if (!baseline)
    return "";
  const Timing &best = *std::min_element(
      timings.begin() + 1, timings.end(),
      [](const Timing &x, const Timing &y) { return x.median < y.median; });
  result.baseline.library = session.baseline()->describe();
  result.baseline.algorithms = baseline->algorithms();
  result.baseline.median = best.median / 1e3;
  result.baseline.least = best.least / 1e3;
  result.baseline.greatest = best.greatest / 1e3;
  result.baseline.done = true;
  return "";
}

std::string bench(Session &session, const Options &options,
                  const std::function<void(double)> &progress,
                  BenchResult &result) {
  if (session.driver().emulated)
    return benchCalls(session, options.repetitions ? options.repetitions : 3,
                      progress, result);
  Watchdog watchdog(hangSeconds, [&] {
    session.expire("timing has not ended", hangSeconds);
  });
  return benchOnGpu(session, options, progress, result);
}

} // namespace bwgemm::runner
