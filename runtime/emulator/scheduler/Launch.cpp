//===- Launch.cpp - Checks a launch and runs it -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "hazards/HazardChecker.h"
#include "machine/ModuleImpl.h"
#include "profile/Profiler.h"
#include "scheduler/Scheduler.h"

#include <chrono>

namespace bwgemm::emulator {

static std::string text(Dim3 dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" +
         std::to_string(dim.z);
}

static bool same(Dim3 a, Dim3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Says why the launch cannot be, or nothing (CUDA programming guide, limits
/// per compute capability).
static std::string check(const Kernel &kernel, const LaunchConfig &config) {
  const Dim3 &grid = config.grid, &block = config.block,
             &cluster = config.cluster;
  for (const Dim3 &dim : {grid, block, cluster})
    if (dim.x == 0 || dim.y == 0 || dim.z == 0)
      return "expected extents of at least 1, got grid " + text(grid) +
             ", block " + text(block) + ", cluster " + text(cluster);
  if (grid.x > 0x7FFFFFFFu || grid.y > 65535 || grid.z > 65535)
    return "expected a grid of at most 2147483647x65535x65535 CTAs, got " +
           text(grid);
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return "expected a block of at most 1024x1024x64 and 1024 threads, got " +
           text(block);
  if (cluster.x > 16 || cluster.y > 16 || cluster.z > 16 ||
      cluster.count() > 16)
    return "expected a cluster of at most 16 CTAs, got " + text(cluster);
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return "expected a grid that is a multiple of the cluster " +
           text(cluster) + ", got " + text(grid);
  const KernelInfo &info = kernel.info;
  if (info.reqntid && !same(*info.reqntid, block))
    return "expected the block " + text(*info.reqntid) +
           " that .reqntid asks for, got " + text(block);
  if (info.maxntid && block.count() > info.maxntid->count())
    return "expected a block of at most " +
           std::to_string(info.maxntid->count()) +
           " threads as .maxntid says, got " + std::to_string(block.count());
  if (info.reqCluster && !same(*info.reqCluster, cluster))
    return "expected the cluster " + text(*info.reqCluster) +
           " that .reqnctapercluster asks for, got " + text(cluster);
  uint64_t shared = uint64_t(kernel.dynamicSharedOffset) - sharedBase +
                    config.dynamicSharedBytes;
  if (shared > maxSharedBytes)
    return "expected at most " + std::to_string(maxSharedBytes) +
           " bytes of shared memory, got " + std::to_string(shared) + " (" +
           std::to_string(kernel.staticSharedBytes) + " static and " +
           std::to_string(config.dynamicSharedBytes) + " dynamic)";
  if (config.params.size() != info.paramBytes)
    return "expected " + std::to_string(info.paramBytes) +
           " bytes of parameters, got " + std::to_string(config.params.size());
  return "";
}

LaunchReport launch(const Module &module, const KernelInfo &info,
                    const LaunchConfig &config, DeviceMemory &memory,
                    const Options &options) {
  auto start = std::chrono::steady_clock::now();
  LaunchReport report;
  auto refuse = [&](FaultKind kind, std::string message) {
    Fault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    fault.kernel = info.name;
    report.fault = std::move(fault);
  };
  const Kernel *kernel = module.implementation().find(info.name);
  if (!kernel) {
    refuse(FaultKind::Unsupported,
           "the module has no kernel '" + info.name + "'");
    return report;
  }
  std::string problem = check(*kernel, config);
  if (!problem.empty()) {
    refuse(FaultKind::Unsupported, "invalid launch: " + problem);
    return report;
  }
  Grid grid(*kernel, config, memory, options);
  if (!grid.paramBase) {
    refuse(FaultKind::Unsupported, "the host has no memory left for the "
                                   "kernel's parameters");
    return report;
  }
  std::unique_ptr<Profiler> profiler;
  if (Profiler::wanted(options)) {
    profiler = std::make_unique<Profiler>(options, *kernel, config);
    problem = profiler->problem();
    if (!problem.empty()) {
      refuse(FaultKind::Unsupported, problem);
      return report;
    }
    grid.probe = profiler.get();
  }
  HazardChecker checker;
  if (options.hazards)
    grid.observer = &checker;
  Scheduler scheduler(grid);
  scheduler.run();
  report.fault = grid.takeFault();
  report.hazards = grid.takeHazards();
  for (size_t c = 0; c < size_t(Counter::Count_); ++c)
    report.counters[counterName(Counter(c))] =
        scheduler.counters().get(Counter(c));
  if (profiler)
    profiler->finish(report.counters);
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return report;
}

} // namespace bwgemm::emulator
