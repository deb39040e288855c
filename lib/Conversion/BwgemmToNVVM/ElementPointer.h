//===- ElementPointer.h - Where elements of a tile lie ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_ELEMENTPOINTER_H
#define BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_ELEMENTPOINTER_H

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::bwgemm {

/// Emits arithmetic on 32-bit words, folded where it is constant.
struct Words {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) const {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  template <typename Op> Value emit(Value lhs, Value rhs) const {
    return builder.createOrFold<Op>(loc, lhs, rhs);
  }
  template <typename Op> Value emit(Value lhs, int64_t rhs) const {
    return emit<Op>(lhs, constant(rhs));
  }
  Value fromIndex(Value index) const { return castToI32(builder, loc, index); }
};

/// The swizzled form of an offset within a tile, or within a stage of one:
/// both begin at a multiple of the swizzle's pattern, so that the offset is
/// swizzled like the address.
Value swizzleOffset(const Words &words, SwizzleAttr swizzle, Value offset);

/// An element of a tile, as words; `stage` is null for one without stages.
struct TileOrigin {
  Value stage, mn, k;
};
/// From the coordinates of an op: the stage if there are stages, MN, K.
TileOrigin getTileOrigin(const Words &words, SmemType type,
                         ValueRange coordinates);

/// The address of an element of a tile, see `!bwgemm.smem`.
Value getElementPointer(const Words &words, SmemType type, Value tile,
                        const TileOrigin &origin);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_ELEMENTPOINTER_H
