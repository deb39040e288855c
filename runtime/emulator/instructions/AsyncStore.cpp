//===- AsyncStore.cpp - st.async, red.async, st.bulk ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores and reductions of single values that land later (PTX ISA, "st.async",
// "red.async"): into the shared memory of a cluster, where they complete their
// bytes on an mbarrier beside the destination, or, with .release, into global
// memory. st.bulk fills shared memory with zeros. multimem is refused: it needs
// several devices.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/AsyncSupport.h"
#include "instructions/Registry.h"
#include "machine/Reduction.h"

#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// st.async and red.async
//===----------------------------------------------------------------------===//

namespace {
/// Decoded into Instruction::extra.
struct Access {
  Space space;
  uint8_t elementBytes, count;
  bool reduces;
  Reduction reduction;
};

uint64_t pack(const Access &a) {
  return uint64_t(a.space) | uint64_t(a.elementBytes) << 8 |
         uint64_t(a.count) << 16 | uint64_t(a.reduces) << 24 |
         uint64_t(a.reduction.op) << 32 | uint64_t(a.reduction.element) << 40;
}
Access accessOf(const Instruction &i) {
  return {
      Space(i.extra & 0xff),
      uint8_t(i.extra >> 8),
      uint8_t(i.extra >> 16),
      (i.extra >> 24 & 1) != 0,
      {ReduceOp(i.extra >> 32 & 0xff), TensorElement(i.extra >> 40 & 0xff)}};
}

/// What one lane stores; no access is longer.
struct Value {
  std::byte bytes[16];
};
} // namespace

static Value valueOf(Warp &w, const Operand &operand, const Access &access,
                     unsigned lane) {
  Value value;
  for (unsigned e = 0; e < access.count; ++e) {
    const Operand &element = access.count > 1 ? operand.elements[e] : operand;
    uint64_t bits = w.value(element, lane);
    std::memcpy(value.bytes + size_t(e) * access.elementBytes, &bits,
                access.elementBytes);
  }
  return value;
}

static void land(const Access &access, std::byte *to, const Value &value,
                 uint32_t bytes) {
  if (access.reduces)
    access.reduction.apply(to, value.bytes, bytes);
  else
    std::memcpy(to, value.bytes, bytes);
}

/// Splits a shared::cluster or generic address; null after a trap.
static Cta *clusterPlace(Warp &w, const Instruction &i, Space space,
                         uint64_t address, uint32_t bytes, unsigned lane,
                         const char *what, uint32_t &offset) {
  if (!w.access(i, space, address, bytes, bytes, lane, what))
    return nullptr;
  if (space == Space::Generic) {
    GenericAddress generic = splitGeneric(address);
    if (generic.space != Space::SharedCluster) {
      w.trap(i, lane, std::string("the ") + what + " must be in shared memory",
             address);
      return nullptr;
    }
    address = generic.offset;
  }
  offset = uint32_t(address & clusterOffsetMask);
  return w.cluster().cta(unsigned(address >> clusterRankShift));
}

/// Operands: address, value, mbarrier.
static Step toCluster(Warp &w, const Instruction &i, LaneMask mask) {
  Access access = accessOf(i);
  uint32_t bytes = uint32_t(access.elementBytes) * access.count;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint32_t to, barrier;
    Cta *cta = clusterPlace(w, i, access.space, w.address(i.operands[0], lane),
                            bytes, lane, "destination", to);
    Cta *signalled =
        cta ? clusterPlace(w, i, access.space, w.address(i.operands[2], lane),
                           8, lane, "mbarrier", barrier)
            : nullptr;
    if (!signalled)
      return Step::Fault;
    if (signalled != cta)
      return w.trap(i, lane,
                    "the mbarrier lies in the CTA of rank " +
                        std::to_string(signalled->rank()) +
                        ", expected it in that of the destination, " +
                        std::to_string(cta->rank()));
    Scene scene(w, i, lane);
    Value value = valueOf(w, i.operands[1], access, lane);
    uint64_t watched = 0;
    if (Ordering *ordering = orderingOf(w.cluster()))
      watched = ordering->storeIssued(scene, *cta, to, bytes, barrier,
                                      access.reduces);
    w.cluster().async.issue(
        AsyncQueue::unordered,
        access.reduces ? "asynchronous reduction" : "asynchronous store",
        i.line, [access, cta, to, bytes, barrier, value, watched, scene] {
          land(access, cta->sharedAt(to, bytes), value, bytes);
          if (watched)
            orderingOf(cta->cluster())->bulkWriteLanded(*cta, watched);
          cta->cluster().noteWrite();
          return landOnMBarrier(*cta, barrier, bytes, false, scene);
        });
  }
  return Step::Next;
}

/// Operands: address, value.
static Step toGlobal(Warp &w, const Instruction &i, LaneMask mask) {
  Access access = accessOf(i);
  uint32_t bytes = uint32_t(access.elementBytes) * access.count;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    std::byte *to = w.access(i, access.space, w.address(i.operands[0], lane),
                             bytes, bytes, lane, "asynchronous write");
    if (!to)
      return Step::Fault;
    Value value = valueOf(w, i.operands[1], access, lane);
    Cluster *cluster = &w.cluster();
    cluster->async.issue(AsyncQueue::unordered,
                         access.reduces ? "asynchronous reduction"
                                        : "asynchronous store",
                         i.line, [access, to, bytes, value, cluster] {
                           land(access, to, value, bytes);
                           cluster->noteWrite();
                           return true;
                         });
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// st.bulk
//===----------------------------------------------------------------------===//

/// Operands: address, size. `extra` is the space.
static Step fill(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    uint64_t address = w.address(i.operands[0], lane);
    uint64_t bytes = w.value(i.operands[1], lane);
    if (bytes == 0)
      continue;
    if (bytes % 8 != 0 || bytes > (1 << 24))
      return w.trap(i, lane,
                    "expected a size that is a multiple of 8 up to 16777216, "
                    "got " +
                        std::to_string(bytes));
    std::byte *to = w.access(i, Space(i.extra), address, uint32_t(bytes), 8,
                             lane, "bulk store");
    if (!to)
      return Step::Fault;
    if (Space(i.extra) == Space::Generic &&
        splitGeneric(address).space != Space::SharedCluster)
      return w.trap(i, lane, "st.bulk writes shared memory only", address);
    std::memset(to, 0, bytes);
    if (Observer *observer = w.observer())
      observer->access(w, i, lane, Space(i.extra), address, uint32_t(bytes),
                       true);
  }
  w.cluster().noteWrite();
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes what follows the operation: the type, `count` elements of it, and the
/// operands. `release` is the form into global memory.
static bool decodeOperands(Decode &decode, Access access, Type type,
                           bool release) {
  access.elementBytes = uint8_t(bitWidth(type) / 8);
  size_t count = release ? 2 : 3;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, access.space) ||
      !(access.count > 1 ? decode.vectorSource(1, type, access.count)
                         : decode.sourceOperand(1, type)) ||
      (!release && !decode.address(2, access.space)))
    return false;
  decode.out.extra = pack(access);
  decode.out.handler = release ? toGlobal : toCluster;
  return true;
}

/// Takes .mmio, the semantics, the scope and the space; `release` says which
/// of the two forms it is.
static bool takeForm(Decode &decode, Access &access, bool &release) {
  decode.take("mmio");
  release = decode.take("release");
  if (!release) {
    decode.takeOne({"weak", "relaxed"});
    decode.take("cluster");
  } else if (decode.takeOne({"gpu", "sys"}) < 0) {
    return decode.error("expected .gpu or .sys with .release");
  }
  access.space = decode.takeSpace();
  Space wanted = release ? Space::Global : Space::SharedCluster;
  if (access.space != Space::Generic && access.space != wanted)
    return decode.error(release ? "expected .global with .release"
                                : "expected .shared::cluster");
  if (!release && !decode.take("mbarrier::complete_tx::bytes"))
    return decode.error("expected .mbarrier::complete_tx::bytes, or .release "
                        "and a scope");
  return true;
}

static bool decodeStoreAsync(Decode &decode) {
  Access access{};
  bool release;
  if (!takeForm(decode, access, release))
    return false;
  access.count = uint8_t(decode.takeVectorWidth());
  Type type;
  if (!decode.takeType(type))
    return false;
  unsigned bits = bitWidth(type);
  bool known = bits >= (release ? 8u : 32u) && bits <= 64 &&
               type != Type::TF32 && type != Type::F16x2 &&
               type != Type::BF16x2 && type != Type::F32x2;
  if (!known || bits * access.count > 128 || (release && access.count > 1))
    return decode.error("expected a type of 32 or 64 bits and at most 128 bits "
                        "in all in '" +
                        decode.mnemonic() + "'");
  return decodeOperands(decode, access, type, release);
}

static bool decodeReduceAsync(Decode &decode) {
  Access access{};
  bool release;
  if (!takeForm(decode, access, release))
    return false;
  access.count = 1;
  access.reduces = true;
  int op = -1;
  for (int o = 0; o < 8 && op < 0; ++o)
    op = decode.take(reduceOpNames[o]) ? o : -1;
  Type type;
  if (op < 0)
    return decode.error("expected .add, .min, .max, .inc, .dec, .and, .or or "
                        ".xor in '" +
                        decode.mnemonic() + "'");
  if (!decode.takeType(type))
    return false;
  access.reduction.op = ReduceOp(op);
  bool isAdd = access.reduction.op == ReduceOp::Add;
  bool isMinMax = access.reduction.op == ReduceOp::Min ||
                  access.reduction.op == ReduceOp::Max;
  bool legal;
  switch (type) {
  case Type::U32:
    legal = access.reduction.op < ReduceOp::And;
    access.reduction.element = TensorElement::U32;
    break;
  case Type::S32:
    legal = isAdd || isMinMax;
    access.reduction.element = TensorElement::S32;
    break;
  case Type::U64:
  case Type::S64:
    // A sum's bits do not depend on the sign.
    legal = isAdd && (release || type == Type::U64);
    access.reduction.element = TensorElement::U64;
    break;
  case Type::B32:
    legal = access.reduction.op >= ReduceOp::And;
    access.reduction.element = TensorElement::U32;
    break;
  default:
    legal = false;
  }
  if (!legal || (release && !isAdd))
    return decode.error("expected .add of u32, s32, u64" +
                        std::string(release
                                        ? " or s64"
                                        : ", .min or .max of u32, s32, .inc or "
                                          ".dec of u32, or .and, .or, .xor of "
                                          "b32") +
                        " in '" + decode.mnemonic() + "'");
  return decodeOperands(decode, access, type, release);
}

static bool decodeStoreBulk(Decode &decode) {
  decode.take("weak");
  Space space = decode.takeSpace();
  if (space != Space::Generic && space != Space::Shared)
    return decode.error("expected .shared::cta");
  int64_t value;
  if (!decode.expectOperands(3, 3) || !decode.address(0, space) ||
      !decode.sourceOperand(1, Type::U64) || !decode.immediate(2, value))
    return false;
  if (value != 0)
    return decode.error("expected the value 0, got " + std::to_string(value));
  decode.out.extra = uint64_t(space);
  decode.out.handler = fill;
  return true;
}

static bool decodeMultimem(Decode &decode) {
  return decode.error("multimem works on memory of several devices, which is "
                      "not modelled; red and ld on one device are");
}

void registerAsyncStore(Registry &registry) {
  registry.add("st.async", decodeStoreAsync);
  registry.add("red.async", decodeReduceAsync);
  registry.add("st.bulk", decodeStoreBulk);
  registry.add("multimem", decodeMultimem);
}

} // namespace bwgemm::emulator
