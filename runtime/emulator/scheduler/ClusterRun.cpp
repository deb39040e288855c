//===- ClusterRun.cpp - Warps and landings of one cluster -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scheduler/Scheduler.h"

#include "instructions/GridDependency.h"
#include "instructions/Tcgen05Support.h"
#include "instructions/WgmmaGroup.h"

#include <cinttypes>
#include <cstdio>

namespace bwgemm::emulator {

/// Instructions of a warp's turn in a fair schedule. Long enough that turns
/// cost nothing, short enough that warps advance together.
static constexpr uint64_t fairBudget = 2048;
/// Rounds in a slice.
static constexpr unsigned roundsPerSlice = 64;
/// How often try_wait may come back false with nothing else happening before
/// that counts as waiting for ever. A loop with a bounded number of tries
/// that is shorter than this ends as it does on the hardware.
static constexpr unsigned maxExpirations = 64;
/// Rounds of a warp that computes and neither stores nor signals before its
/// cluster counts as idle: seconds, far more than any real loop.
static constexpr uint64_t maxComputeRounds = uint64_t(1) << 22;
/// Rounds of nothing but polling before the cluster is called idle.
static constexpr unsigned maxIdleRounds = 1024;

bool ClusterRun::land() {
  bool good = cluster.grid().options.schedule == WarpOrder::Random
                  ? cluster.async.landAny(cluster.random()())
                  : cluster.async.landFirst();
  cluster.counters().add(Counter::AsyncLanded);
  cluster.signal();
  return good && !cluster.grid().stopped();
}

bool ClusterRun::runWarp(Warp &warp, uint64_t budget, bool &ran, bool &polled) {
  CounterSet &counters = cluster.counters();
  uint64_t before = counters.get(Counter::Instructions);
  Warp::RunResult result = warp.run(budget);
  executed += counters.get(Counter::Instructions) - before;
  switch (result) {
  case Warp::RunResult::Fault:
    return false;
  case Warp::RunResult::Blocked:
    return true;
  case Warp::RunResult::Polled:
    polled = true;
    return true;
  case Warp::RunResult::Budget:
  case Warp::RunResult::Finished:
    ran = true;
    return true;
  }
  return true;
}

bool ClusterRun::letGo() {
  if (hasLetGo || !cluster.grid().hasDependent)
    return false;
  for (auto &cta : cluster.ctas())
    if (!cta->letsDependentsBegin && cta->aliveThreads() > 0)
      return false;
  hasLetGo = true;
  cluster.grid().clusterLetsGo();
  return cluster.grid().options.schedule != WarpOrder::Random ||
         cluster.random()() % 2;
}

bool ClusterRun::waitsForGrid() {
  if (prerequisiteEnded || !cluster.grid().prerequisite)
    return false;
  for (auto &cta : cluster.ctas())
    for (auto &warp : cta->warps())
      if (!warp->finished() && waitsForPrerequisite(*warp))
        return true;
  return false;
}

ClusterRun::Result ClusterRun::fair() {
  bool ran = false, polled = false;
  for (auto &cta : cluster.ctas())
    for (auto &warp : cta->warps()) {
      if (warp->finished() || !warp->canRun())
        continue;
      if (!runWarp(*warp, fairBudget, ran, polled))
        return Result::Fault;
      if (letGo())
        return Result::LetsGo;
    }
  sawPolling = polled;
  // What was issued in this round lands after it at the earliest.
  if (!cluster.async.empty() && !land())
    return Result::Fault;
  return ran ? Result::Progress : Result::Idle;
}

/// Draws alone keep all warps close together. Now and then one sleeps for up to
/// a thousand turns, or until nothing else can go on: what nobody makes the
/// others wait for comes out then.
void ClusterRun::findReady(std::vector<Warp *> &ready) {
  constexpr unsigned oneIn = 256, mostDoublings = 10;
  ready.clear();
  bool isSleeperReady = false;
  for (auto &cta : cluster.ctas())
    for (auto &warp : cta->warps())
      if (!warp->finished() && warp->canRun()) {
        if (warp.get() == sleeper)
          isSleeperReady = true;
        else
          ready.push_back(warp.get());
      }
  if (sleeper && --sleepingTurns > 0 &&
      (!ready.empty() || !cluster.async.empty()))
    return;
  if (isSleeperReady)
    ready.push_back(sleeper);
  sleeper = nullptr;
  uint64_t number = cluster.random()();
  if (ready.size() < 2 || number % oneIn)
    return;
  auto chosen = ready.begin() + ptrdiff_t((number >> 32) % ready.size());
  sleeper = *chosen;
  sleepingTurns = 1u << (number >> 16) % (mostDoublings + 1);
  ready.erase(chosen);
}

ClusterRun::Result ClusterRun::random() {
  std::mt19937_64 &draw = cluster.random();
  std::vector<Warp *> ready;
  bool ran = false, polled = false;
  // As many turns as there are warps, so that a round is a round.
  size_t turns = 0;
  for (auto &cta : cluster.ctas())
    turns += cta->warps().size();
  for (size_t turn = 0; turn < turns; ++turn) {
    findReady(ready);
    uint64_t number = draw();
    if (!ready.empty() && !runWarp(*ready[number % ready.size()],
                                   1 + (number >> 32) % 64, ran, polled))
      return Result::Fault;
    if (letGo())
      return Result::LetsGo;
    if (!cluster.async.empty() && (ready.empty() || (number >> 60) < 2) &&
        !land())
      return Result::Fault;
    if (ready.empty() && cluster.async.empty())
      break;
  }
  sawPolling = polled;
  // A warp that the draw has not come to may still be able to run.
  for (auto &cta : cluster.ctas())
    for (auto &warp : cta->warps())
      ran |= !polled && !warp->finished() && warp->canRun();
  return ran || !cluster.async.empty() ? Result::Progress : Result::Idle;
}

ClusterRun::Result ClusterRun::slice() {
  bool isRandom = cluster.grid().options.schedule == WarpOrder::Random;
  const Grid *prerequisite = cluster.grid().prerequisite;
  if (!prerequisiteEnded && prerequisite && prerequisite->complete()) {
    prerequisiteEnded = true;
    cluster.signal();
  }
  for (unsigned round = 0; round < roundsPerSlice; ++round) {
    if (cluster.grid().stopped())
      return Result::Fault;
    Result result = isRandom ? random() : fair();
    if (result == Result::Fault)
      return result;
    if (result == Result::LetsGo && !cluster.finished())
      return result;
    if (cluster.finished()) {
      // Bulk stores and the like complete even if nobody waited for them.
      while (!cluster.async.empty())
        if (!land())
          return Result::Fault;
      for (auto &cta : cluster.ctas())
        if (!checkTensorMemoryFreed(*cta) || !checkWgmmasComplete(*cta))
          return Result::Fault;
      if (cluster.grid().options.hazards)
        for (auto &cta : cluster.ctas())
          reportUnwaitedLoads(*cta);
      cluster.counters().add(Counter::Ctas, cluster.ctas().size());
      if (cluster.grid().kernel.prints)
        cluster.grid().output.finish(cluster.number());
      if (!hasLetGo)
        cluster.grid().clusterLetsGo();
      cluster.grid().clusterEnded();
      return Result::Finished;
    }
    uint64_t most = cluster.grid().options.budget;
    if (most && executed > most) {
      reportHang("the cluster has executed more than " + std::to_string(most) +
                 " instructions (option budget)");
      return Result::Fault;
    }
    bool changed =
        cluster.events() != eventsBefore || cluster.writes() != writesBefore;
    eventsBefore = cluster.events();
    writesBefore = cluster.writes();
    if (changed) {
      expirations = idleRounds = 0;
      computeRounds = 0;
      continue;
    }
    if (!cluster.async.empty())
      continue;
    if (result == Result::Progress && ++computeRounds < maxComputeRounds) {
      continue;
    }
    if (sawPolling) {
      ++idleRounds;
      continue;
    }
    // All are blocked: let try_wait give up, as the hardware does in time.
    if (expirations++ < maxExpirations) {
      bool any = false;
      for (auto &cta : cluster.ctas())
        for (auto &warp : cta->warps())
          any |= warp->expireWaits();
      if (any)
        continue;
    }
    return Result::Idle;
  }
  return idleRounds < maxIdleRounds ? Result::Progress : Result::Idle;
}

//===----------------------------------------------------------------------===//
// Hang report
//===----------------------------------------------------------------------===//

void ClusterRun::reportHang(std::string text) {
  const Instruction *code = cluster.grid().kernel.code.data();
  Fault fault;
  fault.kind = FaultKind::Hang;
  char line[160];
  bool isFirst = true;
  for (auto &cta : cluster.ctas()) {
    Dim3 at = cta->index();
    for (auto &warp : cta->warps()) {
      if (warp->finished()) {
        std::snprintf(line, sizeof(line),
                      "\n  cta (%u,%u,%u) warp %u: all threads have exited",
                      at.x, at.y, at.z, warp->id());
        text += line;
        continue;
      }
      for (const Fragment &fragment : warp->allFragments()) {
        const Instruction &instruction = code[fragment.pc];
        std::snprintf(
            line, sizeof(line),
            "\n  cta (%u,%u,%u) warp %u lanes 0x%08" PRIx32 " line %u: ", at.x,
            at.y, at.z, warp->id(), fragment.mask, instruction.line);
        text += line;
        text +=
            fragment.wait.active()
                ? "waits for " + fragment.wait.describe(*warp, fragment.wait)
                : std::string("polls");
        text += "\n    ";
        text += instruction.text;
        if (isFirst && fragment.wait.active()) {
          isFirst = false;
          fault.line = instruction.line;
          fault.instruction = instruction.text;
          fault.cta = at;
          fault.warp = static_cast<int>(warp->id());
          fault.lane = __builtin_ctz(fragment.mask);
        }
      }
    }
  }
  fault.message = std::move(text);
  cluster.grid().fail(std::move(fault));
}

} // namespace bwgemm::emulator
