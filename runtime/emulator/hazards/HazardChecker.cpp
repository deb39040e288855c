//===- HazardChecker.cpp - Rules that a program breaks unseen ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"

#include "instructions/Tcgen05Support.h"
#include "machine/Poison.h"
#include "machine/Tcgen05Mma.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <set>
#include <unordered_map>

namespace bwgemm::emulator {

static constexpr uint32_t granuleBytes = 16;

namespace {
/// What is known of 16 bytes of shared memory.
struct Granule {
  enum class State : uint8_t {
    Unwritten,
    Generic,
    Async
  } state = State::Unwritten;
  uint32_t thread = 0; ///< Of the last ordinary store.
  uint32_t time = 0;   ///< SharedShadow::time of that store.
  uint32_t line = 0;   ///< PTX line of that store.
};

/// An operation that has not landed.
struct InFlight {
  uint64_t id;
  Granules granules; ///< Sorted.
  uint32_t line;
  /// Of an mma: the columns of D.
  uint32_t column = 0, columns = 0;
  const char *writer = "mma";
};

/// A cp.async of a warp that has not landed: what each lane writes.
struct ThreadCopy {
  LaneMask lanes;
  uint32_t bytes;
  uint64_t address[warpSize];
};

/// An extension of Cta.
struct SharedShadow {
  std::vector<Granule> granules;
  /// Counts barriers and fence.proxy.async.
  uint32_t time = 0;
  /// When a thread last executed the fence, and when it had last passed a
  /// barrier by then: its own stores are fenced up to the one, those of others
  /// up to the other.
  struct Fence {
    uint32_t own = 0, others = 0;
  };
  std::vector<Fence> fences;      ///< Per thread.
  std::vector<uint32_t> barriers; ///< Per warp: when it last passed one.
  std::vector<InFlight> mmas, copies;
  /// Bulk stores that have not read their source.
  std::vector<InFlight> stores;
  std::unordered_map<uint64_t, ThreadCopy> threadCopies;
  /// The words (address / 4) that cp.async in flight write, and the PTX line
  /// of one that does.
  std::unordered_multimap<uint32_t, uint32_t> wordsInFlight;
  uint64_t nextId = 1;
  ReportedPairs *reported = nullptr;

  Granule &at(uint32_t address) {
    size_t index = address / granuleBytes;
    if (index >= granules.size())
      granules.resize(index + 1);
    return granules[index];
  }
  Fence &lastFence(uint32_t thread) {
    if (thread >= fences.size())
      fences.resize(thread + 1);
    return fences[thread];
  }
  uint32_t &lastBarrier(uint32_t warp) {
    if (warp >= barriers.size())
      barriers.resize(warp + 1);
    return barriers[warp];
  }
  /// True the first time for a pair of lines.
  bool isNew(uint32_t line, uint32_t other) {
    return reported->isNew(line, other);
  }
};
} // namespace

static SharedShadow &shadowOf(Cta &cta) {
  SharedShadow &shadow = cta.extension<SharedShadow>();
  if (!shadow.reported)
    shadow.reported = &cta.extension<ReportedPairs>();
  return shadow;
}

static std::string hex(uint32_t address) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", address);
  return text;
}

/// Both are sorted.
static bool overlap(const Granules &a, const Granules &b) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (*i == *j)
      return true;
    if (*i < *j)
      ++i;
    else
      ++j;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Ordinary accesses
//===----------------------------------------------------------------------===//

void HazardChecker::fence(Warp &warp, const Instruction &instruction,
                          LaneMask mask) {
  orderingOf(warp.cluster())->fence(warp, instruction);
  if (instruction.text.find("fence.proxy.async") == std::string_view::npos)
    return;
  SharedShadow &shadow = shadowOf(warp.cta());
  ++shadow.time;
  uint32_t barrier = shadow.lastBarrier(warp.id());
  forLanes(mask, [&](unsigned lane) {
    shadow.lastFence(warp.id() * warpSize + lane) = {shadow.time, barrier};
  });
}

/// Reports an access to what a cp.async in flight writes.
static void checkWords(Warp &warp, const Instruction &instruction,
                       unsigned lane, uint32_t offset, uint32_t bytes,
                       bool isWrite) {
  SharedShadow &shadow = shadowOf(warp.cta());
  if (shadow.wordsInFlight.empty())
    return;
  for (uint32_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    auto found = shadow.wordsInFlight.find(word);
    if (found == shadow.wordsInFlight.end())
      continue;
    if (shadow.isNew(instruction.line, found->second))
      Scene(warp, instruction, lane)
          .hazard(std::string(isWrite ? "writes" : "reads") +
                  " shared memory at " + hex(word * 4) +
                  ", which the cp.async of line " +
                  std::to_string(found->second) +
                  " is still writing: its thread must wait for its group "
                  "first (cp.async.wait_group), and a barrier must follow if "
                  "that is another thread");
    return;
  }
}

/// In place of the other line of a pair of lines, for a read of what nobody
/// has written.
static constexpr uint32_t unwritten = ~0u;

/// Reports a read of global or shared memory that still has what it started
/// with (machine/Poison.h).
static void checkWritten(Warp &warp, const Instruction &instruction,
                         unsigned lane, Space space, uint64_t address,
                         uint32_t bytes) {
  bool isShared = space == Space::Shared || space == Space::SharedCluster;
  if (!isShared && space != Space::Global)
    return;
  const std::byte *place = warp.translate(space, address, bytes, lane);
  uint64_t key = isShared ? address & clusterOffsetMask : address, where;
  if (!place || !findPoison(place, key, bytes, where) ||
      !shadowOf(warp.cta()).isNew(instruction.line, unwritten))
    return;
  char text[96];
  std::snprintf(text, sizeof(text),
                "reads %s memory at 0x%" PRIx64 ", which nobody has written",
                isShared ? "shared" : "global", where);
  Scene scene(warp, instruction, lane);
  scene.hazard(text);
}

/// Distinguishes addresses of shared memory from global ones.
static constexpr uint64_t sharedKey = uint64_t(1) << 63;

/// A generic address as one of its state space.
static void toStateSpace(Space &space, uint64_t &address) {
  if (space != Space::Generic)
    return;
  GenericAddress generic = splitGeneric(address);
  space = generic.space;
  address = generic.offset;
}

void HazardChecker::access(Warp &warp, const Instruction &instruction,
                           unsigned lane, Space space, uint64_t address,
                           uint32_t bytes, bool isWrite) {
  toStateSpace(space, address);
  if (!isWrite)
    checkWritten(warp, instruction, lane, space, address, bytes);
  Ordering &ordering = *orderingOf(warp.cluster());
  if (space != Space::Shared && space != Space::SharedCluster) {
    if (isWrite && space != Space::Local)
      tensorMapWrites.note(address, bytes, instruction.line);
    if (space == Space::Global)
      ordering.synchronise(warp, instruction, address, isWrite);
    return;
  }
  Cta *cta = warp.cluster().cta(unsigned(address >> clusterRankShift));
  uint32_t offset = uint32_t(address & clusterOffsetMask);
  // A fence covers what its thread wrote in other CTAs too, but threads are
  // numbered per CTA here: stores across CTAs are left out.
  if (cta == &warp.cta())
    noteAccess(warp, instruction, lane, offset, bytes, isWrite);
  if (!cta)
    return;
  ordering.synchronise(warp, instruction, address | sharedKey, isWrite);
  ordering.access(Scene(warp, instruction, lane), *cta, offset, bytes, isWrite);
}

void HazardChecker::exchange(Warp &warp, const Instruction &instruction,
                             Space space, uint64_t address) {
  toStateSpace(space, address);
  if (space == Space::Shared || space == Space::SharedCluster)
    address |= sharedKey;
  else if (space != Space::Global)
    return;
  orderingOf(warp.cluster())
      ->synchronise(warp, instruction, address, /*isWrite=*/false);
}

/// What does not depend on clocks.
void HazardChecker::noteAccess(Warp &warp, const Instruction &instruction,
                               unsigned lane, uint32_t offset, uint32_t bytes,
                               bool isWrite) {
  SharedShadow &shadow = shadowOf(warp.cta());
  checkWords(warp, instruction, lane, offset, bytes, isWrite);
  if (!isWrite)
    return;
  uint32_t thread = warp.id() * warpSize + lane;
  uint32_t first = offset / granuleBytes;
  uint32_t last = (offset + bytes - 1) / granuleBytes;
  for (const InFlight &store : shadow.stores) {
    auto found = std::lower_bound(store.granules.begin(), store.granules.end(),
                                  first * granuleBytes);
    if (found != store.granules.end() && *found <= last * granuleBytes &&
        shadow.isNew(instruction.line, store.line))
      Scene(warp, instruction, lane)
          .hazard("writes shared memory at " + hex(*found) +
                  ", which the bulk store of line " +
                  std::to_string(store.line) +
                  " has yet to read: its thread must wait for it first "
                  "(cp.async.bulk.wait_group.read), and a barrier must follow "
                  "if that is another thread");
  }
  for (uint32_t index = first; index <= last; ++index)
    shadow.at(index * granuleBytes) = {Granule::State::Generic, thread,
                                       shadow.time, instruction.line};
}

void HazardChecker::barrier(Warp &warp, const Instruction &) {
  SharedShadow &shadow = shadowOf(warp.cta());
  shadow.lastBarrier(warp.id()) = ++shadow.time;
}

uint64_t HazardChecker::threadCopyIssued(Warp &warp,
                                         const Instruction &instruction,
                                         const Operand &operand, LaneMask lanes,
                                         uint32_t bytes) {
  SharedShadow &shadow = shadowOf(warp.cta());
  ThreadCopy copy = {lanes, bytes, {}};
  bool isFirst = true;
  forLanes(lanes, [&](unsigned lane) {
    copy.address[lane] = warp.address(operand, lane);
    uint32_t word = uint32_t(copy.address[lane] & clusterOffsetMask) / 4;
    for (uint32_t i = 0; i < bytes / 4; ++i)
      shadow.wordsInFlight.emplace(word + i, instruction.line);
    orderingOf(warp.cluster())
        ->threadCopyIssued(Scene(warp, instruction, lane), word * 4, bytes,
                           isFirst);
    isFirst = false;
  });
  shadow.threadCopies.emplace(shadow.nextId, copy);
  return shadow.nextId++;
}

void HazardChecker::threadCopyLanded(Warp &warp, const Instruction &instruction,
                                     uint64_t id) {
  SharedShadow &shadow = shadowOf(warp.cta());
  auto found = shadow.threadCopies.find(id);
  if (found == shadow.threadCopies.end())
    return;
  ThreadCopy copy = found->second;
  shadow.threadCopies.erase(found);
  forLanes(copy.lanes, [&](unsigned lane) {
    uint32_t word = uint32_t(copy.address[lane] & clusterOffsetMask) / 4;
    for (uint32_t i = 0; i < copy.bytes / 4; ++i) {
      auto range = shadow.wordsInFlight.equal_range(word + i);
      for (auto at = range.first; at != range.second; ++at)
        if (at->second == instruction.line) {
          shadow.wordsInFlight.erase(at);
          break;
        }
    }
  });
  // The bytes count as written now: a fence before the wait covers nothing.
  forLanes(copy.lanes, [&](unsigned lane) {
    noteAccess(warp, instruction, lane,
               uint32_t(copy.address[lane] & clusterOffsetMask), copy.bytes,
               true);
  });
}

//===----------------------------------------------------------------------===//
// The async proxy
//===----------------------------------------------------------------------===//

static const char *sharedOf(const Cta &cta, const Scene &scene) {
  return &cta == scene.cta ? "shared memory at "
                           : "the peer CTA's shared memory at ";
}

/// Reports the first granule that the async proxy must not read.
static void checkReads(Cta &cta, const Granules &granules, const char *reader,
                       const Scene &scene) {
  SharedShadow &shadow = shadowOf(cta);
  uint32_t line = scene.instruction->line;
  // A fence counts on either side of the barrier between the two threads.
  uint32_t fencedByReader =
      &cta == scene.cta ? shadow
                              .lastFence(uint32_t(scene.warp) * warpSize +
                                         uint32_t(scene.lane))
                              .others
                        : 0;
  for (uint32_t address : granules) {
    const Granule &granule = shadow.at(address);
    if (granule.state == Granule::State::Unwritten) {
      if (shadow.isNew(line, 0))
        scene.hazard(std::string(reader) + " reads " + sharedOf(cta, scene) +
                     hex(address) + ", which nobody has written");
      return;
    }
    if (granule.state == Granule::State::Generic &&
        shadow.lastFence(granule.thread).own <= granule.time &&
        fencedByReader <= granule.time) {
      if (shadow.isNew(line, granule.line))
        scene.hazard(
            std::string(reader) + " reads " + sharedOf(cta, scene) +
            hex(address) + ", which warp " +
            std::to_string(granule.thread / warpSize) + ", lane " +
            std::to_string(granule.thread % warpSize) + " wrote in line " +
            std::to_string(granule.line) +
            " with an ordinary store: that thread must execute "
            "fence.proxy.async after the store and before the barrier");
      return;
    }
  }
}

static void remove(std::vector<InFlight> &list, uint64_t id) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].id == id) {
      list.erase(list.begin() + ptrdiff_t(i));
      return;
    }
}

/// An mma is issued whose operands in `cta` are `granules`.
static uint64_t mmaIssuedIn(Cta &cta, const Granules &granules, uint32_t column,
                            uint32_t columns, const char *reader,
                            const Scene &scene) {
  SharedShadow &shadow = shadowOf(cta);
  uint32_t line = scene.instruction->line;
  const char *where =
      &cta == scene.cta ? "shared memory" : "the peer CTA's shared memory";
  bool stillWritten = false;
  for (const InFlight &copy : shadow.copies)
    if (overlap(copy.granules, granules)) {
      stillWritten = true;
      if (shadow.isNew(line, copy.line))
        scene.hazard(std::string(reader) + " reads " + where +
                     " that the bulk copy of line " +
                     std::to_string(copy.line) +
                     " is still writing: wait on its mbarrier first");
    }
  if (!stillWritten)
    checkReads(cta, granules, reader, scene);
  uint64_t id = shadow.nextId++;
  shadow.mmas.push_back({id, granules, line, column, columns});
  return id;
}

uint64_t HazardChecker::wgmmaIssued(Cta &cta, Granules granules,
                                    const Scene &scene) {
  return mmaIssuedIn(cta, sortedGranules(std::move(granules)), 0, 0,
                     "the wgmma", scene);
}

void HazardChecker::wgmmaStarted(Cta &cta, uint64_t id, unsigned firstWarp,
                                 uint64_t number, const Scene &scene) {
  for (const InFlight &mma : shadowOf(cta).mmas)
    if (mma.id == id)
      orderingOf(cta.cluster())
          ->wgmmaIssued(scene, firstWarp, number, mma.granules);
}

void HazardChecker::wgmmaDone(Cta &cta, uint64_t id) {
  remove(shadowOf(cta).mmas, id);
}

MmaWatch HazardChecker::mmaIssued(const CtaGroup &group, const Mma &mma,
                                  const Scene &scene) {
  MmaWatch watch;
  Granules granules = granulesOf(mma);
  Ordering &ordering = *orderingOf(scene.cta->cluster());
  ordering.pipeIssue(scene);
  for (unsigned p = 0; p < group.count; ++p) {
    watch.id[p] = mmaIssuedIn(*group.ctas[p], granules, mma.d.column,
                              mma.placement.cellColumns, "the mma", scene);
    ordering.pipeReads(scene, *group.ctas[p], granules, AccessKind::MmaRead);
    TensorMemory::LaneSet lanes = mma.placement.lanes();
    if (mma.aInTensorMemory)
      ordering.pipeTouches(scene, *group.ctas[p],
                           {mma.aTensor.column, mma.aColumns(),
                            laneGroups(lanes.low, lanes.high)},
                           false);
    for (unsigned b = 0; b < mma.placement.blockCount; ++b) {
      const MmaBlock &block = mma.placement.blocks[b];
      lanes = block.lanes();
      ordering.pipeTouches(scene, *group.ctas[p],
                           {mma.d.column + block.cellColumn, block.columns,
                            laneGroups(lanes.low, lanes.high)},
                           true);
    }
  }
  std::string doubt = mma.shape.shapeDoubt();
  if (!doubt.empty() &&
      shadowOf(*scene.cta).isNew(scene.instruction->line, ~0u))
    scene.hazard(doubt);
  return watch;
}

void HazardChecker::mmaLanded(const CtaGroup &group, const MmaWatch &watch) {
  for (unsigned p = 0; p < group.count; ++p)
    remove(shadowOf(*group.ctas[p]).mmas, watch.id[p]);
}

uint64_t HazardChecker::tensorWriteIssued(Cta &cta, Granules granules,
                                          uint32_t column, uint32_t count,
                                          const char *writer,
                                          const Scene &scene) {
  std::string reader = std::string("the ") + writer;
  uint64_t id =
      mmaIssuedIn(cta, granules, column, count, reader.c_str(), scene);
  shadowOf(cta).mmas.back().writer = writer;
  Ordering &ordering = *orderingOf(cta.cluster());
  ordering.pipeIssue(scene);
  ordering.pipeReads(scene, cta, granules, AccessKind::CopyRead);
  ordering.pipeTouches(scene, cta, {column, count, 0xff}, true);
  return id;
}

void HazardChecker::tensorWriteLanded(Cta &cta, uint64_t id) {
  remove(shadowOf(cta).mmas, id);
}

static std::string describeWritten(const InFlight &mma) {
  bool isMma = std::string(mma.writer) == "mma";
  return std::string(isMma ? "an accumulator" : "tensor memory") +
         " that the " + mma.writer + " of line " + std::to_string(mma.line);
}

void HazardChecker::tensorFreed(Cta &cta, uint32_t column, uint32_t count,
                                const Scene &scene) {
  SharedShadow &shadow = shadowOf(cta);
  for (const InFlight &mma : shadow.mmas)
    if (column < mma.column + mma.columns && mma.column < column + count &&
        shadow.isNew(scene.instruction->line, mma.line))
      scene.hazard("tcgen05.dealloc frees " + describeWritten(mma) +
                   " may still write: wait for its tcgen05.commit first");
}

void HazardChecker::tensorRead(Cta &cta, uint32_t column, uint32_t count,
                               const Scene &scene) {
  SharedShadow &shadow = shadowOf(cta);
  for (const InFlight &mma : shadow.mmas)
    if (column < mma.column + mma.columns && mma.column < column + count &&
        shadow.isNew(scene.instruction->line, mma.line))
      scene.hazard("tcgen05.ld reads " + describeWritten(mma) +
                   " may still write: wait for its tcgen05.commit first");
}

uint64_t HazardChecker::copyIssued(Cta &cta, Granules granules,
                                   const Scene &scene, Cta &signalled,
                                   uint32_t barrier, bool reduces) {
  SharedShadow &shadow = shadowOf(cta);
  uint32_t line = scene.instruction->line;
  for (const InFlight &mma : shadow.mmas)
    if (overlap(mma.granules, granules) && shadow.isNew(line, mma.line))
      scene.hazard("the bulk copy writes shared memory that the " +
                   std::string(mma.writer) + " of line " +
                   std::to_string(mma.line) + " may still read: wait for " +
                   (mma.columns ? "its tcgen05.commit first"
                                : "it with wgmma.wait_group first"));
  uint64_t id = shadow.nextId++;
  for (const InFlight &store : shadow.stores)
    if (overlap(store.granules, granules) && shadow.isNew(line, store.line))
      scene.hazard("the bulk copy writes shared memory that the bulk store of "
                   "line " +
                   std::to_string(store.line) +
                   " has yet to read: its thread must wait for it first "
                   "(cp.async.bulk.wait_group.read)");
  orderingOf(cta.cluster())
      ->bulkWriteIssued(scene, cta, granules, id, signalled, barrier, reduces);
  shadow.copies.push_back({id, std::move(granules), line, 0, 0});
  return id;
}

void HazardChecker::copyLanded(Cta &cta, uint64_t id) {
  SharedShadow &shadow = shadowOf(cta);
  for (const InFlight &copy : shadow.copies)
    if (copy.id == id)
      for (uint32_t address : copy.granules)
        shadow.at(address).state = Granule::State::Async;
  remove(shadow.copies, id);
  orderingOf(cta.cluster())->bulkWriteLanded(cta, id);
}

uint64_t HazardChecker::copyReads(Cta &cta, const Granules &granules,
                                  const Scene &scene, Cta *signalled,
                                  uint32_t barrier) {
  checkReads(cta, granules, "the bulk copy", scene);
  SharedShadow &shadow = shadowOf(cta);
  Ordering &ordering = *orderingOf(cta.cluster());
  if (signalled)
    ordering.bulkReadIssued(scene, granules, *signalled, barrier);
  else
    ordering.bulkReadIssued(scene, granules);
  uint64_t id = shadow.nextId++;
  shadow.stores.push_back(
      {id, sortedGranules(granules), scene.instruction->line, 0, 0});
  return id;
}

void HazardChecker::copyHasRead(Cta &cta, uint64_t id) {
  remove(shadowOf(cta).stores, id);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

namespace {
/// An extension of Cluster.
struct AcquiredMaps {
  /// By address: the number of the last write that the copies may see.
  std::unordered_map<uint64_t, uint64_t> acquired;
  std::set<std::pair<uint32_t, uint32_t>> reported;
};
} // namespace

void HazardChecker::tensorMapUsed(Cluster &cluster, uint64_t address,
                                  const Scene &scene) {
  TensorMapWrites::Write last = tensorMapWrites.last(address);
  AcquiredMaps &maps = cluster.extension<AcquiredMaps>();
  if (last.number == 0)
    return;
  auto found = maps.acquired.find(address);
  if (found != maps.acquired.end() && found->second >= last.number)
    return;
  if (maps.reported.insert({scene.instruction->line, last.line}).second)
    scene.hazard("the tensor map has been written in line " +
                 std::to_string(last.line) +
                 " since this cluster last executed fence.proxy"
                 ".tensormap::generic.acquire on it: the copy may use the map "
                 "as it was");
}

void HazardChecker::tensorMapAcquired(Cluster &cluster, uint64_t address) {
  cluster.extension<AcquiredMaps>().acquired[address] =
      tensorMapWrites.last(address).number;
}

} // namespace bwgemm::emulator
