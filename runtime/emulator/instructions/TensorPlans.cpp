//===- TensorPlans.cpp - Tensor maps that instructions name -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/TensorPlans.h"

#include "hazards/HazardChecker.h"

#include <cstring>

namespace bwgemm::emulator {

const TmaPlan *planOf(Warp &w, const Instruction &i, const Operand &operand,
                      unsigned lane, bool fourRows) {
  uint64_t address = w.address(operand, lane);
  std::byte *place =
      w.access(i, Space::Generic, address, 128, 64, lane, "tensor map read");
  if (!place)
    return nullptr;
  Space space = splitGeneric(address).space;
  if (space == Space::SharedCluster || space == Space::Local) {
    w.trap(i, lane,
           "a tensor map must lie in global, constant or parameter memory",
           address);
    return nullptr;
  }
  if (HazardChecker *checker = hazardsOf(w.grid()))
    checker->tensorMapUsed(w.cluster(), address, Scene(w, i, lane));
  PlanCache &cache = w.cta().extension<PlanCache>();
  for (const PlanCache::Entry &entry : cache.entries)
    if (entry.address == address && entry.fourRows == fourRows &&
        std::memcmp(entry.words.data(), place, 64) == 0)
      return &entry.plan;
  PlanCache::Entry entry{address, fourRows, {}, {}};
  std::memcpy(entry.words.data(), place, 128);
  TensorMap map;
  std::string error;
  if (!TensorMap::decode(entry.words, map, error)) {
    w.trap(i, lane, error, address);
    return nullptr;
  }
  TmaTrap trap;
  if (!TmaPlan::make(map, entry.plan, trap) ||
      (fourRows && !entry.plan.takeFourRows(trap))) {
    if (trap.unsupported)
      w.unsupported(i, lane, trap.message);
    else
      w.trap(i, lane, trap.message, address);
    return nullptr;
  }
  cache.entries.push_back(entry);
  return &cache.entries.back().plan;
}

GlobalCheck GlobalAccess::check() {
  return {[](void *context, uint64_t address, uint64_t bytes) {
            auto *self = static_cast<GlobalAccess *>(context);
            return self->cache->contains(*self->memory, address, bytes);
          },
          this};
}

Step report(Warp &w, const Instruction &i, unsigned lane, const TmaTrap &trap) {
  if (trap.unsupported)
    return w.unsupported(i, lane, trap.message);
  if (trap.hasAddress)
    return w.trap(i, lane, trap.message, trap.address);
  return w.trap(i, lane, trap.message);
}

bool coordinatesOf(Warp &w, const Instruction &i, const Operand &operand,
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

} // namespace bwgemm::emulator
