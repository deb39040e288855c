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

#include <algorithm>
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

namespace {

using HostClock = std::chrono::steady_clock;

/// A grid, and what looks on while it runs.
struct Running {
  Running(const Kernel &kernel, const ChainLink &link, DeviceMemory &memory,
          const Options &options)
      : grid(kernel, link.config, memory, options) {
    if (Profiler::wanted(options)) {
      profiler = std::make_unique<Profiler>(options, kernel, link.config);
      grid.probe = profiler.get();
    }
    if (options.hazards)
      grid.observer = &checker;
  }

  Grid grid;
  HazardChecker checker;
  std::unique_ptr<Profiler> profiler;
};

} // namespace

/// Makes the grid of a link. Null if it cannot be, with the reason in `report`.
static std::unique_ptr<Running> prepare(const ChainLink &link,
                                        DeviceMemory &memory,
                                        const Options &options,
                                        LaunchReport &report) {
  auto refuse = [&](std::string message) {
    Fault fault;
    fault.kind = FaultKind::Unsupported;
    fault.message = std::move(message);
    fault.kernel = link.kernel.name;
    report.fault = std::move(fault);
    return nullptr;
  };
  const Kernel *kernel = link.module.implementation().find(link.kernel.name);
  if (!kernel)
    return refuse("the module has no kernel '" + link.kernel.name + "'");
  std::string problem = check(*kernel, link.config);
  if (!problem.empty())
    return refuse("invalid launch: " + problem);
  auto running = std::make_unique<Running>(*kernel, link, memory, options);
  if (!running->grid.paramBase)
    return refuse("the host has no memory left for the kernel's parameters");
  if (running->profiler && !running->profiler->problem().empty())
    return refuse(running->profiler->problem());
  return running;
}

/// Runs grids that may overlap.
static std::vector<LaunchReport>
runTogether(const std::vector<ChainLink> &chain, DeviceMemory &memory,
            const Options &options) {
  auto start = HostClock::now();
  std::vector<LaunchReport> reports;
  std::vector<std::unique_ptr<Running>> running;
  std::vector<Grid *> grids;
  LaunchReport refused;
  for (const ChainLink &link : chain) {
    running.push_back(prepare(link, memory, options, refused));
    if (!running.back()) {
      running.pop_back();
      break;
    }
    Grid &grid = running.back()->grid;
    if (!grids.empty()) {
      grid.prerequisite = grids.back();
      grids.back()->hasDependent = true;
    }
    grids.push_back(&grid);
  }
  if (!grids.empty()) {
    Scheduler scheduler(grids);
    scheduler.run();
    auto from = start;
    for (size_t i = 0; i < grids.size(); ++i) {
      LaunchReport &report = reports.emplace_back();
      report.fault = grids[i]->takeFault();
      report.hazards = grids[i]->takeHazards();
      for (size_t c = 0; c < size_t(Counter::Count_); ++c)
        report.counters[counterName(Counter(c))] =
            scheduler.counters(i).get(Counter(c));
      if (running[i]->profiler)
        running[i]->profiler->finish(report.counters);
      // The time of overlapping grids is shared out, not counted twice.
      auto to = i + 1 == grids.size() ? HostClock::now()
                                      : std::max(from, grids[i]->endTime());
      report.seconds = std::chrono::duration<double>(to - from).count();
      from = to;
    }
  }
  bool failed = false;
  for (const LaunchReport &report : reports)
    failed |= report.fault.has_value();
  if (refused.fault && !failed)
    reports.push_back(std::move(refused));
  return reports;
}

std::vector<LaunchReport> launchChain(const std::vector<ChainLink> &chain,
                                      DeviceMemory &memory,
                                      const Options &options) {
  if (!Profiler::wanted(options))
    return runTogether(chain, memory, options);
  std::vector<LaunchReport> reports;
  for (const ChainLink &link : chain) {
    reports.push_back(
        launch(link.module, link.kernel, link.config, memory, options));
    if (reports.back().fault)
      break;
  }
  return reports;
}

LaunchReport launch(const Module &module, const KernelInfo &info,
                    const LaunchConfig &config, DeviceMemory &memory,
                    const Options &options) {
  return runTogether({{module, info, config}}, memory, options).front();
}

} // namespace bwgemm::emulator
