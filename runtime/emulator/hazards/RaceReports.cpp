//===- RaceReports.cpp - What is missing, in words --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hazards/Ordering.h"

#include <cstdio>

namespace bwgemm::emulator {

void Ordering::report(const MemoryAccess &old, const Doer &doer, Cta &cta,
                      uint32_t where) {
  if (!facts->isNew(cta, doer.access.line, old.line))
    return;
  bool isTensor = doer.access.kind >= AccessKind::TensorLoad;
  char place[64];
  if (isTensor)
    std::snprintf(place, sizeof(place), "column %u of tensor memory", where);
  else
    std::snprintf(place, sizeof(place), "%s 0x%x",
                  &cta == doer.scene.cta ? "shared memory at"
                                         : "the peer CTA's shared memory at",
                  where);
  const char *verb = doer.access.kind == AccessKind::TensorFree ? "frees"
                     : isWrite(doer.access.kind)                ? "writes"
                                                                : "reads";
  std::string subject;
  if (doer.name)
    subject = std::string(doer.name) + " ";
  else if (doer.access.kind == AccessKind::TensorLoad)
    subject = "tcgen05.ld ";
  else if (doer.access.kind == AccessKind::TensorStore)
    subject = "tcgen05.st ";
  else if (doer.access.kind == AccessKind::TensorFree)
    subject = "tcgen05.dealloc ";
  else if (isTensor)
    subject = "the mma ";
  doer.scene.hazard(
      subject + verb + " " + place + ", which " +
      (isTensor ? describeTensor(old, doer) : describeShared(old, doer)));
}

/// "warp 1, lane 0", and its CTA if that is another.
std::string Ordering::nameOf(const MemoryAccess &access,
                             const Doer &doer) const {
  std::string text = "warp " + std::to_string(access.warp) + ", lane " +
                     std::to_string(access.lane);
  if (access.rank != doer.access.rank)
    text += " of the CTA of rank " + std::to_string(access.rank);
  return text;
}

/// What the other access to shared memory was, and what should stand between.
std::string Ordering::describeShared(const MemoryAccess &old,
                                     const Doer &doer) const {
  const AccessKind kind = doer.access.kind;
  std::string line = std::to_string(old.line);
  bool isRemote = old.rank != doer.access.rank;
  const char *barrier =
      isRemote ? "barrier.cluster.arrive and .wait, or an mbarrier with "
                 ".release.cluster and .acquire.cluster"
               : "bar.sync, an arrival on an mbarrier and a wait, or .release "
                 "and .acquire at one address";
  switch (old.kind) {
  case AccessKind::Load:
    return nameOf(old, doer) + " reads in line " + line +
           ": the two are not ordered, there is no barrier between them (" +
           barrier + ", behind the read)";
  case AccessKind::Store: {
    std::string text = nameOf(old, doer) + " writes in line " + line + ": ";
    bool reads = !isWrite(kind);
    if (isProxied(kind) && reads && doer.knows.weak.covers(old.actor, old.time))
      return text + "fence.proxy.async must stand between the store and the "
                    "read by the async proxy, in the thread that writes "
                    "before the barrier, or in the thread that issues the "
                    "read behind it";
    if (!isProxied(kind) && doer.knows.weak.covers(old.actor, old.time))
      return text + "what orders the two does not make ordinary stores "
                    "visible: an arrival on an mbarrier of another CTA needs "
                    ".release.cluster (the scope is .cta if none is given), "
                    "and tcgen05.commit and bulk copies order what they do "
                    "alone";
    text += "the two are not ordered, there is no barrier between them (";
    text += barrier;
    return text + (isProxied(kind) && reads
                       ? "), nor is there a fence.proxy.async"
                       : ")");
  }
  case AccessKind::ThreadCopy:
    return "the cp.async of line " + line + " (" + nameOf(old, doer) +
           ") writes: its thread must wait for its group first "
           "(cp.async.wait_group), and a barrier must follow if that is "
           "another warp";
  case AccessKind::AsyncStore:
  case AccessKind::BulkWrite: {
    std::string text = old.kind == AccessKind::BulkWrite
                           ? "the bulk copy of line "
                           : "the asynchronous store of line ";
    text += line + " (" + nameOf(old, doer) + ") ";
    return old.time >= MemoryAccess::inFlight
               ? text + "is still writing: wait on its mbarrier first "
                        "(mbarrier.try_wait)"
               : text + "writes: this warp has not waited on its mbarrier "
                        "(mbarrier.try_wait), nor for a thread that has";
  }
  case AccessKind::BulkRead:
    return "the bulk copy of line " + line + " (" + nameOf(old, doer) +
           ") has yet to read: its thread must wait for it first "
           "(cp.async.bulk.wait_group.read), and a barrier must follow if "
           "that is another warp";
  case AccessKind::WgmmaRead:
    return "the wgmma of line " + line + " (" + nameOf(old, doer) +
           ") may still read: wgmma.wait_group must come first, and a barrier "
           "must follow if this is another warpgroup";
  default:
    return std::string("the ") +
           (old.kind == AccessKind::CopyRead ? "tcgen05.cp" : "mma") +
           " of line " + line + " (" + nameOf(old, doer) +
           ") may still read: wait for its tcgen05.commit first "
           "(mbarrier.try_wait)";
  }
}

/// The same of tensor memory.
std::string Ordering::describeTensor(const MemoryAccess &old,
                                     const Doer &doer) const {
  std::string line = std::to_string(old.line) + " (" + nameOf(old, doer) + ")";
  bool isOwn = old.rank == doer.access.rank && old.warp == doer.access.warp;
  if (doer.access.kind != AccessKind::TensorFree &&
      doer.knows.weak.covers(old.actor, old.time)) {
    bool isThread = old.kind == AccessKind::TensorLoad ||
                    old.kind == AccessKind::TensorStore;
    return std::string("the tcgen05 instruction of line ") + line +
           " accesses: there is a barrier between the two, but no " +
           (isThread ? "tcgen05.fence::before_thread_sync before it, or no "
                     : "") +
           "tcgen05.fence::after_thread_sync behind it";
  }
  const char *barrier =
      isOwn ? "" : ", tcgen05.fence::before_thread_sync and a barrier";
  switch (old.kind) {
  case AccessKind::TensorLoad:
    return "the tcgen05.ld of line " + line +
           " reads: tcgen05.wait::ld must come first" + barrier;
  case AccessKind::TensorStore:
    return "the tcgen05.st of line " + line +
           " writes: tcgen05.wait::st must come first" + barrier;
  default:
    return "the mma, tcgen05.cp or tcgen05.shift of line " + line +
           (isWrite(old.kind) ? " writes" : " reads") +
           ": wait for its tcgen05.commit first (mbarrier.try_wait)";
  }
}

} // namespace bwgemm::emulator
