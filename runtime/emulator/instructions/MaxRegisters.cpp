//===- MaxRegisters.cpp - setmaxnreg ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setmaxnreg.inc/dec.sync.aligned.u32 n (PTX ISA, "setmaxnreg"): the warps of
// a CTA take registers from a pool and give them back to it. A thread's values
// have room here whatever the count is; what is modelled is the pool, in which
// a program can wait for ever.
//
// A thread starts with as many registers as ptxas 13.0 gives the kernel
// (Kernel::entryRegisters). Where ptxas cannot tell, it says so and drops the
// instruction; so does the emulator.
//
//===----------------------------------------------------------------------===//

#include "instructions/Tcgen05Support.h"

#include <algorithm>

namespace bwgemm::emulator {

namespace {
/// An extension of Cta.
struct RegisterPool {
  uint32_t free = 0; ///< Registers that no warp has.
  /// Per warp; 0: as many as at entry.
  std::vector<uint32_t> perThread;
  /// Per warpgroup: the instructions that its warps have executed, in order.
  std::vector<std::vector<const Instruction *>> history;
  std::vector<size_t> executed; ///< Per warp.
};
} // namespace

static constexpr unsigned warpsInGroup = 4;

static RegisterPool &poolOf(Cta &cta) {
  RegisterPool &pool = cta.extension<RegisterPool>();
  size_t warps = cta.warps().size();
  if (pool.perThread.empty()) {
    pool.perThread.resize(warps);
    pool.executed.resize(warps);
    pool.history.resize((warps + warpsInGroup - 1) / warpsInGroup);
  }
  return pool;
}

/// Registers per thread at entry; 0 if ptxas could not tell.
static uint32_t entryCount(const Kernel &kernel) {
  uint32_t limit = kernel.entryRegisters;
  // ptxas does not give a thread more than it will ever ask for.
  if (kernel.largestIncrease)
    limit = std::min(limit, kernel.largestIncrease);
  return (limit + 7) / 8 * 8;
}

static std::string describe(const Warp &w, const Wait &wait) {
  return std::to_string(wait.a) +
         " more registers for its warp: the CTA's pool has " +
         std::to_string(w.cta().extension<RegisterPool>().free) +
         " until other warps execute setmaxnreg.dec";
}

/// `extra`: the count; `flags`: 1 for .inc.
static Step setMaxRegisters(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!wholeWarp(w, i, mask, step))
    return step;
  uint32_t entry = entryCount(w.grid().kernel);
  if (entry == 0)
    return Step::Next;
  RegisterPool &pool = poolOf(w.cta());
  uint32_t &current = pool.perThread[w.id()];
  if (current == 0)
    current = entry;
  auto &history = pool.history[w.id() / warpsInGroup];
  size_t &executed = pool.executed[w.id()];
  // The ISA wants the same instruction. Triton's warp specialisation has warps
  // of one warpgroup at different places execute equal ones, and runs on
  // hardware.
  if (executed < history.size() && (history[executed]->extra != i.extra ||
                                    history[executed]->flags != i.flags))
    return w.trap(i, 0,
                  "the warps of a warpgroup must execute the same setmaxnreg: "
                  "another warp executed that of line " +
                      std::to_string(history[executed]->line));
  uint32_t count = uint32_t(i.extra);
  bool increase = i.flags;
  if (increase ? count < current : count > current)
    return w.trap(i, 0,
                  std::string("setmaxnreg.") + (increase ? "inc" : "dec") +
                      " to " + std::to_string(count) +
                      " registers, but the warp has " +
                      std::to_string(current));
  if (increase) {
    uint32_t needed = (count - current) * warpSize;
    if (pool.free < needed) {
      Wait wait;
      wait.describe = describe;
      wait.a = needed;
      return w.block(wait);
    }
    pool.free -= needed;
  } else {
    pool.free += (current - count) * warpSize;
    w.cluster().signal();
  }
  current = count;
  if (executed == history.size())
    history.push_back(&i);
  ++executed;
  return Step::Next;
}

static bool decodeSetMaxNReg(Decode &decode) {
  int action = decode.takeOne({"dec", "inc"});
  if (action < 0 || !decode.take("sync") || !decode.take("aligned") ||
      !decode.take("u32"))
    return decode.error("expected 'setmaxnreg.inc.sync.aligned.u32' or "
                        "'setmaxnreg.dec.sync.aligned.u32', got '" +
                        decode.mnemonic() + "'");
  int64_t count;
  if (!decode.expectOperands(1, 1) || !decode.immediate(0, count))
    return false;
  if (count < 24 || count > 256 || count % 8)
    return decode.error("expected a register count from 24 to 256 that is a "
                        "multiple of 8, got " +
                        std::to_string(count));
  if (action == 1)
    decode.kernel.largestIncrease =
        std::max(decode.kernel.largestIncrease, uint32_t(count));
  decode.out.flags = uint8_t(action);
  decode.out.extra = uint64_t(count);
  decode.out.handler = setMaxRegisters;
  return true;
}

void registerMaxRegisters(Registry &registry) {
  registry.add("setmaxnreg", decodeSetMaxNReg);
}

} // namespace bwgemm::emulator
