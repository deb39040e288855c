//===- BulkCopy.cpp - cp.async.bulk -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of contiguous bytes (PTX ISA, "cp.async.bulk") and reductions into
// them ("cp.reduce.async.bulk").
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/BulkGroups.h"
#include "instructions/Registry.h"
#include "machine/Reduction.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

/// Addresses must be multiples of 16: the hardware traps. A size that is not
/// makes its barrier never complete, which helps nobody: it traps here too.
static bool checkBulk(Warp &w, const Instruction &i, unsigned lane,
                      uint64_t destination, uint64_t source, uint32_t bytes) {
  for (uint64_t address : {destination, source})
    if (address % 16 != 0) {
      w.trap(i, lane, "misaligned address: a bulk copy needs multiples of 16",
             address);
      return false;
    }
  if (bytes % 16 != 0) {
    w.trap(i, lane,
           "a bulk copy of " + std::to_string(bytes) +
               " bytes: expected a multiple of 16 (the hardware reports "
               "nothing and the barrier never completes)");
    return false;
  }
  return true;
}

namespace {
/// Decoded into Instruction::flags of a copy to global memory.
enum GlobalFlags : uint8_t { HasMask = 1, Reduces = 2 };
} // namespace

/// Set in Instruction::extra of a reduction into shared memory.
static constexpr uint64_t reducesInShared = uint64_t(1) << 48;

/// A reduction travels in the upper half of Instruction::extra.
static uint64_t packReduction(const Reduction &reduction) {
  return uint64_t(reduction.op) << 32 | uint64_t(reduction.element) << 40;
}
static Reduction reductionOf(const Instruction &i) {
  return {ReduceOp(i.extra >> 32 & 0xff), TensorElement(i.extra >> 40 & 0xff)};
}

/// To shared memory, with an mbarrier. Operands: destination, source, size,
/// mbarrier, CTA mask or none. `extra` holds the space of the destination and
/// the reduction, `flags` the space of the source.
static Step copyToShared(Warp &w, const Instruction &i, LaneMask mask) {
  Space destinationSpace = Space(i.extra & 0xff), sourceSpace = Space(i.flags);
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t destination = w.address(i.operands[0], lane);
    uint64_t source = w.address(i.operands[1], lane);
    uint32_t bytes = uint32_t(w.value(i.operands[2], lane));
    uint64_t barrier = w.address(i.operands[3], lane);
    if (!checkBulk(w, i, lane, destination, source, bytes))
      return Step::Fault;
    if (barrier % 8 != 0)
      return w.trap(i, lane,
                    "misaligned address: an mbarrier needs a multiple of 8",
                    barrier);
    std::byte *from =
        w.access(i, sourceSpace, source, bytes, 16, lane, "bulk copy read");
    if (!from)
      return Step::Fault;
    uint64_t targets = destinationSpace == Space::Shared
                           ? uint64_t(1) << w.cta().rank()
                           : uint64_t(1)
                                 << ((destination >> clusterRankShift) & 63);
    if (i.operands[4])
      targets = w.value(i.operands[4], lane) & 0xffff;
    uint32_t to = uint32_t(destination & clusterOffsetMask);
    uint32_t barrierOffset = uint32_t(barrier & clusterOffsetMask);
    Scene scene(w, i, lane);
    w.count(Counter::TmaBytesRead, bytes);
    for (; targets; targets &= targets - 1) {
      Cta *cta = w.cluster().cta(unsigned(__builtin_ctzll(targets)));
      if (!cta || !cta->sharedAt(to, bytes))
        return w.trap(i, lane,
                      "out of bounds: the destination of a bulk copy is "
                      "outside of the shared memory of the cluster",
                      destination);
      if (!cta->sharedAt(barrierOffset, 8))
        return w.trap(i, lane,
                      "out of bounds: the mbarrier is outside of the CTA's "
                      "shared memory",
                      barrier);
      w.count(Counter::TmaLoads);
      w.count(Counter::TmaBytesLoaded, bytes);
      uint64_t watched = 0, watchedSource = 0;
      if (HazardChecker *checker = hazardsOf(w.grid())) {
        watched = checker->copyIssued(*cta, granulesOf(to, bytes), scene, *cta,
                                      barrierOffset, i.extra & reducesInShared);
        if (sourceSpace == Space::Shared)
          watchedSource = checker->copyReads(
              w.cta(), granulesOf(uint32_t(source & clusterOffsetMask), bytes),
              scene, cta, barrierOffset);
      }
      bool reduces = i.extra & reducesInShared;
      w.cluster().async.issue(
          AsyncQueue::unordered, reduces ? "bulk reduction" : "bulk copy",
          i.line,
          [cta, to, from, bytes, barrierOffset, watched, watchedSource, scene,
           reduces] {
            if (reduces)
              reductionOf(*scene.instruction)
                  .apply(cta->sharedAt(to, bytes), from, bytes);
            else
              std::memmove(cta->sharedAt(to, bytes), from, bytes);
            if (watched)
              hazardsOf(cta->grid())->copyLanded(*cta, watched);
            if (watchedSource)
              hazardsOf(cta->grid())->copyHasRead(*scene.cta, watchedSource);
            return landOnMBarrier(*cta, barrierOffset, bytes, false, scene);
          });
    }
  }
  return Step::Next;
}

/// Copies byte b of each 16 if bit b of the mask is set.
static void copyMasked(std::byte *to, const std::vector<std::byte> &bytes,
                       uint64_t byteMask) {
  for (size_t b = 0; b < bytes.size(); ++b)
    if (byteMask >> (b % 16) & 1)
      to[b] = bytes[b];
}

/// To global memory, with a bulk group. Operands: destination, source, size,
/// byte mask or none.
static Step copyToGlobal(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t destination = w.address(i.operands[0], lane);
    uint64_t source = w.address(i.operands[1], lane);
    uint32_t bytes = uint32_t(w.value(i.operands[2], lane));
    if (!checkBulk(w, i, lane, destination, source, bytes))
      return Step::Fault;
    std::byte *to = w.access(i, Space::Global, destination, bytes, 16, lane,
                             "bulk copy write");
    std::byte *from = to ? w.access(i, Space::Shared, source, bytes, 16, lane,
                                    "bulk copy read")
                         : nullptr;
    if (!from)
      return Step::Fault;
    w.count(Counter::TmaBytesStored, bytes);
    auto read = [from, bytes] {
      return std::vector<std::byte>(from, from + bytes);
    };
    Granules granules = granulesOf(uint32_t(source & clusterOffsetMask), bytes);
    Scene scene(w, i, lane);
    if (i.flags & Reduces)
      issueBulkWrite(w, scene, "bulk reduction", std::move(granules), read,
                     [to, reduction = reductionOf(i)](
                         const std::vector<std::byte> &values) {
                       reduction.apply(to, values.data(), values.size());
                     });
    else if (i.flags & HasMask)
      issueBulkWrite(w, scene, "bulk copy", std::move(granules), read,
                     [to, byteMask = w.value(i.operands[3], lane)](
                         const std::vector<std::byte> &values) {
                       copyMasked(to, values, byteMask);
                     });
    else
      issueBulkWrite(w, scene, "bulk copy", std::move(granules), read,
                     [to](const std::vector<std::byte> &values) {
                       std::copy(values.begin(), values.end(), to);
                     });
  }
  return Step::Next;
}

/// Prefetches change nothing that a program can see.
static Step prefetch(Warp &, const Instruction &, LaneMask) {
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeToShared(Decode &decode, Space destination, Space source) {
  bool multicast = decode.take("multicast::cluster");
  bool hint = decode.take("L2::cache_hint");
  size_t count = 4 + multicast + hint;
  if (!decode.expectOperands(count, count) || !decode.address(0, destination) ||
      !decode.address(1, source) || !decode.sourceU32(2) ||
      !decode.address(3, Space::SharedCluster))
    return false;
  if (multicast) {
    if (!decode.sourceOperand(4, Type::B16))
      return false;
  } else {
    decode.noOperand();
  }
  if (hint && !decode.sourceOperand(count - 1, Type::B64))
    return false;
  decode.out.extra = uint64_t(destination);
  decode.out.flags = uint8_t(source);
  decode.out.handler = copyToShared;
  return true;
}

static bool decodeToGlobal(Decode &decode) {
  bool masked = !(decode.out.flags & Reduces) && decode.take("cp_mask");
  bool hint = decode.take("L2::cache_hint");
  size_t count = 3 + hint + masked;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space::Global) || !decode.address(1, Space::Shared) ||
      !decode.sourceU32(2) ||
      (masked && !decode.sourceOperand(count - 1, Type::B16)) ||
      (hint && !decode.sourceOperand(3, Type::B64)))
    return false;
  if (masked)
    decode.out.flags |= HasMask;
  decode.out.handler = copyToGlobal;
  return true;
}

static bool decodeCopy(Decode &decode) {
  // Destination and source are both state spaces; the first one written is
  // the destination.
  bool global = decode.take("global");
  bool cluster = decode.take("shared::cluster");
  bool cta = decode.take("shared::cta");
  if (decode.take("ignore_oob"))
    return decode.error(".ignore_oob is not modelled; copies whose bytes are "
                        "all inside of an allocation are");
  if (decode.take("bulk_group")) {
    if (!global || !cta)
      return decode.error("expected .global.shared::cta with .bulk_group");
    return decodeToGlobal(decode);
  }
  if (!decode.take("mbarrier::complete_tx::bytes"))
    return decode.error("expected .mbarrier::complete_tx::bytes or "
                        ".bulk_group");
  if (global && cluster != cta)
    return decodeToShared(
        decode, cluster ? Space::SharedCluster : Space::Shared, Space::Global);
  if (!global && cluster && cta)
    return decodeToShared(decode, Space::SharedCluster, Space::Shared);
  return decode.error("expected .shared::cluster.global, .shared::cta.global "
                      "or .shared::cluster.shared::cta");
}

/// The operation and the type of a reduction.
static bool takeReduction(Decode &decode, bool toGlobal) {
  static constexpr std::string_view types[] = {
      "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "b32", "b64"};
  static constexpr TensorElement elements[] = {
      TensorElement::U32, TensorElement::S32,  TensorElement::U64,
      TensorElement::S64, TensorElement::F16,  TensorElement::F32,
      TensorElement::F64, TensorElement::BF16, TensorElement::U32,
      TensorElement::U64};
  Reduction reduction;
  int op = -1, type = -1;
  for (int o = 0; o < 8 && op < 0; ++o)
    op = decode.take(reduceOpNames[o]) ? o : -1;
  for (int t = 0; t < 10 && type < 0; ++t)
    type = decode.take(types[t]) ? t : -1;
  if (op < 0 || type < 0)
    return decode.error(
        "expected an operation (.add, .min, .max, .inc, .dec, .and, .or, "
        ".xor) and a type in '" +
        decode.mnemonic() + "'");
  reduction.op = ReduceOp(op);
  reduction.element = elements[type];
  bool isBits = type >= 8, isBitwise = reduction.op >= ReduceOp::And;
  bool isHalf = reduction.element == TensorElement::F16 ||
                reduction.element == TensorElement::BF16;
  bool noftz = decode.take("noftz");
  bool legal = reduction.isLegal() && isBits == isBitwise &&
               noftz == (isHalf && reduction.op == ReduceOp::Add);
  // Within a cluster: 32 bits, and sums of u64.
  if (!toGlobal)
    legal = legal && !isHalf && reduction.element != TensorElement::F32 &&
            reduction.element != TensorElement::F64 &&
            reduction.element != TensorElement::S64 &&
            (reduction.element != TensorElement::U64 ||
             reduction.op == ReduceOp::Add);
  if (!legal)
    return decode.error(
        std::string(toGlobal
                        ? "expected .add of u32, s32, u64, f32, f64, .add"
                          ".noftz of f16, bf16, .min or .max of u32, s32, "
                          "u64, s64, f16, bf16, .inc or .dec of u32, or .and, "
                          ".or, .xor of b32, b64 in '"
                        : "expected .add of u32, s32, u64, .min or .max of "
                          "u32, s32, .inc or .dec of u32, or .and, .or, .xor "
                          "of b32 in '") +
        decode.mnemonic() + "'");
  decode.out.extra |= packReduction(reduction);
  return true;
}

/// cp.reduce.async.bulk to global or cluster memory.
static bool decodeReduce(Decode &decode) {
  bool global = decode.take("global");
  bool cluster = decode.take("shared::cluster");
  if (global == cluster || !decode.take("shared::cta"))
    return decode.error("expected .global.shared::cta or "
                        ".shared::cluster.shared::cta");
  if (!takeReduction(decode, global))
    return false;
  if (global) {
    if (!decode.take("bulk_group"))
      return decode.error("expected .bulk_group");
    decode.out.flags = Reduces;
    return decodeToGlobal(decode);
  }
  if (!decode.take("mbarrier::complete_tx::bytes"))
    return decode.error("expected .mbarrier::complete_tx::bytes");
  if (!decode.expectOperands(4, 4) ||
      !decode.address(0, Space::SharedCluster) ||
      !decode.address(1, Space::Shared) || !decode.sourceU32(2) ||
      !decode.address(3, Space::SharedCluster))
    return false;
  decode.noOperand();
  decode.out.extra |= uint64_t(Space::SharedCluster) | reducesInShared;
  decode.out.flags = uint8_t(Space::Shared);
  decode.out.handler = copyToShared;
  return true;
}

static bool decodePrefetch(Decode &decode) {
  bool hint = decode.take("L2::cache_hint");
  if (!decode.take("L2") || !decode.take("global"))
    return decode.error("expected .L2.global");
  size_t count = 2 + hint;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space::Global) || !decode.sourceU32(1) ||
      (hint && !decode.sourceOperand(2, Type::B64)))
    return false;
  decode.out.handler = prefetch;
  return true;
}

void registerBulkCopy(Registry &registry) {
  registry.add("cp.async.bulk", decodeCopy);
  registry.add("cp.reduce.async.bulk", decodeReduce);
  registry.add("cp.async.bulk.prefetch", decodePrefetch);
}

} // namespace bwgemm::emulator
