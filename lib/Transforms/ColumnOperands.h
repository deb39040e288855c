//===- ColumnOperands.h - Operands of columns in registers ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_COLUMNOPERANDS_H
#define BWGEMM_LIB_TRANSFORMS_COLUMNOPERANDS_H

#include "ElementEpilogue.h"
#include "ResultReader.h"

namespace mlir::bwgemm {

/// The operands of an epilogue that have one element for each column, such as a
/// bias, spread over the lanes of a warp whose results are fragments of
/// registers: lane L has columns 64 g + 2 L and the next one in its g-th place.
/// Each line of memory is then asked for once, all of them together, and a
/// thread gets the two columns that it computes from the lane that has them.
/// Loaded where they are used, they would take a latency of L2 for each line,
/// one behind the other.
class ColumnOperands {
public:
  ColumnOperands(ElementEpilogue &epilogue, const ResultReader &reader)
      : epilogue(epilogue), reader(reader) {}

  /// Loads those that fit into registers, for the columns of this warp, which
  /// begin at `firstColumn` of D: every other one ahead of the loop that
  /// multiplies, if `store` allows, so that nobody waits for them. What is
  /// behind the last column of D has its value.
  void load(OpBuilder &builder, StoreOp store, Value firstColumn);

  /// Of each 8 of `count` columns from `column` on, the operands' elements for
  /// columns 2 t and 2 t + 1, where t is the number of a thread in its quad;
  /// null for operands that are not here. All lanes of a warp must come by.
  SmallVector<SmallVector<Value>> get(OpBuilder &builder, Location loc,
                                      Value column, int64_t count);

private:
  /// What an operand has; nothing if it is not here.
  struct Operand {
    /// The first elements of this lane's pairs, by place, each in a word.
    SmallVector<Value> firsts;
    /// The words of the place that was asked for last: a pair in one, or each
    /// element in one of its own.
    int64_t place = -1;
    SmallVector<Value> words;
  };

  Value loadElement(OpBuilder &builder, Location loc, unsigned index,
                    Value firstColumn, int64_t place, int64_t second);
  SmallVector<Value> getPairs(OpBuilder &builder, Location loc, int64_t column);
  ArrayRef<Value> getWords(OpBuilder &builder, Location loc, unsigned index,
                           int64_t place);

  ElementEpilogue &epilogue;
  const ResultReader &reader;
  Value d;
  /// The first column of this warp.
  Value firstOfWarp;
  SmallVector<Operand> operands;
};

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_COLUMNOPERANDS_H
