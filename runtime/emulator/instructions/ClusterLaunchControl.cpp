//===- ClusterLaunchControl.cpp - clusterlaunchcontrol.* --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// try_cancel takes a cluster of the grid that has not been launched, so that
// its work can be done by the cluster that asks; query_cancel reads the
// response (PTX ISA, "clusterlaunchcontrol"). The scheduler and try_cancel
// draw from one supply, Grid::takeCluster.
//
// The response is opaque in the ISA. Here its low half is a signature with the
// outcome in bit 0, and its high half is x | y << 32 | z << 48 of the first
// CTA, so that anything that is no response is recognised.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/Registry.h"

#include <cstring>

namespace bwgemm::emulator {

static constexpr uint64_t signature = 0x424d4743'4c430000; // "BMGCLC"
static constexpr uint32_t responseBytes = 16;

namespace {
/// What a CTA has learnt; an extension of Cta.
struct LaunchControl {
  /// The PTX line that saw a request fail; 0 if none has.
  uint32_t failureLine = 0;
};
} // namespace

/// Random schedules also refuse one request in eight while clusters are left,
/// as hardware does when something else wants the SM: the others are then
/// launched as usual.
static bool refusesAnyway(Cluster &cluster) {
  return cluster.grid().options.schedule == WarpOrder::Random &&
         cluster.random()() % 8 == 0;
}

static bool anyAlive(const Cta &cta) { return cta.aliveThreads() != 0; }

/// Writes the response in one CTA and completes 16 bytes on its mbarrier.
static bool respond(Cta &cta, uint32_t to, uint32_t barrier, uint64_t low,
                    uint64_t high, uint64_t watched, const Scene &scene) {
  if (!anyAlive(cta))
    return scene.fail(FaultKind::Trap,
                      "the response of a launch control request comes after "
                      "the CTA of rank " +
                          std::to_string(cta.rank()) +
                          " has exited: the cluster that it cancelled would "
                          "be lost");
  std::byte *place = cta.sharedAt(to, responseBytes);
  std::memcpy(place, &low, 8);
  std::memcpy(place + 8, &high, 8);
  if (watched)
    hazardsOf(cta.grid())->copyLanded(cta, watched);
  return landOnMBarrier(cta, barrier, responseBytes, false, scene);
}

/// The offset of a shared::cta or generic operand in this CTA, checked.
static bool locate(Warp &w, const Instruction &i, const Operand &operand,
                   unsigned lane, uint32_t bytes, const char *what,
                   uint32_t &offset) {
  uint64_t address = w.address(operand, lane);
  if (!w.access(i, Space(i.extra), address, bytes, bytes, lane, what))
    return false;
  if (Space(i.extra) == Space::Generic) {
    GenericAddress generic = splitGeneric(address);
    if (generic.space != Space::SharedCluster ||
        generic.offset >> clusterRankShift != w.cta().rank()) {
      w.trap(i, lane,
             std::string("a ") + what + " must lie in shared::cta memory",
             address);
      return false;
    }
    address = generic.offset;
  }
  offset = uint32_t(address & clusterOffsetMask);
  return true;
}

/// Operands: response, mbarrier. `flags` is 1 for multicast.
static Step tryCancel(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint32_t to, barrier;
    if (!locate(w, i, i.operands[0], lane, responseBytes,
                "launch control response", to) ||
        !locate(w, i, i.operands[1], lane, 8, "mbarrier", barrier))
      return Step::Fault;
    if (uint32_t line = w.cta().extension<LaunchControl>().failureLine)
      return w.trap(i, lane,
                    "clusterlaunchcontrol.try_cancel after line " +
                        std::to_string(line) +
                        " has seen a request fail: expected none any more "
                        "from this CTA");
    Cluster &cluster = w.cluster();
    Scene scene(w, i, lane);
    struct Target {
      Cta *cta;
      uint64_t watched;
    };
    std::vector<Target> targets;
    for (auto &cta : cluster.ctas()) {
      if (!i.flags && cta.get() != &w.cta())
        continue;
      if (!anyAlive(*cta))
        return w.trap(i, lane,
                      "a multicast launch control request needs every CTA of "
                      "the cluster, but that of rank " +
                          std::to_string(cta->rank()) + " has exited");
      uint64_t watched = 0;
      if (HazardChecker *checker = hazardsOf(w.grid()))
        watched = checker->copyIssued(*cta, granulesOf(to, responseBytes),
                                      scene, *cta, barrier);
      targets.push_back({cta.get(), watched});
    }
    w.count(Counter::LaunchControlRequests);
    cluster.async.issue(AsyncQueue::unordered, "cluster launch control request",
                        i.line, [&cluster, targets, to, barrier, scene] {
                          Grid &grid = cluster.grid();
                          uint64_t low = signature, high = 0;
                          Dim3 index;
                          // The grid is asked now, not at the issue: the two
                          // are apart.
                          if (!cluster.finished() && !refusesAnyway(cluster) &&
                              grid.takeCluster(index)) {
                            const Dim3 &extent = grid.config.cluster;
                            low |= 1;
                            high = uint64_t(index.x * extent.x) |
                                   uint64_t(index.y * extent.y) << 32 |
                                   uint64_t(index.z * extent.z) << 48;
                            cluster.counters().add(Counter::ClustersCancelled);
                          }
                          for (const Target &target : targets)
                            cluster.async.issue(
                                AsyncQueue::unordered,
                                "cluster launch control response",
                                scene.instruction->line,
                                [target, to, barrier, low, high, scene] {
                                  return respond(*target.cta, to, barrier, low,
                                                 high, target.watched, scene);
                                });
                          return true;
                        });
  }
  return Step::Next;
}

/// Splits operand `operand` of one lane; false after a trap.
static bool responseOf(Warp &w, const Instruction &i, const Operand &operand,
                       unsigned lane, bool &canceled, uint64_t &first) {
  const uint64_t *planes = w.in<uint64_t>(operand);
  uint64_t low = planes[lane];
  first = planes[warpSize + lane];
  if ((low & ~uint64_t(1)) != signature) {
    w.trap(i, lane,
           "the 128 bits are no response of clusterlaunchcontrol.try_cancel: "
           "wait on its mbarrier before the response is read");
    return false;
  }
  canceled = low & 1;
  return true;
}

/// Operands: predicate, response.
static Step isCanceled(Warp &w, const Instruction &i, LaneMask mask) {
  LaneMask result = 0;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    bool canceled;
    uint64_t first;
    if (!responseOf(w, i, i.operands[1], lane, canceled, first))
      return Step::Fault;
    if (canceled)
      result |= 1u << lane;
  }
  LaunchControl &state = w.cta().extension<LaunchControl>();
  if (result != mask && state.failureLine == 0)
    state.failureLine = i.line;
  w.setPredicate(i.operands[0], result, mask);
  return Step::Next;
}

/// Operands: a register or a vector of four, response. `flags` is the axis,
/// or 3 for all.
static Step firstCtaid(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    bool canceled;
    uint64_t first;
    if (!responseOf(w, i, i.operands[1], lane, canceled, first))
      return Step::Fault;
    if (!canceled)
      return w.trap(i, lane,
                    "get_first_ctaid of a request that failed: expected a "
                    "response for which is_canceled is true");
    const uint64_t axis[4] = {first & 0xffffffff, first >> 32 & 0xffff,
                              first >> 48, 0};
    const Operand &d = i.operands[0];
    if (i.flags < 3)
      w.setValue(d, lane, axis[i.flags]);
    else
      for (unsigned e = 0; e < 4; ++e)
        w.setValue(d.elements[e], lane, axis[e]);
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeTryCancel(Decode &decode) {
  Space space = decode.takeSpace();
  if (!decode.take("async") || !decode.take("mbarrier::complete_tx::bytes") ||
      !decode.take("b128") ||
      (space != Space::Generic && space != Space::Shared))
    return decode.error(
        "expected 'clusterlaunchcontrol.try_cancel.async{.shared::cta}"
        ".mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128', got "
        "'" +
        decode.mnemonic() + "'");
  decode.out.flags = decode.take("multicast::cluster::all");
  decode.out.extra = uint64_t(space);
  decode.out.handler = tryCancel;
  return decode.expectOperands(2, 2) && decode.address(0, space) &&
         decode.address(1, space);
}

static bool decodeQueryCancel(Decode &decode) {
  int what =
      decode.takeOne({"get_first_ctaid::x", "get_first_ctaid::y",
                      "get_first_ctaid::z", "get_first_ctaid", "is_canceled"});
  auto refuse = [&] {
    return decode.error(
        "expected '.is_canceled.pred.b128', '.get_first_ctaid.v4.b32.b128' or "
        "'.get_first_ctaid::x.b32.b128' (::y, ::z), got '" +
        decode.mnemonic() + "'");
  };
  if (what < 0 || !decode.expectOperands(2, 2))
    return what < 0 ? refuse() : false;
  if (what == 4) {
    decode.out.handler = isCanceled;
    return ((decode.take("pred") && decode.take("b128")) || refuse()) &&
           decode.predicateDestination(0) &&
           decode.sourceOperand(1, Type::B128);
  }
  decode.out.handler = firstCtaid;
  decode.out.flags = uint8_t(what);
  unsigned width = decode.takeVectorWidth();
  if (width != (what == 3 ? 4u : 1u) || !decode.take("b32") ||
      !decode.take("b128"))
    return refuse();
  return (what == 3 ? decode.vectorDestination(0, Type::B32, 4, true)
                    : decode.destination(0, Type::B32)) &&
         decode.sourceOperand(1, Type::B128);
}

void registerClusterLaunchControl(Registry &registry) {
  registry.add("clusterlaunchcontrol.try_cancel", decodeTryCancel);
  registry.add("clusterlaunchcontrol.query_cancel", decodeQueryCancel);
}

} // namespace bwgemm::emulator
