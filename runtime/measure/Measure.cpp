//===- Measure.cpp - Time what runs on a GPU --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace bwgemm::runtime {

namespace {

constexpr unsigned mostExecutions = 2000;

/// An event that has a time.
class TimedEvent {
public:
  explicit TimedEvent(const DriverApi &driver) : driver(driver) {}
  ~TimedEvent() {
    if (event)
      (void)driver.cuEventDestroy(event);
  }
  TimedEvent(const TimedEvent &) = delete;
  std::string create() {
    return driver.check(driver.cuEventCreate(&event, CU_EVENT_DEFAULT),
                        "cuEventCreate");
  }
  std::string record(CUstream stream) {
    return driver.check(driver.cuEventRecord(event, stream), "cuEventRecord");
  }
  CUevent get() const { return event; }

private:
  const DriverApi &driver;
  CUevent event = nullptr;
};

/// A contender, ready to be sampled.
class Sampler {
public:
  Sampler(const DriverApi &driver, const Contender &contender,
          const MeasurePlan &plan, CUstream stream)
      : driver(driver), contender(contender), plan(plan), stream(stream),
        start(driver), stop(driver) {}
  ~Sampler() {
    if (replay)
      (void)driver.cuGraphExecDestroy(replay);
  }
  Sampler(const Sampler &) = delete;

  std::string prepare();
  /// Microseconds of one execution.
  std::string sample(ClockMeter *clocks, double &time);

  std::vector<double> times;
  unsigned perSample = 1;
  bool isGraph() const { return replay != nullptr; }

private:
  std::string enqueue(unsigned count);
  std::string capture(unsigned count);
  std::string run();
  /// Microseconds that `body` takes in the stream. What `before` does comes
  /// first and does not count: behind it the GPU need not wait for the host.
  template <typename Before, typename Body>
  std::string between(Before before, Body body, ClockMeter *clocks,
                      double &time);

  const DriverApi &driver;
  const Contender &contender;
  const MeasurePlan &plan;
  CUstream stream;
  TimedEvent start, stop;
  CUgraphExec replay = nullptr;
  unsigned next = 0; ///< Set.
};

} // namespace

std::string Sampler::enqueue(unsigned count) {
  std::string error;
  for (unsigned i = 0; i < count && error.empty(); ++i) {
    error = contender.enqueue(stream, next);
    next = (next + 1) % plan.sets;
  }
  return error;
}

std::string Sampler::capture(unsigned count) {
  if (replay)
    (void)driver.cuGraphExecDestroy(replay);
  replay = nullptr;
  std::string error = driver.check(
      driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "cuStreamBeginCapture");
  if (!error.empty())
    return error;
  next = 0;
  error = enqueue(count);
  CUgraph graph = nullptr;
  std::string ended = driver.check(driver.cuStreamEndCapture(stream, &graph),
                                   "cuStreamEndCapture");
  if (error.empty())
    error = ended;
  if (error.empty())
    error = driver.check(driver.cuGraphInstantiate(&replay, graph, 0),
                         "cuGraphInstantiate");
  if (graph)
    (void)driver.cuGraphDestroy(graph);
  perSample = count;
  return error;
}

std::string Sampler::run() {
  return replay ? driver.check(driver.cuGraphLaunch(replay, stream),
                               "cuGraphLaunch")
                : enqueue(perSample);
}

template <typename Before, typename Body>
std::string Sampler::between(Before before, Body body, ClockMeter *clocks,
                             double &time) {
  std::string error = before();
  if (error.empty())
    error = start.record(stream);
  if (error.empty())
    error = body();
  if (error.empty())
    error = stop.record(stream);
  if (!error.empty())
    return error;
  if (clocks)
    clocks->sample();
  error = driver.check(driver.cuEventSynchronize(stop.get()),
                       "waiting for the kernels");
  float milliseconds = 0;
  if (error.empty())
    error = driver.check(
        driver.cuEventElapsedTime(&milliseconds, start.get(), stop.get()),
        "cuEventElapsedTime");
  time = 1e3 * double(milliseconds);
  return error;
}

std::string Sampler::prepare() {
  std::string error = start.create();
  if (error.empty())
    error = stop.create();
  auto nothing = [] { return std::string(); };
  auto once = [&] { return enqueue(1); };
  // The first execution loads the kernel; then two sets, to be warm.
  double ignored;
  if (error.empty())
    error = between(nothing, once, nullptr, ignored);
  double rough = 0;
  constexpr unsigned tries = 4;
  if (error.empty())
    error = between(once, [&] { return enqueue(tries); }, nullptr, rough);
  if (!error.empty())
    return error;
  rough = std::max(rough / tries, 0.5);
  auto count = [&](double time) {
    return unsigned(std::clamp(std::ceil(1e3 * plan.sampleMilliseconds / time),
                               1.0, double(mostExecutions)));
  };
  perSample = count(rough);
  if (rough >= plan.graphBelowMicroseconds)
    return "";
  error = capture(std::max(perSample, plan.sets));
  // The host's launches have made it look slower than it is.
  double time = 0;
  if (error.empty())
    error = between(nothing, [&] { return run(); }, nullptr, time);
  if (error.empty() && time < 500 * plan.sampleMilliseconds)
    error = capture(std::max(count(time / perSample), plan.sets));
  return error;
}

std::string Sampler::sample(ClockMeter *clocks, double &time) {
  std::this_thread::sleep_for(
      std::chrono::duration<double, std::milli>(plan.pauseMilliseconds));
  auto before = [&] { return replay ? run() : enqueue(2); };
  std::string error = between(before, [&] { return run(); }, clocks, time);
  time /= perSample;
  return error;
}

unsigned setsBeyondCache(const DriverApi &driver, size_t bytesOfSet) {
  int cache = 0;
  (void)driver.cuDeviceGetAttribute(&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
                                    driver.device);
  size_t memory = 0;
  (void)driver.cuDeviceTotalMem(&memory, driver.device);
  size_t bytes = std::max<size_t>(bytesOfSet, 1);
  // A set that is in use must not find itself in the cache, nor its neighbour.
  size_t sets = 2 * size_t(std::max(cache, 0)) / bytes + 1;
  sets = std::clamp<size_t>(sets, 3, 256);
  if (memory && sets * bytes > memory / 4)
    sets = std::max<size_t>(memory / 4 / bytes, 1);
  return unsigned(sets);
}

std::string measure(const DriverApi &driver,
                    const std::vector<Contender> &contenders,
                    const MeasurePlan &plan, ClockMeter *clocks,
                    const std::function<void(double)> &progress,
                    std::vector<Timing> &timings) {
  Stream stream;
  std::string error = stream.create(driver);
  std::vector<std::unique_ptr<Sampler>> samplers;
  for (const Contender &contender : contenders) {
    if (!error.empty())
      return error;
    samplers.push_back(
        std::make_unique<Sampler>(driver, contender, plan, stream.get()));
    if (error = samplers.back()->prepare(); !error.empty())
      return contender.name + ": " + error;
  }
  auto begin = std::chrono::steady_clock::now();
  auto isLate = [&] {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    return plan.mostSeconds > 0 && passed.count() > plan.mostSeconds;
  };
  std::mt19937_64 draw(plan.seed);
  std::vector<size_t> order(samplers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (unsigned round = 0; round < plan.samples && (round == 0 || !isLate());
       ++round) {
    std::shuffle(order.begin(), order.end(), draw);
    for (size_t i : order) {
      double time = 0;
      if (error = samplers[i]->sample(clocks, time); !error.empty())
        return contenders[i].name + ": " + error;
      samplers[i]->times.push_back(time);
    }
    if (progress)
      progress(double(round + 1) / plan.samples);
  }
  timings.clear();
  for (const std::unique_ptr<Sampler> &sampler : samplers) {
    std::vector<double> &times = sampler->times;
    std::sort(times.begin(), times.end());
    Timing timing;
    timing.least = times.front();
    timing.greatest = times.back();
    size_t middle = times.size() / 2;
    timing.median = times.size() % 2 ? times[middle]
                                     : (times[middle - 1] + times[middle]) / 2;
    timing.samples = unsigned(times.size());
    timing.perSample = sampler->perSample;
    timing.graph = sampler->isGraph();
    timings.push_back(timing);
  }
  return "";
}

} // namespace bwgemm::runtime
