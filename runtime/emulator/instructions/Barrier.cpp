//===- Barrier.cpp - Barriers of CTA and cluster, fences --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bar, barrier, barrier.cta (sync, arrive, red), barrier.cluster, membar and
// fence (PTX ISA, parallel synchronization). A fence changes no value here:
// memory is the host's, and the hazard checker is told.
//
//===----------------------------------------------------------------------===//

#include "hazards/Ordering.h"
#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/Observer.h"

#include <cstdio>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// CTA barriers
//===----------------------------------------------------------------------===//

namespace {

enum class Form : uint8_t { Sync, Arrive, Popc, And, Or };

enum Flags : uint8_t {
  FormMask = 7,
  Aligned = 8,
  HasCount = 16,
};

} // namespace

static std::string describeBarrier(const Warp &warp, const Wait &wait) {
  const NamedBarrier &barrier = warp.cta().barriers[wait.a];
  char text[96];
  std::snprintf(text, sizeof(text), "barrier %u: %u of %u threads arrived",
                unsigned(wait.a), barrier.arrived,
                barrier.expected ? barrier.expected
                                 : warp.cta().aliveThreads());
  return text;
}

static void complete(Cta &cta, NamedBarrier &barrier) {
  if (Ordering *ordering = orderingOf(cta.cluster()))
    ordering->barrierComplete(cta, unsigned(&barrier - cta.barriers));
  barrier.lastAnd = barrier.reduceAnd;
  barrier.lastOr = barrier.reduceOr;
  barrier.lastCount = barrier.reduceCount;
  barrier.reduceAnd = true;
  barrier.reduceOr = false;
  barrier.reduceCount = 0;
  barrier.arrived = 0;
  barrier.expected = 0;
  barrier.wholeCta = false;
  ++barrier.generation;
  cta.cluster().signal();
}

void Cta::threadsExited() {
  // A barrier without a count is for the threads there are. Those that have
  // exited count as arrived (measured behaviour since sm_70).
  for (NamedBarrier &barrier : barriers)
    if (barrier.wholeCta && barrier.arrived) {
      barrier.expected = aliveThreads();
      if (barrier.arrived >= barrier.expected)
        complete(*this, barrier);
    }
  if (aliveThreads() == 0)
    if (Ordering *ordering = orderingOf(cluster()))
      ordering->ctaEnded(*this);
}

/// Operands: barrier number, count (if HasCount), then for reductions the
/// predicate; and the reduction's destination first of all in operands[3].
static Step barrier(Warp &w, const Instruction &i, LaneMask mask) {
  Cta &cta = w.cta();
  Form form = Form(i.flags & FormMask);
  Wait &wait = w.fragment().wait;
  bool isReduction = form >= Form::Popc;

  if (!(wait.active() && wait.describe == describeBarrier)) {
    // `.aligned`: all threads of the warp execute the same barrier.
    if ((i.flags & Aligned) && !w.converged(allLanes))
      return w.blockForConvergence(allLanes);
    unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
    uint64_t number = w.value(i.operands[0], lane);
    if (number > 15)
      return w.trap(i, lane,
                    "expected a barrier from 0 to 15, got " +
                        std::to_string(number));
    NamedBarrier &barrier = cta.barriers[number];
    uint32_t expected;
    if (i.flags & HasCount) {
      uint64_t count = w.value(i.operands[1], lane);
      if (count == 0 || count % warpSize || count > 1024)
        return w.trap(i, lane,
                      "expected a thread count of the barrier that is a "
                      "multiple of 32 up to 1024, got " +
                          std::to_string(count));
      expected = uint32_t(count);
    } else {
      expected = cta.aliveThreads();
    }
    if (barrier.arrived == 0) {
      barrier.expected = expected;
      barrier.wholeCta = !(i.flags & HasCount);
    } else if (barrier.expected != expected) {
      return w.trap(i, lane,
                    "barrier " + std::to_string(number) + " is used with " +
                        std::to_string(expected) +
                        " threads while others "
                        "arrived expecting " +
                        std::to_string(barrier.expected));
    }
    // An aligned barrier counts whole warps, whatever lanes still live.
    uint32_t arriving = static_cast<uint32_t>(__builtin_popcount(mask));
    if ((i.flags & HasCount) && (i.flags & Aligned))
      arriving = warpSize;
    if (isReduction) {
      LaneMask p = w.predicate(i.operands[2]);
      barrier.reduceCount +=
          static_cast<uint32_t>(__builtin_popcount(p & mask));
      barrier.reduceAnd &= (p & mask) == mask;
      barrier.reduceOr |= (p & mask) != 0;
    }
    barrier.arrived += arriving;
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->barrierArrive(w, unsigned(number));
    w.count(Counter::BarrierWaits);
    uint32_t generation = barrier.generation;
    if (barrier.arrived > barrier.expected)
      return w.trap(i, lane,
                    "barrier " + std::to_string(number) + " got " +
                        std::to_string(barrier.arrived) +
                        " arrivals but expects " +
                        std::to_string(barrier.expected));
    if (barrier.arrived == barrier.expected)
      complete(cta, barrier);
    if (form != Form::Arrive && barrier.generation == generation) {
      Wait next;
      next.describe = describeBarrier;
      next.a = number;
      next.b = generation;
      return w.block(next);
    }
    if (form == Form::Arrive)
      return Step::Next;
    wait.a = number;
  } else if (cta.barriers[wait.a].generation == uint32_t(wait.b)) {
    return w.block(wait);
  }
  if (isReduction) {
    const NamedBarrier &barrier = cta.barriers[wait.a];
    if (form == Form::Popc)
      setLanes(w, i.operands[3], mask,
               [&](unsigned) { return uint64_t(barrier.lastCount); });
    else
      w.setPredicate(
          i.operands[3],
          (form == Form::And ? barrier.lastAnd : barrier.lastOr) ? allLanes : 0,
          mask);
  }
  if (Observer *observer = w.observer()) {
    orderingOf(w.cluster())->barrierPass(w, unsigned(wait.a));
    observer->barrier(w, i);
  }
  return Step::Next;
}

/// bar{.cta}.x and barrier{.cta}.x{.aligned}: the first are aligned always.
static bool decodeBarrier(Decode &decode) {
  bool isBar = decode.source.parts[0] == "bar";
  decode.take("cta");
  int form = decode.takeOne({"sync", "arrive", "red"});
  if (form < 0)
    return decode.error("expected '.sync', '.arrive' or '.red' in '" +
                        decode.mnemonic() + "'");
  bool aligned = decode.take("aligned") || isBar;
  uint8_t flags = aligned ? Aligned : 0;
  Instruction &out = decode.out;
  out.handler = barrier;
  if (form < 2) {
    if (!decode.expectOperands(form == 1 ? 2 : 1, 2) || !decode.sourceU32(0))
      return false;
    if (decode.operandCount() == 2) {
      flags |= HasCount;
      if (!decode.sourceU32(1))
        return false;
    }
    out.flags = uint8_t(flags | uint8_t(form == 0 ? Form::Sync : Form::Arrive));
    return true;
  }
  int operation = decode.takeOne({"popc", "and", "or"});
  Type type;
  if (operation < 0 || !decode.takeType(type) ||
      type != (operation == 0 ? Type::U32 : Type::Pred))
    return decode.error("expected '.popc.u32', '.and.pred' or '.or.pred' in "
                        "'" +
                        decode.mnemonic() + "'");
  flags |= uint8_t(Form::Popc) + uint8_t(operation);
  size_t count = decode.operandCount();
  if (!decode.expectOperands(3, 4) || !decode.sourceU32(1))
    return false;
  if (count == 4) {
    flags |= HasCount;
    if (!decode.sourceU32(2))
      return false;
  } else {
    decode.noOperand();
  }
  out.flags = flags;
  return decode.predicateSource(count - 1) &&
         (operation == 0 ? decode.destination(0, Type::U32)
                         : decode.predicateDestination(0));
}

//===----------------------------------------------------------------------===//
// Cluster barrier
//===----------------------------------------------------------------------===//

namespace {
/// barrier.cluster: one per cluster, of all its threads.
struct ClusterBarrier {
  uint64_t generation = 0;
  uint32_t arrived = 0;
};
/// Whether a warp's lanes have arrived and not yet waited, and for what.
struct ClusterArrival {
  LaneMask arrived = 0;
  uint64_t generation = 0;
};
} // namespace

static uint32_t aliveInCluster(Cluster &cluster) {
  uint32_t count = 0;
  for (auto &cta : cluster.ctas())
    count += cta->aliveThreads();
  return count;
}

static void checkCluster(Cluster &cluster) {
  ClusterBarrier &barrier = cluster.extension<ClusterBarrier>();
  if (barrier.arrived && barrier.arrived >= aliveInCluster(cluster)) {
    if (Ordering *ordering = orderingOf(cluster))
      ordering->clusterComplete();
    barrier.arrived = 0;
    ++barrier.generation;
    cluster.signal();
  }
}

static Step clusterArrive(Warp &w, const Instruction &i, LaneMask mask) {
  if (i.flags && !w.converged(allLanes))
    return w.blockForConvergence(allLanes);
  ClusterBarrier &barrier = w.cluster().extension<ClusterBarrier>();
  ClusterArrival &mine = w.extension<ClusterArrival>();
  if (mine.arrived & mask)
    return w.trap(i, unsigned(__builtin_ctz(mine.arrived & mask)),
                  "barrier.cluster.arrive again without barrier.cluster.wait "
                  "between");
  mine.arrived |= mask;
  mine.generation = barrier.generation;
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->clusterArrive(w,
                            i.text.find(".relaxed") != std::string_view::npos);
  barrier.arrived += static_cast<uint32_t>(__builtin_popcount(mask));
  checkCluster(w.cluster());
  w.count(Counter::BarrierWaits);
  return Step::Next;
}

static std::string describeClusterBarrier(const Warp &warp, const Wait &) {
  ClusterBarrier &barrier = warp.cluster().extension<ClusterBarrier>();
  return "the cluster barrier: " + std::to_string(barrier.arrived) + " of " +
         std::to_string(aliveInCluster(warp.cluster())) + " threads arrived";
}

static Step clusterWait(Warp &w, const Instruction &i, LaneMask mask) {
  if (i.flags && !w.converged(allLanes))
    return w.blockForConvergence(allLanes);
  ClusterArrival &mine = w.extension<ClusterArrival>();
  if ((mine.arrived & mask) != mask)
    return w.trap(i, unsigned(__builtin_ctz(mask & ~mine.arrived)),
                  "barrier.cluster.wait without barrier.cluster.arrive before");
  // Threads that exited since need not arrive.
  checkCluster(w.cluster());
  if (w.cluster().extension<ClusterBarrier>().generation == mine.generation) {
    Wait wait;
    wait.describe = describeClusterBarrier;
    return w.block(wait);
  }
  mine.arrived &= ~mask;
  if (Observer *observer = w.observer()) {
    orderingOf(w.cluster())->clusterPass(w);
    observer->barrier(w, i);
  }
  return Step::Next;
}

static bool decodeClusterBarrier(Decode &decode) {
  int form = decode.takeOne({"arrive", "wait"});
  if (form < 0)
    return decode.error("expected '.arrive' or '.wait' in '" +
                        decode.mnemonic() + "'");
  decode.takeOne({"release", "acquire", "relaxed"});
  decode.out.flags = decode.take("aligned");
  decode.out.handler = form == 0 ? clusterArrive : clusterWait;
  return decode.expectOperands(0, 0);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static Step fence(Warp &w, const Instruction &i, LaneMask mask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Observer *observer = w.observer())
    observer->fence(w, i, mask);
  return Step::Next;
}

static bool decodeMembar(Decode &decode) {
  decode.out.handler = fence;
  if (decode.takeOne({"cta", "gl", "sys"}) < 0)
    return decode.error("expected '.cta', '.gl' or '.sys' in '" +
                        decode.mnemonic() + "'");
  return decode.expectOperands(0, 0);
}

/// fence{.sc|.acq_rel|.acquire|.release}.scope and
/// fence.mbarrier_init.release.cluster, with .sync_restrict forms.
static bool decodeFence(Decode &decode) {
  decode.out.handler = fence;
  decode.takeOne({"sc", "acq_rel", "acquire", "release"});
  decode.takeAllWithPrefix("sync_restrict::");
  if (decode.takeOne({"cta", "cluster", "gpu", "sys"}) < 0)
    return decode.error("expected a scope such as '.cta' in '" +
                        decode.mnemonic() + "'");
  return decode.expectOperands(0, 0);
}

static bool decodeFenceMBarrierInit(Decode &decode) {
  decode.out.handler = fence;
  if (!decode.take("release") || !decode.take("cluster"))
    return decode.error(
        "expected 'fence.mbarrier_init.release.cluster', got '" +
        decode.mnemonic() + "'");
  return decode.expectOperands(0, 0);
}

/// fence.proxy.alias, .async{.space}, .async::generic…, .tensormap::generic….
/// The tensormap acquire form has an address and a size.
static bool decodeFenceProxy(Decode &decode) {
  decode.out.handler = fence;
  int kind = decode.takeOne(
      {"alias", "async", "async::generic", "tensormap::generic"});
  switch (kind) {
  case 0:
    return decode.expectOperands(0, 0);
  case 1:
    decode.takeSpace();
    return decode.expectOperands(0, 0);
  case 2:
  case 3:
    break;
  default:
    return decode.error("expected '.alias', '.async', '.async::generic' or "
                        "'.tensormap::generic' in '" +
                        decode.mnemonic() + "'");
  }
  int order = decode.takeOne({"acquire", "release"});
  decode.takeAllWithPrefix("sync_restrict::");
  bool hasScope = decode.takeOne({"cta", "cluster", "gpu", "sys"}) >= 0;
  if (order < 0 || !hasScope)
    return decode.error("expected '.acquire' or '.release' and a scope in '" +
                        decode.mnemonic() + "'");
  if (kind == 3 && order == 0) {
    int64_t size;
    if (!decode.expectOperands(2, 2) || !decode.address(0, Space::Generic) ||
        !decode.immediate(1, size))
      return false;
    if (size != 128)
      return decode.error("expected a tensor map of 128 bytes, got " +
                          std::to_string(size));
    return true;
  }
  return decode.expectOperands(0, 0);
}

void registerBarrier(Registry &registry) {
  registry.add("bar", decodeBarrier);
  registry.add("barrier", decodeBarrier);
  registry.add("barrier.cluster", decodeClusterBarrier);
  registry.add("membar", decodeMembar);
  registry.add("fence", decodeFence);
  registry.add("fence.mbarrier_init", decodeFenceMBarrierInit);
  registry.add("fence.proxy", decodeFenceProxy);
  registry.add("membar.proxy", decodeFenceProxy);
}

} // namespace bwgemm::emulator
