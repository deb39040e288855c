//===- AsyncCopy.cpp - cp.async and its groups ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous copies of 4, 8 or 16 bytes a thread from global to shared
// memory (PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group",
// "cp.async.mbarrier.arrive"). What one instruction copies lands together and
// in no order with what other instructions copy; memory is read when it lands.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/WarpMatrix.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

namespace {
/// What one instruction copies.
struct CopyBatch {
  LaneMask lanes;
  uint8_t bytes;
  /// Of each lane: places, bytes to read (the rest becomes zero), and the
  /// number of its group.
  std::byte *to[warpSize];
  const std::byte *from[warpSize];
  uint8_t read[warpSize];
  uint32_t group[warpSize];
};

/// An arrival that waits for the copies before it.
struct PendingArrival {
  LaneMask lanes; ///< That have not arrived.
  /// The batches that are in flight; gone when they have landed.
  std::vector<const CopyBatch *> before;
  Cta *cta[warpSize];
  uint32_t offset[warpSize];
  Scene scene;
  /// What the arrival tells; null unless hazards are checked.
  std::shared_ptr<Knowledge> message;
};

/// The copies of a warp's threads that have not landed; an extension of Warp.
struct CopyGroups {
  /// Groups that each thread has committed: the number of its open one.
  uint32_t committed[warpSize] = {};
  /// All threads have committed together, always: one stands for them all.
  bool together = true;
  std::vector<std::shared_ptr<CopyBatch>> flight;
  std::vector<PendingArrival> arrivals;

  /// Groups of `lanes` that are not complete, at most; groups complete in
  /// order. The open one counts if `withOpen`.
  uint32_t pending(LaneMask lanes, bool withOpen) const {
    uint32_t most = 0;
    for (const auto &batch : flight)
      for (LaneMask rest = batch->lanes & lanes; rest;
           rest = together ? 0 : rest & (rest - 1)) {
        unsigned l = firstLane(rest);
        uint32_t end = committed[l] + (withOpen ? 1 : 0);
        if (batch->group[l] < end)
          most = std::max(most, end - batch->group[l]);
      }
    return most;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

static bool issueArrivals(Cluster &cluster, CopyGroups &groups);

static bool land(Warp &w, const Instruction &i, const CopyBatch &batch,
                 uint64_t watched) {
  if (batch.bytes == 16) {
    forLanes(batch.lanes, [&](unsigned l) {
      if (batch.read[l] == 16) {
        std::memcpy(batch.to[l], batch.from[l], 16);
      } else {
        std::byte data[16] = {};
        if (batch.read[l])
          std::memcpy(data, batch.from[l], batch.read[l]);
        std::memcpy(batch.to[l], data, 16);
      }
    });
  } else {
    forLanes(batch.lanes, [&](unsigned l) {
      std::byte data[8] = {};
      if (batch.read[l])
        std::memcpy(data, batch.from[l], batch.read[l]);
      std::memcpy(batch.to[l], data, batch.bytes);
    });
  }
  if (HazardChecker *checker = hazardsOf(w.grid()))
    checker->threadCopyLanded(w, i, watched);
  w.cluster().noteWrite();
  CopyGroups &groups = w.extension<CopyGroups>();
  for (PendingArrival &arrival : groups.arrivals) {
    auto &before = arrival.before;
    before.erase(std::remove(before.begin(), before.end(), &batch),
                 before.end());
  }
  groups.flight.erase(
      std::find_if(groups.flight.begin(), groups.flight.end(),
                   [&](const auto &other) { return other.get() == &batch; }));
  return groups.arrivals.empty() || issueArrivals(w.cluster(), groups);
}

/// Operands: destination, source, bytes to read or none, predicate that
/// ignores the source or none. `extra` holds the bytes.
static Step copy(Warp &w, const Instruction &i, LaneMask mask) {
  const uint32_t bytes = uint32_t(i.extra);
  auto batch = std::make_shared<CopyBatch>();
  batch->lanes = mask;
  batch->bytes = uint8_t(bytes);
  std::memset(batch->read, int(bytes), sizeof(batch->read));
  // Lanes that read all bytes, and lanes that read some.
  LaneMask whole = mask, part = 0;
  if (i.operands[2])
    for (LaneMask rest = mask; rest; rest &= rest - 1) {
      unsigned l = firstLane(rest);
      uint64_t count = w.value(i.operands[2], l);
      if (count > bytes)
        return w.trap(i, l,
                      "a src-size of " + std::to_string(count) +
                          ": expected at most the " + std::to_string(bytes) +
                          " bytes of the copy");
      batch->read[l] = uint8_t(count);
      if (count < bytes)
        whole &= ~(1u << l);
      if (count < bytes && count > 0)
        part |= 1u << l;
    }
  if (i.operands[3]) {
    LaneMask ignored = w.predicate(i.operands[3]);
    whole &= ~ignored;
    for (LaneMask rest = mask & ignored; rest; rest &= rest - 1)
      batch->read[firstLane(rest)] = 0;
  }
  LanePlaces from = {};
  if (!locateLanes(w, i, i.operands[0], Space::Shared, mask, bytes,
                   "cp.async write", batch->to) ||
      (whole && !locateLanes(w, i, i.operands[1], Space::Global, whole, bytes,
                             "cp.async read", from)))
    return Step::Fault;
  for (LaneMask rest = part; rest; rest &= rest - 1) {
    unsigned l = firstLane(rest);
    from[l] = w.access(i, Space::Global, w.address(i.operands[1], l),
                       batch->read[l], bytes, l, "cp.async read");
    if (!from[l])
      return Step::Fault;
  }
  std::memcpy(batch->from, from, sizeof(from));
  CopyGroups &groups = w.extension<CopyGroups>();
  std::memcpy(batch->group, groups.committed, sizeof(batch->group));
  groups.flight.push_back(batch);
  w.count(Counter::GlobalBytesLoaded,
          uint64_t(bytes) * unsigned(__builtin_popcount(whole)));
  uint64_t watched = 0;
  if (HazardChecker *checker = hazardsOf(w.grid()))
    watched = checker->threadCopyIssued(w, i, i.operands[0], mask, bytes);
  w.cluster().async.issue(
      AsyncQueue::unordered, "cp.async", i.line,
      [&w, &i, batch, watched] { return land(w, i, *batch, watched); });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static Step commitGroup(Warp &w, const Instruction &, LaneMask mask) {
  CopyGroups &groups = w.extension<CopyGroups>();
  groups.together &= mask == allLanes;
  for (unsigned l = 0; l < warpSize; ++l)
    groups.committed[l] += (mask >> l) & 1;
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->threadCopyCommit(w, mask);
  return Step::Next;
}

static std::string describeGroups(const Warp &, const Wait &wait) {
  return "cp.async groups: " + std::to_string(wait.a) +
         " are pending, and at most " + std::to_string(wait.b) + " may be";
}

static Step waitFor(Warp &w, uint32_t pending, uint64_t most) {
  Wait wait;
  wait.describe = describeGroups;
  wait.a = pending;
  wait.b = most;
  return w.block(wait);
}

/// `extra` is the number of groups that may be pending.
static Step waitGroup(Warp &w, const Instruction &i, LaneMask mask) {
  uint32_t pending = w.extension<CopyGroups>().pending(mask, false);
  if (pending > i.extra)
    return waitFor(w, pending, i.extra);
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->threadCopyWait(w, mask, i.extra, false);
  return Step::Next;
}

/// A commit and a wait for everything.
static Step waitAll(Warp &w, const Instruction &i, LaneMask mask) {
  uint32_t pending = w.extension<CopyGroups>().pending(mask, true);
  if (pending)
    return waitFor(w, pending, 0);
  commitGroup(w, i, mask);
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->threadCopyWait(w, mask, 0, true);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// cp.async.mbarrier.arrive
//===----------------------------------------------------------------------===//

/// Sends off the arrivals of lanes that have no copy before them in flight.
static bool issueArrivals(Cluster &cluster, CopyGroups &groups) {
  auto &list = groups.arrivals;
  for (size_t index = 0; index < list.size();) {
    PendingArrival &arrival = list[index];
    LaneMask waiting = 0;
    for (const CopyBatch *batch : arrival.before)
      waiting |= batch->lanes;
    LaneMask ready = arrival.lanes & ~waiting;
    arrival.lanes &= waiting;
    for (; ready; ready &= ready - 1) {
      unsigned l = firstLane(ready);
      Scene scene = arrival.scene;
      scene.lane = int(l);
      Cta *cta = arrival.cta[l];
      uint32_t offset = arrival.offset[l];
      cluster.async.issue(
          AsyncQueue::unordered, "cp.async.mbarrier.arrive",
          scene.instruction->line,
          [cta, offset, scene, message = arrival.message] {
            if (message)
              orderingOf(cta->cluster())->mbarrierJoin(*cta, offset, *message);
            return landOnMBarrier(*cta, offset, 0, true, scene);
          });
    }
    if (arrival.lanes)
      ++index;
    else
      list.erase(list.begin() + ptrdiff_t(index));
  }
  return true;
}

/// `flags` is 1 for .noinc; `extra` holds the state space. Without .noinc the
/// pending count goes up first, so that the arrival changes nothing in sum.
static Step arrive(Warp &w, const Instruction &i, LaneMask mask) {
  PendingArrival arrival;
  arrival.lanes = mask;
  arrival.scene = Scene(w, i, firstLane(mask));
  LanePlaces places;
  if (!locateLanes(w, i, i.operands[0], Space(i.extra), mask, 8,
                   "mbarrier operation", places))
    return Step::Fault;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = firstLane(rest);
    arrival.cta[l] = &w.cta();
    arrival.offset[l] = sharedBase + uint32_t(places[l] - w.cta().sharedData());
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->mbarrierNamed(Scene(w, i, l), w.cta(), arrival.offset[l]);
    if (i.flags)
      continue;
    uint64_t object;
    std::memcpy(&object, places[l], 8);
    MBarrierOutcome outcome = MBarrier::expectArrival(object);
    if (outcome.trap)
      return w.trap(i, l,
                    std::string(outcome.trap) + " (" +
                        describeMBarrier(w.cta(), arrival.offset[l]) + ")");
    std::memcpy(places[l], &object, 8);
  }
  CopyGroups &groups = w.extension<CopyGroups>();
  for (const auto &batch : groups.flight)
    if (batch->lanes & mask)
      arrival.before.push_back(batch.get());
  if (Ordering *ordering = orderingOf(w.cluster()))
    arrival.message = ordering->threadCopyMessage(arrival.scene);
  groups.arrivals.push_back(std::move(arrival));
  issueArrivals(w.cluster(), groups);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeCopy(Decode &decode) {
  if (!requireTarget(decode, 80, "cp.async"))
    return false;
  int cache = decode.takeOne({"ca", "cg"});
  if (cache < 0)
    return decode.error("expected .ca or .cg in '" + decode.mnemonic() + "'");
  bool shared = decode.take("shared") || decode.take("shared::cta");
  if (!shared || !decode.take("global"))
    return decode.error("expected .shared.global in '" + decode.mnemonic() +
                        "'");
  bool hint = decode.take("L2::cache_hint");
  decode.takeOne({"L2::64B", "L2::128B", "L2::256B"});
  int64_t bytes = 0;
  if (!decode.expectOperands(size_t(3 + hint), size_t(4 + hint)) ||
      !decode.address(0, Space::Shared) || !decode.address(1, Space::Global) ||
      !decode.immediate(2, bytes))
    return false;
  if (cache == 1 ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    return decode.error(std::string("expected a cp-size of ") +
                        (cache == 1 ? "16 with .cg" : "4, 8 or 16") + ", got " +
                        std::to_string(bytes));
  bool ignores = false;
  if (decode.operandCount() == size_t(4 + hint)) {
    ignores = decode.isPredicate(3);
    if (ignores)
      decode.noOperand();
    if (!(ignores ? decode.predicateSource(3) : decode.sourceU32(3)))
      return false;
  } else {
    decode.noOperand();
  }
  if (!ignores)
    decode.noOperand();
  if (hint && !decode.sourceOperand(decode.operandCount() - 1, Type::B64))
    return false;
  decode.out.extra = uint64_t(bytes);
  decode.out.handler = copy;
  return true;
}

static bool decodeNoOperands(Decode &decode, Handler handler) {
  decode.out.handler = handler;
  return requireTarget(decode, 80, "cp.async") && decode.expectOperands(0, 0);
}

static bool decodeCommitGroup(Decode &decode) {
  return decodeNoOperands(decode, commitGroup);
}

static bool decodeWaitAll(Decode &decode) {
  return decodeNoOperands(decode, waitAll);
}

static bool decodeWaitGroup(Decode &decode) {
  int64_t count = 0;
  if (!requireTarget(decode, 80, "cp.async") || !decode.expectOperands(1, 1) ||
      !decode.immediate(0, count))
    return false;
  if (count < 0)
    return decode.error("expected a count of 0 or more, got " +
                        std::to_string(count));
  decode.out.extra = uint64_t(count);
  decode.out.handler = waitGroup;
  return true;
}

static bool decodeArrive(Decode &decode) {
  if (!requireTarget(decode, 80, "cp.async.mbarrier.arrive"))
    return false;
  decode.out.flags = decode.take("noinc");
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::Shared)
    return decode.error("expected .shared::cta or no state space in '" +
                        decode.mnemonic() + "'");
  if (!decode.take("b64"))
    return decode.error("expected .b64 in '" + decode.mnemonic() + "'");
  decode.out.extra = uint64_t(space);
  decode.out.handler = arrive;
  return decode.expectOperands(1, 1) && decode.address(0, space);
}

void registerAsyncCopy(Registry &registry) {
  registry.add("cp.async", decodeCopy);
  registry.add("cp.async.commit_group", decodeCommitGroup);
  registry.add("cp.async.wait_group", decodeWaitGroup);
  registry.add("cp.async.wait_all", decodeWaitAll);
  registry.add("cp.async.mbarrier.arrive", decodeArrive);
}

} // namespace bwgemm::emulator
