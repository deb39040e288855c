//===- Tcgen05Alloc.cpp - tcgen05.alloc and its kin -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation of tensor memory (PTX ISA, "tcgen05.alloc, tcgen05.dealloc,
// tcgen05.relinquish_alloc_permit"). The rules are in machine/TensorMemory.h.
//
// With .cta_group::2 a warp of each CTA of the pair executes the instruction.
// The one that comes first waits for the other, also in tcgen05.dealloc: the
// ISA only says that it may, and a program must be right if it does.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/Tcgen05Support.h"

#include <cstring>
#include <vector>

namespace bwgemm::emulator {

namespace {
/// The instruction that allocated last, for the report of what was not freed.
struct LastAllocation {
  Scene scene;
};
} // namespace

bool checkTensorMemoryFreed(Cta &cta) {
  LastAllocation &last = cta.extension<LastAllocation>();
  if (!last.scene.instruction)
    return true;
  uint32_t columns = cta.extension<TensorMemory>().allocatedColumns();
  if (columns == 0)
    return true;
  return last.scene.fail(FaultKind::Trap,
                         std::to_string(columns) +
                             " columns of tensor memory are still allocated "
                             "when the CTA exits: expected a tcgen05.dealloc "
                             "for every tcgen05.alloc");
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// What a warp of one CTA of a pair has asked for, and waits for the other CTA
/// to ask for as well.
struct PairRequest {
  const Warp *warp;
  Scene scene;
  uint32_t count;
  uint32_t address;           ///< tcgen05.dealloc
  std::byte *place = nullptr; ///< Where tcgen05.alloc writes the address.
};

/// In the order in which warps came to them; an extension of Cta.
struct PairRequests {
  std::vector<PairRequest> allocations, deallocations;
};
} // namespace

static std::string usage(Cta &cta) {
  return std::to_string(cta.extension<TensorMemory>().allocatedColumns()) +
         " of " + std::to_string(TensorMemory::columns) + " are allocated";
}

static std::string describeAlloc(const Warp &w, const Wait &wait) {
  return std::to_string(wait.a) + " columns of tensor memory, of which " +
         usage(w.cta());
}

/// `a`: columns; `b`: 1 for tcgen05.dealloc.
static std::string describePair(const Warp &w, const Wait &wait) {
  unsigned rank = w.cta().rank() ^ 1;
  const PairRequests &requests =
      w.cluster().cta(rank)->extension<PairRequests>();
  if (!wait.b && !requests.allocations.empty())
    return describeAlloc(w, wait);
  return std::string("the peer CTA (cluster rank ") + std::to_string(rank) +
         ") to execute " + (wait.b ? "tcgen05.dealloc" : "tcgen05.alloc") +
         " of " + std::to_string(wait.a) + " columns, too";
}

static void finishAlloc(const Scene &scene, uint32_t address, std::byte *place,
                        bool isPair) {
  std::memcpy(place, &address, 4);
  if (Ordering *ordering = orderingOf(scene.cta->cluster()))
    ordering->access(scene, *scene.cta,
                     sharedBase + uint32_t(place - scene.cta->sharedData()), 4,
                     true);
  if (Ordering *ordering = orderingOf(scene.cta->cluster()); ordering && isPair)
    ordering->pairAllocated(scene);
  scene.cta->extension<LastAllocation>().scene = scene;
  CounterSet &counters = scene.cta->cluster().counters();
  counters.add(Counter::TmemAllocations);
  counters.raise(Counter::TmemColumnsHighWater,
                 scene.cta->extension<TensorMemory>().allocatedColumns());
}

/// Frees; false with the broken rule.
static bool release(const Scene &scene, uint32_t address, uint32_t count,
                    std::string &trap) {
  Cta &cta = *scene.cta;
  if (!cta.extension<TensorMemory>().release(address, count, trap))
    return false;
  if (HazardChecker *checker = hazardsOf(cta.grid()))
    checker->tensorFreed(cta, address, count, scene);
  if (Ordering *ordering = orderingOf(cta.cluster()))
    ordering->tensorFreed(scene, address, count);
  return true;
}

static Step trapAt(const Scene &scene, std::string message) {
  scene.fail(FaultKind::Trap, std::move(message));
  return Step::Fault;
}

/// Allocates what both CTAs ask for first, as far as there is space.
static Step servePairAllocations(const CtaGroup &group) {
  auto &even = group.ctas[0]->extension<PairRequests>().allocations;
  auto &odd = group.ctas[1]->extension<PairRequests>().allocations;
  TensorMemory &evenTensor = group.ctas[0]->extension<TensorMemory>();
  TensorMemory &oddTensor = group.ctas[1]->extension<TensorMemory>();
  while (!even.empty() && !odd.empty()) {
    uint32_t count = even[0].count, address, oddAddress;
    if (count != odd[0].count)
      return trapAt(odd[0].scene, "the CTAs of the pair allocate " +
                                      std::to_string(count) + " and " +
                                      std::to_string(odd[0].count) +
                                      " columns together, expected the same");
    std::string trap;
    for (PairRequests *of : {&group.ctas[0]->extension<PairRequests>(),
                             &group.ctas[1]->extension<PairRequests>()})
      if (!of->allocations[0].scene.cta->extension<TensorMemory>().mayAllocate(
              count, trap))
        return trapAt(of->allocations[0].scene, trap);
    if (evenTensor.allocate(count, address, trap) !=
        TensorMemory::Allocation::Done)
      return Step::Block;
    // Both CTAs allocate and free together, so that their tensor memories are
    // divided alike.
    if (oddTensor.allocate(count, oddAddress, trap) !=
            TensorMemory::Allocation::Done ||
        address != oddAddress)
      return trapAt(odd[0].scene, "the tensor memories of the CTA pair are "
                                  "allocated differently");
    finishAlloc(even[0].scene, address, even[0].place, true);
    finishAlloc(odd[0].scene, address, odd[0].place, true);
    even.erase(even.begin());
    odd.erase(odd.begin());
    group.ctas[0]->cluster().signal();
  }
  return Step::Next;
}

/// Frees what both CTAs have asked to free.
static Step servePairDeallocations(const CtaGroup &group) {
  auto &even = group.ctas[0]->extension<PairRequests>().deallocations;
  auto &odd = group.ctas[1]->extension<PairRequests>().deallocations;
  for (size_t e = 0; e < even.size();) {
    size_t o = 0;
    while (o < odd.size() && odd[o].address != even[e].address)
      ++o;
    if (o == odd.size()) {
      ++e;
      continue;
    }
    std::string trap;
    for (const PairRequest *request : {&even[e], &odd[o]})
      if (!release(request->scene, request->address, request->count, trap))
        return trapAt(request->scene, trap);
    even.erase(even.begin() + ptrdiff_t(e));
    odd.erase(odd.begin() + ptrdiff_t(o));
    group.ctas[0]->cluster().signal();
  }
  return Step::Next;
}

static bool isPending(const std::vector<PairRequest> &requests, const Warp &w) {
  for (const PairRequest &request : requests)
    if (request.warp == &w)
      return true;
  return false;
}

/// Asks for `request`, unless the warp has done so and waits, and returns when
/// both CTAs of the pair have it.
static Step joinPair(Warp &w, const Instruction &i, const PairRequest &request,
                     bool isDealloc) {
  PairRequests &own = w.cta().extension<PairRequests>();
  auto &requests = isDealloc ? own.deallocations : own.allocations;
  bool waited = w.fragment().wait.describe == describePair;
  if (waited && !isPending(requests, w))
    return Step::Next;
  unsigned even = w.cta().rank() & ~1u;
  CtaGroup group;
  group.count = 2;
  group.ctas[0] = w.cluster().cta(even);
  group.ctas[1] = w.cluster().cta(even + 1);
  if (!waited) {
    CtaGroup checked;
    if (!ctaGroupOf(w, i, unsigned(request.scene.lane), checked))
      return Step::Fault;
    if (Ordering *ordering = orderingOf(w.cluster())) {
      if (isDealloc)
        ordering->pairFrees(request.scene, request.address, request.count);
      else
        ordering->pairAllocates(request.scene);
    }
    requests.push_back(request);
  }
  Step step =
      isDealloc ? servePairDeallocations(group) : servePairAllocations(group);
  if (step == Step::Fault)
    return step;
  if (!isPending(requests, w))
    return Step::Next;
  std::string error;
  if (!group.checkAlive(w.cta(), error))
    return w.trap(i, unsigned(request.scene.lane),
                  error +
                      ": cta_group::2 needs a warp of both CTAs of the "
                      "pair to execute " +
                      (isDealloc ? "tcgen05.dealloc" : "tcgen05.alloc"));
  Wait wait;
  wait.describe = describePair;
  wait.a = request.count;
  wait.b = isDealloc;
  return w.block(wait);
}

/// Operands: where the address goes, columns. `extra` is the state space,
/// `flags` the CTA group.
static Step alloc(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  uint32_t count, address;
  if (!wholeWarp(w, i, mask, step))
    return step;
  unsigned lane = firstLane(mask);
  if (!uniformValue(w, i, i.operands[1], mask, "the number of columns", count))
    return Step::Fault;
  uint64_t place = w.address(i.operands[0], lane);
  std::byte *memory =
      w.access(i, Space(i.extra), place, 4, 4, lane, "tcgen05.alloc write");
  if (!memory)
    return Step::Fault;
  TensorMemory &tensor = w.cta().extension<TensorMemory>();
  Scene scene(w, i, lane);
  std::string trap;
  if (i.flags == 2) {
    if (w.fragment().wait.describe != describePair &&
        !tensor.mayAllocate(count, trap))
      return w.trap(i, lane, trap);
    return joinPair(w, i, {&w, scene, count, 0, memory}, false);
  }
  switch (tensor.allocate(count, address, trap)) {
  case TensorMemory::Allocation::Trap:
    return w.trap(i, lane, trap);
  case TensorMemory::Allocation::MustWait: {
    Wait wait;
    wait.describe = describeAlloc;
    wait.a = count;
    return w.block(wait);
  }
  case TensorMemory::Allocation::Done:
    break;
  }
  finishAlloc(scene, address, memory, false);
  return Step::Next;
}

/// Operands: address, columns. `flags` is the CTA group.
static Step dealloc(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  uint32_t address, count;
  if (!wholeWarp(w, i, mask, step))
    return step;
  if (!uniformValue(w, i, i.operands[0], mask, "the tensor memory address",
                    address) ||
      !uniformValue(w, i, i.operands[1], mask, "the number of columns", count))
    return Step::Fault;
  Scene scene(w, i, firstLane(mask));
  if (i.flags == 2)
    return joinPair(w, i, {&w, scene, count, address, nullptr}, true);
  std::string trap;
  if (!release(scene, address, count, trap))
    return w.trap(i, firstLane(mask), trap);
  w.cluster().signal();
  return Step::Next;
}

static Step relinquish(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!wholeWarp(w, i, mask, step))
    return step;
  w.cta().extension<TensorMemory>().relinquish();
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeAlloc(Decode &decode) {
  if (!takeCtaGroup(decode) || !takeSyncAligned(decode))
    return false;
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::Shared)
    return decode.error("expected .shared::cta");
  if (!decode.take("b32"))
    return decode.error("expected type b32");
  if (!decode.expectOperands(2, 2) || !decode.address(0, space) ||
      !decode.sourceU32(1))
    return false;
  decode.out.extra = uint64_t(space);
  decode.out.handler = alloc;
  return true;
}

static bool decodeDealloc(Decode &decode) {
  if (!takeCtaGroup(decode) || !takeSyncAligned(decode))
    return false;
  if (!decode.take("b32"))
    return decode.error("expected type b32");
  if (!decode.expectOperands(2, 2) || !decode.sourceU32(0) ||
      !decode.sourceU32(1))
    return false;
  decode.out.handler = dealloc;
  return true;
}

static bool decodeRelinquish(Decode &decode) {
  if (!takeCtaGroup(decode) || !takeSyncAligned(decode) ||
      !decode.expectOperands(0, 0))
    return false;
  decode.out.handler = relinquish;
  return true;
}

void registerTcgen05Alloc(Registry &registry) {
  registry.add("tcgen05.alloc", decodeAlloc);
  registry.add("tcgen05.dealloc", decodeDealloc);
  registry.add("tcgen05.relinquish_alloc_permit", decodeRelinquish);
}

} // namespace bwgemm::emulator
