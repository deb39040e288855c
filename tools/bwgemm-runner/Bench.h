//===- Bench.h - Time a function --------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_BENCH_H
#define BWGEMM_TOOLS_RUNNER_BENCH_H

#include "Operands.h"

#include "bwgemm-runtime/CublasLt.h"
#include "bwgemm-runtime/Measure.h"

#include <functional>
#include <string>
#include <vector>

namespace bwgemm::runner {

class Session;
struct Options;

/// Seconds after which timing a function on a GPU counts as hung; it takes a
/// few.
constexpr double hangSeconds = 300;

/// Copies of a function's arguments in device memory that executions take turns
/// with.
class OperandSets {
public:
  /// Makes `count` sets. Returns an error text.
  std::string create(const runtime::DriverApi &driver,
                     const std::vector<Operand> &operands, unsigned count);
  unsigned count() const { return unsigned(sets.size()); }
  const std::vector<void *> &descriptors(unsigned set) const {
    return pointers[set];
  }
  const DeviceOperand &operand(unsigned set, size_t argument) const {
    return sets[set][argument];
  }

private:
  std::vector<std::vector<DeviceOperand>> sets;
  std::vector<std::vector<void *>> pointers;
};

/// Bytes of one set.
size_t bytesOf(const std::vector<Operand> &operands);

/// cuBLASLt's plan for the one operation of a session's function, on its
/// arguments, with this epilogue. Null, with the reason in `error`, if there is
/// none.
std::unique_ptr<runtime::CublasLt::Plan>
planBaseline(const Session &session, const runtime::CublasLt &cublas,
             const OperandSets &sets, runtime::MatmulEpilogue epilogue,
             std::string &error);

/// What executes the session's function, and what executes one of a plan's
/// algorithms, on the same sets. The bias of an epilogue is the argument that
/// is a vector, if there is one. All are referred to.
runtime::Contender contenderOf(const Session &session, const OperandSets &sets,
                               std::string name);
runtime::Contender contenderOf(const Session &session, const OperandSets &sets,
                               const runtime::CublasLt::Plan &plan,
                               size_t algorithm);

/// The algorithms that come close to the plan's fastest, by a short measurement
/// of all of them. Returns an error text.
std::string chooseAlgorithms(const Session &session, const OperandSets &sets,
                             const runtime::CublasLt::Plan &plan,
                             const runtime::MeasurePlan &measurePlan,
                             std::vector<size_t> &algorithms);

struct BenchResult {
  bool done = false;
  /// Samples, or calls on the emulator.
  unsigned repetitions = 0;
  /// Sets of arguments that executions took turns with.
  unsigned rotation = 0;
  /// Milliseconds of an execution.
  double median = 0, least = 0, greatest = 0;
  /// On a GPU: executions in a sample, and whether from a graph.
  unsigned perSample = 0;
  bool graph = false;
  runtime::ClockRange clocks;

  struct Baseline {
    bool done = false;
    /// Version and file.
    std::string library;
    /// How many the heuristics named; the best one counts.
    size_t algorithms = 0;
    double median = 0, least = 0, greatest = 0;
  } baseline;
};

/// Times the session's function. On a GPU: events around executions in a
/// stream, all kernels of the function included, side by side with the baseline
/// (see Measure.h). On the emulator: three calls. Returns an error text.
std::string bench(Session &session, const Options &options,
                  const std::function<void(double)> &progress,
                  BenchResult &result);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_BENCH_H
