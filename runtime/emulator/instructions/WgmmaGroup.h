//===- WgmmaGroup.h - A warpgroup's wgmmas in flight ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four warps of a warpgroup issue their wgmmas each in its own time; one
// is complete, and may land, when the fourth warp has come to it. All land in
// the order of issue.
//
// An accumulator lives outside of the registers from its first wgmma on, in
// the form in which wgmmaMultiply wants it, over any number of instructions
// and waits. It goes back to the registers of a warp when that warp executes
// an instruction that touches one of them, if the warp has waited for it: the
// instructions that touch an accumulator or a fragment of A, `mov` and `st`
// and whatever, are known when the kernel is decoded and are wrapped.
//
// A warp that touches an accumulator without having waited finds a NaN
// pattern in it, whatever has landed by then. Copies from register to register
// are another matter: compilers write them where values of a loop meet, and
// ptxas makes them disappear or waits there. So does a copy here.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_WGMMAGROUP_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_WGMMAGROUP_H

#include "instructions/AsyncSupport.h"
#include "machine/Wgmma.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace bwgemm::emulator {

/// The decoded parts of a wgmma that are not operands: Instruction::data.
struct WgmmaFacts {
  WgmmaShape shape;
  std::vector<uint32_t> d; ///< Places of D's registers.
  std::vector<uint32_t> a; ///< Places of A's registers, if it is in registers.
  std::vector<uint32_t> metadata; ///< Place of the metadata of a sparse A.
};

/// What the wgmmas of a kernel make of its other instructions.
struct WgmmaKernel {
  struct Guard {
    Handler handler = nullptr;
    bool isCopy = false; ///< From register to register.
    /// Registers that some wgmma uses, read or written by the instruction; the
    /// first `written` of them are written.
    std::vector<uint32_t> slots;
    size_t written = 0;
  };
  /// By index in the code; no handler where there is nothing to guard.
  std::vector<Guard> guards;
};

/// The handler of wgmma.mma_async. Operands: D, scale-d, descriptors of A (or
/// none) and B.
Step executeWgmma(Warp &warp, const Instruction &instruction, LaneMask mask);

/// Wraps the instructions of a decoded kernel that touch registers of its
/// wgmmas; does nothing if it has none.
void guardWgmmaRegisters(Kernel &kernel);

/// A wgmma from the time that its first warp comes to it.
struct WgmmaOp {
  const Instruction *instruction = nullptr;
  const WgmmaFacts *facts = nullptr;
  uint64_t descriptors[2] = {0, 0};
  WgmmaInput input;
  unsigned arrived = 0; ///< Bit per warp.
  Scene scene;          ///< Of the first warp.
  uint64_t watched = 0; ///< For the hazard checker.
};

/// An accumulator that is outside of the registers.
struct WgmmaAccumulator {
  std::vector<uint32_t> slots;
  WgmmaShape shape;
  std::vector<uint32_t> cells;
  /// Per warp: one more than the number of its last wgmma on this; 0 if the
  /// warp's registers hold the value.
  uint64_t end[warpgroupWarps] = {};
};

/// Four warps; made on the first wgmma.
class WgmmaGroup {
public:
  WgmmaGroup(Cta &cta, unsigned firstWarp);

  /// The warp issues a wgmma. On a rule that is broken returns false, with the
  /// trap recorded.
  bool issue(Warp &warp, const Instruction &instruction);
  void fence(Warp &warp);
  void commit(Warp &warp);
  /// wgmma.wait_group: blocks until at most `pending` groups of the warp have
  /// not landed.
  Step wait(Warp &warp, uint64_t pending);
  /// Before a guarded instruction; Step::Next lets it execute.
  Step touch(Warp &warp, const Instruction &instruction,
             const WgmmaKernel::Guard &guard);
  /// The trap of a kernel that ended while some wgmma lacked warps; false with
  /// it recorded.
  bool checkFinished() const;

  /// What keeps the wgmmas before number `end` from landing.
  std::string describe(unsigned warp, uint64_t end) const;

private:
  struct Batch;
  /// A fragment of A that is in flight.
  struct Fragment {
    uint32_t slot;
    uint64_t end;
    uint32_t line;
  };
  struct PerWarp {
    uint64_t issued = 0;         ///< Wgmmas.
    uint64_t waited = 0;         ///< Of these, the program has waited for.
    std::deque<uint64_t> groups; ///< `issued` at each commit not waited for.
    /// Accumulators by register (place / 128), null if none.
    std::vector<WgmmaAccumulator *> owners;
    /// For hazards: whether there was a wgmma.fence, registers touched since
    /// it, fragments of A in flight.
    bool fenced = false;
    std::set<uint32_t> touched;
    std::vector<Fragment> fragments;
  };

  WgmmaOp &opAt(uint64_t number) { return *ops[number - firstOp]; }
  WgmmaAccumulator *accumulatorFor(Warp &warp, const WgmmaFacts &facts);
  void giveBack(Warp &warp, WgmmaAccumulator &accumulator);
  void complete(uint64_t number, WgmmaAccumulator &accumulator);
  bool land(Batch &batch);
  void report(Warp &warp, const Instruction &instruction, std::string message);
  void reportEarly(Warp &warp, const Instruction &instruction, uint32_t slot,
                   uint64_t end);
  void takeInputs(Warp &warp, const Instruction &instruction,
                  const WgmmaFacts &facts, WgmmaInput &input);
  void checkRegisters(Warp &warp, const Instruction &instruction,
                      const WgmmaFacts &facts);
  unsigned indexOf(const Warp &warp) const { return warp.id() - firstWarp; }

  Cta &cta;
  unsigned firstWarp;
  AsyncQueue::Channel channel;
  PerWarp warps[warpgroupWarps];
  std::deque<std::shared_ptr<WgmmaOp>> ops; ///< From number `firstOp` on.
  uint64_t firstOp = 0;
  uint64_t landed = 0;
  std::shared_ptr<Batch> open; ///< May still grow.
  /// Instructions with a hazard: one report for each is enough.
  std::set<const Instruction *> reported;
  std::vector<std::unique_ptr<WgmmaAccumulator>> accumulators;
};

/// An extension of Cta.
struct WgmmaGroups {
  std::vector<std::unique_ptr<WgmmaGroup>> groups;
};

/// The warpgroup of a warp, made if need be; null if the CTA ends within it.
WgmmaGroup *wgmmaGroupOf(Warp &warp);
/// The same without making one.
WgmmaGroup *findWgmmaGroup(Warp &warp);

/// For the end of a CTA: false, with the fault recorded, if some warp of a
/// warpgroup never came to a wgmma of the others.
bool checkWgmmasComplete(Cta &cta);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_WGMMAGROUP_H
