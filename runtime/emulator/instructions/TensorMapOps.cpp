//===- TensorMapOps.cpp - Tensor maps made and changed on device *- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap and
// prefetch.tensormap (PTX ISA). Fields lie where machine/TensorMap.h says.
// Copies see the map in memory as it is when they are issued; that a fence is
// missing between a change and a copy is for the hazard checker to say.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/TensorPlans.h"

#include <cstring>

namespace bwgemm::emulator {

/// The alignment that these instructions need; an H200 takes a map at 8 modulo
/// 16. Only a copy through the map needs it aligned as a tensor map is.
static constexpr uint32_t mapAlign = 8;

//===----------------------------------------------------------------------===//
// tensormap.replace
//===----------------------------------------------------------------------===//

namespace {
enum class Field : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  Swizzle,
  SwizzleAtomicity,
  Fill,
};

struct FieldFacts {
  std::string_view name;
  bool hasOrdinal;
  bool isWide;        ///< .b64, else .b32.
  int64_t immediates; ///< How many values it has; 0 if it takes registers.
};
} // namespace

/// In the order of Field.
static constexpr FieldFacts fields[] = {
    {"global_address", false, true, 0}, {"rank", false, false, 0},
    {"box_dim", true, false, 0},        {"global_dim", true, false, 0},
    {"global_stride", true, true, 0},   {"element_stride", true, false, 0},
    {"elemtype", false, false, 16},     {"interleave_layout", false, false, 3},
    {"swizzle_mode", false, false, 4},  {"swizzle_atomicity", false, false, 4},
    {"fill_mode", false, false, 2},
};

/// Puts the low `count` bits of `value` at bit `from` of the word.
static void put(uint64_t &word, unsigned from, unsigned count, uint64_t value) {
  uint64_t mask = ((uint64_t(1) << count) - 1) << from;
  word = (word & ~mask) | (value << from & mask);
}

/// Changes one field. Only the rank is one less in the instruction than what
/// it means, as in the map; the others the instruction takes as they are.
static void replace(TensorMapWords &words, Field field, unsigned ordinal,
                    uint64_t value) {
  switch (field) {
  case Field::GlobalAddress:
    words[0] = value;
    return;
  case Field::Rank:
    return put(words[1], 4, 3, value);
  case Field::BoxDim:
    return ordinal == 0 ? put(words[6], 56, 8, value - 1)
                        : put(words[7], 8 * (ordinal - 1), 8, value - 1);
  case Field::GlobalDim:
    return put(words[4 + ordinal / 2], ordinal % 2 * 32, 32, value - 1);
  case Field::GlobalStride: {
    // Words 1 hi, 2 lo, 2 hi, 3 lo, and four more bits each in word 3.
    unsigned half = 3 + ordinal;
    put(words[half / 2], half % 2 * 32, 32, value >> 4);
    return put(words[3], 32 + 4 * ordinal, 4, value >> 36);
  }
  case Field::ElementStride:
    return put(words[6], 32 + 3 * ordinal, 3, value - 1);
  case Field::ElementType: {
    // The two tf32 types are f32 and f32.ftz that are rounded when loaded.
    bool tf32 = value == 11 || value == 12;
    put(words[1], 7, 4, tf32 ? value - 4 : value);
    return put(words[1], 16, 1, tf32);
  }
  case Field::Interleave:
    return put(words[1], 11, 2, value);
  case Field::Swizzle:
    return put(words[1], 13, 2, value);
  case Field::SwizzleAtomicity:
    return put(words[1], 20, 2, value);
  case Field::Fill:
    return put(words[1], 15, 1, value);
  }
}

/// Operands: map, new value. `flags` is the field, `extra` the state space
/// and, from bit 8, the ordinal.
static Step replaceField(Warp &w, const Instruction &i, LaneMask mask) {
  Space space = Space(i.extra & 0xff);
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t address = w.address(i.operands[0], lane);
    std::byte *place =
        w.access(i, space, address, 128, mapAlign, lane, "tensor map access");
    if (!place)
      return Step::Fault;
    TensorMapWords words;
    std::memcpy(words.data(), place, 128);
    replace(words, Field(i.flags), unsigned(i.extra >> 8),
            w.value(i.operands[1], lane));
    std::memcpy(place, words.data(), 64);
    if (Observer *observer = w.observer())
      observer->access(w, i, lane, space, address, 64, true);
  }
  w.cluster().noteWrite();
  return Step::Next;
}

static bool decodeReplace(Decode &decode) {
  if (!decode.take("tile"))
    return decode.error("expected .tile");
  int field = -1;
  for (int f = 0; f < int(std::size(fields)) && field < 0; ++f)
    field = decode.take(fields[f].name) ? f : -1;
  if (field < 0)
    return decode.error(
        "expected a field (.global_address, .rank, .box_dim, .global_dim, "
        ".global_stride, .element_stride, .elemtype, .interleave_layout, "
        ".swizzle_mode, .swizzle_atomicity, .fill_mode) in '" +
        decode.mnemonic() + "'");
  const FieldFacts &facts = fields[field];
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::Global &&
      space != Space::Shared)
    return decode.error("expected .global or .shared::cta");
  if (!decode.take("b1024") || !decode.take(facts.isWide ? "b64" : "b32"))
    return decode.error(std::string("expected .b1024 and .") +
                        (facts.isWide ? "b64" : "b32"));
  size_t count = facts.hasOrdinal ? 3 : 2;
  int64_t ordinal = 0;
  if (!decode.expectOperands(count, count) || !decode.address(0, space) ||
      (facts.hasOrdinal && !decode.immediate(1, ordinal)))
    return false;
  if (ordinal < 0 || ordinal > 4 ||
      (Field(field) == Field::GlobalStride && ordinal > 3))
    return decode.error("expected a dimension from 0 to " +
                        std::string(Field(field) == Field::GlobalStride
                                        ? "3 (stride 0 is that of dimension 1)"
                                        : "4") +
                        ", got " + std::to_string(ordinal));
  if (!decode.sourceOperand(count - 1, facts.isWide ? Type::B64 : Type::B32))
    return false;
  if (facts.immediates) {
    const Operand &value = decode.last();
    if (value.kind != Operand::Kind::Constant ||
        value.bits >= uint64_t(facts.immediates))
      return decode.error("expected an immediate from 0 to " +
                          std::to_string(facts.immediates - 1) + " with ." +
                          std::string(facts.name));
    bool isHopper = decode.kernel.target.compare(0, 5, "sm_90") == 0;
    if (isHopper && Field(field) == Field::SwizzleAtomicity && value.bits != 0)
      return decode.error("swizzle atomicity " + std::to_string(value.bits) +
                          " needs sm_100; 0, 16 bytes, works");
    if (isHopper && Field(field) == Field::ElementType && value.bits > 12)
      return decode.error("element type " + std::to_string(value.bits) +
                          " needs sm_100; 0 to 12, u8 to tf32.ftz, work");
  }
  decode.out.flags = uint8_t(field);
  decode.out.extra = uint64_t(space) | uint64_t(ordinal) << 8;
  decode.out.handler = replaceField;
  return true;
}

//===----------------------------------------------------------------------===//
// tensormap.cp_fenceproxy and the fences
//===----------------------------------------------------------------------===//

/// The warp copies the map once. Operands: destination, source.
static Step copyAndFence(Warp &w, const Instruction &i, LaneMask mask) {
  if (!w.converged(allLanes))
    return w.blockForConvergence(allLanes);
  unsigned lane = firstLane(mask);
  uint64_t to = w.address(i.operands[0], lane);
  uint64_t from = w.address(i.operands[1], lane);
  for (LaneMask rest = mask; rest; rest &= rest - 1)
    if (w.address(i.operands[0], firstLane(rest)) != to ||
        w.address(i.operands[1], firstLane(rest)) != from)
      return w.trap(i, firstLane(rest),
                    "tensormap.cp_fenceproxy needs the same addresses in all "
                    "threads of the warp");
  std::byte *source =
      w.access(i, Space::Shared, from, 128, mapAlign, lane, "tensor map read");
  std::byte *destination = source ? w.access(i, Space::Global, to, 128,
                                             mapAlign, lane, "tensor map write")
                                  : nullptr;
  if (!destination)
    return Step::Fault;
  std::memcpy(destination, source, 128);
  if (Observer *observer = w.observer())
    observer->access(w, i, lane, Space::Global, to, 128, true);
  w.cluster().noteWrite();
  return Step::Next;
}

static bool decodeCopyAndFence(Decode &decode) {
  bool known = decode.take("global") && decode.take("shared::cta") &&
               decode.take("tensormap::generic") && decode.take("release") &&
               decode.takeOne({"cta", "cluster", "gpu", "sys"}) >= 0 &&
               decode.take("sync") && decode.take("aligned");
  if (!known)
    return decode.error(
        "expected 'tensormap.cp_fenceproxy.global.shared::cta"
        ".tensormap::generic.release.SCOPE.sync.aligned', got '" +
        decode.mnemonic() + "'");
  int64_t bytes;
  if (!decode.expectOperands(3, 3) || !decode.address(0, Space::Global) ||
      !decode.address(1, Space::Shared) || !decode.immediate(2, bytes))
    return false;
  if (bytes != 128)
    return decode.error("expected a size of 128, got " + std::to_string(bytes));
  decode.out.handler = copyAndFence;
  return true;
}

/// Operands: address, or none for a release.
static Step fence(Warp &w, const Instruction &i, LaneMask mask) {
  if (HazardChecker *checker = hazardsOf(w.grid()))
    if (i.operands[0])
      forLanes(mask, [&](unsigned lane) {
        checker->tensorMapAcquired(w.cluster(), w.address(i.operands[0], lane));
      });
  if (Observer *observer = w.observer())
    observer->fence(w, i, mask);
  return Step::Next;
}

static bool decodeFence(Decode &decode) {
  bool acquire = decode.take("acquire");
  if (!acquire && !decode.take("release"))
    return decode.error("expected .acquire or .release");
  if (decode.takeOne({"cta", "cluster", "gpu", "sys"}) < 0)
    return decode.error("expected a scope");
  size_t count = acquire ? 2 : 0;
  if (!decode.expectOperands(count, count))
    return false;
  int64_t bytes = 128;
  if (acquire &&
      (!decode.address(0, Space::Generic) || !decode.immediate(1, bytes)))
    return false;
  if (bytes != 128)
    return decode.error("expected a size of 128, got " + std::to_string(bytes));
  decode.out.handler = fence;
  return true;
}

//===----------------------------------------------------------------------===//
// prefetch.tensormap
//===----------------------------------------------------------------------===//

/// Has no effect but its checks: the map must be one.
static Step prefetch(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1)
    if (!planOf(w, i, i.operands[0], firstLane(rest)))
      return Step::Fault;
  return Step::Next;
}

template <Space space> static bool decodePrefetch(Decode &decode) {
  decode.out.handler = prefetch;
  return decode.expectOperands(1, 1) && decode.address(0, space);
}

void registerTensorMapOps(Registry &registry) {
  registry.add("tensormap.replace", decodeReplace);
  registry.add("tensormap.cp_fenceproxy", decodeCopyAndFence);
  registry.add("fence.proxy.tensormap::generic", decodeFence);
  registry.add("prefetch.tensormap", decodePrefetch<Space::Generic>);
  registry.add("prefetch.param.tensormap", decodePrefetch<Space::Param>);
  registry.add("prefetch.const.tensormap", decodePrefetch<Space::Const>);
}

} // namespace bwgemm::emulator
