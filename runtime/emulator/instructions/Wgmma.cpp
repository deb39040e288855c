//===- Wgmma.cpp - wgmma.mma_async, fence, commit and wait ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Asynchronous warpgroup level matrix instructions". The legal types,
// shapes and operands are those that ptxas 13.0 accepts for sm_90a.
//
//===----------------------------------------------------------------------===//

#include "instructions/Tcgen05Support.h"
#include "instructions/WgmmaGroup.h"

#include <cstdlib>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// True if the warp executes the instruction as a whole, in a warpgroup that
/// exists. Otherwise `step` is what the handler returns.
static bool enter(Warp &w, const Instruction &i, LaneMask mask,
                  WgmmaGroup *&group, Step &step) {
  if (!wholeWarp(w, i, mask, step))
    return false;
  group = wgmmaGroupOf(w);
  if (group)
    return true;
  size_t warps = w.cta().warps().size();
  step = w.trap(i, firstLane(mask),
                "wgmma needs the four warps of a warpgroup: warp " +
                    std::to_string(w.id()) + " belongs to a last one of " +
                    std::to_string(warps % warpgroupWarps) +
                    ", as the CTA has " + std::to_string(warps) + " warps");
  return false;
}

Step executeWgmma(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  WgmmaGroup *group;
  if (!enter(w, i, mask, group, step))
    return step;
  LaneMask scale = w.predicate(i.operands[1]) & mask;
  if (scale != 0 && scale != mask)
    return w.trap(i, firstLane(mask),
                  "scale-d differs between the threads of the warp");
  for (unsigned n = 2; n < 4; ++n) {
    if (!i.operands[n])
      continue;
    const uint64_t *descriptor = w.in<uint64_t>(i.operands[n]);
    uint64_t difference = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      difference |= descriptor[lane] ^ descriptor[0];
    if (difference)
      return w.trap(i, firstLane(mask),
                    std::string("the descriptor of ") + "AB"[n - 2] +
                        " differs between the threads of the warp");
  }
  return group->issue(w, i) ? Step::Next : Step::Fault;
}

static Step fence(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  WgmmaGroup *group;
  if (!enter(w, i, mask, group, step))
    return step;
  group->fence(w);
  return Step::Next;
}

static Step commit(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  WgmmaGroup *group;
  if (!enter(w, i, mask, group, step))
    return step;
  group->commit(w);
  return Step::Next;
}

/// `extra`: how many groups may stay in flight.
static Step wait(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  WgmmaGroup *group;
  if (!enter(w, i, mask, group, step))
    return step;
  return group->wait(w, i.extra);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool checkTarget(Decode &decode) {
  if (decode.kernel.target == "sm_90a")
    return true;
  return decode.error("wgmma exists on sm_90a alone, the module's target is " +
                      decode.kernel.target);
}

namespace {
/// A combination of types, with K of the dense form.
struct TypeRule {
  std::string_view d, a, b;
  uint32_t k;
  WgmmaShape shape;
};
} // namespace

static const std::vector<TypeRule> &typeRules() {
  static const std::vector<TypeRule> rules = [] {
    using E = MmaElement;
    using A = MmaAccumulator;
    std::vector<TypeRule> made;
    auto add = [&](std::string_view d, A dType, std::string_view a, E aType,
                   std::string_view b, E bType, uint32_t k) {
      TypeRule rule{d, a, b, k, {}};
      rule.shape.a = aType;
      rule.shape.b = bType;
      rule.shape.d = dType;
      made.push_back(rule);
    };
    add("f32", A::F32, "f16", E::F16, "f16", E::F16, 16);
    add("f16", A::F16, "f16", E::F16, "f16", E::F16, 16);
    add("f32", A::F32, "bf16", E::BF16, "bf16", E::BF16, 16);
    add("f32", A::F32, "tf32", E::TF32, "tf32", E::TF32, 8);
    const std::pair<std::string_view, E> floats[] = {{"e4m3", E::E4M3},
                                                     {"e5m2", E::E5M2}};
    const std::pair<std::string_view, E> integers[] = {{"s8", E::S8},
                                                       {"u8", E::U8}};
    for (auto [a, aType] : floats)
      for (auto [b, bType] : floats) {
        add("f32", A::F32, a, aType, b, bType, 32);
        add("f16", A::F16, a, aType, b, bType, 32);
      }
    for (auto [a, aType] : integers)
      for (auto [b, bType] : integers)
        add("s32", A::S32, a, aType, b, bType, 32);
    add("s32", A::S32, "b1", E::U8, "b1", E::U8, 256);
    made.back().shape.bits = true;
    return made;
  }();
  return rules;
}

/// The number in `text` from `at` on; moves `at` behind it.
static uint32_t number(std::string_view text, size_t &at) {
  uint32_t value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 4096)
    value = value * 10 + uint32_t(text[at++] - '0');
  return value;
}

/// Takes .shape.dtype.atype.btype; .satfinite may stand among them.
static bool takeShape(Decode &decode, bool sparse, WgmmaShape &shape) {
  std::vector<std::string_view> words;
  for (std::string_view part : decode.source.parts)
    if (part.substr(0, 4) == "m64n" || (!words.empty() && part != "satfinite"))
      words.push_back(part);
  if (words.size() < 4)
    return decode.error("expected .m64nNkK.dtype.atype.btype");
  const TypeRule *rule = nullptr;
  for (const TypeRule &candidate : typeRules())
    if (candidate.d == words[1] && candidate.a == words[2] &&
        candidate.b == words[3])
      rule = &candidate;
  std::string types = "." + std::string(words[1]) + "." +
                      std::string(words[2]) + "." + std::string(words[3]);
  if (!rule)
    return decode.error(
        "types " + types +
        ": expected .f32 or .f16 with .f16.f16, .f32 with .bf16.bf16 or "
        ".tf32.tf32, .f32 or .f16 with .e4m3 and .e5m2, .s32 with .s8 and .u8, "
        "or .s32.b1.b1");
  for (unsigned n = 0; n < 4; ++n)
    decode.take(words[n]);
  shape = rule->shape;
  shape.sparse = sparse;
  size_t at = 4;
  shape.n = number(words[0], at);
  bool good = at < words[0].size() && words[0][at] == 'k';
  uint32_t k = good ? number(words[0], ++at) : 0;
  if (!good || at != words[0].size() || k != rule->k << sparse)
    return decode.error("shape ." + std::string(words[0]) +
                        ": expected .m64nNk" +
                        std::to_string(rule->k << sparse) + " for types " +
                        types + (sparse ? " of a sparse A" : ""));
  if (sparse && shape.bits)
    return decode.error("there is no sparse form of .b1");
  bool byTwo = shape.isInteger() && shape.n > 32;
  if (shape.n < 8 || shape.n > 256 || shape.n % (byTwo ? 16 : 8) ||
      (shape.isInteger() && shape.n == 40))
    return decode.error("N = " + std::to_string(shape.n) + ": expected " +
                        (shape.isInteger()
                             ? "8, 16, 24, or a multiple of 16 up to 256"
                             : "a multiple of 8 up to 256"));
  if (shape.bits && (!decode.take("and") || !decode.take("popc")))
    return decode.error("expected .and.popc");
  shape.saturate = decode.take("satfinite");
  if (shape.saturate && (!shape.isInteger() || shape.bits))
    return decode.error(".satfinite exists for .s8 and .u8 alone");
  return true;
}

/// An immediate operand that must be one of two values.
static bool choice(Decode &decode, size_t index, const char *what, int64_t no,
                   int64_t yes, bool &result) {
  int64_t value;
  if (!decode.immediate(index, value))
    return false;
  if (value != no && value != yes)
    return decode.error(std::string("expected ") + what + " of " +
                        std::to_string(no) + " or " + std::to_string(yes) +
                        ", got " + std::to_string(value));
  result = value == yes;
  return true;
}

/// Notes the places of the registers of the vector just decoded.
static void noteSlots(Decode &decode, std::vector<uint32_t> &slots) {
  const Operand &vector = decode.last();
  for (unsigned i = 0; i < vector.count; ++i)
    slots.push_back(vector.elements[i].slot);
}

/// d, a, b{, sp-meta, sp-sel}, scale-d{, imm-scale-a, imm-scale-b}{,
/// imm-trans-a}{, imm-trans-b}.
static bool decodeMmaAsync(Decode &decode, bool sparse) {
  if (!checkTarget(decode) || !takeSyncAligned(decode))
    return false;
  WgmmaFacts *facts = decode.newData<WgmmaFacts>();
  WgmmaShape &shape = facts->shape;
  if (!takeShape(decode, sparse, shape))
    return false;
  shape.aInRegisters = decode.isVector(1);
  bool hasScales = !shape.isInteger();
  bool hasTransposes = mmaElementBytes(shape.a) == 2;
  size_t count = 4 + 2 * sparse + 2 * hasScales +
                 (hasTransposes ? 2 - shape.aInRegisters : 0);
  if (!decode.expectOperands(count, count) ||
      !decode.vectorDestination(0, Type::B32, shape.registers()))
    return false;
  noteSlots(decode, facts->d);
  size_t next = 3 + 2 * sparse;
  if (!decode.predicateSource(next++))
    return false;
  if (shape.aInRegisters)
    decode.noOperand();
  else if (!decode.sourceOperand(1, Type::B64))
    return false;
  if (!decode.sourceOperand(2, Type::B64))
    return false;
  if (shape.aInRegisters) {
    if (!decode.vectorSource(1, Type::B32, 4))
      return false;
    noteSlots(decode, facts->a);
  }
  if (sparse) {
    int64_t selector;
    if (!decode.sourceOperand(3, Type::B32) || !decode.immediate(4, selector))
      return false;
    if (decode.last().kind != Operand::Kind::Register)
      return decode.error("expected a register with the metadata");
    facts->metadata.push_back(decode.last().slot);
    int64_t most = mmaElementBytes(shape.a) == 1 ? 0 : 1;
    if (selector < 0 || selector > most)
      return decode.error("expected a sparsity selector of 0" +
                          std::string(most ? " or 1" : "") + ", got " +
                          std::to_string(selector));
    shape.selector = unsigned(selector);
  }
  bool negateA = false, negateB = false;
  if (hasScales && (!choice(decode, next, "imm-scale-a", 1, -1, negateA) ||
                    !choice(decode, next + 1, "imm-scale-b", 1, -1, negateB)))
    return false;
  next += 2 * hasScales;
  shape.negate = negateA != negateB;
  if (hasTransposes) {
    if (!shape.aInRegisters &&
        !choice(decode, next++, "imm-trans-a", 0, 1, shape.mnMajorA))
      return false;
    if (!choice(decode, next, "imm-trans-b", 0, 1, shape.mnMajorB))
      return false;
  }
  for (const Operand *vector = &decode.out.operands[0];
       vector < decode.out.operands + decode.out.operandCount; ++vector)
    if (vector->kind == Operand::Kind::Vector)
      for (unsigned i = 0; i < vector->count; ++i)
        if (vector->elements[i].kind != Operand::Kind::Register)
          return decode.error("expected registers alone in the vectors of "
                              "wgmma.mma_async");
  decode.out.data = facts;
  decode.out.handler = executeWgmma;
  return true;
}

static bool decodeDense(Decode &decode) {
  return decodeMmaAsync(decode, false);
}
static bool decodeSparse(Decode &decode) {
  return decodeMmaAsync(decode, true);
}

static bool decodeFence(Decode &decode) {
  decode.out.handler = fence;
  return checkTarget(decode) && takeSyncAligned(decode) &&
         decode.expectOperands(0, 0);
}

static bool decodeCommit(Decode &decode) {
  decode.out.handler = commit;
  return checkTarget(decode) && takeSyncAligned(decode) &&
         decode.expectOperands(0, 0);
}

static bool decodeWait(Decode &decode) {
  int64_t count;
  if (!checkTarget(decode) || !takeSyncAligned(decode) ||
      !decode.expectOperands(1, 1) || !decode.immediate(0, count))
    return false;
  if (count < 0)
    return decode.error("expected a number of groups of at least 0, got " +
                        std::to_string(count));
  decode.out.extra = uint64_t(count);
  decode.out.handler = wait;
  return true;
}

void registerWgmma(Registry &registry) {
  registry.add("wgmma.mma_async", decodeDense);
  registry.add("wgmma.mma_async.sp", decodeSparse);
  registry.add("wgmma.fence", decodeFence);
  registry.add("wgmma.commit_group", decodeCommit);
  registry.add("wgmma.wait_group", decodeWait);
}

} // namespace bwgemm::emulator
