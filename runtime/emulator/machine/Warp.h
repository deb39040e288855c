//===- Warp.h - Thirty-two threads ------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's registers and its fragments. Lanes that are at the same place run
// together as one fragment; a divergent branch splits a fragment, and
// fragments that meet at one instruction merge. The fragment to run is the
// runnable one with the most calls under way and, of those, the lowest
// Instruction::priority, so a call returns first, and fragments wait at
// the immediate postdominator for the others; when every other one is blocked
// or spins, one that waits there goes on alone. So no lane can keep another
// from making progress.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_WARP_H
#define BWGEMM_EMULATOR_MACHINE_WARP_H

#include "machine/Counters.h"
#include "machine/Extension.h"
#include "machine/Instruction.h"
#include "machine/Memory.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::emulator {

class Cta;
class Cluster;
class Grid;
class Observer;
class Warp;

/// What a blocked fragment waits for. The meaning of the numbers belongs to
/// the family that blocked it.
struct Wait {
  /// Says what is awaited, for hang reports, e.g. "barrier 1: 96 of 128
  /// threads arrived". Null if the fragment does not wait.
  std::string (*describe)(const Warp &warp, const Wait &wait) = nullptr;
  uint64_t a = 0, b = 0, c = 0;
  /// The wait may end without its event (mbarrier.try_wait's time limit). The
  /// scheduler sets `expired` when nothing else in the cluster can run; the
  /// handler then has to finish, e.g. with a false predicate.
  bool canExpire = false;
  bool expired = false;
  bool active() const { return describe != nullptr; }
};

/// Lanes at one program counter.
struct Fragment {
  LaneMask mask = 0;
  uint32_t pc = 0;
  /// Calls that have not returned. Only lanes of one depth run together.
  uint32_t depth = 0;
  /// Set while Step::Block; on the repeated execution of the instruction it
  /// still holds what the handler stored, and it is cleared after the
  /// instruction completes.
  Wait wait;
  /// Cluster::events when the fragment blocked: it is tried again once that
  /// number moved.
  uint64_t eventsSeen = 0;
};

class Warp {
public:
  Warp(Cta &cta, unsigned id, LaneMask lanes, std::byte *registers);

  Cta &cta() const { return *ctaPointer; }
  Cluster &cluster() const { return *clusterPointer; }
  Grid &grid() const { return *gridPointer; }
  /// Null unless hazards are checked.
  Observer *observer() const { return observerPointer; }
  unsigned id() const { return warpId; }
  /// Lanes that exist (the last warp of a CTA may be partial).
  LaneMask launched() const { return launchedLanes; }
  /// Lanes that exist and have not exited.
  LaneMask alive() const { return launchedLanes & ~exitedLanes; }
  bool finished() const { return alive() == 0; }
  void count(Counter counter, uint64_t n = 1) { counters->add(counter, n); }

  //===--- Registers ---===//

  std::byte *file() { return registers; }
  /// Lanes of a source (register or constant) whose storage is 32 or 64 bits
  /// wide, as T = uint32_t or uint64_t (or float, int32_t, double … of that
  /// size).
  template <class T> const T *in(const Operand &operand) const {
    return static_cast<const T *>(
        operand.constant ? operand.constant
                         : static_cast<const void *>(registers + operand.slot));
  }
  /// Lanes of a destination register.
  template <class T> T *out(const Operand &operand) {
    return reinterpret_cast<T *>(registers + operand.slot);
  }
  /// One lane of a source of whatever width, zero-extended.
  uint64_t value(const Operand &operand, unsigned lane) const {
    if (operand.width == 64)
      return in<uint64_t>(operand)[lane];
    uint32_t raw = in<uint32_t>(operand)[lane];
    return operand.width == 16 ? raw & 0xFFFF : raw;
  }
  /// Writes one lane of a register of whatever width; a sink takes nothing.
  void setValue(const Operand &operand, unsigned lane, uint64_t value) {
    if (operand.isSink())
      return;
    if (operand.width == 64)
      out<uint64_t>(operand)[lane] = value;
    else
      out<uint32_t>(operand)[lane] =
          static_cast<uint32_t>(operand.width == 16 ? value & 0xFFFF : value);
  }
  /// All lanes of a predicate operand, its negation applied.
  LaneMask predicate(const Operand &operand) const {
    LaneMask value =
        operand.kind == Operand::Kind::Constant
            ? (operand.bits ? allLanes : 0)
            : *reinterpret_cast<const LaneMask *>(registers + operand.slot);
    return operand.negated ? ~value : value;
  }
  /// Writes the lanes of `mask`; a sink takes nothing.
  void setPredicate(const Operand &operand, LaneMask value, LaneMask mask) {
    if (operand.kind != Operand::Kind::Predicate)
      return;
    LaneMask &place = *reinterpret_cast<LaneMask *>(registers + operand.slot);
    place = (place & ~mask) | (value & mask);
  }

  //===--- Memory ---===//

  /// The address that an address operand has in `lane`, displacement added.
  uint64_t address(const Operand &operand, unsigned lane) const;
  /// Host memory behind `bytes` bytes at `address` of `space`, or null if any
  /// of them is not there. Does not check alignment and records no fault.
  std::byte *translate(Space space, uint64_t address, uint32_t bytes,
                       unsigned lane);
  AllocationCache &allocations() { return allocationCache; }
  /// Same as translate, and records the trap "misaligned address" or "out of
  /// bounds …" if it cannot be. `align` is in bytes; `what` is "read" or
  /// "write" or such.
  std::byte *access(const Instruction &instruction, Space space,
                    uint64_t address, uint32_t bytes, uint32_t align,
                    unsigned lane, std::string_view what);

  //===--- Faults ---===//

  /// Records a trap with this warp's scene, unless there is one already;
  /// returns Step::Fault for the handler to return.
  Step trap(const Instruction &instruction, unsigned lane,
            std::string_view message);
  Step trap(const Instruction &instruction, unsigned lane,
            std::string_view message, uint64_t address);
  /// The instruction or its operands are outside what the emulator models.
  Step unsupported(const Instruction &instruction, unsigned lane,
                   std::string_view message);

  //===--- Control ---===//

  /// The running fragment.
  Fragment &fragment() { return fragments[current]; }
  const std::vector<Fragment> &allFragments() const { return fragments; }
  /// Blocks the running fragment; for a handler to return. `wait.describe`
  /// must be set.
  Step block(const Wait &wait);
  /// True if all lanes of `needed` that are alive are in the running
  /// fragment. If not, the handler returns `blockForConvergence()`.
  bool converged(LaneMask needed) const {
    return (needed & alive() & ~fragments[current].mask) == 0;
  }
  Step blockForConvergence(LaneMask needed);
  /// Sends the lanes in `taken` of the running fragment to `target`, the
  /// others to the next instruction.
  Step branch(LaneMask taken, uint32_t target);
  /// Sends lanes of the running fragment to several targets.
  Step branchMany(const std::vector<std::pair<uint32_t, LaneMask>> &targets);
  /// Replaces the running fragment by several, of any depth (call, ret).
  Step split(const std::vector<Fragment> &parts);
  /// Ends the lanes.
  Step exit(LaneMask lanes);

  /// Why run() came back. `Polled`: an instruction asked to let others run.
  enum class RunResult : uint8_t { Budget, Polled, Blocked, Finished, Fault };
  /// Executes up to `budget` instructions.
  RunResult run(uint64_t budget);
  /// True if some fragment can run, as far as is known without trying.
  bool canRun() const;
  /// Lets every wait that can expire do so; false if there was none.
  bool expireWaits();

  /// A family's own state of this warp.
  template <class T> T &extension() { return extensions.get<T>(); }

private:
  bool chooseFragment(bool avoidCurrent);
  bool runnable(const Fragment &fragment) const;
  void mergeFragments();

  Cta *ctaPointer;
  // What every instruction asks for.
  Cluster *clusterPointer;
  Grid *gridPointer;
  Observer *observerPointer;
  CounterSet *counters;
  unsigned warpId;
  LaneMask launchedLanes, exitedLanes = 0;
  std::byte *registers;
  std::vector<Fragment> fragments;
  unsigned current = 0;
  /// Instructions since the running fragment was chosen over others.
  uint64_t sinceChoice = 0;
  /// While sinceChoice is below this, the fragment need not give way.
  uint64_t aloneUntil = 0;
  bool preferOther = false;
  AllocationCache allocationCache;
  Extensions extensions;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_WARP_H
