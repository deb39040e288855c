//===- Races.cpp - Accesses that nothing orders -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hazards/Ordering.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

static constexpr uint32_t granuleBytes = 16;
/// In place of the other line of a pair, for an access to a peer CTA.
static constexpr uint32_t peerKey = ~0u - 1;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool Ordering::isOrdered(const MemoryAccess &old, const Doer &doer) const {
  const MemoryAccess &access = doer.access;
  // The copies that complete on one mbarrier are not ordered by it.
  bool isOnBarrier =
      old.kind == AccessKind::BulkWrite || old.kind == AccessKind::AsyncStore;
  if (old.actor == access.actor && !isOnBarrier)
    return true;
  if (old.isStrong || access.isStrong)
    return true;
  const Knowledge &knows = doer.knows;
  switch (old.kind) {
  case AccessKind::Store:
  case AccessKind::ThreadCopy:
    if (!isWrite(access.kind) && isProxied(access.kind))
      return knows.proxied.covers(old.actor, old.time);
    return isProxied(access.kind) ? knows.weak.covers(old.actor, old.time)
                                  : knows.seen.covers(old.actor, old.time);
  case AccessKind::TensorLoad:
  case AccessKind::TensorStore:
  case AccessKind::TensorRead:
  case AccessKind::TensorWrite:
    if (facts->hasTensorFences() && access.kind != AccessKind::TensorFree)
      return knows.tensor.covers(old.actor, old.time);
    return knows.weak.covers(old.actor, old.time);
  default:
    return knows.weak.covers(old.actor, old.time);
  }
}

/// True for an st of what is there already. Compilers let every warp write the
/// same values to one place, with a barrier behind.
bool Ordering::changesNothing(const Doer &doer, Cta &cta) const {
  const Instruction &i = *doer.scene.instruction;
  if (doer.access.kind != AccessKind::Store || !doer.bytes ||
      i.operandCount < 2 || i.operands[0].kind != Operand::Kind::Address)
    return false;
  const std::byte *place = cta.sharedAt(doer.offset, doer.bytes);
  const Operand &value = i.operands[1];
  bool isVector = value.kind == Operand::Kind::Vector;
  uint32_t count = isVector ? value.count : 1, size = doer.bytes / count;
  if (!place || size > 8)
    return false;
  const Warp &warp = *doer.scene.cta->warps()[size_t(doer.scene.warp)];
  for (uint32_t e = 0; e < count; ++e) {
    const Operand &element = isVector ? value.elements[e] : value;
    if (element.kind != Operand::Kind::Register &&
        element.kind != Operand::Kind::Constant)
      return false;
    uint64_t bits = warp.value(element, unsigned(doer.scene.lane));
    if (std::memcmp(&bits, place + e * size, size) != 0)
      return false;
  }
  return true;
}

void Ordering::touch(MemoryCell &cell, const Doer &doer, Cta &cta,
                     uint32_t where) {
  const MemoryAccess &access = doer.access;
  bool writes = isWrite(access.kind);
  for (const MemoryAccess &old : cell)
    if ((old.parts & access.parts) && (writes || isWrite(old.kind)) &&
        !isOrdered(old, doer) &&
        !(old.kind == AccessKind::Store && changesNothing(doer, cta)))
      report(old, doer, cta, where);
  if (writes)
    noteWrite(cell, access);
  else
    noteRead(cell, access);
}

MemoryAccess Ordering::accessOf(const Scene &scene, AccessKind kind,
                                uint32_t actor, uint32_t time) const {
  MemoryAccess access;
  access.time = time;
  access.line = scene.instruction->line;
  access.actor = uint16_t(actor);
  access.warp = uint16_t(scene.warp);
  access.lane = uint8_t(scene.lane);
  access.rank = uint8_t(scene.cta->rank());
  access.kind = kind;
  return access;
}

MemoryCell &Ordering::sharedCell(Cta &cta, uint32_t offset) {
  std::vector<MemoryCell> &cells = stateOf(cta).shared;
  if (cells.empty())
    cells.resize(cta.sharedEnd() / granuleBytes + 1);
  size_t index = offset / granuleBytes;
  if (index >= cells.size())
    cells.resize(index + 1);
  return cells[index];
}

MemoryCell &Ordering::tensorCell(Cta &cta, uint32_t column) {
  std::vector<MemoryCell> &cells = stateOf(cta).tensor;
  if (column >= cells.size())
    cells.resize(column + 1);
  return cells[column];
}

void Ordering::touchShared(const Doer &doer, Cta &cta, uint32_t offset,
                           uint32_t bytes) {
  Doer part = doer;
  for (uint32_t end = offset + bytes; offset < end;) {
    uint32_t first = offset % granuleBytes;
    uint32_t count = std::min(granuleBytes - first, end - offset);
    part.access.parts = uint16_t(((1u << count) - 1) << first);
    touch(sharedCell(cta, offset), part, cta, offset);
    offset += count;
  }
}

void Ordering::touchShared(const Doer &doer, Cta &cta,
                           const std::vector<uint32_t> &granules) {
  Doer whole = doer;
  whole.access.parts = 0xffff;
  for (uint32_t address : granules)
    touch(sharedCell(cta, address), whole, cta, address);
}

void Ordering::touchTensor(const Doer &doer, Cta &cta,
                           const TensorRange &range) {
  Doer part = doer;
  part.access.parts = range.groups;
  for (uint32_t c = range.first; c < range.first + range.count; ++c)
    touch(tensorCell(cta, c), part, cta, c);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Ordering::checkPeer(const Scene &scene, Cta &owner, const char *what) {
  if (&owner == scene.cta)
    return;
  const Clock &known = stateOf(scene).now.weak;
  size_t perCta = owner.warps().size();
  bool runs = false;
  for (size_t w = 0; w < perCta && !runs; ++w)
    runs = known.covers(uint32_t(owner.rank() * perCta + w), 1);
  bool hasExited = owner.aliveThreads() == 0;
  if (runs && !hasExited)
    return;
  if (!facts->isNew(owner, scene.instruction->line, peerKey))
    return;
  std::string text =
      std::string(what) + " the CTA of rank " + std::to_string(owner.rank());
  if (hasExited)
    scene.hazard(text + ", all threads of which have exited: a cluster barrier "
                        "(barrier.cluster.arrive and .wait) must keep it "
                        "until the last access");
  else
    scene.hazard(text + ", which need not have started: a cluster barrier "
                        "(barrier.cluster.arrive and .wait) must come first");
}

void Ordering::visit(const Scene &scene, Cta &owner, const char *what) {
  if (&owner == scene.cta)
    return;
  checkPeer(scene, owner, what);
  const WarpState &state = stateOf(scene);
  std::vector<Visit> &visits = stateOf(owner).visits;
  auto last = std::find_if(visits.begin(), visits.end(), [&](const Visit &v) {
    return v.actor == state.actor && v.scene.instruction == scene.instruction;
  });
  if (last == visits.end())
    last = visits.insert(last, Visit());
  *last = {state.actor, state.time, state.clusterArrivals, scene};
}

/// Whether a thread of `cta` has heard of it, or has passed a cluster barrier
/// at which the visitor arrived afterwards.
bool Ordering::knowsOf(const Cta &cta, const Visit &visit) {
  return std::any_of(cta.warps().begin(), cta.warps().end(),
                     [&](const auto &warp) {
                       const WarpState &state = stateOf(*warp);
                       return state.clusterPasses > visit.arrivals ||
                              state.now.weak.covers(visit.actor, visit.time);
                     });
}

void Ordering::access(const Scene &scene, Cta &owner, uint32_t offset,
                      uint32_t bytes, bool isWrite) {
  WarpState &state = stateOf(scene);
  visit(scene, owner,
        isWrite ? "writes shared memory of" : "reads shared memory of");
  Doer doer{scene,
            accessOf(scene, isWrite ? AccessKind::Store : AccessKind::Load,
                     state.actor, state.time),
            state.now,
            nullptr,
            offset,
            bytes};
  doer.access.isStrong = semanticsOf(*scene.instruction) != 0;
  touchShared(doer, owner, offset, bytes);
}

void Ordering::threadCopyIssued(const Scene &scene, uint32_t offset,
                                uint32_t bytes, bool isFirst) {
  WarpState &state = stateOf(scene);
  Groups &groups = state.threadCopies;
  if (!groups.actor)
    groups.actor = newActor();
  groups.issued += isFirst;
  Doer doer{
      scene,
      accessOf(scene, AccessKind::ThreadCopy, groups.actor, groups.issued),
      state.now, "the cp.async"};
  touchShared(doer, *scene.cta, offset, bytes);
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

static uint64_t flightKey(const Cta &cta, uint64_t id) {
  return uint64_t(cta.rank()) << 48 | id;
}

void Ordering::bulkWriteIssued(const Scene &scene, Cta &cta,
                               const std::vector<uint32_t> &granules,
                               uint64_t id, Cta &signalled, uint32_t offset,
                               bool reduces) {
  WarpState &state = stateOf(scene);
  Barrier &barrier = barrierAt(signalled, offset);
  checkInitialised(scene, signalled, barrier);
  ++barrier.copiesInFlight;
  Doer doer{scene,
            accessOf(scene, AccessKind::BulkWrite, barrier.actor,
                     MemoryAccess::inFlight | uint32_t(id)),
            state.now, "the bulk copy"};
  doer.access.isStrong = reduces;
  touchShared(doer, cta, granules);
  flights[flightKey(cta, id)] = {granules, &signalled, offset,
                                 issueMessage(scene)};
}

uint64_t Ordering::storeIssued(const Scene &scene, Cta &cta, uint32_t offset,
                               uint32_t bytes, uint32_t barrierOffset,
                               bool reduces) {
  uint64_t id = nextStore++;
  visit(scene, cta, "writes shared memory of");
  Barrier &barrier = barrierAt(cta, barrierOffset);
  checkInitialised(scene, cta, barrier);
  ++barrier.copiesInFlight;
  Doer doer{scene,
            accessOf(scene, AccessKind::AsyncStore, barrier.actor,
                     MemoryAccess::inFlight | uint32_t(id)),
            stateOf(scene).now, "the asynchronous store"};
  doer.access.isStrong = reduces;
  touchShared(doer, cta, offset, bytes);
  flights[flightKey(cta, id)] = {{offset / granuleBytes * granuleBytes},
                                 &cta,
                                 barrierOffset,
                                 issueMessage(scene)};
  return id;
}

void Ordering::bulkWriteLanded(Cta &cta, uint64_t id) {
  auto found = flights.find(flightKey(cta, id));
  if (found == flights.end())
    return;
  Flight flight = std::move(found->second);
  flights.erase(found);
  Barrier &barrier = barrierAt(*flight.signalled, flight.barrier);
  --barrier.copiesInFlight;
  for (uint32_t address : flight.granules)
    for (MemoryAccess &access : sharedCell(cta, address))
      if (access.time == (MemoryAccess::inFlight | uint32_t(id)))
        access.time = barrier.phases + 1;
  barrier.open.join(*flight.message);
  barrier.before.join(flight.message->weak);
}

void Ordering::bulkReadIssued(const Scene &scene,
                              const std::vector<uint32_t> &granules) {
  WarpState &state = stateOf(scene);
  Groups &groups = state.bulkStores;
  if (!groups.actor)
    groups.actor = newActor();
  Doer doer{
      scene,
      accessOf(scene, AccessKind::BulkRead, groups.actor, ++groups.issued),
      state.now, "the bulk copy"};
  touchShared(doer, *scene.cta, granules);
}

void Ordering::bulkReadIssued(const Scene &scene,
                              const std::vector<uint32_t> &granules,
                              Cta &signalled, uint32_t offset) {
  Barrier &barrier = barrierAt(signalled, offset);
  // It has read when it has written: in this phase at the earliest.
  Doer doer{
      scene,
      accessOf(scene, AccessKind::BulkRead, barrier.actor, barrier.phases + 1),
      stateOf(scene).now, "the bulk copy"};
  touchShared(doer, *scene.cta, granules);
}

//===----------------------------------------------------------------------===//
// tcgen05 and wgmma
//===----------------------------------------------------------------------===//

void Ordering::pipeIssue(const Scene &scene) {
  Pipe &pipe = stateOf(scene).pipes[scene.lane];
  if (!pipe.actor)
    pipe.actor = newActor();
  ++pipe.issued;
}

void Ordering::pipeReads(const Scene &scene, Cta &cta,
                         const std::vector<uint32_t> &granules,
                         AccessKind kind) {
  WarpState &state = stateOf(scene);
  const Pipe &pipe = state.pipes[scene.lane];
  Doer doer{scene, accessOf(scene, kind, pipe.actor, pipe.issued), state.now,
            kind == AccessKind::CopyRead ? "the tcgen05.cp" : "the mma"};
  touchShared(doer, cta, granules);
}

void Ordering::pipeTouches(const Scene &scene, Cta &cta,
                           const TensorRange &range, bool isWrite) {
  WarpState &state = stateOf(scene);
  const Pipe &pipe = state.pipes[scene.lane];
  AccessKind kind = isWrite ? AccessKind::TensorWrite : AccessKind::TensorRead;
  Doer doer{scene, accessOf(scene, kind, pipe.actor, pipe.issued), state.now,
            nullptr};
  touchTensor(doer, cta, range);
}

void Ordering::wgmmaIssued(const Scene &scene, unsigned firstWarp,
                           uint64_t number,
                           const std::vector<uint32_t> &granules) {
  auto &groups = stateOf(*scene.cta).warpgroups;
  size_t index = firstWarp / 4;
  if (index >= groups.size())
    groups.resize(index + 1);
  if (!groups[index].actor)
    groups[index].actor = newActor();
  // The four warps issue it together.
  Knowledge knows;
  for (unsigned w = firstWarp; w < firstWarp + 4; ++w)
    knows.join(stateOf(*scene.cta->warps()[w]).now);
  Doer doer{scene,
            accessOf(scene, AccessKind::WgmmaRead, groups[index].actor,
                     uint32_t(number + 1)),
            knows, "the wgmma"};
  touchShared(doer, *scene.cta, granules);
  groups[index].issued.emplace_back(uint32_t(number + 1), knows.weak);
}

void Ordering::tensorTransfer(const Scene &scene,
                              const std::vector<TensorRange> &where,
                              bool isStore) {
  WarpState &state = stateOf(scene);
  Pipe &pipe = isStore ? state.stores : state.loads;
  if (!pipe.actor)
    pipe.actor = newActor();
  AccessKind kind = isStore ? AccessKind::TensorStore : AccessKind::TensorLoad;
  Doer doer{scene, accessOf(scene, kind, pipe.actor, ++pipe.issued), state.now,
            nullptr};
  for (const TensorRange &range : where)
    touchTensor(doer, *scene.cta, range);
}

void Ordering::tensorFreed(const Scene &scene, uint32_t column,
                           uint32_t count) {
  WarpState &state = stateOf(scene);
  Doer doer{scene,
            accessOf(scene, AccessKind::TensorFree, state.actor, state.time),
            state.now, nullptr};
  touchTensor(doer, *scene.cta, {column, count, 0xff});
  // Whoever gets the columns next starts afresh.
  for (uint32_t c = column; c < column + count; ++c)
    tensorCell(*scene.cta, c).clear();
}

/// PTX ISA, tcgen05.alloc: with .cta_group::2 whoever issues it must make sure
/// that the peer CTA is launched.
void Ordering::pairAllocates(const Scene &scene) {
  Cta &peer = *cluster->cta(scene.cta->rank() ^ 1);
  checkPeer(scene, peer, "allocates tensor memory together with");
}

void Ordering::pairAllocated(const Scene &scene) {
  const WarpState &state = stateOf(scene);
  stateOf(*scene.cta).allocation = {state.actor, state.time,
                                    scene.instruction->line};
}

/// The peer's allocation need not be done when this CTA's is (to free before it
/// has ended in launch failures on sm_103), nor its accesses to its own part
/// (PTX ISA, tcgen05 issue granularity).
void Ordering::pairFrees(const Scene &scene, uint32_t column, uint32_t count) {
  Cta &peer = *cluster->cta(scene.cta->rank() ^ 1);
  const WarpState &state = stateOf(scene);
  Doer doer{scene,
            accessOf(scene, AccessKind::TensorFree, state.actor, state.time),
            state.now, nullptr};
  for (uint32_t c = column; c < column + count; ++c)
    for (const MemoryAccess &old : tensorCell(peer, c))
      if (!isOrdered(old, doer))
        report(old, doer, peer, c);
  const Use &allocation = stateOf(peer).allocation;
  if (!allocation.line ||
      state.now.weak.covers(allocation.actor, allocation.time) ||
      !facts->isNew(peer, scene.instruction->line, allocation.line))
    return;
  scene.hazard("frees tensor memory of a pair, which the CTA of rank " +
               std::to_string(peer.rank()) + " allocates in line " +
               std::to_string(allocation.line) +
               ": the two are not ordered; a cluster barrier "
               "(barrier.cluster.arrive and .wait) must stand between them");
}

uint16_t laneGroups(uint64_t low, uint64_t high) {
  uint16_t groups = 0;
  for (unsigned g = 0; g < 4; ++g) {
    groups |= uint16_t(((low >> 16 * g & 0xffff) != 0) << g);
    groups |= uint16_t(((high >> 16 * g & 0xffff) != 0) << (g + 4));
  }
  return groups;
}

uint16_t laneGroupRange(uint32_t first, uint32_t count) {
  uint32_t last = (first + count - 1) / 16;
  return uint16_t(((2u << last) - 1) & ~((1u << first / 16) - 1));
}

} // namespace bwgemm::emulator
