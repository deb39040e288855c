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
//===----------------------------------------------------------------------===//

#include "instructions/Tcgen05Support.h"

#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Support
//===----------------------------------------------------------------------===//

bool checkTcgen05Target(Decode &decode) {
  std::string_view target = decode.kernel.target;
  for (std::string_view known : {"sm_100", "sm_101", "sm_103", "sm_110"})
    if (target.substr(0, known.size()) == known &&
        (target.back() == 'a' || target.back() == 'f'))
      return true;
  return decode.error("tcgen05 needs .target sm_100a, sm_100f, sm_103a or the "
                      "like, got " +
                      decode.kernel.target);
}

bool takeCtaGroup(Decode &decode) {
  if (!checkTcgen05Target(decode))
    return false;
  if (decode.take("cta_group::2"))
    return decode.error(".cta_group::2 is not modelled; .cta_group::1 is");
  if (!decode.take("cta_group::1"))
    return decode.error("expected .cta_group::1");
  return true;
}

bool takeSyncAligned(Decode &decode) {
  bool sync = decode.take("sync"), aligned = decode.take("aligned");
  return (sync && aligned) || decode.error("expected .sync.aligned");
}

bool wholeWarp(Warp &w, const Instruction &i, LaneMask mask, Step &step) {
  if (!w.converged(allLanes)) {
    step = w.blockForConvergence(allLanes);
    return false;
  }
  if (mask == allLanes)
    return true;
  step = w.trap(i, firstLane(mask),
                "a .sync.aligned instruction of tcgen05 must be executed by "
                "all 32 threads of the warp");
  return false;
}

bool uniformValue(Warp &w, const Instruction &i, const Operand &operand,
                  LaneMask mask, const char *what, uint32_t &value) {
  value = uint32_t(w.value(operand, firstLane(mask)));
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint32_t other = uint32_t(w.value(operand, lane));
    if (other == value)
      continue;
    w.trap(i, lane,
           std::string(what) +
               " must be the same in all threads of the warp, "
               "got " +
               std::to_string(value) + " and " + std::to_string(other));
    return false;
  }
  return true;
}

bool uniformAddress(Warp &w, const Instruction &i, const Operand &operand,
                    LaneMask mask, uint32_t &address) {
  address = uint32_t(w.address(operand, firstLane(mask)));
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint32_t other = uint32_t(w.address(operand, lane));
    if (other == address)
      continue;
    w.trap(i, lane,
           "the tensor memory address must be the same in all threads of the "
           "warp",
           other);
    return false;
  }
  return true;
}

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

static std::string describeAlloc(const Warp &w, const Wait &wait) {
  uint32_t used = w.cta().extension<TensorMemory>().allocatedColumns();
  return std::to_string(wait.a) + " columns of tensor memory, of which " +
         std::to_string(used) + " of " + std::to_string(TensorMemory::columns) +
         " are allocated";
}

/// Operands: where the address goes, columns. `extra` is the state space.
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
  std::string trap;
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
  std::memcpy(memory, &address, 4);
  w.cta().extension<LastAllocation>().scene = Scene(w, i, lane);
  w.count(Counter::TmemAllocations);
  return Step::Next;
}

/// Operands: address, columns.
static Step dealloc(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  uint32_t address, count;
  if (!wholeWarp(w, i, mask, step))
    return step;
  if (!uniformValue(w, i, i.operands[0], mask, "the tensor memory address",
                    address) ||
      !uniformValue(w, i, i.operands[1], mask, "the number of columns", count))
    return Step::Fault;
  std::string trap;
  if (!w.cta().extension<TensorMemory>().release(address, count, trap))
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
