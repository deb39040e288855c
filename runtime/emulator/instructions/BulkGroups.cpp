//===- BulkGroups.cpp - Bulk async-groups of threads ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/BulkGroups.h"

#include "hazards/HazardChecker.h"
#include "instructions/Registry.h"

#include <algorithm>

namespace bwgemm::emulator {

void issueBulkWrite(Warp &warp, const Scene &scene, const char *what,
                    std::vector<uint32_t> granules,
                    std::function<std::vector<std::byte>()> read,
                    std::function<void(std::vector<std::byte> &)> write) {
  std::shared_ptr<BulkGroup> group =
      warp.extension<BulkGroups>().join(unsigned(scene.lane));
  uint64_t watched = 0;
  if (HazardChecker *checker = hazardsOf(warp.grid()))
    watched = checker->copyReads(*scene.cta, granules, scene);
  warp.count(Counter::TmaStores);
  Cluster *cluster = &warp.cluster();
  uint32_t line = scene.instruction->line;
  cluster->async.issue(AsyncQueue::unordered, what, line,
                       [cluster, cta = scene.cta, what, line, group, watched,
                        read = std::move(read), write = std::move(write)] {
                         auto bytes =
                             std::make_shared<std::vector<std::byte>>(read());
                         if (watched)
                           hazardsOf(cta->grid())->copyHasRead(*cta, watched);
                         --group->reading;
                         cluster->signal();
                         cluster->async.issue(AsyncQueue::unordered, what, line,
                                              [cluster, group, bytes, write] {
                                                write(*bytes);
                                                --group->writing;
                                                cluster->signal();
                                                return true;
                                              });
                         return true;
                       });
}

static Step commitGroup(Warp &w, const Instruction &, LaneMask mask) {
  BulkGroups &groups = w.extension<BulkGroups>();
  forLanes(mask, [&](unsigned lane) { groups.commit(lane); });
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->bulkCommit(w, mask);
  return Step::Next;
}

static std::string describeGroups(const Warp &, const Wait &wait) {
  return "bulk async-groups: " + std::to_string(wait.a) +
         (wait.c ? " have sources to read" : " are pending") +
         ", and at most " + std::to_string(wait.b) + " may";
}

/// `extra` is the number of groups that may be pending, `flags` 1 for .read.
static Step waitGroup(Warp &w, const Instruction &i, LaneMask mask) {
  BulkGroups &groups = w.extension<BulkGroups>();
  size_t most = 0;
  forLanes(mask, [&](unsigned lane) {
    most = std::max(most, groups.pending(lane, i.flags));
  });
  if (most <= i.extra) {
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->bulkWait(w, mask, i.extra);
    return Step::Next;
  }
  Wait wait;
  wait.describe = describeGroups;
  wait.a = most;
  wait.b = i.extra;
  wait.c = i.flags;
  return w.block(wait);
}

static bool decodeCommitGroup(Decode &decode) {
  if (!decode.expectOperands(0, 0))
    return false;
  decode.out.handler = commitGroup;
  return true;
}

static bool decodeWaitGroup(Decode &decode) {
  decode.out.flags = decode.take("read");
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

void registerBulkGroups(Registry &registry) {
  registry.add("cp.async.bulk.commit_group", decodeCommitGroup);
  registry.add("cp.async.bulk.wait_group", decodeWaitGroup);
}

} // namespace bwgemm::emulator
