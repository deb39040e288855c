//===- TensorCopy.cpp - cp.async.bulk.tensor --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies in tile mode between global and shared memory, and the
// instructions that only touch tensor maps (PTX ISA, "Data movement: tensor
// copy"). The copies themselves are in machine/Tma.h. A copy is checked when
// it is issued and moves its data when it lands.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/BulkGroups.h"
#include "instructions/Registry.h"
#include "machine/Observer.h"
#include "machine/Tma.h"

#include <cstring>
#include <deque>
#include <memory>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

namespace {
/// The plans of the tensor maps that a CTA used. Entries are never changed:
/// copies in flight point at them.
struct PlanCache {
  struct Entry {
    uint64_t address;
    TensorMapWords words;
    TmaPlan plan;
  };
  std::deque<Entry> entries;
  AllocationCache allocations;
};
} // namespace

/// The plan of the tensor map that `operand` names; null if that trapped.
static const TmaPlan *planOf(Warp &w, const Instruction &i,
                             const Operand &operand, unsigned lane) {
  uint64_t address = w.address(operand, lane);
  std::byte *place =
      w.access(i, Space::Generic, address, 128, 64, lane, "tensor map read");
  if (!place)
    return nullptr;
  PlanCache &cache = w.cta().extension<PlanCache>();
  for (const PlanCache::Entry &entry : cache.entries)
    if (entry.address == address &&
        std::memcmp(entry.words.data(), place, 64) == 0)
      return &entry.plan;
  PlanCache::Entry entry{address, {}, {}};
  std::memcpy(entry.words.data(), place, 128);
  TensorMap map;
  std::string error;
  if (!TensorMap::decode(entry.words, map, error)) {
    w.trap(i, lane, error, address);
    return nullptr;
  }
  TmaTrap trap;
  if (!TmaPlan::make(map, entry.plan, trap)) {
    if (trap.unsupported)
      w.unsupported(i, lane, trap.message);
    else
      w.trap(i, lane, trap.message, address);
    return nullptr;
  }
  cache.entries.push_back(entry);
  return &cache.entries.back().plan;
}

namespace {
/// Lets the pure copy code ask about global memory.
struct GlobalAccess {
  AllocationCache *cache;
  const DeviceMemory *memory;
  GlobalCheck check() {
    return {[](void *context, uint64_t address, uint64_t bytes) {
              auto *self = static_cast<GlobalAccess *>(context);
              return self->cache->contains(*self->memory, address, bytes);
            },
            this};
  }
};
} // namespace

static Step report(Warp &w, const Instruction &i, unsigned lane,
                   const TmaTrap &trap) {
  if (trap.unsupported)
    return w.unsupported(i, lane, trap.message);
  if (trap.hasAddress)
    return w.trap(i, lane, trap.message, trap.address);
  return w.trap(i, lane, trap.message);
}

/// Reads the coordinates behind the tensor map in `[map, {x, y}]`.
static bool coordinatesOf(Warp &w, const Instruction &i, const Operand &operand,
                          const TmaPlan &plan, unsigned lane,
                          TmaCoordinates &coordinates) {
  const Operand *list = operand.elements;
  unsigned count = operand.count;
  if (count == 1 && list[0].kind == Operand::Kind::Vector) {
    count = list[0].count;
    list = list[0].elements;
  }
  if (plan.rank != i.flags) {
    w.trap(i, lane,
           "the tensor map has rank " + std::to_string(plan.rank) +
               ", the instruction is ." + std::to_string(i.flags) + "d");
    return false;
  }
  coordinates = {};
  for (unsigned d = 0; d < count; ++d)
    coordinates[d] = int32_t(uint32_t(w.value(list[d], lane)));
  return true;
}

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
    const TmaPlan *plan = planOf(w, i, i.operands[1], lane);
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
        watched =
            checker->copyIssued(*cta, granulesOf(*plan, destination), scene);
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

/// Operands: map with coordinates, source. `flags` is the rank.
static Step store(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    const TmaPlan *plan = planOf(w, i, i.operands[0], lane);
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
    std::shared_ptr<BulkGroup> group = w.extension<BulkGroups>().join(lane);
    if (HazardChecker *checker = hazardsOf(w.grid()))
      checker->copyReads(*cta, granulesOf(*plan, source), Scene(w, i, lane));
    w.count(Counter::TmaStores);
    w.cluster().async.issue(
        AsyncQueue::unordered, "tensor store", i.line,
        [plan, at, source, cta, group] {
          uint64_t bytes = tensorStore(*plan, at, source, sharedWindowOf(*cta));
          cta->cluster().counters().add(Counter::TmaBytesStored, bytes);
          --group->outstanding;
          cta->cluster().signal();
          return true;
        });
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Prefetches and fences
//===----------------------------------------------------------------------===//

/// Has no effect but its checks: the map must be one. The rank is 0 for
/// prefetch.tensormap, which has no coordinates.
static Step prefetch(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1)
    if (!planOf(w, i, i.operands[0], firstLane(rest)))
      return Step::Fault;
  return Step::Next;
}

/// The tensor map proxy holds no stale copies here: planOf compares contents.
static Step fenceTensorMap(Warp &w, const Instruction &i, LaneMask mask) {
  if (Observer *observer = w.observer())
    observer->fence(w, i, mask);
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

/// Takes the load mode; only tiles are modelled.
static bool takeTile(Decode &decode) {
  static const std::string_view others[] = {"tile::gather4",  "tile::scatter4",
                                            "im2col",         "im2col::w",
                                            "im2col::w::128", "im2col_no_offs"};
  for (std::string_view mode : others)
    if (decode.take(mode))
      return decode.error("." + std::string(mode) +
                          " is not modelled; .tile is");
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
  if (count != decode.out.flags)
    return decode.error("expected " + std::to_string(decode.out.flags) +
                        " coordinates, got " + std::to_string(count));
  return true;
}

static bool decodeLoad(Decode &decode) {
  bool multicast = decode.take("multicast::cluster");
  bool hint = decode.take("L2::cache_hint");
  int group = decode.takeOne({"cta_group::1", "cta_group::2"});
  size_t count = 3 + multicast + hint;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space(decode.out.extra)) || !mapAddress(decode, 1) ||
      !decode.address(2, Space::SharedCluster))
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
  if (!takeRank(decode) || !takeTile(decode))
    return false;
  if (!decode.take("global"))
    return decode.error("expected a copy from or to .global");
  bool toCluster = decode.take("shared::cluster");
  if (!toCluster && !decode.take("shared::cta"))
    return decode.error("expected .shared::cta or .shared::cluster");
  decode.out.extra = uint64_t(toCluster ? Space::SharedCluster : Space::Shared);
  if (decode.take("mbarrier::complete_tx::bytes"))
    return decodeLoad(decode);
  if (!decode.take("bulk_group"))
    return decode.error("expected .mbarrier::complete_tx::bytes or "
                        ".bulk_group");
  if (toCluster)
    return decode.error("a store reads .shared::cta");
  return decodeStore(decode);
}

static bool decodePrefetchTensor(Decode &decode) {
  bool hint = decode.take("L2::cache_hint");
  if (!takeRank(decode) || !takeTile(decode))
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

static bool decodePrefetchMap(Decode &decode, Space space) {
  if (!decode.expectOperands(1, 1) || !decode.address(0, space))
    return false;
  decode.out.handler = prefetch;
  return true;
}

static bool decodePrefetchGeneric(Decode &decode) {
  return decodePrefetchMap(decode, Space::Generic);
}
static bool decodePrefetchParam(Decode &decode) {
  return decodePrefetchMap(decode, Space::Param);
}
static bool decodePrefetchConst(Decode &decode) {
  return decodePrefetchMap(decode, Space::Const);
}

static bool decodeFence(Decode &decode) {
  bool acquire = decode.take("acquire");
  if (!acquire && !decode.take("release"))
    return decode.error("expected .acquire or .release");
  if (decode.takeOne({"cta", "cluster", "gpu", "sys"}) < 0)
    return decode.error("expected a scope");
  size_t count = acquire ? 2 : 0;
  if (!decode.expectOperands(count, count))
    return false;
  int64_t bytes = 128;
  if (acquire &&
      (!decode.address(0, Space::Generic) || !decode.immediate(1, bytes)))
    return false;
  if (bytes != 128)
    return decode.error("expected a size of 128, got " + std::to_string(bytes));
  decode.out.handler = fenceTensorMap;
  return true;
}

void registerTensorCopy(Registry &registry) {
  registry.add("cp.async.bulk.tensor", decodeCopy);
  registry.add("cp.async.bulk.prefetch.tensor", decodePrefetchTensor);
  registry.add("prefetch.tensormap", decodePrefetchGeneric);
  registry.add("prefetch.param.tensormap", decodePrefetchParam);
  registry.add("prefetch.const.tensormap", decodePrefetchConst);
  registry.add("fence.proxy.tensormap::generic", decodeFence);
}

} // namespace bwgemm::emulator
