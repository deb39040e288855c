//===- Measure.h - Time what runs on a GPU ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU's clock follows its temperature and power, so that the same kernel is
// faster after a pause and slower after a busy second. Whoever compares kernels
// has to measure them side by side. This does: contenders take turns in random
// order, each after a pause; buffers rotate, so that inputs come from memory;
// short kernels are replayed from a graph, so that the host's launches do not
// count; and the median of several samples is what counts.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_MEASURE_H
#define BWGEMM_RUNTIME_MEASURE_H

#include "bwgemm-runtime/Driver.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bwgemm::runtime {

/// Something that can be timed.
struct Contender {
  std::string name;
  /// Puts one execution into `stream`, with the buffers of set number `set`.
  /// Must not wait, and may be captured into a graph. Returns an error text.
  std::function<std::string(CUstream stream, unsigned set)> enqueue;
};

/// What was measured of one contender, in microseconds of one execution.
struct Timing {
  double median = 0, least = 0, greatest = 0;
  unsigned samples = 0;
  /// Executions that make up a sample.
  unsigned perSample = 0;
  /// Whether they were replayed from a graph.
  bool graph = false;
};

/// The GPU's clocks while something ran, in MHz; 0 where unknown.
struct ClockRange {
  unsigned least = 0, median = 0, greatest = 0, memory = 0;
  /// What was asked: "" if there was an answer, else why there is none.
  std::string unknown;
};

/// Asks NVIDIA's management library (libnvidia-ml.so.1, opened at run time) for
/// the clocks of a device.
class ClockMeter {
public:
  ClockMeter();
  ~ClockMeter();
  ClockMeter(const ClockMeter &) = delete;
  ClockMeter &operator=(const ClockMeter &) = delete;
  /// Opens the library for the device of `driver`. Without it, `range` says
  /// why.
  void open(const DriverApi &driver);
  /// Notes the clocks of this moment.
  void sample();
  ClockRange range() const;

private:
  struct Library;
  std::unique_ptr<Library> library;
  std::vector<unsigned> clocks;
  unsigned memoryClock = 0;
  std::string problem;
};

struct MeasurePlan {
  /// Sets of buffers that executions take turns with.
  unsigned sets = 1;
  unsigned samples = 7;
  double pauseMilliseconds = 8;
  /// About how long a sample is to be.
  double sampleMilliseconds = 2;
  /// Executions below this are replayed from a graph.
  double graphBelowMicroseconds = 50;
  /// Of the order in which contenders take turns.
  uint64_t seed = 0;
  /// No round of samples begins after so many seconds, but the first; 0 for no
  /// such limit.
  double mostSeconds = 0;
};

/// How many sets of buffers of so many bytes together are larger than the
/// device's L2 cache: 3 to 256, and no more than a quarter of its memory holds.
unsigned setsBeyondCache(const DriverApi &driver, size_t bytesOfSet);

/// Times all contenders. The context must be current. `progress` is called with
/// the part that is done. Returns an error text.
std::string measure(const DriverApi &driver,
                    const std::vector<Contender> &contenders,
                    const MeasurePlan &plan, ClockMeter *clocks,
                    const std::function<void(double)> &progress,
                    std::vector<Timing> &timings);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_MEASURE_H
