//===- GemmOps.cpp - Verifier and effects of bwgemm.gemm ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/Epilogue.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// Two extents agree unless both are static and differ.
static bool compatible(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

static Type getOperandType(MemRefType type, bool isUnsigned) {
  Type element = type.getElementType();
  return isUnsigned && element.isInteger(8)
             ? Type(IntegerType::get(type.getContext(), 8,
                                     IntegerType::Unsigned))
             : element;
}

Type GemmOp::getOperandTypeOfA() {
  return getOperandType(getAType(), getUnsignedA());
}

Type GemmOp::getOperandTypeOfB() {
  return getOperandType(getBType(), getUnsignedB());
}

Type GemmOp::getSumType() {
  return bwgemm::getSumType(getAType().getElementType());
}

LogicalResult GemmOp::verify() {
  MemRefType types[] = {getAType(), getBType(), getDType()};
  const char *names[] = {"A", "B", "D"};
  for (auto [type, name] : llvm::zip_equal(types, names)) {
    // gemm_c1
    bool mayBeBatch = isBatched() || name[0] == 'D';
    if (type.getRank() != 2 && (type.getRank() != 3 || !mayBeBatch))
      return emitOpError() << "expects " << name << " to be a matrix (rank 2)"
                           << (mayBeBatch ? " or a batch of them (rank 3)" : "")
                           << ", but got rank " << type.getRank();
    // gemm_c8
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return emitOpError() << "expects " << name
                           << " to have a strided layout, but got " << type;
  }
  // gemm_c2
  Type ab = types[0].getElementType();
  if (ab.isUnsignedInteger() || !isOperandType(ab))
    return emitOpError() << "expects A of " << kOperandTypes << ", but got "
                         << ab;
  // gemm_c3
  Type b = types[1].getElementType();
  if (b.isUnsignedInteger() || !isOperandPair(ab, b))
    return emitOpError() << "expects B to have the element type of A (" << ab
                         << (isFp8(ab) ? ") or another one of 8-bit floats"
                                       : ")")
                         << ", but got " << b;
  // gemm_c12
  if ((getUnsignedA() || getUnsignedB()) && !isByteInteger(ab))
    return emitOpError() << "expects unsigned operands to be of i8, but got "
                         << ab;
  // gemm_c4
  Type d = types[2].getElementType();
  bool isInteger = getSumType().isInteger();
  bool isFloat = d.isF16() || d.isBF16() || d.isF32();
  if (isInteger && !hasEpilogue() && !d.isInteger(32))
    return emitOpError() << "expects D of i32 for integers, but got " << d
                         << "; an epilogue may convert";
  if (!isFloat && !(isInteger && d.isInteger(32)))
    return emitOpError() << "expects D of f32, f16 or bf16"
                         << (isInteger ? " or i32" : "") << ", but got " << d;
  // gemm_c13
  if (getAccumulate() && isInteger && !d.isInteger(32))
    return emitOpError() << "expects D of i32 for integers that are added to "
                            "it, but got "
                         << d;
  auto dim = [&](unsigned operand, unsigned index) {
    return types[operand].getDimSize(index);
  };
  // gemm_c5
  if (!compatible(dim(0, getKDimOfA()), dim(1, getKDimOfB())))
    return emitOpError() << "expects A and B to agree on K, but got "
                         << dim(0, getKDimOfA()) << " and "
                         << dim(1, getKDimOfB());
  // gemm_c6
  int64_t m = dim(2, types[2].getRank() - 2),
          n = dim(2, types[2].getRank() - 1);
  if (!compatible(dim(0, getMDimOfA()), m))
    return emitOpError() << "expects A and D to agree on M, but got "
                         << dim(0, getMDimOfA()) << " and " << m;
  // gemm_c7
  if (!compatible(dim(1, getNDimOfB()), n))
    return emitOpError() << "expects B and D to agree on N, but got "
                         << dim(1, getNDimOfB()) << " and " << n;
  if (isBatched()) {
    // gemm_c10
    if (types[0].getRank() == 2 && types[1].getRank() == 2)
      return emitOpError("expects a batch of A or of B for a batch of D, but "
                         "got one matrix of each");
    // gemm_c11
    for (unsigned operand : {0, 1})
      if (types[operand].getRank() == 3 &&
          !compatible(dim(operand, 0), dim(2, 0)))
        return emitOpError() << "expects " << names[operand]
                             << " and D to agree on the batch, but got "
                             << dim(operand, 0) << " and " << dim(2, 0);
  }
  // gemm_c9
  if (getFallback() && !getSchedule())
    return emitOpError("expects a schedule beside the fallback, but got none");
  return verifyEpilogue(*this, getExtras(), getEpilogueMapsAttr(),
                        getEpilogue(), types[2], getSumType());
}

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  if (getAccumulate())
    effects.emplace_back(MemoryEffects::Read::get(), &getDMutable());
  for (OpOperand &extra : getExtrasMutable())
    if (isa<MemRefType>(extra.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &extra);
  effects.emplace_back(MemoryEffects::Write::get(), &getDMutable());
}
