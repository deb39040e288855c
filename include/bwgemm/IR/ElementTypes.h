//===- ElementTypes.h - What tensor cores multiply --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The element types of operands, and those of the sums of their products. In
/// tiles an integer without a sign is `ui8`; memory has no signs, so that there
/// it is i8.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_ELEMENTTYPES_H
#define BWGEMM_IR_ELEMENTTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::bwgemm {

/// "f16, bf16, ...", for diagnostics.
constexpr llvm::StringLiteral kOperandTypes =
    "f16, bf16, f32, i8, f8E4M3FN or f8E5M2";

/// f8E4M3FN or f8E5M2.
bool isFp8(Type type);
/// i8 or ui8.
bool isByteInteger(Type type);
/// Whether elements of A or B may have it.
bool isOperandType(Type type);
/// Whether elements of one type multiply with those of the other one: both of
/// the same, both floating-point numbers or both integers of 8 bits.
bool isOperandPair(Type a, Type b);
/// What an operand of `type` cannot be, and what is like it and can: "expects
/// f16, ...; f8E4M3FN is ...".
std::string getOperandTypeHint(Type type);

/// The type in which products of operands of `type` are summed: i32 for
/// integers, else f32.
Type getSumType(Type type);
/// What a memref of elements that multiply as `type` has: i8 for ui8.
Type getMemoryType(Type type);

/// Columns that an instruction for integers may have: 8, 24 or a multiple of 16
/// (PTX ISA, wgmma.mma_async and tcgen05.mma, shapes of s8 and u8).
constexpr bool isIntegerWidth(int64_t columns) {
  return columns == 8 || columns == 24 || columns % 16 == 0;
}

/// Emits lhs + rhs of sums, or of vectors of them.
Value addSums(OpBuilder &builder, Location loc, Value lhs, Value rhs);
/// Emits `value` of D, or a vector of them, in the type of `sum`, which it is
/// added to.
Value widenToSum(OpBuilder &builder, Location loc, Value value, Type sumType);
/// Emits the zero that a sum of `sumType` begins with.
Value createZeroSum(OpBuilder &builder, Location loc, Type sumType);

} // namespace mlir::bwgemm

#endif // BWGEMM_IR_ELEMENTTYPES_H
