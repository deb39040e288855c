//===- ElementTypes.cpp - What tensor cores multiply ----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::bwgemm;

bool bwgemm::isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool bwgemm::isByteInteger(Type type) {
  return type.isSignlessInteger(8) || type.isUnsignedInteger(8);
}

bool bwgemm::isOperandType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || isFp8(type) ||
         isByteInteger(type);
}

bool bwgemm::isOperandPair(Type a, Type b) {
  return a == b || (isFp8(a) && isFp8(b)) ||
         (isByteInteger(a) && isByteInteger(b));
}

std::string bwgemm::getOperandTypeHint(Type type) {
  std::string hint = "expects " + kOperandTypes.str();
  if (isa<Float8E4M3FNUZType, Float8E4M3Type, Float8E4M3B11FNUZType>(type))
    return hint + "; of 8 bits with a fraction of 3 NVIDIA's tensor cores "
                  "multiply f8E4M3FN";
  if (isa<Float8E5M2FNUZType>(type))
    return hint + "; of 8 bits with a fraction of 2 NVIDIA's tensor cores "
                  "multiply f8E5M2";
  return hint;
}

Type bwgemm::getSumType(Type type) {
  MLIRContext *context = type.getContext();
  return isByteInteger(type) ? Type(IntegerType::get(context, 32))
                             : Type(Float32Type::get(context));
}

Type bwgemm::getMemoryType(Type type) {
  return type.isUnsignedInteger(8)
             ? Type(IntegerType::get(type.getContext(), 8))
             : type;
}

Value bwgemm::addSums(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value bwgemm::widenToSum(OpBuilder &builder, Location loc, Value value,
                         Type sumType) {
  Type wide = getElementTypeOrSelf(sumType);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = vector.clone(wide);
  return value.getType() == wide
             ? value
             : arith::ExtFOp::create(builder, loc, wide, value).getResult();
}

Value bwgemm::createZeroSum(OpBuilder &builder, Location loc, Type sumType) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
}
