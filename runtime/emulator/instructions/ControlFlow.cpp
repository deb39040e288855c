//===- ControlFlow.cpp - bra, brx.idx, exit, trap ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Lanes.h"
#include "instructions/Registry.h"
#include "machine/Cta.h"

namespace bwgemm::emulator {

static Step bra(Warp &w, const Instruction &i, LaneMask mask) {
  return w.branch(mask, i.target);
}

static bool decodeBra(Decode &decode) {
  decode.take("uni");
  decode.flow = Flow::Branch;
  decode.out.handler = bra;
  return decode.expectOperands(1, 1) && decode.label(0);
}

namespace {
struct BranchTable {
  std::vector<uint32_t> targets;
};
} // namespace

static Step brx(Warp &w, const Instruction &i, LaneMask mask) {
  const auto &table = *static_cast<const BranchTable *>(i.data);
  Fragment &running = w.fragment();
  std::vector<std::pair<uint32_t, LaneMask>> targets;
  auto add = [&](uint32_t pc, LaneMask lanes) {
    for (auto &[place, have] : targets)
      if (place == pc) {
        have |= lanes;
        return;
      }
    targets.emplace_back(pc, lanes);
  };
  if (running.mask & ~mask)
    add(running.pc + 1, running.mask & ~mask);
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t index = w.value(i.operands[0], lane);
    if (index >= table.targets.size())
      return w.trap(i, lane,
                    "branch index " + std::to_string(index) +
                        " is outside the list of " +
                        std::to_string(table.targets.size()) + " targets");
    add(table.targets[index], 1u << lane);
  }
  return w.branchMany(targets);
}

static bool decodeBrx(Decode &decode) {
  decode.take("uni");
  decode.flow = Flow::Indirect;
  decode.out.handler = brx;
  if (!decode.expectOperands(2, 2) || !decode.sourceU32(0))
    return false;
  const ast::Operand &list = decode.operand(1);
  if (list.kind != ast::Operand::Kind::Name || !decode.branchTargets(list.name))
    return decode.errorAt(list.location,
                          "expected the label of a '.branchtargets' list");
  const auto *names = decode.branchTargets(list.name);
  auto *table = decode.newData<BranchTable>();
  table->targets.resize(names->size());
  for (size_t n = 0; n < names->size(); ++n)
    if (!decode.labelInto((*names)[n], list.location, &table->targets[n]))
      return false;
  decode.markUsed(1);
  decode.out.data = table;
  return true;
}

static Step exitLanes(Warp &w, const Instruction &, LaneMask mask) {
  return w.exit(mask);
}

static bool decodeExit(Decode &decode) {
  decode.take("uni");
  decode.flow = Flow::Exit;
  decode.out.handler = exitLanes;
  return decode.expectOperands(0, 0);
}

static Step trapLanes(Warp &w, const Instruction &i, LaneMask mask) {
  return w.trap(i, static_cast<unsigned>(__builtin_ctz(mask)),
                "the kernel executed 'trap'");
}

static bool decodeTrap(Decode &decode) {
  decode.flow = Flow::Exit;
  decode.out.handler = trapLanes;
  return decode.expectOperands(0, 0);
}

static Step nothing(Warp &, const Instruction &, LaneMask) {
  return Step::Next;
}

static bool decodeNothing(Decode &decode) {
  decode.out.handler = nothing;
  return decode.expectOperands(0, 0);
}

static Step nanosleep(Warp &, const Instruction &, LaneMask) {
  return Step::Yield;
}

static bool decodeNanosleep(Decode &decode) {
  decode.out.handler = nanosleep;
  return decode.take("u32")
             ? decode.expectOperands(1, 1) && decode.sourceU32(0)
             : decode.error("expected type u32 in '" + decode.mnemonic() + "'");
}

void registerControlFlow(Registry &registry) {
  registry.add("bra", decodeBra);
  registry.add("brx.idx", decodeBrx);
  registry.add("exit", decodeExit);
  registry.add("trap", decodeTrap);
  registry.add("brkpt", decodeNothing);
  registry.add("nop", decodeNothing);
  registry.add("nanosleep", decodeNanosleep);
}

} // namespace bwgemm::emulator
