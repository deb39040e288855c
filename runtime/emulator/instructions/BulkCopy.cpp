//===- BulkCopy.cpp - cp.async.bulk -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of contiguous bytes, and bulk async-groups (PTX ISA, "cp.async.bulk",
// "cp.async.bulk.commit_group", "cp.async.bulk.wait_group").
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/BulkGroups.h"
#include "instructions/Registry.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

/// Addresses must be multiples of 16: the hardware traps. A size that is not
/// makes its barrier never complete, which helps nobody: it traps here too.
static bool checkBulk(Warp &w, const Instruction &i, unsigned lane,
                      uint64_t destination, uint64_t source, uint32_t bytes) {
  for (uint64_t address : {destination, source})
    if (address % 16 != 0) {
      w.trap(i, lane, "misaligned address: a bulk copy needs multiples of 16",
             address);
      return false;
    }
  if (bytes % 16 != 0) {
    w.trap(i, lane,
           "a bulk copy of " + std::to_string(bytes) +
               " bytes: expected a multiple of 16 (the hardware reports "
               "nothing and the barrier never completes)");
    return false;
  }
  return true;
}

/// To shared memory, with an mbarrier. Operands: destination, source, size,
/// mbarrier, CTA mask or none. `extra` holds the space of the destination,
/// `flags` that of the source.
static Step copyToShared(Warp &w, const Instruction &i, LaneMask mask) {
  Space destinationSpace = Space(i.extra), sourceSpace = Space(i.flags);
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t destination = w.address(i.operands[0], lane);
    uint64_t source = w.address(i.operands[1], lane);
    uint32_t bytes = uint32_t(w.value(i.operands[2], lane));
    uint64_t barrier = w.address(i.operands[3], lane);
    if (!checkBulk(w, i, lane, destination, source, bytes))
      return Step::Fault;
    if (barrier % 8 != 0)
      return w.trap(i, lane,
                    "misaligned address: an mbarrier needs a multiple of 8",
                    barrier);
    std::byte *from =
        w.access(i, sourceSpace, source, bytes, 16, lane, "bulk copy read");
    if (!from)
      return Step::Fault;
    uint64_t targets = destinationSpace == Space::Shared
                           ? uint64_t(1) << w.cta().rank()
                           : uint64_t(1)
                                 << ((destination >> clusterRankShift) & 63);
    if (i.operands[4])
      targets = w.value(i.operands[4], lane) & 0xffff;
    uint32_t to = uint32_t(destination & clusterOffsetMask);
    uint32_t barrierOffset = uint32_t(barrier & clusterOffsetMask);
    Scene scene(w, i, lane);
    for (; targets; targets &= targets - 1) {
      Cta *cta = w.cluster().cta(unsigned(__builtin_ctzll(targets)));
      if (!cta || !cta->sharedAt(to, bytes))
        return w.trap(i, lane,
                      "out of bounds: the destination of a bulk copy is "
                      "outside of the shared memory of the cluster",
                      destination);
      if (!cta->sharedAt(barrierOffset, 8))
        return w.trap(i, lane,
                      "out of bounds: the mbarrier is outside of the CTA's "
                      "shared memory",
                      barrier);
      w.count(Counter::TmaLoads);
      w.count(Counter::TmaBytesLoaded, bytes);
      uint64_t watched = 0;
      if (HazardChecker *checker = hazardsOf(w.grid()))
        watched = checker->copyIssued(*cta, granulesOf(to, bytes), scene);
      w.cluster().async.issue(
          AsyncQueue::unordered, "bulk copy", i.line,
          [cta, to, from, bytes, barrierOffset, watched, scene] {
            std::memmove(cta->sharedAt(to, bytes), from, bytes);
            if (watched)
              hazardsOf(cta->grid())->copyLanded(*cta, watched);
            return landOnMBarrier(*cta, barrierOffset, bytes, false, scene);
          });
    }
  }
  return Step::Next;
}

/// To global memory, with a bulk group. Operands: destination, source, size.
static Step copyToGlobal(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t destination = w.address(i.operands[0], lane);
    uint64_t source = w.address(i.operands[1], lane);
    uint32_t bytes = uint32_t(w.value(i.operands[2], lane));
    if (!checkBulk(w, i, lane, destination, source, bytes))
      return Step::Fault;
    std::byte *to = w.access(i, Space::Global, destination, bytes, 16, lane,
                             "bulk copy write");
    std::byte *from = to ? w.access(i, Space::Shared, source, bytes, 16, lane,
                                    "bulk copy read")
                         : nullptr;
    if (!from)
      return Step::Fault;
    std::shared_ptr<BulkGroup> group = w.extension<BulkGroups>().join(lane);
    if (HazardChecker *checker = hazardsOf(w.grid()))
      checker->copyReads(
          w.cta(), granulesOf(uint32_t(source & clusterOffsetMask), bytes),
          Scene(w, i, lane));
    w.count(Counter::TmaStores);
    w.count(Counter::TmaBytesStored, bytes);
    Cluster *cluster = &w.cluster();
    cluster->async.issue(AsyncQueue::unordered, "bulk copy", i.line,
                         [to, from, bytes, group, cluster] {
                           std::memcpy(to, from, bytes);
                           --group->outstanding;
                           cluster->signal();
                           return true;
                         });
  }
  return Step::Next;
}

static Step commitGroup(Warp &w, const Instruction &, LaneMask mask) {
  BulkGroups &groups = w.extension<BulkGroups>();
  forLanes(mask, [&](unsigned lane) { groups.commit(lane); });
  return Step::Next;
}

static std::string describeGroups(const Warp &, const Wait &wait) {
  return "bulk async-groups: " + std::to_string(wait.a) +
         " are pending, and at most " + std::to_string(wait.b) + " may be";
}

/// `extra` is the number of groups that may be pending.
static Step waitGroup(Warp &w, const Instruction &i, LaneMask mask) {
  BulkGroups &groups = w.extension<BulkGroups>();
  size_t most = 0;
  forLanes(mask,
           [&](unsigned lane) { most = std::max(most, groups.pending(lane)); });
  if (most <= i.extra)
    return Step::Next;
  Wait wait;
  wait.describe = describeGroups;
  wait.a = most;
  wait.b = i.extra;
  return w.block(wait);
}

/// Prefetches change nothing that a program can see.
static Step prefetch(Warp &, const Instruction &, LaneMask) {
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeToShared(Decode &decode, Space destination, Space source) {
  bool multicast = decode.take("multicast::cluster");
  bool hint = decode.take("L2::cache_hint");
  size_t count = 4 + multicast + hint;
  if (!decode.expectOperands(count, count) || !decode.address(0, destination) ||
      !decode.address(1, source) || !decode.sourceU32(2) ||
      !decode.address(3, Space::SharedCluster))
    return false;
  if (multicast) {
    if (!decode.sourceOperand(4, Type::B16))
      return false;
  } else {
    decode.noOperand();
  }
  if (hint && !decode.sourceOperand(count - 1, Type::B64))
    return false;
  decode.out.extra = uint64_t(destination);
  decode.out.flags = uint8_t(source);
  decode.out.handler = copyToShared;
  return true;
}

static bool decodeToGlobal(Decode &decode) {
  if (decode.take("cp_mask"))
    return decode.error(".cp_mask is not modelled");
  bool hint = decode.take("L2::cache_hint");
  size_t count = 3 + hint;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space::Global) || !decode.address(1, Space::Shared) ||
      !decode.sourceU32(2) || (hint && !decode.sourceOperand(3, Type::B64)))
    return false;
  decode.out.handler = copyToGlobal;
  return true;
}

static bool decodeCopy(Decode &decode) {
  // Destination and source are both state spaces; the first one written is
  // the destination.
  bool global = decode.take("global");
  bool cluster = decode.take("shared::cluster");
  bool cta = decode.take("shared::cta");
  if (decode.take("bulk_group")) {
    if (!global || !cta)
      return decode.error("expected .global.shared::cta with .bulk_group");
    return decodeToGlobal(decode);
  }
  if (!decode.take("mbarrier::complete_tx::bytes"))
    return decode.error("expected .mbarrier::complete_tx::bytes or "
                        ".bulk_group");
  if (global && cluster != cta)
    return decodeToShared(
        decode, cluster ? Space::SharedCluster : Space::Shared, Space::Global);
  if (!global && cluster && cta)
    return decodeToShared(decode, Space::SharedCluster, Space::Shared);
  return decode.error("expected .shared::cluster.global, .shared::cta.global "
                      "or .shared::cluster.shared::cta");
}

static bool decodeCommitGroup(Decode &decode) {
  if (!decode.expectOperands(0, 0))
    return false;
  decode.out.handler = commitGroup;
  return true;
}

static bool decodeWaitGroup(Decode &decode) {
  // Reading the source and writing the destination land together here.
  decode.take("read");
  int64_t count = 0;
  if (!decode.expectOperands(1, 1) || !decode.immediate(0, count))
    return false;
  if (count < 0)
    return decode.error("expected a count of 0 or more, got " +
                        std::to_string(count));
  decode.out.extra = uint64_t(count);
  decode.out.handler = waitGroup;
  return true;
}

static bool decodePrefetch(Decode &decode) {
  bool hint = decode.take("L2::cache_hint");
  if (!decode.take("L2") || !decode.take("global"))
    return decode.error("expected .L2.global");
  size_t count = 2 + hint;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space::Global) || !decode.sourceU32(1) ||
      (hint && !decode.sourceOperand(2, Type::B64)))
    return false;
  decode.out.handler = prefetch;
  return true;
}

void registerBulkCopy(Registry &registry) {
  registry.add("cp.async.bulk", decodeCopy);
  registry.add("cp.async.bulk.commit_group", decodeCommitGroup);
  registry.add("cp.async.bulk.wait_group", decodeWaitGroup);
  registry.add("cp.async.bulk.prefetch", decodePrefetch);
}

} // namespace bwgemm::emulator
