//===- Atomic.cpp - atom, red -----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, atom and red, in global, shared and generic space. CTAs run on
// several host threads, so every operation is a compare-and-swap on the host.
// The lanes of a warp go one after the other, lowest first.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/Cta.h"
#include "machine/Float16.h"
#include "machine/Observer.h"

#include <array>
#include <cmath>
#include <mutex>

namespace bwgemm::emulator {

namespace {
enum class Op : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec,
};

/// Instruction::extra.
struct Atomic {
  Op op;
  Type type;
  Space space;
  uint8_t count; ///< Vector elements of red/atom .v2/.v4/.v8; 1.
};

uint64_t pack(const Atomic &a) {
  return uint64_t(a.op) | uint64_t(a.type) << 8 | uint64_t(a.space) << 16 |
         uint64_t(a.count) << 24;
}
Atomic unpack(uint64_t bits) {
  return {Op(bits & 0xFF), Type(bits >> 8 & 0xFF), Space(bits >> 16 & 0xFF),
          uint8_t(bits >> 24)};
}
} // namespace

template <class T> static T integer(Op op, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case Op::Add:
    return T(U(old) + U(value));
  case Op::Min:
    return old < value ? old : value;
  case Op::Max:
    return old < value ? value : old;
  case Op::And:
    return old & value;
  case Op::Or:
    return old | value;
  case Op::Xor:
    return old ^ value;
  case Op::Inc:
    return U(old) >= U(value) ? T(0) : T(U(old) + 1);
  case Op::Dec:
    return old == 0 || U(old) > U(value) ? value : T(U(old) - 1);
  default:
    return value;
  }
}

/// One 16-bit float operation; min and max prefer the number over a NaN.
static uint16_t half(Op op, uint16_t old, uint16_t value, bool isBf16) {
  auto read = [&](uint16_t bits) {
    return isBf16 ? bf16ToFloat(bits) : f16ToFloat(bits);
  };
  float a = read(old), b = read(value);
  if (op == Op::Add)
    return isBf16 ? roundToBf16(double(a) + double(b))
                  : roundToF16(double(a) + double(b));
  if (std::isnan(a) && std::isnan(b))
    return 0x7FFF;
  if (std::isnan(a))
    return value;
  if (std::isnan(b))
    return old;
  bool oldLess = a < b || (a == b && std::signbit(a));
  return (op == Op::Min) == oldLess ? old : value;
}

static float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// The new contents, given the old and the operand, both as bits. In global
/// memory f32 sums flush subnormal inputs and results, and f64 sums pass a NaN
/// on as it is, that of the operand first (measured on an H200).
static uint64_t apply(const Atomic &how, uint64_t old, uint64_t value,
                      bool isGlobal) {
  switch (how.type) {
  case Type::S32:
    return uint32_t(integer<int32_t>(how.op, int32_t(uint32_t(old)),
                                     int32_t(uint32_t(value))));
  case Type::S64:
    return uint64_t(integer<int64_t>(how.op, int64_t(old), int64_t(value)));
  case Type::U64:
  case Type::B64:
    return integer<uint64_t>(how.op, old, value);
  case Type::F32: {
    if (how.op == Op::Exch)
      return value;
    float a = fromStorage<float>(uint32_t(old));
    float b = fromStorage<float>(uint32_t(value));
    float sum = isGlobal ? flushed(flushed(a) + flushed(b)) : a + b;
    return std::isnan(sum) ? 0x7FFFFFFF : toStorage<float>(sum);
  }
  case Type::F64: {
    double a = fromStorage<double>(old), b = fromStorage<double>(value);
    if (isGlobal && (std::isnan(a) || std::isnan(b)))
      return std::isnan(b) ? value : old;
    return toStorage<double>(a + b);
  }
  case Type::F16:
  case Type::BF16:
    return half(how.op, uint16_t(old), uint16_t(value), how.type == Type::BF16);
  case Type::F16x2:
  case Type::BF16x2: {
    bool isBf16 = how.type == Type::BF16x2;
    uint32_t low = half(how.op, uint16_t(old), uint16_t(value), isBf16);
    uint32_t high =
        half(how.op, uint16_t(old >> 16), uint16_t(value >> 16), isBf16);
    return low | high << 16;
  }
  default:
    return bitWidth(how.type) == 16
               ? uint64_t(
                     integer<uint16_t>(how.op, uint16_t(old), uint16_t(value)))
               : uint64_t(
                     integer<uint32_t>(how.op, uint32_t(old), uint32_t(value)));
  }
}

/// Applies `update` to the T at `place` without interference.
template <class T, class Update>
static T exchange(std::byte *place, bool &changed, Update &&update) {
  T *object = reinterpret_cast<T *>(place);
  T old = __atomic_load_n(object, __ATOMIC_SEQ_CST);
  for (;;) {
    T next = update(old);
    if (__atomic_compare_exchange_n(object, &old, next, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      changed |= next != old;
      return old;
    }
  }
}

static uint64_t perform(const Atomic &how, std::byte *place, uint64_t value,
                        uint64_t swap, bool isGlobal, bool &changed) {
  auto update = [&](uint64_t old) {
    if (how.op == Op::Cas)
      return old == value ? swap : old;
    return apply(how, old, value, isGlobal);
  };
  switch (bitWidth(how.type)) {
  case 16:
    return exchange<uint16_t>(
        place, changed, [&](uint16_t old) { return uint16_t(update(old)); });
  case 32:
    return exchange<uint32_t>(
        place, changed, [&](uint32_t old) { return uint32_t(update(old)); });
  default:
    return exchange<uint64_t>(place, changed, update);
  }
}

/// Operands: d (or none), address, b, c.
static Step atomic(Warp &w, const Instruction &i, LaneMask mask) {
  const Atomic how = unpack(i.extra);
  const Operand &d = i.operands[0], &b = i.operands[2], &c = i.operands[3];
  uint32_t element = bitWidth(how.type) / 8;
  uint32_t bytes = element * how.count;
  bool changed = false;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t address = w.address(i.operands[1], l);
    std::byte *place =
        w.access(i, how.space, address, bytes, bytes, l, "atomic access");
    if (!place)
      return Step::Fault;
    if (Observer *observer = w.observer()) {
      bool reads = how.op != Op::Exch;
      if (reads)
        observer->access(w, i, l, how.space, address, bytes, false);
      else
        observer->exchange(w, i, how.space, address);
      observer->access(w, i, l, how.space, address, bytes, true);
    }
    bool isGlobal = how.space == Space::Global ||
                    (how.space == Space::Generic &&
                     splitGeneric(address).space == Space::Global);
    for (unsigned e = 0; e < how.count; ++e) {
      const Operand &source =
          b.kind == Operand::Kind::Vector ? b.elements[e] : b;
      uint64_t value = w.value(source, l);
      uint64_t swap = c ? w.value(c, l) : 0;
      uint64_t old =
          perform(how, place + e * element, value, swap, isGlobal, changed);
      if (d.kind == Operand::Kind::Vector)
        w.setValue(d.elements[e], l, old);
      else if (d)
        w.setValue(d, l, old);
    }
  }
  w.count(Counter::Atomics);
  if (!changed)
    return Step::Yield; // A failed try: it may be polling.
  w.cluster().noteWrite();
  return Step::Next;
}

/// atom.exch.b128 and atom.cas.b128. Hosts differ in what they can do with 16
/// bytes at once, so these exclude each other; another atomic on half of such
/// an object at the same time is a race in the program anyway.
static Step atomic128(Warp &w, const Instruction &i, LaneMask mask) {
  static std::mutex mutex;
  const Atomic how = unpack(i.extra);
  const Operand &d = i.operands[0];
  using Value = std::array<uint64_t, 2>;
  auto read = [&](const Operand &operand, unsigned l) -> Value {
    const uint64_t *lanes = w.in<uint64_t>(operand);
    return {lanes[l], lanes[warpSize + l]};
  };
  bool changed = false;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t address = w.address(i.operands[1], l);
    std::byte *place =
        w.access(i, how.space, address, 16, 16, l, "atomic access");
    if (!place)
      return Step::Fault;
    if (Observer *observer = w.observer()) {
      if (how.op == Op::Cas)
        observer->access(w, i, l, how.space, address, 16, false);
      else
        observer->exchange(w, i, how.space, address);
      observer->access(w, i, l, how.space, address, 16, true);
    }
    Value old, next = read(i.operands[how.op == Op::Cas ? 3 : 2], l);
    std::lock_guard lock(mutex);
    std::memcpy(old.data(), place, 16);
    if (how.op != Op::Cas || old == read(i.operands[2], l)) {
      changed |= old != next;
      std::memcpy(place, next.data(), 16);
    }
    if (!d.isSink()) {
      w.out<uint64_t>(d)[l] = old[0];
      w.out<uint64_t>(d)[warpSize + l] = old[1];
    }
  }
  w.count(Counter::Atomics);
  if (!changed)
    return Step::Yield; // A failed try: it may be polling.
  w.cluster().noteWrite();
  return Step::Next;
}

static bool isLegal(Op op, Type type) {
  bool wide = type == Type::U64 || type == Type::S64;
  bool narrow = type == Type::U32 || type == Type::S32;
  bool half = type == Type::F16 || type == Type::BF16 || type == Type::F16x2 ||
              type == Type::BF16x2;
  switch (op) {
  case Op::Add:
    return wide || narrow || half || type == Type::F32 || type == Type::F64;
  case Op::Min:
  case Op::Max:
    return wide || narrow || half;
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return type == Type::B32 || type == Type::B64;
  case Op::Exch:
    return type == Type::B32 || type == Type::B64 || type == Type::B128;
  case Op::Cas:
    return type == Type::B16 || type == Type::B32 || type == Type::B64 ||
           type == Type::B128;
  case Op::Inc:
  case Op::Dec:
    return type == Type::U32;
  }
  return false;
}

static bool decodeAtomicOf(Decode &decode, bool isRed) {
  Atomic how;
  decode.takeOne({"relaxed", "acquire", "release", "acq_rel"});
  decode.takeOne({"cta", "cluster", "gpu", "sys"});
  how.space = decode.takeSpace();
  if (how.space == Space::Const || how.space == Space::Param ||
      how.space == Space::Local)
    return decode.error("expected '.global', '.shared' or no state space in "
                        "'" +
                        decode.mnemonic() + "'");
  int op = decode.takeOne(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0 || (isRed && (Op(op) == Op::Exch || Op(op) == Op::Cas)))
    return decode.error("expected an operation such as '.add' in '" +
                        decode.mnemonic() + "'");
  how.op = Op(op);
  decode.take("noftz");
  decode.takeAllWithPrefix("L2::");
  how.count = uint8_t(decode.takeVectorWidth());
  if (!decode.takeType(how.type))
    return false;
  if (!isLegal(how.op, how.type))
    return decode.error("type " + std::string(typeName(how.type)) +
                        " does not exist for the operation of '" +
                        decode.mnemonic() + "'");
  bool isFloatType = isFloat(how.type);
  if (how.count > 1 &&
      (!isFloatType || bitWidth(how.type) * how.count > 128 ||
       how.space == Space::Shared || how.space == Space::SharedCluster))
    return decode.error("expected a vector of at most 128 bits of a "
                        "floating-point type in global memory in '" +
                        decode.mnemonic() + "'");
  decode.out.extra = pack(how);
  decode.out.handler = how.type == Type::B128 ? atomic128 : atomic;
  // Where the element is a half of a register, the register has its width.
  Type type = how.type;
  size_t at = isRed ? 0 : 1;
  size_t needed = at + 2 + (how.op == Op::Cas ? 1 : 0);
  // A cache policy may follow.
  if (!decode.expectOperands(needed, needed + 1))
    return false;
  if (decode.operandCount() == needed + 1)
    decode.markUsed(needed);
  if (isRed)
    decode.noOperand();
  else if (!(how.count > 1 ? decode.vectorDestination(0, type, how.count, true)
                           : decode.destination(0, type, true)))
    return false;
  if (!decode.address(at, how.space) ||
      !(how.count > 1 ? decode.vectorSource(at + 1, type, how.count)
                      : decode.sourceOperand(at + 1, type)))
    return false;
  return how.op != Op::Cas || decode.sourceOperand(at + 2, type);
}

static bool decodeAtom(Decode &decode) { return decodeAtomicOf(decode, false); }
static bool decodeRed(Decode &decode) { return decodeAtomicOf(decode, true); }

void registerAtomic(Registry &registry) {
  registry.add("atom", decodeAtom);
  registry.add("red", decodeRed);
}

} // namespace bwgemm::emulator
