//===- OperandVerifiers.h - Rules that several ops share --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_IR_OPERANDVERIFIERS_H
#define BWGEMM_LIB_IR_OPERANDVERIFIERS_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// A box of `map` is a part of a column of `tile`: same element type and
/// swizzle, one row wide, and rows that divide the tile's.
LogicalResult verifyBoxFillsTile(Operation *op, TensorMapType map,
                                 SmemType tile);

/// A (M x K) and B (N x K) multiply into `rows` x `columns`.
LogicalResult verifyMmaOperands(Operation *op, int64_t rows, int64_t columns,
                                SmemType a, SmemType b);

/// An index into an array of mbarriers that is known is within its bounds.
LogicalResult verifyBarrierIndex(Operation *op, MBarrierType barriers,
                                 Value index);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_IR_OPERANDVERIFIERS_H
