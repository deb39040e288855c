//===- Warp.cpp - Thirty-two threads ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Warp.h"

#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/Probe.h"

#include <cinttypes>
#include <cstddef>
#include <cstdio>

namespace bwgemm::emulator {

/// A fragment that ran this many instructions while others wait to meet it is
/// taken to spin on something that only they can do.
static constexpr uint64_t spinLimit = 1 << 16;
/// How long another fragment then runs before the first is looked at again.
static constexpr uint64_t aloneBudget = 1 << 12;

Warp::Warp(Cta &cta, unsigned id, LaneMask lanes, std::byte *registers)
    : ctaPointer(&cta), clusterPointer(&cta.cluster()),
      gridPointer(&cta.grid()), observerPointer(gridPointer->observer),
      counters(&clusterPointer->counters()), warpId(id), launchedLanes(lanes),
      registers(registers) {
  Fragment all;
  all.mask = lanes;
  fragments.push_back(all);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t Warp::address(const Operand &operand, unsigned lane) const {
  switch (operand.base) {
  case Base::Register:
    if (operand.width == 64)
      return in<uint64_t>(operand)[lane] + uint64_t(operand.offset);
    // 32-bit addresses wrap in their window.
    return uint32_t(in<uint32_t>(operand)[lane] + uint32_t(operand.offset));
  case Base::Absolute:
    return uint64_t(operand.offset);
  case Base::Shared:
    return uint64_t(operand.offset) |
           (uint64_t(ctaPointer->rank()) << clusterRankShift);
  case Base::Local:
    return uint64_t(operand.offset);
  case Base::Param:
    return grid().paramBase + uint64_t(operand.offset);
  case Base::Frame:
    return uint32_t(in<uint32_t>(operand)[lane] + uint32_t(operand.offset));
  }
  return 0;
}

std::byte *Warp::translate(Space space, uint64_t address, uint32_t bytes,
                           unsigned lane) {
  if (space == Space::Generic) {
    GenericAddress generic = splitGeneric(address);
    space = generic.space;
    address = generic.offset;
  }
  switch (space) {
  case Space::Shared:
    if (address >> clusterRankShift != ctaPointer->rank())
      return nullptr;
    return ctaPointer->sharedAt(address & clusterOffsetMask, bytes);
  case Space::SharedCluster:
    return cluster().sharedAt(address, bytes);
  case Space::Local:
    return ctaPointer->localAt(warpId * warpSize + lane, address, bytes);
  default:
    if (!allocationCache.contains(grid().memory, address, bytes))
      return nullptr;
    return reinterpret_cast<std::byte *>(address);
  }
}

std::byte *Warp::access(const Instruction &instruction, Space space,
                        uint64_t address, uint32_t bytes, uint32_t align,
                        unsigned lane, std::string_view what) {
  if (address & (align - 1)) {
    trap(instruction, lane,
         "misaligned address: a " + std::string(what) + " of " +
             std::to_string(bytes) +
             " bytes needs an address that is a "
             "multiple of " +
             std::to_string(align),
         address);
    return nullptr;
  }
  if (std::byte *place = translate(space, address, bytes, lane))
    return place;
  Space resolved = space;
  uint64_t offset = address;
  if (space == Space::Generic) {
    GenericAddress generic = splitGeneric(address);
    resolved = generic.space;
    offset = generic.offset;
  }
  std::string text;
  std::string head =
      std::string(what) + " of " + std::to_string(bytes) + " bytes ";
  switch (resolved) {
  case Space::Shared:
    if (offset >> clusterRankShift != ctaPointer->rank() &&
        offset >> clusterRankShift < 16 &&
        cluster().cta(unsigned(offset >> clusterRankShift))) {
      text = "illegal instruction: " + head +
             "in another CTA's shared memory through shared::cta; "
             "shared::cluster reaches it";
      break;
    }
    [[fallthrough]];
  case Space::SharedCluster: {
    char range[64];
    std::snprintf(range, sizeof(range), "[0x%x, 0x%x)", sharedBase,
                  ctaPointer->sharedEnd());
    text =
        "out of bounds: " + head + "outside the CTA's shared memory " + range;
    break;
  }
  case Space::Local:
    text = "out of bounds: " + head + "outside the thread's " +
           std::to_string(ctaPointer->localBytesPerThread()) +
           " bytes of local memory";
    break;
  default:
    if (address < 4096) {
      text = "illegal address: " + head + "through a null pointer";
    } else {
      text = "out of bounds: " + head + grid().memory.describe(address, bytes);
    }
    break;
  }
  trap(instruction, lane, text, address);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// The text of an instruction on one line.
static std::string onOneLine(std::string_view text) {
  std::string line;
  for (char c : text) {
    bool isBlank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!isBlank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

static Step record(Warp &warp, FaultKind kind, const Instruction &instruction,
                   unsigned lane, std::string_view message,
                   std::optional<uint64_t> address) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::string(message) + describeCalls(warp, lane);
  fault.line = instruction.line;
  fault.instruction = onOneLine(instruction.text);
  fault.cta = warp.cta().index();
  fault.warp = static_cast<int>(warp.id());
  fault.lane = static_cast<int>(lane);
  fault.address = address;
  warp.grid().fail(std::move(fault));
  return Step::Fault;
}

Step Warp::trap(const Instruction &instruction, unsigned lane,
                std::string_view message) {
  return record(*this, FaultKind::Trap, instruction, lane, message,
                std::nullopt);
}

Step Warp::trap(const Instruction &instruction, unsigned lane,
                std::string_view message, uint64_t address) {
  return record(*this, FaultKind::Trap, instruction, lane, message, address);
}

Step Warp::unsupported(const Instruction &instruction, unsigned lane,
                       std::string_view message) {
  return record(*this, FaultKind::Unsupported, instruction, lane, message,
                std::nullopt);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Step Warp::block(const Wait &wait) {
  Fragment &running = fragments[current];
  running.wait = wait;
  running.wait.expired = false;
  running.eventsSeen = cluster().events();
  return Step::Block;
}

static std::string describeConvergence(const Warp &warp, const Wait &wait) {
  char text[128];
  std::snprintf(text, sizeof(text),
                "lanes 0x%08" PRIx32 " of its warp, which have not come to "
                "this instruction",
                LaneMask(wait.a) & warp.alive());
  return text;
}

Step Warp::blockForConvergence(LaneMask needed) {
  Wait wait;
  wait.describe = describeConvergence;
  wait.a = needed & alive() & ~fragments[current].mask;
  return block(wait);
}

Step Warp::branch(LaneMask taken, uint32_t target) {
  Fragment &running = fragments[current];
  LaneMask stay = running.mask & ~taken;
  if (taken == 0) {
    ++running.pc;
    return Step::Jump;
  }
  if (stay == 0) {
    running.pc = target;
    return Step::Jump;
  }
  count(Counter::DivergentBranches);
  Fragment other;
  other.mask = taken;
  other.pc = target;
  other.depth = running.depth;
  running.mask = stay;
  ++running.pc;
  fragments.push_back(other);
  mergeFragments();
  return Step::Jump;
}

Step Warp::branchMany(
    const std::vector<std::pair<uint32_t, LaneMask>> &targets) {
  if (targets.size() > 1)
    count(Counter::DivergentBranches);
  bool isFirst = true;
  for (const auto &[pc, mask] : targets) {
    if (isFirst) {
      fragments[current].pc = pc;
      fragments[current].mask = mask;
      isFirst = false;
      continue;
    }
    Fragment other;
    other.pc = pc;
    other.mask = mask;
    other.depth = fragments[current].depth;
    fragments.push_back(other);
  }
  mergeFragments();
  return Step::Jump;
}

Step Warp::split(const std::vector<Fragment> &parts) {
  fragments[current] = parts[0];
  if (parts.size() == 1)
    return Step::Jump;
  fragments.insert(fragments.end(), parts.begin() + 1, parts.end());
  mergeFragments();
  return Step::Jump;
}

Step Warp::exit(LaneMask lanes) {
  Fragment &running = fragments[current];
  exitedLanes |= lanes;
  running.mask &= ~lanes;
  ++running.pc;
  if (running.mask == 0)
    fragments.erase(fragments.begin() + current);
  // current may be out of range now; the run loop chooses anew.
  ctaPointer->threadsExited();
  cluster().signal();
  return Step::Jump;
}

bool Warp::runnable(const Fragment &fragment) const {
  return !fragment.wait.active() || fragment.wait.expired ||
         fragment.eventsSeen != cluster().events();
}

bool Warp::canRun() const {
  for (const Fragment &fragment : fragments)
    if (runnable(fragment))
      return true;
  return false;
}

bool Warp::expireWaits() {
  bool any = false;
  for (Fragment &fragment : fragments)
    if (fragment.wait.active() && fragment.wait.canExpire) {
      fragment.wait.expired = true;
      any = true;
    }
  return any;
}

void Warp::mergeFragments() {
  // A fragment that waits for anything but convergence may have been counted
  // already (bar.sync without .aligned), so nobody may join it.
  auto joinable = [](const Fragment &fragment) {
    return !fragment.wait.active() ||
           fragment.wait.describe == describeConvergence;
  };
  for (size_t i = 0; i < fragments.size(); ++i)
    for (size_t j = i + 1; j < fragments.size();) {
      if (fragments[i].pc != fragments[j].pc ||
          fragments[i].depth != fragments[j].depth || !joinable(fragments[i]) ||
          !joinable(fragments[j])) {
        ++j;
        continue;
      }
      fragments[i].mask |= fragments[j].mask;
      fragments[i].wait = Wait();
      fragments.erase(fragments.begin() + static_cast<ptrdiff_t>(j));
      if (current == j)
        current = static_cast<unsigned>(i);
      else if (current > j)
        --current;
    }
}

bool Warp::chooseFragment(bool avoidCurrent) {
  const Instruction *code = grid().kernel.code.data();
  unsigned avoided = current;
  auto goesFirst = [code](const Fragment &a, const Fragment &b) {
    if (a.depth != b.depth)
      return a.depth > b.depth;
    return code[a.pc].priority < code[b.pc].priority;
  };
  int best = -1;
  for (unsigned i = 0; i < fragments.size(); ++i) {
    if (!runnable(fragments[i]))
      continue;
    if (avoidCurrent && i == avoided)
      continue;
    if (best < 0 || goesFirst(fragments[i], fragments[unsigned(best)]))
      best = static_cast<int>(i);
  }
  if (best < 0 && avoidCurrent && avoided < fragments.size() &&
      runnable(fragments[avoided]))
    best = static_cast<int>(avoided);
  if (best < 0)
    return false;
  if (unsigned(best) != current) {
    current = static_cast<unsigned>(best);
    sinceChoice = 0;
  }
  return true;
}

Warp::RunResult Warp::run(uint64_t budget) {
  Grid &g = grid();
  const Instruction *code = g.kernel.code.data();
  Probe *const probe = g.probe;
  uint64_t executed = 0;
  RunResult result = RunResult::Budget;
  bool polled = false;

  while (executed < budget) {
    if (fragments.empty()) {
      result = RunResult::Finished;
      break;
    }
    if (current >= fragments.size())
      current = 0;
    if (fragments.size() > 1) {
      mergeFragments();
      bool spins = sinceChoice >= spinLimit;
      bool stays = aloneUntil > sinceChoice && !preferOther &&
                   runnable(fragments[current]);
      if (!stays) {
        aloneUntil = 0;
        if (!chooseFragment(preferOther || spins)) {
          result = RunResult::Blocked;
          break;
        }
        if (spins) {
          sinceChoice = 0;
          aloneUntil = aloneBudget;
        }
      }
      preferOther = false;
    } else if (!runnable(fragments[current])) {
      result = RunResult::Blocked;
      break;
    }

    // Run this fragment up to where another one waits, or until control
    // flow does something.
    uint32_t stop = ~0u;
    if (fragments.size() > 1) {
      uint32_t pc = fragments[current].pc;
      for (unsigned i = 0; i < fragments.size(); ++i)
        if (i != current && fragments[i].pc > pc && fragments[i].pc < stop)
          stop = fragments[i].pc;
    }
    uint32_t pc = fragments[current].pc;
    const LaneMask lanes = fragments[current].mask;
    Step step = Step::Next;
    uint64_t before = executed;
    bool resumed = fragments[current].wait.active();
    while (executed < budget) {
      const Instruction &instruction = code[pc];
      LaneMask mask = lanes;
      if (instruction.guard >= 0) {
        LaneMask guard =
            *reinterpret_cast<const LaneMask *>(registers + instruction.guard);
        mask &= instruction.guardNegated ? ~guard : guard;
      }
      ++executed;
      if (mask == 0 && !instruction.runsWithoutLanes) {
        step = Step::Next;
        if (__builtin_expect(probe != nullptr, 0))
          probe->skipped(*this, instruction);
      } else {
        fragments[current].pc = pc;
        step = __builtin_expect(probe != nullptr, 0)
                   ? probe->execute(*this, instruction, mask)
                   : instruction.handler(*this, instruction, mask);
        if (step != Step::Next)
          break;
        if (resumed) {
          fragments[current].wait = Wait();
          resumed = false;
        }
      }
      ++pc;
      if (pc == stop)
        break;
    }
    sinceChoice += executed - before;

    if (step == Step::Next) {
      fragments[current].pc = pc;
      continue;
    }
    if (step == Step::Jump) {
      if (current < fragments.size() && resumed)
        fragments[current].wait = Wait();
      continue;
    }
    if (step == Step::Yield) {
      fragments[current].wait = Wait();
      fragments[current].pc = pc + 1;
      preferOther = true;
      polled = true;
      break;
    }
    if (step == Step::Block) {
      --executed;
      fragments[current].pc = pc;
      continue;
    }
    result = RunResult::Fault;
    break;
  }
  count(Counter::Instructions, executed);
  if (result == RunResult::Budget && fragments.empty())
    return RunResult::Finished;
  if (polled && result == RunResult::Budget)
    return RunResult::Polled;
  return result;
}

} // namespace bwgemm::emulator
