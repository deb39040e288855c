//===- Tcgen05Support.cpp - What the tcgen05 families share -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Tcgen05Support.h"

namespace bwgemm::emulator {

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
  int choice = decode.takeOne({"cta_group::1", "cta_group::2"});
  if (choice < 0)
    return decode.error("expected .cta_group::1 or .cta_group::2");
  uint8_t &known = decode.kernel.tcgen05CtaGroup;
  uint8_t group = uint8_t(choice + 1);
  if (known != 0 && known != group)
    return decode.error(".cta_group::" + std::to_string(group) +
                        " in a kernel with tcgen05 instructions of "
                        ".cta_group::" +
                        std::to_string(known) +
                        ": expected the same in all of them");
  decode.out.flags = known = group;
  return true;
}

bool CtaGroup::checkAlive(const Cta &self, std::string &error) const {
  const Cta *other = peer(self);
  if (!other || other->aliveThreads() != 0)
    return true;
  error = "all threads of the peer CTA (cluster rank " +
          std::to_string(other->rank()) + ") have exited";
  return false;
}

bool ctaGroupOf(Warp &w, const Instruction &i, unsigned lane, CtaGroup &group) {
  Cta &self = w.cta();
  group.count = i.flags;
  if (group.count == 1) {
    group.ctas[0] = &self;
    return true;
  }
  unsigned even = self.rank() & ~1u;
  group.ctas[0] = w.cluster().cta(even);
  group.ctas[1] = w.cluster().cta(even + 1);
  if (!group.ctas[1]) {
    w.trap(i, lane,
           "cta_group::2 needs a CTA pair: the CTA with rank " +
               std::to_string(self.rank()) + " in a cluster of " +
               std::to_string(w.cluster().ctas().size()) +
               " has no peer; expected a launch with clusters of an even "
               "number of CTAs");
    return false;
  }
  std::string error;
  if (group.checkAlive(self, error))
    return true;
  w.trap(i, lane, error + ": cta_group::2 needs both CTAs of the pair");
  return false;
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
                "a .sync.aligned instruction must be executed by all 32 "
                "threads of the warp");
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

} // namespace bwgemm::emulator
