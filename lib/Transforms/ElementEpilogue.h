//===- ElementEpilogue.h - From sums to what is stored ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_ELEMENTEPILOGUE_H
#define BWGEMM_LIB_TRANSFORMS_ELEMENTEPILOGUE_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// Emits what a `bwgemm.store` or `bwgemm.gemm` does to its sums: the region of
/// its epilogue or, without one, the rounding to the type of D. Sums are
/// numbers, or vectors of neighbours in a row of D.
class ElementEpilogue {
public:
  /// `extras` are the operands of the epilogue where the code is emitted.
  /// `region` must outlive this object.
  ElementEpilogue(ValueRange extras, ArrayAttr maps, Region &region,
                  MemRefType d);
  explicit ElementEpilogue(StoreOp store);

  bool isRounding() const { return region->empty(); }
  /// Whether an operand has one element for each column, the same in all rows.
  bool isOfColumns(unsigned index) const;
  Type getOperandType(unsigned index) const;
  /// Says that the caller has the elements of an operand, and gives them to
  /// `load` and `loadClamped`.
  void setGiven(unsigned index) { given[index] = true; }
  /// Whether an operand that is not given differs between neighbours in a row.
  bool hasOperandsAlongRows() const;

  /// Whether the operands allow accesses of `width` neighbours at a multiple of
  /// `width` columns, null if they do.
  Value emitAligned(OpBuilder &builder, Location loc, int64_t width) const;

  /// The operands' elements at a place inside of D: numbers if `width` is 0,
  /// else vectors of that many neighbours from `column` on, where
  /// `emitAligned` holds. `known` are those of the ones that are given.
  SmallVector<Value> load(OpBuilder &builder, Location loc, Value row,
                          Value column, int64_t width,
                          ArrayRef<Value> known = {}) const;
  /// The same wherever it is; what is outside of D's `rows` and `columns` has
  /// the value of some element inside.
  SmallVector<Value> loadClamped(OpBuilder &builder, Location loc, Value row,
                                 Value column, int64_t width, Value rows,
                                 Value columns,
                                 ArrayRef<Value> known = {}) const;
  /// The element of an operand of columns for `column`, or that of the last of
  /// the `columns` that there are.
  Value loadOfColumn(OpBuilder &builder, Location loc, unsigned index,
                     Value column, Value columns) const;

  /// What is stored for `sum`, f32 or i32, with these elements of the operands.
  Value compute(OpBuilder &builder, Location loc, Value sum,
                ValueRange elements) const;

private:
  AffineMap getMap(unsigned index) const;
  Value loadOne(OpBuilder &builder, Location loc, unsigned index, Value row,
                Value column) const;
  bool isVectorLoad(unsigned index) const;

  SmallVector<Value> extras;
  ArrayAttr maps;
  Region *region;
  Type element;
  SmallVector<bool> given;
};

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_ELEMENTEPILOGUE_H
