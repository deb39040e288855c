//===- Tcgen05Mma.cpp - tcgen05.mma and tcgen05.commit ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "tcgen05.mma" and "tcgen05.commit". An mma is decoded and checked
// when it is issued; it reads its operands and writes D when it lands. The
// mmas and commits of one thread land in program order, those of different
// threads in any.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"
#include "machine/Probe.h"
#include "machine/Tcgen05MmaKernels.h"

#include "hazards/HazardChecker.h"
#include "instructions/Tcgen05Support.h"
#include <memory>

namespace bwgemm::emulator {

namespace {
/// Mmas that land together: each accumulates into the result of the one
/// before, which their thread issued just before.
struct MmaBatch {
  Mma mmas[maxMmaChain];
  MmaWatch watched[maxMmaChain];
  uint32_t count = 0;
  CtaGroup group;
  Scene scene;
};

/// The order of each thread's mmas, and its batch that has not landed and may
/// still grow; an extension of Warp.
struct MmaThreads {
  AsyncQueue::Channel channels[warpSize] = {};
  std::shared_ptr<MmaBatch> open[warpSize];
};

/// The immediate parts of the instruction; `flags` is its .cta_group.
struct MmaFacts {
  MmaKind kind = MmaKind::F16;
  bool sparse = false;
  uint8_t scaleBlocks = 0;
  bool aInTensorMemory = false;
  bool ws = false;
  bool shiftA = false;
  bool hasZeroColumns = false;
  bool hasDisabledLanes = false;
  unsigned scaleInputD = 0;
};
} // namespace

static AsyncQueue::Channel channelOf(Warp &w, unsigned lane) {
  AsyncQueue::Channel &channel = w.extension<MmaThreads>().channels[lane];
  if (channel == 0)
    channel = w.cluster().async.newChannel();
  return channel;
}

AsyncQueue::Channel tcgen05Channel(Warp &w, unsigned lane) {
  w.extension<MmaThreads>().open[lane] = nullptr;
  return channelOf(w, lane);
}

static MmaCtas memoriesOf(const CtaGroup &group) {
  Cta &even = *group.ctas[0];
  if (group.count == 1)
    return {even.extension<TensorMemory>(), sharedWindowOf(even)};
  Cta &odd = *group.ctas[1];
  return {even.extension<TensorMemory>(), sharedWindowOf(even),
          odd.extension<TensorMemory>(), sharedWindowOf(odd)};
}

static bool landBatch(MmaBatch &batch) {
  Grid &grid = batch.scene.cta->grid();
  std::string error;
  if (!batch.group.checkAlive(*batch.scene.cta, error))
    return batch.scene.fail(FaultKind::Trap, error + " when the mma completes");
  bool done = Mma::landChain(batch.mmas, batch.count, memoriesOf(batch.group),
                             grid.options.numerics, error);
  if (HazardChecker *checker = hazardsOf(grid))
    for (uint32_t i = 0; i < batch.count; ++i)
      checker->mmaLanded(batch.group, batch.watched[i]);
  return done || batch.scene.fail(FaultKind::Hazard, error);
}

/// Queues an mma, or adds it to the batch in front of it. A random schedule
/// wants every mma to land on its own.
static void enqueue(Warp &w, const Instruction &i, unsigned lane,
                    const Mma &mma, const CtaGroup &group,
                    const MmaWatch &watched) {
  const Options &options = w.grid().options;
  std::shared_ptr<MmaBatch> &open = w.extension<MmaThreads>().open[lane];
  if (open && open->count > 0 && open->count < maxMmaChain &&
      options.numerics == Numerics::Fast &&
      options.schedule == WarpOrder::Fair &&
      open->mmas[open->count - 1].chains(mma)) {
    open->mmas[open->count] = mma;
    open->watched[open->count++] = watched;
    return;
  }
  auto batch = std::make_shared<MmaBatch>();
  batch->mmas[0] = mma;
  batch->watched[0] = watched;
  batch->count = 1;
  batch->group = group;
  batch->scene = Scene(w, i, lane);
  open = batch;
  w.cluster().async.issue(channelOf(w, lane), "mma", i.line, [batch] {
    bool done = landBatch(*batch);
    batch->count = 0; // Closed.
    return done;
  });
}

/// Operands: D, A, B, instruction descriptor, disabled lanes or none,
/// enable-input-d, then what there is of sparsity metadata, scale factors of A
/// and of B, zero-column mask.
static Step mma(Warp &w, const Instruction &i, LaneMask mask) {
  const MmaFacts &facts = *static_cast<const MmaFacts *>(i.data);
  LaneMask accumulate = w.predicate(i.operands[5]);
  CtaGroup group;
  if (!ctaGroupOf(w, i, firstLane(mask), group))
    return Step::Fault;
  MmaCtas memories = memoriesOf(group);
  HazardChecker *checker = hazardsOf(w.grid());
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    MmaOperands operands;
    operands.kind = facts.kind;
    operands.ctas = i.flags;
    operands.d = uint32_t(w.address(i.operands[0], lane));
    operands.aInTensorMemory = facts.aInTensorMemory;
    operands.a = facts.aInTensorMemory ? w.address(i.operands[1], lane)
                                       : w.value(i.operands[1], lane);
    operands.b = w.value(i.operands[2], lane);
    operands.instructionDescriptor = uint32_t(w.value(i.operands[3], lane));
    operands.accumulate = (accumulate >> lane) & 1;
    operands.scaleInputD = facts.scaleInputD;
    operands.sparse = facts.sparse;
    operands.scaleBlocks = facts.scaleBlocks;
    const Operand *next = i.operands + 6;
    if (facts.sparse)
      operands.metadata = uint32_t(w.address(*next++, lane));
    if (facts.scaleBlocks) {
      operands.scaleA = uint32_t(w.address(next[0], lane));
      operands.scaleB = uint32_t(w.address(next[1], lane));
    }
    operands.ws = facts.ws;
    operands.shiftA = facts.shiftA;
    if (facts.hasZeroColumns)
      operands.zeroColumns = w.value(*next, lane);
    if (facts.hasDisabledLanes)
      for (unsigned word = 0; word < 4 * group.count; ++word)
        operands.disabledLanes[word] =
            uint32_t(w.value(i.operands[4].elements[word], lane));
    Mma issued;
    MmaRefusal refusal;
    if (!Mma::issue(operands, memories, issued, refusal))
      return refusal.unsupported ? w.unsupported(i, lane, refusal.message)
                                 : w.trap(i, lane, refusal.message);
    w.count(Counter::MmaIssued);
    w.count(Counter::MmaFlops,
            2ull * issued.shape.m * issued.shape.n * issued.shape.k());
    if (Probe *probe = w.grid().probe)
      probe->mma(i, issued.shape.m, issued.shape.n, issued.shape.k());
    MmaWatch watched;
    if (checker)
      watched = checker->mmaIssued(group, issued, Scene(w, i, lane));
    enqueue(w, i, lane, issued, group, watched);
  }
  return Step::Next;
}

/// Operands: mbarrier, CTA mask or none. `extra` is the space.
static Step commit(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t address = w.address(i.operands[0], lane);
    if (!w.access(i, Space(i.extra), address, 8, 8, lane,
                  "tcgen05.commit arrival"))
      return Step::Fault;
    if (Space(i.extra) == Space::Generic)
      address = splitGeneric(address).offset;
    uint32_t offset = uint32_t(address & clusterOffsetMask);
    uint64_t targets = uint64_t(1) << ((address >> clusterRankShift) & 63);
    if (i.operands[1])
      targets = w.value(i.operands[1], lane) & 0xffff;
    Scene scene(w, i, lane);
    AsyncQueue::Channel channel = tcgen05Channel(w, lane);
    std::shared_ptr<Knowledge> message;
    if (Ordering *ordering = orderingOf(w.cluster()))
      message = ordering->commitMessage(scene);
    for (; targets; targets &= targets - 1) {
      Cta *cta = w.cluster().cta(unsigned(__builtin_ctzll(targets)));
      if (!cta)
        return w.trap(i, lane, "the CTA mask names no CTA of the cluster");
      if (Ordering *ordering = orderingOf(w.cluster()))
        ordering->mbarrierNamed(scene, *cta, offset);
      auto arrive = [cta, offset, scene, message] {
        if (message)
          orderingOf(cta->cluster())->mbarrierJoin(*cta, offset, *message);
        return landOnMBarrier(*cta, offset, 0, true, scene);
      };
      if (cta == &w.cta()) {
        w.cluster().async.issue(channel, "mma commit", i.line, arrive);
        continue;
      }
      // An arrival at another CTA is on its way for some time, while this
      // thread's later commits may land.
      auto leave = [cta, scene, line = i.line, arrive] {
        cta->cluster().async.issue(
            AsyncQueue::unordered, "mma commit at another CTA", line,
            [cta, scene, arrive] {
              if (cta->aliveThreads() != 0)
                return arrive();
              return scene.fail(FaultKind::Trap,
                                "tcgen05.commit arrives at an mbarrier of the "
                                "CTA of rank " +
                                    std::to_string(cta->rank()) +
                                    ", all threads of which have exited");
            });
        return true;
      };
      w.cluster().async.issue(channel, "mma commit", i.line, leave);
    }
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Collector hints only permit the reuse of an operand: they do not change
/// the result of a correct program. Those of A have one buffer; those of B, for
/// .ws, four.
static bool takeCollector(Decode &decode, const MmaFacts &facts) {
  if (facts.ws) {
    for (const char *buffer : {"b0", "b1", "b2", "b3"})
      for (const char *use : {"::fill", "::use", "::lastuse", "::discard"})
        if (decode.take(std::string("collector::") + buffer + use))
          return true;
    return true;
  }
  int use = decode.takeOne({"collector::a::discard", "collector::a::lastuse",
                            "collector::a::fill", "collector::a::use"});
  if (use >= 2 && facts.shiftA)
    return decode.error(".ashift cannot be combined with .collector::a::fill "
                        "and ::use");
  return true;
}

/// .ws and .ashift, and what they exclude.
static bool takeForms(Decode &decode, MmaFacts &facts) {
  facts.ws = decode.take("ws");
  facts.shiftA = decode.take("ashift");
  if (facts.ws && decode.out.flags != 1)
    return decode.error("tcgen05.mma.ws exists with .cta_group::1 alone");
  if (facts.ws && facts.shiftA)
    return decode.error("tcgen05.mma.ws has no .ashift");
  return true;
}

/// .kind, .block_scale and .scale_vec or its alias.
static bool takeKind(Decode &decode, MmaFacts &facts) {
  int kind =
      decode.takeOne({"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8",
                      "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"});
  if (kind < 0)
    return decode.error("expected .kind::f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 "
                        "or mxf4nvf4");
  facts.kind = MmaKind(kind);
  std::string name = std::string(".kind::") + mmaKindName(facts.kind);
  bool blockScale = decode.take("block_scale");
  if (blockScale != isScaled(facts.kind))
    return decode.error(
        name + (blockScale ? " has no .block_scale" : " needs .block_scale"));
  if (!blockScale)
    return true;
  int vector = decode.takeOne({"scale_vec::1X", "scale_vec::2X",
                               "scale_vec::4X", "block32", "block16"});
  uint8_t usual = facts.kind == MmaKind::MXF8F6F4 ? 1 : 2;
  if (vector < 0 && facts.kind == MmaKind::MXF4NVF4)
    return decode.error(name + " needs .scale_vec::2X or 4X, or .block32 or "
                               ".block16");
  facts.scaleBlocks = vector < 0 || vector == 3 ? usual
                      : vector == 4             ? 4
                                                : uint8_t(1 << vector);
  if (facts.scaleBlocks == usual ||
      (facts.scaleBlocks == 4 && facts.kind == MmaKind::MXF4NVF4))
    return true;
  return decode.error(name +
                      " with scale_vec::" + std::to_string(facts.scaleBlocks) +
                      "X, expected scale_vec::" + std::to_string(usual) + "X" +
                      (facts.kind == MmaKind::MXF4NVF4 ? " or 4X" : ""));
}

/// scale-input-d, if it is there.
static bool takeScaleInputD(Decode &decode, size_t index, MmaFacts &facts) {
  if (index == decode.operandCount())
    return true;
  int64_t scale = 0;
  if (facts.kind != MmaKind::F16 && facts.kind != MmaKind::TF32)
    return decode.error("scale-input-d exists for kind::f16 and tf32 alone");
  if (!decode.immediate(index, scale))
    return false;
  if (scale < 0 || scale > 15)
    return decode.error("expected a scale-input-d of 0 to 15, got " +
                        std::to_string(scale));
  facts.scaleInputD = unsigned(scale);
  return true;
}

static bool decodeMma(Decode &decode) {
  MmaFacts *facts = decode.newData<MmaFacts>();
  facts->sparse = decode.take("sp");
  if (!takeCtaGroup(decode) || !takeForms(decode, *facts) ||
      !takeCollector(decode, *facts) || !takeKind(decode, *facts))
    return false;
  if (facts->ws && isScaled(facts->kind))
    return decode.error("tcgen05.mma.ws has no block scaling");
  bool scaled = facts->scaleBlocks != 0;
  size_t least = 5 + facts->sparse + 2 * scaled;
  if (!decode.expectOperands(least, scaled      ? least
                                    : facts->ws ? least + 1
                                                : least + 2))
    return false;
  facts->aInTensorMemory =
      decode.operand(1).kind == ast::Operand::Kind::Address;
  if (facts->shiftA && !facts->aInTensorMemory)
    return decode.error(".ashift needs an A in tensor memory");
  size_t descriptor = 3 + facts->sparse, next = descriptor + 1;
  if (!decode.address(0, Space::Generic) ||
      !(facts->aInTensorMemory ? decode.address(1, Space::Generic)
                               : decode.sourceOperand(1, Type::B64)) ||
      !decode.sourceOperand(2, Type::B64) || !decode.sourceU32(descriptor))
    return false;
  next += 2 * scaled;
  facts->hasDisabledLanes = !scaled && !facts->ws && decode.isVector(next);
  if (facts->hasDisabledLanes) {
    if (!decode.vectorSource(next++, Type::B32, 4 * decode.out.flags))
      return false;
  } else {
    decode.noOperand();
  }
  if (!decode.predicateSource(next++) ||
      (!facts->ws && !takeScaleInputD(decode, next, *facts)) ||
      (facts->sparse && !decode.address(3, Space::Generic)))
    return false;
  facts->hasZeroColumns = facts->ws && next < decode.operandCount();
  if (facts->hasZeroColumns && !decode.sourceOperand(next, Type::B64))
    return false;
  if (scaled && (!decode.address(descriptor + 1, Space::Generic) ||
                 !decode.address(descriptor + 2, Space::Generic)))
    return false;
  decode.out.data = facts;
  decode.out.handler = mma;
  return true;
}

static bool decodeCommit(Decode &decode) {
  if (!takeCtaGroup(decode))
    return false;
  if (!decode.take("mbarrier::arrive::one"))
    return decode.error("expected .mbarrier::arrive::one");
  bool multicast = decode.take("multicast::cluster");
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::SharedCluster)
    return decode.error("expected .shared::cluster or no state space");
  if (!decode.take("b64"))
    return decode.error("expected type b64");
  size_t count = 1 + multicast;
  if (!decode.expectOperands(count, count) || !decode.address(0, space))
    return false;
  if (multicast) {
    if (!decode.sourceOperand(1, Type::B16))
      return false;
  } else {
    decode.noOperand();
  }
  decode.out.extra = uint64_t(space);
  decode.out.handler = commit;
  return true;
}

void registerTcgen05Mma(Registry &registry) {
  registry.add("tcgen05.mma", decodeMma);
  registry.add("tcgen05.commit", decodeCommit);
}

} // namespace bwgemm::emulator
