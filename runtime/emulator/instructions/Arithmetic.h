//===- Arithmetic.h - Opcodes that several families share -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, mul, min and so on belong to the integer, the floating-point and the
// half-precision family, as their type says. Integer.cpp registers them and
// passes on what is not its own.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_ARITHMETIC_H

#include "instructions/Registry.h"

namespace bwgemm::emulator {

enum class ArithmeticOp {
  Add,
  Sub,
  Mul,
  Mad,
  Fma,
  Div,
  Neg,
  Abs,
  Min,
  Max,
};

/// Each is called after the type was taken; f32, f64 and f32x2.
bool decodeFloatArithmetic(Decode &decode, ArithmeticOp op, Type type);
/// f16, f16x2, bf16, bf16x2.
bool decodeHalfArithmetic(Decode &decode, ArithmeticOp op, Type type);
/// add, sub and fma to f32 from inputs of `narrow` (f16 or bf16).
bool decodeMixedArithmetic(Decode &decode, ArithmeticOp op, Type narrow);
/// add.cc, sub.cc, mad.cc, after `.cc` was taken.
bool decodeCarryArithmetic(Decode &decode, ArithmeticOp op, Type type);

/// destination(0) and the sources behind it, all of `type`.
inline bool plainOperands(Decode &decode, Type type, unsigned sources) {
  if (!decode.expectOperands(sources + 1, sources + 1) ||
      !decode.destination(0, type, false))
    return false;
  for (unsigned s = 1; s <= sources; ++s)
    if (!decode.sourceOperand(s, type))
      return false;
  return true;
}

/// "type X is not one that 'mnemonic' has".
inline bool wrongType(Decode &decode, Type type) {
  return decode.error("unsupported type " + std::string(typeName(type)) +
                      " of '" + decode.mnemonic() + "'");
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
