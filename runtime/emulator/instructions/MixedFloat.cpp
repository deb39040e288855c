//===- MixedFloat.cpp - f32 arithmetic on 16-bit inputs ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, mixed precision floating-point instructions (PTX 8.6, sm_100 and
// later): add, sub and fma whose f16 or bf16 inputs are widened to f32, with an
// f32 addend and one rounding. LLVM makes them of a widening and an f32 fma.
//
//===----------------------------------------------------------------------===//

#include "instructions/FloatSupport.h"

namespace bwgemm::emulator {

namespace {

struct F16 {
  static float read(uint32_t bits) { return f16ToFloat(uint16_t(bits)); }
};
struct BF16 {
  static float read(uint32_t bits) { return bf16ToFloat(uint16_t(bits)); }
};

template <bool sat> uint32_t finish(float value) {
  return floatToBits(writeFloat<float, false, sat>(value));
}

} // namespace

template <class T, bool isSub, bool sat>
static Step addLanes(Warp &w, const Instruction &i, LaneMask mask) {
  uint32_t *d = w.out<uint32_t>(i.operands[0]);
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *c = w.in<uint32_t>(i.operands[2]);
  forLanes(mask, [&](unsigned l) {
    float addend = bitsToFloat(c[l]);
    d[l] = finish<sat>(T::read(a[l]) + (isSub ? -addend : addend));
  });
  return Step::Next;
}

template <class T, bool sat>
static inline __attribute__((always_inline)) Step fmaBody(Warp &w,
                                                          const Instruction &i,
                                                          LaneMask mask) {
  uint32_t *d = w.out<uint32_t>(i.operands[0]);
  const uint32_t *a = w.in<uint32_t>(i.operands[1]);
  const uint32_t *b = w.in<uint32_t>(i.operands[2]);
  const uint32_t *c = w.in<uint32_t>(i.operands[3]);
  for (; mask; mask &= mask - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    d[l] = finish<sat>(
        __builtin_fmaf(T::read(a[l]), T::read(b[l]), bitsToFloat(c[l])));
  }
  return Step::Next;
}

template <class T, bool sat>
static Step fmaLanes(Warp &w, const Instruction &i, LaneMask mask) {
  return fmaBody<T, sat>(w, i, mask);
}

#if defined(__x86_64__)
template <class T, bool sat>
__attribute__((target("avx2,fma"))) static Step
hostFmaLanes(Warp &w, const Instruction &i, LaneMask mask) {
  return fmaBody<T, sat>(w, i, mask);
}
#endif

template <class T, bool sat> static Handler pickFma() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
    return hostFmaLanes<T, sat>;
#endif
  return fmaLanes<T, sat>;
}

template <class T> static Handler pick(ArithmeticOp op, bool sat) {
  if (op == ArithmeticOp::Fma)
    return sat ? pickFma<T, true>() : pickFma<T, false>();
  if (op == ArithmeticOp::Sub)
    return sat ? addLanes<T, true, true> : addLanes<T, true, false>;
  return sat ? addLanes<T, false, true> : addLanes<T, false, false>;
}

bool decodeMixedArithmetic(Decode &decode, ArithmeticOp op, Type narrow) {
  if (op != ArithmeticOp::Add && op != ArithmeticOp::Sub &&
      op != ArithmeticOp::Fma)
    return decode.error("expected one type in '" + decode.mnemonic() +
                        "'; add, sub and fma take 16-bit inputs to f32");
  if (narrow != Type::F16 && narrow != Type::BF16)
    return decode.error("expected inputs of f16 or bf16 in '" +
                        decode.mnemonic() + "', got " +
                        std::string(typeName(narrow)));
  Rounding rounding;
  bool hasRounding = takeRounding(decode, rounding);
  if (op == ArithmeticOp::Fma && !hasRounding)
    return decode.error("expected a rounding such as '.rn' in '" +
                        decode.mnemonic() + "'");
  bool sat = decode.take("sat");
  setRounded(decode.out,
             narrow == Type::F16 ? pick<F16>(op, sat) : pick<BF16>(op, sat),
             rounding);
  unsigned sources = op == ArithmeticOp::Fma ? 3 : 2;
  if (!decode.expectOperands(sources + 1, sources + 1) ||
      !decode.destination(0, Type::F32, false))
    return false;
  for (unsigned s = 1; s < sources; ++s)
    if (!decode.sourceOperand(s, narrow))
      return false;
  return decode.sourceOperand(sources, Type::F32);
}

} // namespace bwgemm::emulator
