//===- Reduction.cpp - Reductions of the copy engine ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Reduction.h"

#include "machine/Float16.h"
#include "machine/HalfConvert.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace bwgemm::emulator {

bool Reduction::isLegal() const {
  using Element = TensorElement;
  bool isWord = element == Element::U32 || element == Element::S32;
  bool isLong = element == Element::U64 || element == Element::S64;
  bool isHalf = element == Element::F16 || element == Element::BF16;
  switch (op) {
  case ReduceOp::Add:
    return isWord || element == Element::U64 || isHalf ||
           element == Element::F32 || element == Element::F32Ftz ||
           element == Element::F64;
  case ReduceOp::Min:
  case ReduceOp::Max:
    return isWord || isLong || isHalf;
  case ReduceOp::Inc:
  case ReduceOp::Dec:
    return element == Element::U32;
  case ReduceOp::And:
  case ReduceOp::Or:
  case ReduceOp::Xor:
    return isWord || isLong;
  }
  return false;
}

std::string Reduction::describe() const {
  static const char *const names[] = {
      "u8",       "u16",   "u32",       "s32",      "u64",  "s64",
      "f16",      "f32",   "f32.ftz",   "f64",      "bf16", "tf32",
      "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  return std::string(reduceOpNames[unsigned(op)]) + " of " +
         names[unsigned(element)];
}

template <class T> static T integer(ReduceOp op, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case ReduceOp::Add:
    return T(U(old) + U(value));
  case ReduceOp::Min:
    return value < old ? value : old;
  case ReduceOp::Max:
    return value > old ? value : old;
  case ReduceOp::Inc:
    return U(old) >= U(value) ? T(0) : T(U(old) + 1);
  case ReduceOp::Dec:
    return old == 0 || U(old) > U(value) ? value : T(U(old) - 1);
  case ReduceOp::And:
    return old & value;
  case ReduceOp::Or:
    return old | value;
  case ReduceOp::Xor:
    return old ^ value;
  }
  return old;
}

template <bool isBf16>
static uint16_t half(ReduceOp op, uint16_t old, uint16_t value) {
  float a = isBf16 ? bf16ToFloat(old) : f16ToFloat(old);
  float b = isBf16 ? bf16ToFloat(value) : f16ToFloat(value);
  if (op == ReduceOp::Add) {
    // The sum of two such numbers is exact in f64, so it is rounded once.
    double sum = double(a) + double(b);
    if (std::isnan(sum))
      return 0x7fff;
    return isBf16 ? roundToBf16(sum) : roundToF16(sum);
  }
  if (std::isnan(a))
    return std::isnan(b) ? uint16_t(0x7fff) : value;
  if (std::isnan(b))
    return old;
  bool oldIsLess = a < b || (a == b && std::signbit(a));
  return (op == ReduceOp::Min) == oldIsLess ? old : value;
}

static float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

template <bool flush> static uint32_t sumF32(uint32_t old, uint32_t value) {
  float a = bitsToFloat(old), b = bitsToFloat(value);
  float sum = flush ? flushed(flushed(a) + flushed(b)) : a + b;
  return std::isnan(sum) ? 0x7fffffff : floatToBits(sum);
}

static uint64_t sumF64(uint64_t old, uint64_t value) {
  double a, b;
  std::memcpy(&a, &old, 8);
  std::memcpy(&b, &value, 8);
  // A NaN passes as it is, that of the operand first.
  if (std::isnan(b))
    return value;
  if (std::isnan(a))
    return old;
  double sum = a + b;
  if (std::isnan(sum))
    return 0xfff8000000000000;
  uint64_t bits;
  std::memcpy(&bits, &sum, 8);
  return bits;
}

/// Applies `update(old, value)` to each T.
template <class T, class Update>
static void each(std::byte *to, const std::byte *from, size_t bytes,
                 Update update) {
  for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T value;
    std::memcpy(&value, from + at, sizeof(T));
    T *place = reinterpret_cast<T *>(to + at);
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, T(update(old, value)),
                                        false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
  }
}

void Reduction::apply(std::byte *to, const std::byte *from,
                      size_t bytes) const {
  ReduceOp how = op;
  switch (element) {
  case TensorElement::U8:
  case TensorElement::U16:
  case TensorElement::B4x16:
  case TensorElement::B4x16P64:
  case TensorElement::B6x16P32:
    return; // Never legal.
  case TensorElement::U32:
    return each<uint32_t>(to, from, bytes, [how](uint32_t a, uint32_t b) {
      return integer<uint32_t>(how, a, b);
    });
  case TensorElement::S32:
    return each<uint32_t>(to, from, bytes, [how](uint32_t a, uint32_t b) {
      return integer<int32_t>(how, int32_t(a), int32_t(b));
    });
  case TensorElement::U64:
    return each<uint64_t>(to, from, bytes, [how](uint64_t a, uint64_t b) {
      return integer<uint64_t>(how, a, b);
    });
  case TensorElement::S64:
    return each<uint64_t>(to, from, bytes, [how](uint64_t a, uint64_t b) {
      return integer<int64_t>(how, int64_t(a), int64_t(b));
    });
  case TensorElement::F16:
    return each<uint16_t>(to, from, bytes, [how](uint16_t a, uint16_t b) {
      return half<false>(how, a, b);
    });
  case TensorElement::BF16:
    return each<uint16_t>(to, from, bytes, [how](uint16_t a, uint16_t b) {
      return half<true>(how, a, b);
    });
  case TensorElement::F32:
    return each<uint32_t>(to, from, bytes, sumF32<false>);
  case TensorElement::F32Ftz:
    return each<uint32_t>(to, from, bytes, sumF32<true>);
  case TensorElement::F64:
    return each<uint64_t>(to, from, bytes, sumF64);
  }
}

} // namespace bwgemm::emulator
