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

/// What starts a TMA copy names one coordinate for each dimension of `map` and
/// the first element of a row of a column of `tile`.
LogicalResult verifyCopy(Operation *op, TensorMapType map,
                         OperandRange coordinates, SmemType tile,
                         OperandRange origin);

/// One coordinate for each mode of a tile; those that are known are multiples
/// of `rowStep` and `columnStep` and leave room for `rows` x `columns` elements
/// (MN x K).
LogicalResult verifyOrigin(Operation *op, SmemType tile, OperandRange origin,
                           int64_t rows, int64_t columns, int64_t rowStep,
                           int64_t columnStep);

/// `rows` x `columns` elements of `elementType` that threads write at `origin`
/// lie within the K-major `tile`, as far as is known, and begin at multiples of
/// `rowStep` and `columnStep`.
LogicalResult verifyTileWrite(Operation *op, SmemType tile, OperandRange origin,
                              Type elementType, int64_t rows, int64_t columns,
                              int64_t rowStep, int64_t columnStep);

/// A (M x K) and B (N x K) multiply into `rows` x `columns` sums of type `sum`;
/// each of the `ctaGroup` CTAs has its own rows of A, and its part of B.
LogicalResult verifyMmaOperands(Operation *op, int64_t rows, int64_t columns,
                                Type sum, SmemType a, SmemType b,
                                int64_t ctaGroup = 1);

/// Elements of A and of B multiply, and their products add up to `sum`.
LogicalResult verifyProduct(Operation *op, Type a, Type b, Type sum);

/// Checks that tcgen05.mma and wgmma can read the operand tiles: whole steps
/// along K, a swizzle that descriptors have, one stage.
LogicalResult verifyInstructionTiles(Operation *op, SmemType a, SmemType b);

/// CTAs that multiply together are 1 or 2.
LogicalResult verifyCtaGroup(Operation *op, int64_t ctaGroup);

/// A cluster has two extents, and no more CTAs than can be launched.
LogicalResult verifyCluster(Operation *op, ArrayRef<int64_t> cluster);

/// An offset in shared memory that is set is not negative and a multiple of
/// `alignment`, and the `bytes` that live there end within shared memory.
LogicalResult verifyOffset(Operation *op, std::optional<uint64_t> offset,
                           int64_t alignment, int64_t bytes);

/// An index into an array of mbarriers that is known is within its bounds.
LogicalResult verifyBarrierIndex(Operation *op, MBarrierType barriers,
                                 Value index);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_IR_OPERANDVERIFIERS_H
