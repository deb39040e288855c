//===- WgmmaGroup.cpp - A warpgroup's wgmmas in flight ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/WgmmaGroup.h"

#include "hazards/HazardChecker.h"
#include "machine/Tcgen05MmaKernels.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

/// What a register holds that was touched too early: a NaN as f32, as two f16
/// and as two bf16.
static constexpr uint32_t poison = 0x7fff7fff;
/// Bytes of the register file from one register to the next.
static constexpr uint32_t registerStride = 128;

/// Wgmmas that land together: each accumulates into the result of the one
/// before.
struct WgmmaGroup::Batch {
  std::shared_ptr<WgmmaOp> ops[maxMmaChain];
  uint32_t count = 0;
  WgmmaAccumulator *accumulator = nullptr;
};

WgmmaGroup::WgmmaGroup(Cta &cta, unsigned firstWarp)
    : cta(cta), firstWarp(firstWarp),
      channel(cta.cluster().async.newChannel()) {}

static std::string warpList(unsigned mask, unsigned firstWarp) {
  std::string text;
  for (unsigned i = 0; i < warpgroupWarps; ++i)
    if (mask >> i & 1)
      text += (text.empty() ? "" : ", ") + std::to_string(firstWarp + i);
  return text;
}

//===----------------------------------------------------------------------===//
// Issue and landing
//===----------------------------------------------------------------------===//

/// Brings the warp's rows of the accumulator of an instruction out of the
/// registers, unless they are already.
WgmmaAccumulator *WgmmaGroup::accumulatorFor(Warp &warp,
                                             const WgmmaFacts &facts) {
  unsigned w = indexOf(warp);
  PerWarp &own = warps[w];
  own.owners.resize(warp.grid().kernel.registerBytes / registerStride + 1);
  WgmmaAccumulator *current = own.owners[facts.d[0] / registerStride];
  if (current && current->slots == facts.d && current->shape.d == facts.shape.d)
    return current;
  // Other accumulators that share registers with this one come first. Those
  // that the warp has not waited for are in flight in another shape, which is
  // undefined; whatever has landed of them is taken.
  for (uint32_t slot : facts.d)
    if (WgmmaAccumulator *other = own.owners[slot / registerStride])
      giveBack(warp, *other);
  WgmmaAccumulator *found = nullptr;
  for (auto &candidate : accumulators)
    if (candidate->slots == facts.d && candidate->shape.d == facts.shape.d)
      found = candidate.get();
  if (!found) {
    accumulators.push_back(std::make_unique<WgmmaAccumulator>());
    found = accumulators.back().get();
    found->slots = facts.d;
    found->shape = facts.shape;
    found->cells.resize(size_t(facts.shape.n) * wgmmaRows);
  }
  wgmmaLoadCells(found->shape, warp.file(), found->slots.data(), w,
                 found->cells.data());
  for (uint32_t slot : facts.d)
    own.owners[slot / registerStride] = found;
  return found;
}

/// Writes the warp's rows to its registers.
void WgmmaGroup::giveBack(Warp &warp, WgmmaAccumulator &accumulator) {
  unsigned w = indexOf(warp);
  wgmmaStoreCells(accumulator.shape, warp.file(), accumulator.slots.data(), w,
                  accumulator.cells.data());
  accumulator.end[w] = 0;
  for (uint32_t slot : accumulator.slots)
    warps[w].owners[slot / registerStride] = nullptr;
}

bool WgmmaGroup::issue(Warp &warp, const Instruction &i) {
  const WgmmaFacts &facts = *static_cast<const WgmmaFacts *>(i.data);
  const WgmmaShape &shape = facts.shape;
  unsigned w = indexOf(warp);
  PerWarp &own = warps[w];
  uint64_t number = own.issued;
  if (number - firstOp == ops.size()) {
    ops.push_back(std::make_shared<WgmmaOp>());
    WgmmaOp &made = *ops.back();
    made.instruction = &i;
    made.facts = &facts;
    made.scene = Scene(warp, i, 0);
    if (shape.aInRegisters)
      made.input.aRegisters.resize(warpgroupWarps * 4 * warpSize);
    if (shape.sparse)
      made.input.metadata.resize(warpgroupWarps * warpSize);
  }
  WgmmaOp &op = opAt(number);
  if (op.instruction != &i) {
    warp.trap(i, 0,
              "the warps of a warpgroup must execute the same wgmma: warps " +
                  warpList(op.arrived, firstWarp) + " execute that of line " +
                  std::to_string(op.instruction->line));
    return false;
  }
  bool accumulate = warp.predicate(i.operands[1]) & 1;
  uint64_t descriptors[2];
  for (unsigned n = 0; n < 2; ++n)
    descriptors[n] = i.operands[2 + n] ? warp.value(i.operands[2 + n], 0) : 0;
  if (op.arrived == 0) {
    op.input.accumulate = accumulate;
    std::string error;
    for (unsigned n = 0; n < 2; ++n) {
      op.descriptors[n] = descriptors[n];
      if (i.operands[2 + n] &&
          !decodeWgmmaOperand(shape, "AB"[n], descriptors[n],
                              sharedWindowOf(cta), n ? op.input.b : op.input.a,
                              error)) {
        warp.trap(i, 0, error);
        return false;
      }
    }
    // From now on the memory must stay as it is.
    if (HazardChecker *checker = hazardsOf(warp.grid())) {
      std::vector<uint32_t> granules;
      if (!shape.aInRegisters)
        appendWgmmaChunks(shape, 'A', op.input.a, granules);
      appendWgmmaChunks(shape, 'B', op.input.b, granules);
      op.watched = checker->wgmmaIssued(cta, std::move(granules), op.scene);
    }
  } else if (accumulate != op.input.accumulate ||
             descriptors[0] != op.descriptors[0] ||
             descriptors[1] != op.descriptors[1]) {
    warp.trap(i, 0,
              "the matrix descriptors and scale-d must be the same in all "
              "warps of the warpgroup; those of warp " +
                  std::to_string(op.scene.warp) + " differ");
    return false;
  }
  takeInputs(warp, i, facts, op.input);
  if (hazardsOf(warp.grid()))
    checkRegisters(warp, i, facts);
  WgmmaAccumulator *accumulator = accumulatorFor(warp, facts);
  accumulator->end[w] = ++own.issued;
  op.arrived |= 1u << w;
  if (op.arrived == (1u << warpgroupWarps) - 1)
    complete(number, *accumulator);
  return true;
}

/// Copies what the wgmma reads from registers but for D. It may be an
/// accumulator of an earlier one.
void WgmmaGroup::takeInputs(Warp &warp, const Instruction &i,
                            const WgmmaFacts &facts, WgmmaInput &input) {
  unsigned w = indexOf(warp);
  PerWarp &own = warps[w];
  for (const std::vector<uint32_t> *slots : {&facts.a, &facts.metadata})
    for (uint32_t slot : *slots) {
      WgmmaAccumulator *accumulator =
          own.owners.empty() ? nullptr : own.owners[slot / registerStride];
      if (!accumulator)
        continue;
      if (accumulator->end[w] > own.waited)
        reportEarly(warp, i, slot, accumulator->end[w]);
      else
        giveBack(warp, *accumulator);
    }
  for (size_t r = 0; r < facts.a.size(); ++r)
    std::memcpy(&input.aRegisters[(w * 4 + r) * warpSize],
                warp.file() + facts.a[r], 4 * warpSize);
  for (uint32_t slot : facts.metadata)
    std::memcpy(&input.metadata[w * warpSize], warp.file() + slot,
                4 * warpSize);
}

/// All four warps have come: queues the wgmma, or adds it to the batch in
/// front of it. A random schedule wants every one to land on its own.
void WgmmaGroup::complete(uint64_t number, WgmmaAccumulator &accumulator) {
  std::shared_ptr<WgmmaOp> op = ops[number - firstOp];
  const WgmmaShape &shape = op->facts->shape;
  cta.cluster().counters().add(Counter::MmaIssued, 1);
  cta.cluster().counters().add(Counter::MmaFlops,
                               2ull * wgmmaRows * shape.n *
                                   (shape.bits ? 256 : shape.k()));
  if (HazardChecker *checker = hazardsOf(cta.grid()))
    checker->wgmmaStarted(cta, op->watched, firstWarp, number, op->scene);
  const Options &options = cta.grid().options;
  if (open && open->count > 0 && open->count < maxMmaChain &&
      options.numerics == Numerics::Fast &&
      options.schedule == WarpOrder::Fair && wgmmaChains(shape) &&
      open->accumulator == &accumulator && op->input.accumulate &&
      open->ops[open->count - 1]->facts->shape == shape) {
    open->ops[open->count++] = std::move(op);
    return;
  }
  open = std::make_shared<Batch>();
  open->ops[0] = op;
  open->count = 1;
  open->accumulator = &accumulator;
  cta.cluster().async.issue(channel, "wgmma", op->instruction->line,
                            [this, batch = open] { return land(*batch); });
}

bool WgmmaGroup::land(Batch &batch) {
  const WgmmaInput *inputs[maxMmaChain];
  for (uint32_t i = 0; i < batch.count; ++i)
    inputs[i] = &batch.ops[i]->input;
  wgmmaMultiply(batch.ops[0]->facts->shape, inputs, batch.count,
                sharedWindowOf(cta), cta.grid().options.numerics,
                batch.accumulator->cells.data());
  landed += batch.count;
  batch.count = 0; // Closed.
  return true;
}

//===----------------------------------------------------------------------===//
// Groups and waits
//===----------------------------------------------------------------------===//

void WgmmaGroup::fence(Warp &warp) {
  PerWarp &own = warps[indexOf(warp)];
  own.fenced = true;
  own.touched.clear();
}

void WgmmaGroup::commit(Warp &warp) {
  PerWarp &own = warps[indexOf(warp)];
  own.groups.push_back(own.issued);
}

std::string WgmmaGroup::describe(unsigned warp, uint64_t end) const {
  for (uint64_t number = firstOp; number < end; ++number) {
    const WgmmaOp &op = *ops[number - firstOp];
    unsigned missing = ~op.arrived & ((1u << warpgroupWarps) - 1);
    if (missing)
      return "the wgmma of line " + std::to_string(op.instruction->line) +
             ", to which warps " + warpList(missing, firstWarp) +
             " of its warpgroup have not come";
  }
  return "a wgmma of warp " + std::to_string(warp) + " to land";
}

/// `a`: one more than the number of the wgmma that must have landed.
static std::string describeWait(const Warp &warp, const Wait &wait) {
  WgmmaGroup *group = findWgmmaGroup(const_cast<Warp &>(warp));
  return group ? group->describe(warp.id(), wait.a) : std::string("a wgmma");
}

static Step blockUntilLanded(Warp &warp, uint64_t end) {
  Wait wait;
  wait.describe = describeWait;
  wait.a = end;
  return warp.block(wait);
}

Step WgmmaGroup::wait(Warp &warp, uint64_t pending) {
  PerWarp &own = warps[indexOf(warp)];
  while (own.groups.size() > pending) {
    uint64_t end = own.groups.front();
    if (landed < end)
      return blockUntilLanded(warp, end);
    own.waited = std::max(own.waited, end);
    own.groups.pop_front();
  }
  if (Ordering *ordering = orderingOf(cta.cluster()))
    ordering->wgmmaWaited(warp, firstWarp, own.waited);
  if (HazardChecker *checker = hazardsOf(cta.grid()))
    for (uint64_t n = firstOp; n < own.waited; ++n)
      if (opAt(n).watched) {
        checker->wgmmaDone(cta, opAt(n).watched);
        opAt(n).watched = 0;
      }
  auto done = [&](const Fragment &f) { return f.end <= own.waited; };
  own.fragments.erase(
      std::remove_if(own.fragments.begin(), own.fragments.end(), done),
      own.fragments.end());
  uint64_t all = landed;
  for (const PerWarp &each : warps)
    all = std::min(all, each.waited);
  for (; firstOp < all; ++firstOp)
    ops.pop_front();
  return Step::Next;
}

bool WgmmaGroup::checkFinished() const {
  for (const auto &op : ops) {
    unsigned missing = ~op->arrived & ((1u << warpgroupWarps) - 1);
    if (missing)
      return op->scene.fail(FaultKind::Hang,
                            "the warpgroup never executed this wgmma together: "
                            "warps " +
                                warpList(missing, firstWarp) +
                                " exited without it");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void WgmmaGroup::report(Warp &warp, const Instruction &i, std::string message) {
  if (reported.insert(&i).second)
    Scene(warp, i, 0).hazard(std::move(message));
}

/// Reports what the ISA asks of a program before a wgmma: a wgmma.fence since
/// the last access to its registers.
void WgmmaGroup::checkRegisters(Warp &warp, const Instruction &i,
                                const WgmmaFacts &facts) {
  PerWarp &own = warps[indexOf(warp)];
  if (!own.fenced) {
    report(warp, i, "no wgmma.fence before the first wgmma of the warp");
    own.fenced = true;
  }
  auto check = [&](const std::vector<uint32_t> &slots, const char *what) {
    for (uint32_t slot : slots)
      if (own.touched.count(slot)) {
        report(warp, i,
               std::string("registers of ") + what +
                   " were accessed since the last wgmma.fence: one must "
                   "stand between them and the wgmma");
        own.touched.clear();
        return;
      }
  };
  check(facts.d, "the accumulator");
  check(facts.a, "A");
  check(facts.metadata, "the metadata");
  for (const std::vector<uint32_t> *slots : {&facts.a, &facts.metadata})
    for (uint32_t slot : *slots)
      own.fragments.push_back({slot, own.issued + 1, i.line});
}

/// A register of an accumulator is touched before the wgmma `end - 1` has been
/// waited for.
void WgmmaGroup::reportEarly(Warp &warp, const Instruction &i, uint32_t slot,
                             uint64_t end) {
  uint32_t *place = reinterpret_cast<uint32_t *>(warp.file() + slot);
  std::fill(place, place + warpSize, poison);
  if (hazardsOf(warp.grid()))
    report(warp, i,
           "accesses a register of the accumulator of the wgmma of line " +
               std::to_string(opAt(end - 1).instruction->line) +
               ", which is in flight: wgmma.commit_group and "
               "wgmma.wait_group must come first");
}

Step WgmmaGroup::touch(Warp &warp, const Instruction &i,
                       const WgmmaKernel::Guard &guard) {
  unsigned w = indexOf(warp);
  PerWarp &own = warps[w];
  bool checks = hazardsOf(warp.grid()) != nullptr;
  bool early = false;
  if (!own.owners.empty())
    for (uint32_t slot : guard.slots) {
      WgmmaAccumulator *accumulator = own.owners[slot / registerStride];
      if (!accumulator)
        continue;
      uint64_t end = accumulator->end[w];
      if (end <= own.waited) {
        giveBack(warp, *accumulator);
        continue;
      }
      early = true;
      if (guard.isCopy) {
        if (landed < end)
          return blockUntilLanded(warp, end);
        giveBack(warp, *accumulator);
        continue;
      }
      reportEarly(warp, i, slot, end);
    }
  if (!checks || (early && guard.isCopy))
    return Step::Next;
  for (size_t s = 0; s < guard.written && !guard.isCopy; ++s)
    for (Fragment &fragment : own.fragments)
      if (fragment.slot == guard.slots[s]) {
        report(warp, i,
               "writes a register with a fragment of A of the wgmma of line " +
                   std::to_string(fragment.line) +
                   " that is in flight: wgmma.wait_group must come first");
        fragment.slot = ~0u;
      }
  own.touched.insert(guard.slots.begin(), guard.slots.end());
  return Step::Next;
}

static Step guarded(Warp &w, const Instruction &i, LaneMask mask) {
  const Kernel &kernel = w.grid().kernel;
  const WgmmaKernel::Guard &guard =
      kernel.wgmma->guards[size_t(&i - kernel.code.data())];
  if (WgmmaGroup *group = findWgmmaGroup(w)) {
    Step step = group->touch(w, i, guard);
    if (step != Step::Next)
      return step;
  }
  return guard.handler(w, i, mask);
}

namespace {
/// Collects the registers of an instruction that are in a set.
struct SlotFinder {
  const std::vector<bool> &wanted; ///< By place / 128.
  std::vector<uint32_t> &found;

  void add(const Operand &operand) {
    bool isRegister = operand.kind == Operand::Kind::Register ||
                      (operand.kind == Operand::Kind::Address &&
                       operand.base == Base::Register);
    // A wider register has its 64 bits per lane in two places.
    if (isRegister && operand.width <= 32 &&
        wanted[operand.slot / registerStride])
      found.push_back(operand.slot);
    for (unsigned i = 0; i < operand.count; ++i)
      add(operand.elements[i]);
  }
};
} // namespace

/// True for a mov whose source is a register.
static bool isRegisterCopy(const Instruction &i) {
  size_t at = i.text.find("mov");
  bool isMove = at == 0 || (at != std::string_view::npos && i.text[0] == '@' &&
                            i.text[at - 1] <= ' ');
  return isMove && i.operandCount == 2 &&
         i.operands[1].kind == Operand::Kind::Register;
}

void guardWgmmaRegisters(Kernel &kernel) {
  std::vector<bool> wanted(kernel.registerBytes / registerStride + 1);
  bool any = false;
  std::vector<bool> isWgmma(kernel.code.size());
  for (size_t n = 0; n < kernel.code.size(); ++n) {
    const Instruction &i = kernel.code[n];
    if (i.handler != executeWgmma)
      continue;
    isWgmma[n] = any = true;
    const WgmmaFacts &facts = *static_cast<const WgmmaFacts *>(i.data);
    for (const auto *slots : {&facts.d, &facts.a, &facts.metadata})
      for (uint32_t slot : *slots)
        wanted[slot / registerStride] = true;
  }
  if (!any)
    return;
  auto made = std::make_shared<WgmmaKernel>();
  made->guards.resize(kernel.code.size());
  for (size_t n = 0; n < kernel.code.size(); ++n) {
    Instruction &i = kernel.code[n];
    if (isWgmma[n])
      continue;
    WgmmaKernel::Guard &guard = made->guards[n];
    SlotFinder finder{wanted, guard.slots};
    for (unsigned operand = 0; operand < i.operandCount; ++operand) {
      finder.add(i.operands[operand]);
      if (operand == 0 && i.operands[0].kind != Operand::Kind::Address)
        guard.written = guard.slots.size();
    }
    if (const CallSite *site = callSiteOf(i)) {
      for (const CallValue &value : site->results)
        finder.add(value.operand);
      guard.written = guard.slots.size();
      for (const CallValue &value : site->arguments)
        finder.add(value.operand);
    }
    if (guard.slots.empty())
      continue;
    guard.isCopy = isRegisterCopy(i);
    guard.handler = i.handler;
    i.handler = guarded;
  }
  kernel.wgmma = made.get();
  kernel.data.push_back(std::move(made));
}

//===----------------------------------------------------------------------===//
// The groups of a CTA
//===----------------------------------------------------------------------===//

WgmmaGroup *findWgmmaGroup(Warp &warp) {
  auto &groups = warp.cta().extension<WgmmaGroups>().groups;
  size_t index = warp.id() / warpgroupWarps;
  return index < groups.size() ? groups[index].get() : nullptr;
}

WgmmaGroup *wgmmaGroupOf(Warp &warp) {
  if (WgmmaGroup *group = findWgmmaGroup(warp))
    return group;
  Cta &cta = warp.cta();
  unsigned index = warp.id() / warpgroupWarps;
  unsigned firstWarp = index * warpgroupWarps;
  if (firstWarp + warpgroupWarps > cta.warps().size())
    return nullptr;
  auto &groups = cta.extension<WgmmaGroups>().groups;
  if (groups.size() <= index)
    groups.resize(index + 1);
  groups[index] = std::make_unique<WgmmaGroup>(cta, firstWarp);
  return groups[index].get();
}

bool checkWgmmasComplete(Cta &cta) {
  if (!cta.grid().kernel.wgmma)
    return true;
  for (const auto &group : cta.extension<WgmmaGroups>().groups)
    if (group && !group->checkFinished())
      return false;
  return true;
}

} // namespace bwgemm::emulator
