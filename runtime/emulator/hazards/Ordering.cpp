//===- Ordering.cpp - Who knows what ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hazards/Ordering.h"

#include "hazards/HazardChecker.h"
#include "machine/Poison.h"

#include <algorithm>
#include <cstdio>

namespace bwgemm::emulator {

Ordering *orderingOf(Cluster &cluster) {
  if (!cluster.grid().observer)
    return nullptr;
  Ordering &ordering = cluster.extension<Ordering>();
  if (!ordering.hasStarted())
    ordering.start(cluster);
  return &ordering;
}

static bool has(const Instruction &instruction, std::string_view part) {
  return instruction.text.find(part) != std::string_view::npos;
}

/// Of an ld, st, atom or red; 0 if it is weak.
static uint8_t semanticsOfText(const Instruction &instruction) {
  std::string_view text = instruction.text;
  if (!text.empty() && text[0] == '@')
    text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  bool isAtomic = text.substr(0, 4) == "atom" || text.substr(0, 4) == "red.";
  bool both = has(instruction, ".acq_rel");
  uint8_t semantics = 0;
  if (both || has(instruction, ".acquire"))
    semantics |= GridFacts::Strong | GridFacts::Acquires;
  if (both || has(instruction, ".release"))
    semantics |= GridFacts::Strong | GridFacts::Releases;
  if (isAtomic || has(instruction, ".relaxed") ||
      has(instruction, ".volatile") || has(instruction, ".mmio"))
    semantics |= GridFacts::Strong;
  return semantics;
}

void GridFacts::look(const Kernel &kernel) {
  std::call_once(once, [&] {
    semantics.reserve(kernel.code.size());
    for (const Instruction &instruction : kernel.code) {
      semantics.push_back(semanticsOfText(instruction));
      tensorFences |= has(instruction, "tcgen05.fence");
    }
  });
}

bool GridFacts::isNew(Cta &cta, uint32_t line, uint32_t other) {
  if (!cta.extension<ReportedPairs>().isNew(line, other))
    return false;
  std::lock_guard lock(mutex);
  return reported.isNew(line, other);
}

void Ordering::start(Cluster &of) {
  cluster = &of;
  size_t perCta = of.ctas()[0]->warps().size();
  warpCount = uint32_t(perCta * of.ctas().size());
  warps.resize(warpCount);
  ctas.resize(of.ctas().size());
  for (WarpState &state : warps) {
    state.actor = newActor();
    state.now.seen.raise(state.actor, state.time);
    state.now.weak.raise(state.actor, state.time);
  }
  facts = &hazardsOf(of.grid())->facts();
  facts->look(of.grid().kernel);
}

Ordering::WarpState &Ordering::stateOf(const Warp &warp) {
  return warps[warp.cta().rank() * warp.cta().warps().size() + warp.id()];
}

/// What the warp does from now on is not part of what it has told.
void Ordering::tick(WarpState &state) {
  ++state.time;
  state.now.seen.raise(state.actor, state.time);
  state.now.weak.raise(state.actor, state.time);
}

/// An arrival. `narrow`: at .cta scope, of a thread of another CTA.
void Ordering::tell(Knowledge &target, WarpState &state, bool relaxed,
                    bool narrow) {
  if (relaxed)
    target.joinOrdinary(state.released);
  else if (narrow)
    target.joinWeakly(state.now, warpCount);
  else
    target.joinOrdinary(state.now);
  target.tensor.join(state.tensorOut);
  if (!relaxed)
    tick(state);
}

/// A wait.
void Ordering::hear(WarpState &state, const Knowledge &message, bool relaxed) {
  Knowledge &now = relaxed ? state.acquirable : state.now;
  now.joinOrdinary(message);
  state.tensorIn.join(message.tensor);
  // Passed on by warps that touch no tensor memory themselves.
  state.tensorOut.join(message.tensor);
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

void Ordering::barrierArrive(Warp &warp, unsigned number) {
  tell(stateOf(warp.cta()).barriers[number].open, stateOf(warp), false, false);
}

void Ordering::barrierComplete(Cta &cta, unsigned number) {
  Slot &slot = stateOf(cta).barriers[number];
  // Threads that have exited count as arrived.
  for (const auto &warp : cta.warps())
    if (warp->finished())
      slot.open.join(stateOf(*warp).now);
  slot.done = std::move(slot.open);
  slot.open.clear();
}

void Ordering::barrierPass(Warp &warp, unsigned number) {
  hear(stateOf(warp), stateOf(warp.cta()).barriers[number].done, false);
}

void Ordering::clusterArrive(Warp &warp, bool relaxed) {
  tell(clusterBarrier.open, stateOf(warp), relaxed, false);
  ++stateOf(warp).clusterArrivals;
  // It runs, at least.
  clusterBarrier.open.weak.raise(stateOf(warp).actor, 1);
}

void Ordering::clusterComplete() {
  for (const auto &cta : cluster->ctas())
    for (const auto &warp : cta->warps())
      if (warp->finished())
        clusterBarrier.open.join(stateOf(*warp).now);
  clusterBarrier.done = std::move(clusterBarrier.open);
  clusterBarrier.open.clear();
}

void Ordering::clusterPass(Warp &warp) {
  hear(stateOf(warp), clusterBarrier.done, false);
  ++stateOf(warp).clusterPasses;
}

void Ordering::fence(Warp &warp, const Instruction &instruction) {
  WarpState &state = stateOf(warp);
  if (has(instruction, "fence.proxy.tensormap"))
    return;
  if (has(instruction, "fence.proxy")) {
    state.now.proxied = state.now.seen;
    tick(state);
  } else if (has(instruction, "before_thread_sync")) {
    state.tensorOut.join(state.now.tensor);
  } else if (has(instruction, "after_thread_sync")) {
    state.now.tensor.join(state.tensorIn);
  } else if (has(instruction, "membar") || has(instruction, "fence.")) {
    state.now.joinOrdinary(state.acquirable);
    state.released = state.now;
    tick(state);
  }
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

Ordering::Barrier &Ordering::barrierAt(Cta &cta, uint32_t offset) {
  CtaState &state = stateOf(cta);
  for (Barrier &barrier : state.mbarriers)
    if (barrier.offset == offset)
      return barrier;
  state.mbarriers.emplace_back();
  state.mbarriers.back().offset = offset;
  state.mbarriers.back().actor = newActor();
  return state.mbarriers.back();
}

static std::string at(uint32_t offset) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", offset);
  return text;
}

static std::string threadName(const MemoryAccess &access) {
  return "warp " + std::to_string(access.warp) + ", lane " +
         std::to_string(access.lane);
}

void Ordering::mbarrierInit(const Scene &scene, Cta &cta, uint32_t offset,
                            bool invalidates) {
  WarpState &state = stateOf(scene);
  Barrier &barrier = barrierAt(cta, offset);
  uint32_t line = scene.instruction->line;
  const char *what = invalidates ? "mbarrier.inval" : "mbarrier.init";
  auto isNew = [&](uint32_t other) { return facts->isNew(cta, line, other); };
  if (barrier.isLive && barrier.copiesInFlight && isNew(barrier.init.line))
    scene.hazard(std::string(what) + " of the mbarrier at " + at(offset) +
                 ", on which a bulk copy in flight has yet to complete its "
                 "bytes: wait for its phase first (mbarrier.try_wait)");
  if (barrier.isLive)
    for (const Use &use : barrier.uses)
      if (use.actor != state.actor &&
          !state.now.weak.covers(use.actor, use.time) && isNew(use.line))
        scene.hazard(std::string(what) + " of the mbarrier at " + at(offset) +
                     ", which line " + std::to_string(use.line) +
                     " of another warp uses: the two are not ordered; a "
                     "barrier (bar.sync) must stand between them");
  barrier.uses.clear();
  barrier.passages.clear();
  barrier.before.clear();
  barrier.isLive = !invalidates;
  barrier.open.clear();
  barrier.done.clear();
  barrier.done.complete(barrier.actor, barrier.phases);
  barrier.init = accessOf(scene, AccessKind::Store, state.actor, state.time);
  if (!invalidates)
    access(scene, cta, offset, 8, true);
}

/// Whoever uses an mbarrier must know that it has been initialised.
void Ordering::checkInitialised(const Scene &scene, Cta &cta,
                                Barrier &barrier) {
  const WarpState &state = stateOf(scene);
  const MemoryAccess &init = barrier.init;
  if (!barrier.isLive) {
    // None has been initialised, or somebody stored a copy of one.
    if (init.line && facts->isNew(cta, scene.instruction->line, init.line))
      scene.hazard("uses the mbarrier at " + at(barrier.offset) + ", which " +
                   threadName(init) + " invalidates in line " +
                   std::to_string(init.line) +
                   ": mbarrier.init must come first");
    return;
  }
  if (state.now.weak.covers(init.actor, init.time) ||
      !facts->isNew(cta, scene.instruction->line, init.line))
    return;
  bool isOther = init.rank != scene.cta->rank() || &cta != scene.cta;
  scene.hazard(
      "uses the mbarrier at " + at(barrier.offset) +
      (&cta != scene.cta ? " of the CTA of rank " + std::to_string(cta.rank())
                         : std::string()) +
      ", which " + threadName(init) + " initialises in line " +
      std::to_string(init.line) + ": the two are not ordered; " +
      (isOther ? "fence.mbarrier_init.release.cluster and "
                 "barrier.cluster.arrive and .wait must stand between them"
               : "a barrier (bar.sync) must stand between them"));
}

/// In place of the other line of a pair, for an mbarrier without a beginning.
static constexpr uint32_t neverInitialised = ~0u - 3;

void Ordering::mbarrierFound(const Scene &scene, Cta &cta, uint32_t offset,
                             uint64_t object) {
  if (uint32_t(object) == poisonWord(offset) &&
      uint32_t(object >> 32) == poisonWord(offset + 4) &&
      facts->isNew(cta, scene.instruction->line, neverInitialised))
    scene.hazard("uses the mbarrier at " + at(offset) +
                 ", which nobody has initialised: mbarrier.init must come "
                 "first");
}

void Ordering::mbarrierUsed(const Scene &scene, Cta &cta, uint32_t offset,
                            bool arrives) {
  WarpState &state = stateOf(scene);
  Barrier &barrier = barrierAt(cta, offset);
  const Instruction &instruction = *scene.instruction;
  visit(scene, cta, "uses an mbarrier of");
  checkInitialised(scene, cta, barrier);
  bool relaxed = has(instruction, ".relaxed");
  if (!relaxed) {
    auto use = std::find_if(
        barrier.uses.begin(), barrier.uses.end(),
        [&](const Use &other) { return other.actor == state.actor; });
    if (use == barrier.uses.end())
      use = barrier.uses.insert(use, {state.actor, 0, 0});
    *use = {state.actor, state.time, instruction.line};
  }
  if (!arrives)
    return;
  barrier.before.join(state.now.weak);
  barrier.before.join(state.acquirable.weak);
  tell(barrier.open, state, relaxed,
       &cta != scene.cta && !has(instruction, ".cluster."));
}

void Ordering::mbarrierWaited(const Scene &scene, uint32_t offset) {
  mbarrierUsed(scene, *scene.cta, offset, false);
  Barrier &barrier = barrierAt(*scene.cta, offset);
  WarpState &state = stateOf(scene);
  hear(state, barrier.done, has(*scene.instruction, ".relaxed"));
  auto passage = std::find_if(
      barrier.passages.begin(), barrier.passages.end(),
      [&](const auto &other) { return other.actor == state.actor; });
  if (passage != barrier.passages.end())
    barrier.passages.erase(passage);
  barrier.passages.push_back({state.actor, state.time, scene});
  auto isHeard = [&](const Barrier::Signal &signal) {
    return signal.phase < barrier.phases;
  };
  barrier.signals.erase(
      std::remove_if(barrier.signals.begin(), barrier.signals.end(), isHeard),
      barrier.signals.end());
}

/// In place of the other line of a pair, for a signal that a CTA's end may
/// precede.
static constexpr uint32_t endKey = ~0u - 2;

void Ordering::mbarrierSignalledByOther(const Scene &scene, Cta &cta,
                                        uint32_t offset) {
  Barrier &barrier = barrierAt(cta, offset);
  for (const Barrier::Signal &signal : barrier.signals)
    if (signal.phase == barrier.phases &&
        signal.scene.instruction == scene.instruction)
      return;
  barrier.signals.push_back({barrier.phases, scene});
  if (cta.aliveThreads() == 0)
    ctaEnded(cta);
}

/// The shared memory of a CTA must be there until the last access of others
/// (CUDA C++ Programming Guide, "Distributed Shared Memory"). An operation that
/// a thread of this CTA has waited for has come before its end; another one
/// only happened to.
void Ordering::ctaEnded(Cta &cta) {
  for (const Visit &visit : stateOf(cta).visits)
    if (!knowsOf(cta, visit) &&
        facts->isNew(cta, visit.scene.instruction->line, endKey))
      visit.scene.hazard(
          "uses shared memory of the CTA of rank " +
          std::to_string(cta.rank()) +
          ", whose threads have all exited without knowing of it: a cluster "
          "barrier (barrier.cluster.arrive and .wait) must keep it until the "
          "last access");
  for (const Barrier &barrier : stateOf(cta).mbarriers)
    for (const Barrier::Signal &signal : barrier.signals) {
      const Scene &scene = signal.scene;
      if (facts->isNew(cta, scene.instruction->line, endKey))
        scene.hazard("signals the mbarrier at " + at(barrier.offset) +
                     " of the CTA of rank " + std::to_string(cta.rank()) +
                     ", all threads of which have exited without a wait for "
                     "this phase: the signal could as well have come too late; "
                     "a thread of that CTA must wait for it first "
                     "(mbarrier.try_wait)");
    }
}

/// In place of the other line of a pair, for a phase that a wait may miss.
static constexpr uint32_t missedPhase = ~0u - 4;

/// A wait names a phase by its parity, which the next phase but one has again
/// (PTX ISA, "Phase of the mbarrier object"): it must come before the end of
/// the next one. It does so in every order if an arrival for that phase comes
/// after it.
void Ordering::checkPassages(Barrier &barrier) {
  for (const Barrier::Passage &passage : barrier.passages) {
    const Scene &scene = passage.scene;
    if (!barrier.before.covers(passage.actor, passage.time) &&
        facts->isNew(*scene.cta, scene.instruction->line, missedPhase))
      scene.hazard(
          "waits for a phase of the mbarrier at " + at(barrier.offset) +
          " that it could miss: the next phase completes without any arrival "
          "that comes after this wait, and a warp that comes later still finds "
          "the parity that it waits for incomplete again, and hangs; it must "
          "arrive for the next phase itself, or pass a barrier (bar.sync) "
          "ahead "
          "of a thread that does");
  }
  barrier.passages.clear();
  barrier.before.clear();
}

void Ordering::mbarrierCompleted(Cta &cta, uint32_t offset) {
  Barrier &barrier = barrierAt(cta, offset);
  checkPassages(barrier);
  barrier.done = std::move(barrier.open);
  barrier.open.clear();
  ++barrier.phases;
  barrier.done.complete(barrier.actor, barrier.phases);
  barrier.done.proxied.raise(barrier.actor, barrier.phases);
}

void Ordering::mbarrierJoin(Cta &cta, uint32_t offset,
                            const Knowledge &message) {
  Barrier &barrier = barrierAt(cta, offset);
  barrier.open.join(message);
  barrier.before.join(message.weak);
}

std::shared_ptr<Knowledge> Ordering::issueMessage(const Scene &scene) {
  const WarpState &state = stateOf(scene);
  auto message = std::make_shared<Knowledge>();
  message->joinWeakly(state.now, warpCount);
  message->tensor.join(state.tensorOut);
  return message;
}

//===----------------------------------------------------------------------===//
// Ordered accesses
//===----------------------------------------------------------------------===//

void Ordering::synchronise(Warp &warp, const Instruction &instruction,
                           uint64_t address, bool isWrite) {
  uint8_t semantics = semanticsOf(instruction);
  if (!semantics)
    return;
  WarpState &state = stateOf(warp);
  // Few addresses synchronise; sums into a large array are not worth their
  // place, and share one.
  constexpr size_t most = 4096;
  if (locations.size() >= most && !locations.count(address))
    address = ~uint64_t(0);
  if (isWrite)
    tell(locations[address], state, !(semantics & GridFacts::Releases), false);
  auto found = locations.find(address);
  if (!isWrite && found != locations.end())
    hear(state, found->second, !(semantics & GridFacts::Acquires));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Forgets groups that have completed, and says up to which copy all have.
static uint32_t complete(std::vector<uint32_t> *ends, LaneMask lanes,
                         size_t pending) {
  uint32_t done = 0;
  forLanes(lanes, [&](unsigned lane) {
    std::vector<uint32_t> &own = ends[lane];
    if (own.size() <= pending)
      return;
    size_t count = own.size() - pending;
    done = std::max(done, own[count - 1]);
    own.erase(own.begin(), own.begin() + ptrdiff_t(count));
  });
  return done;
}

void Ordering::threadCopyCommit(Warp &warp, LaneMask lanes) {
  Groups &groups = stateOf(warp).threadCopies;
  forLanes(lanes,
           [&](unsigned lane) { groups.ends[lane].push_back(groups.issued); });
}

void Ordering::threadCopyWait(Warp &warp, LaneMask lanes, size_t pending,
                              bool all) {
  WarpState &state = stateOf(warp);
  Groups &groups = state.threadCopies;
  if (!groups.actor)
    return;
  uint32_t done = complete(groups.ends, lanes, pending);
  state.now.complete(groups.actor, all ? groups.issued : done);
}

std::shared_ptr<Knowledge> Ordering::threadCopyMessage(const Scene &scene) {
  auto message = issueMessage(scene);
  const Groups &groups = stateOf(scene).threadCopies;
  if (groups.actor)
    message->complete(groups.actor, groups.issued);
  return message;
}

void Ordering::bulkCommit(Warp &warp, LaneMask lanes) {
  Groups &groups = stateOf(warp).bulkStores;
  forLanes(lanes,
           [&](unsigned lane) { groups.ends[lane].push_back(groups.issued); });
}

void Ordering::bulkWait(Warp &warp, LaneMask lanes, size_t pending) {
  WarpState &state = stateOf(warp);
  if (state.bulkStores.actor)
    state.now.complete(state.bulkStores.actor,
                       complete(state.bulkStores.ends, lanes, pending));
}

std::shared_ptr<Knowledge> Ordering::commitMessage(const Scene &scene) {
  WarpState &state = stateOf(scene);
  auto message = issueMessage(scene);
  // It implies tcgen05.fence::before_thread_sync.
  message->tensor.join(state.now.tensor);
  const Pipe &pipe = state.pipes[scene.lane];
  if (pipe.actor) {
    message->complete(pipe.actor, pipe.issued);
    message->tensor.raise(pipe.actor, pipe.issued);
  }
  return message;
}

void Ordering::wgmmaWaited(Warp &warp, unsigned firstWarp, uint64_t count) {
  auto &groups = stateOf(warp.cta()).warpgroups;
  size_t index = firstWarp / 4;
  if (index >= groups.size() || !groups[index].actor)
    return;
  Warpgroup &group = groups[index];
  while (!group.issued.empty() && group.issued.front().first <= count) {
    group.passed.join(group.issued.front().second);
    group.issued.pop_front();
  }
  Knowledge &now = stateOf(warp).now;
  now.complete(group.actor, uint32_t(count));
  now.weak.join(group.passed);
}

void Ordering::tensorWait(Warp &warp, bool stores) {
  WarpState &state = stateOf(warp);
  const Pipe &pipe = stores ? state.stores : state.loads;
  if (!pipe.actor)
    return;
  state.now.complete(pipe.actor, pipe.issued);
  state.now.tensor.raise(pipe.actor, pipe.issued);
}

} // namespace bwgemm::emulator
