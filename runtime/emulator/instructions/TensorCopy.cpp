//===- TensorCopy.cpp - cp.async.bulk.tensor --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies in tile mode between global and shared memory, and reductions
// into tensors (PTX ISA, "Data movement: tensor copy"). The copies themselves
// are in machine/Tma.h. A copy is checked when it is issued and moves its data
// when it lands; a store reads and writes at different times.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/BulkGroups.h"
#include "instructions/TensorPlans.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The CTA and the offset that a shared operand names. A .shared::cta operand
/// names this CTA, whatever rank bits it carries.
static Cta *sharedTarget(Warp &w, const Operand &operand, unsigned lane,
                         Space space, uint32_t &offset) {
  uint64_t address = w.address(operand, lane);
  offset = uint32_t(address & clusterOffsetMask);
  if (space == Space::Shared)
    return &w.cta();
  return address >> 32 ? nullptr
                       : w.cluster().cta(unsigned(address >> clusterRankShift));
}

/// Set in `extra` of a load with .cta_group::2.
static constexpr uint64_t pairSignal = 0x100;
/// Set in `extra` with tile::gather4 and tile::scatter4.
static constexpr uint64_t fourRows = 0x200;
/// Set in `extra` of a reduction; the operation is in bits 16 to 23.
static constexpr uint64_t reduces = 0x400;

/// The CTA whose mbarrier a copy to `target` signals. It is that of the data,
/// and the rank bits of the operand do not matter (measured on an H200); but
/// with .cta_group::2 it is the one of the data's CTA pair whose rank is odd or
/// even as the operand's is. Null if there is no such CTA.
static Cta *signalledCta(Warp &w, Cta &target, bool isPair,
                         uint64_t barrierAddress) {
  if (!isPair)
    return &target;
  unsigned parity = unsigned(barrierAddress >> clusterRankShift) & 1;
  return w.cluster().cta((target.rank() & ~1u) | parity);
}

/// Operands: destination, map with coordinates, mbarrier, CTA mask or none.
/// `flags` is the rank, `extra` the space of the destination and pairSignal.
static Step load(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    const TmaPlan *plan = planOf(w, i, i.operands[1], lane, i.extra & fourRows);
    TmaCoordinates at;
    if (!plan || !coordinatesOf(w, i, i.operands[1], *plan, lane, at))
      return Step::Fault;
    uint32_t destination;
    bool isPair = i.extra & pairSignal;
    Cta *target = sharedTarget(w, i.operands[0], lane, Space(i.extra & 0xff),
                               destination);
    if (!target)
      return w.trap(i, lane, "the destination names no CTA of the cluster",
                    w.address(i.operands[0], lane));
    uint64_t barrierAddress = w.address(i.operands[2], lane);
    uint32_t barrier = uint32_t(barrierAddress & clusterOffsetMask);
    if (barrier % 8 != 0)
      return w.trap(i, lane,
                    "misaligned address: an mbarrier needs a multiple "
                    "of 8",
                    barrierAddress);
    uint64_t targets = uint64_t(1) << target->rank();
    if (i.operands[3])
      targets = w.value(i.operands[3], lane) & 0xffff;
    else if (isPair &&
             (barrierAddress >> (clusterRankShift + 1)) != target->rank() / 2)
      return w.trap(i, lane,
                    "the mbarrier lies in the CTA with rank " +
                        std::to_string(barrierAddress >> clusterRankShift) +
                        ", expected it in that of the destination, " +
                        std::to_string(target->rank()) +
                        ", or its peer with .cta_group::2",
                    barrierAddress);
    PlanCache &cache = w.cta().extension<PlanCache>();
    GlobalAccess global{&cache.allocations, &w.grid().memory};
    Scene scene(w, i, lane);
    w.count(Counter::TmaBytesRead, plan->txBytes());
    for (; targets; targets &= targets - 1) {
      Cta *cta = w.cluster().cta(unsigned(__builtin_ctzll(targets)));
      if (!cta)
        return w.trap(i, lane, "the CTA mask names no CTA of the cluster");
      TmaTrap trap;
      if (!checkTensorLoad(*plan, at, destination, sharedWindowOf(*cta),
                           global.check(), trap))
        return report(w, i, lane, trap);
      Cta *signalled = signalledCta(w, *cta, isPair, barrierAddress);
      if (!signalled)
        return w.trap(i, lane,
                      "the CTA with rank " + std::to_string(cta->rank()) +
                          " has no peer in its cluster, whose mbarrier the "
                          "copy signals");
      if (!signalled->sharedAt(barrier, 8))
        return w.trap(i, lane,
                      "out of bounds: the mbarrier is outside of the "
                      "CTA's shared memory",
                      barrierAddress);
      w.count(Counter::TmaLoads);
      w.count(Counter::TmaBytesLoaded, plan->txBytes());
      uint64_t watched = 0;
      if (HazardChecker *checker = hazardsOf(w.grid()))
        watched = checker->copyIssued(*cta, granulesOf(*plan, destination),
                                      scene, *signalled, barrier);
      w.cluster().async.issue(
          AsyncQueue::unordered, "tensor load", i.line,
          [plan, at, destination, cta, signalled, barrier, watched, scene] {
            tensorLoad(*plan, at, destination, sharedWindowOf(*cta));
            if (watched)
              hazardsOf(cta->grid())->copyLanded(*cta, watched);
            return landOnMBarrier(*signalled, barrier,
                                  uint32_t(plan->txBytes()), false, scene);
          });
    }
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whole lines of 128 bytes: a swizzle moves chunks within them.
static constexpr uint32_t lineBytes = 128;

/// The lines of shared memory that hold a box.
static std::vector<std::byte> readBox(const TmaPlan &plan, uint32_t source,
                                      const SharedWindow &shared) {
  uint64_t bytes = (plan.sharedExtent() + lineBytes - 1) & ~(lineBytes - 1ull);
  // The window may end within the last line, though the box does not.
  uint64_t there = std::min<uint64_t>(bytes, shared.end - source);
  std::vector<std::byte> box(bytes);
  std::memcpy(box.data(), shared.at(source), there);
  return box;
}

/// Operands: map with coordinates, source. `flags` is the rank, `extra` says
/// what else there is to know.
static Step store(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    const TmaPlan *plan = planOf(w, i, i.operands[0], lane, i.extra & fourRows);
    TmaCoordinates at;
    if (!plan || !coordinatesOf(w, i, i.operands[0], *plan, lane, at))
      return Step::Fault;
    uint32_t source;
    Cta *cta = sharedTarget(w, i.operands[1], lane, Space::Shared, source);
    PlanCache &cache = cta->extension<PlanCache>();
    GlobalAccess global{&cache.allocations, &w.grid().memory};
    TmaTrap trap;
    if (!checkTensorStore(*plan, at, source, sharedWindowOf(*cta),
                          global.check(), trap))
      return report(w, i, lane, trap);
    bool isReduction = i.extra & reduces;
    Reduction reduction{ReduceOp(i.extra >> 16 & 0xff), plan->element};
    if (isReduction && !reduction.isLegal())
      return w.trap(i, lane,
                    "illegal instruction: the copy engine has no " +
                        reduction.describe());
    issueBulkWrite(
        w, Scene(w, i, lane), isReduction ? "tensor reduction" : "tensor store",
        granulesOf(*plan, source),
        [plan, source, cta] {
          return readBox(*plan, source, sharedWindowOf(*cta));
        },
        [plan, at, source, cta, isReduction,
         reduction](std::vector<std::byte> &box) {
          SharedWindow copy{box.data(), source,
                            source + static_cast<uint32_t>(box.size())};
          uint64_t bytes =
              isReduction ? tensorReduce(*plan, at, source, copy, reduction)
                          : tensorStore(*plan, at, source, copy);
          cta->cluster().counters().add(Counter::TmaBytesStored, bytes);
        });
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Prefetches
//===----------------------------------------------------------------------===//

/// Has no effect but its checks: the map must be one.
static Step prefetch(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1)
    if (!planOf(w, i, i.operands[0], firstLane(rest), i.extra & fourRows))
      return Step::Fault;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool takeRank(Decode &decode) {
  int rank = decode.takeOne({"1d", "2d", "3d", "4d", "5d"});
  if (rank < 0)
    return decode.error("expected a dimension from .1d to .5d");
  decode.out.flags = uint8_t(rank + 1);
  return true;
}

/// Takes the load mode; only tiles are modelled. `four` is the mode with four
/// rows that the instruction has, gather or scatter.
static bool takeTile(Decode &decode, std::string_view four) {
  static const std::string_view others[] = {"im2col", "im2col::w",
                                            "im2col::w::128", "im2col_no_offs"};
  for (std::string_view mode : others)
    if (decode.take(mode))
      return decode.error("." + std::string(mode) +
                          " is not modelled; .tile is, and ." +
                          std::string(four));
  if (decode.take(four)) {
    decode.out.extra |= fourRows;
    if (decode.out.flags != 2)
      return decode.error("expected .2d with ." + std::string(four));
    return true;
  }
  decode.take("tile");
  return true;
}

/// `[map, {coordinates}]` with as many coordinates as the rank says.
static bool mapAddress(Decode &decode, size_t index) {
  if (!decode.address(index, Space::Generic))
    return false;
  const Operand &operand = decode.last();
  unsigned count = operand.count;
  if (count == 1 && operand.elements[0].kind == Operand::Kind::Vector)
    count = operand.elements[0].count;
  unsigned expected = decode.out.extra & fourRows ? 5 : decode.out.flags;
  if (count != expected)
    return decode.error("expected " + std::to_string(expected) +
                        " coordinates, got " + std::to_string(count));
  return true;
}

static bool decodeLoad(Decode &decode) {
  bool multicast = decode.take("multicast::cluster");
  bool hint = decode.take("L2::cache_hint");
  int group = decode.takeOne({"cta_group::1", "cta_group::2"});
  size_t count = 3 + multicast + hint;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space(decode.out.extra & 0xff)) ||
      !mapAddress(decode, 1) || !decode.address(2, Space::SharedCluster))
    return false;
  if (multicast) {
    if (!decode.sourceOperand(3, Type::B16))
      return false;
  } else {
    decode.noOperand();
  }
  if (hint && !decode.sourceOperand(count - 1, Type::B64))
    return false;
  if (group == 1)
    decode.out.extra |= pairSignal;
  decode.out.handler = load;
  return true;
}

static bool decodeStore(Decode &decode) {
  bool hint = decode.take("L2::cache_hint");
  size_t count = 2 + hint;
  if (!decode.expectOperands(count, count) || !mapAddress(decode, 0) ||
      !decode.address(1, Space::Shared))
    return false;
  if (hint && !decode.sourceOperand(2, Type::B64))
    return false;
  decode.out.handler = store;
  return true;
}

static bool decodeCopy(Decode &decode) {
  bool isLoad = decode.take("mbarrier::complete_tx::bytes");
  if (!isLoad && !decode.take("bulk_group"))
    return decode.error("expected .mbarrier::complete_tx::bytes or "
                        ".bulk_group");
  if (!takeRank(decode) ||
      !takeTile(decode, isLoad ? "tile::gather4" : "tile::scatter4"))
    return false;
  if (!decode.take("global"))
    return decode.error("expected a copy from or to .global");
  bool toCluster = decode.take("shared::cluster");
  if (!toCluster && !decode.take("shared::cta"))
    return decode.error("expected .shared::cta or .shared::cluster");
  decode.out.extra |=
      uint64_t(toCluster ? Space::SharedCluster : Space::Shared);
  if (isLoad)
    return decodeLoad(decode);
  if (toCluster)
    return decode.error("a store reads .shared::cta");
  return decodeStore(decode);
}

static bool decodePrefetchTensor(Decode &decode) {
  bool hint = decode.take("L2::cache_hint");
  if (!takeRank(decode) || !takeTile(decode, "tile::gather4"))
    return false;
  if (!decode.take("L2") || !decode.take("global"))
    return decode.error("expected .L2.global");
  size_t count = 1 + hint;
  if (!decode.expectOperands(count, count) || !mapAddress(decode, 0) ||
      (hint && !decode.sourceOperand(1, Type::B64)))
    return false;
  decode.out.handler = prefetch;
  return true;
}

static bool decodeReduce(Decode &decode) {
  if (!takeRank(decode) || !takeTile(decode, "tile::scatter4"))
    return false;
  if (!decode.take("global") || !decode.take("shared::cta") ||
      !decode.take("bulk_group"))
    return decode.error("expected .global.shared::cta and .bulk_group");
  for (unsigned op = 0; op < 8; ++op)
    if (decode.take(reduceOpNames[op])) {
      decode.out.extra |= reduces | uint64_t(op) << 16;
      return decodeStore(decode);
    }
  return decode.error("expected .add, .min, .max, .inc, .dec, .and, .or or "
                      ".xor in '" +
                      decode.mnemonic() + "'");
}

void registerTensorCopy(Registry &registry) {
  registry.add("cp.async.bulk.tensor", decodeCopy);
  registry.add("cp.async.bulk.prefetch.tensor", decodePrefetchTensor);
  registry.add("cp.reduce.async.bulk.tensor", decodeReduce);
}

} // namespace bwgemm::emulator
