//===- ResultReader.h - Where an epilogue finds the result ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The accumulator of a `bwgemm.store`, be it in tensor memory or in registers,
/// as the warps that write it see it.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_RESULTREADER_H
#define BWGEMM_LIB_TRANSFORMS_RESULTREADER_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// Columns of 16x256b whose pairs the threads of a quad exchange, so that each
/// has 16 bytes of a row of 16-bit results.
constexpr int64_t kExchangedColumns = 32;

/// Whether rows of D, elements of 16 bits, can be written 16 bytes at a time as
/// far as its pitch is concerned.
bool hasWidePitch(MemRefType d);
/// Whether these 16 bytes are inside of D or outside of it together, too, so
/// that no tile needs another way.
bool hasWidePieces(MemRefType d);

/// Emits the number of this warp among those of its team, which write a result.
Value emitWarpOfStore(OpBuilder &builder, StoreOp store);

class ResultReader {
public:
  /// `shape` is the fragment with which tensor memory is read; registers of
  /// wgmma are that of 16x256b.
  ResultReader(StoreOp store, TmemShape shape);

  bool isInRegisters() const { return isa<FragmentType>(acc.getType()); }
  TmemShape getShape() const { return shape; }
  /// The element type of the accumulator.
  Type getSumType() const { return sumType; }
  /// Extents of the whole accumulator.
  int64_t getRows() const { return rows; }
  int64_t getColumns() const { return columns; }
  /// Columns that a warp finds side by side: all of them, half of them if the
  /// accumulator is folded, or its part of them.
  int64_t getCellColumns() const { return columns / halves / warpsN; }
  int64_t getHalves() const { return halves; }
  /// Warps that hold it, those of them that are side by side along its columns,
  /// and rows that one of them holds.
  int64_t getWarps() const { return warps; }
  int64_t getWarpsN() const { return warpsN; }
  int64_t getRowsOfWarp() const { return rows * halves * warpsN / warps; }

  /// Emits `body` for every `step` of a warp's columns: in a loop, but for
  /// registers, which have no run-time numbers, one after the other.
  void forColumns(OpBuilder &builder, Location loc, int64_t step,
                  llvm::function_ref<void(Value column)> body) const {
    forColumns(builder, loc, 0, getCellColumns(), step, body);
  }
  /// As above for those from `first` to `end`.
  void forColumns(OpBuilder &builder, Location loc, int64_t first, int64_t end,
                  int64_t step,
                  llvm::function_ref<void(Value column)> body) const;
  /// Starts to read `elements` of a thread, from row `row` of its warp, which
  /// is that lane of tensor memory behind `lane`, and column `column` on. They
  /// are there once `finish` has passed them.
  Value start(OpBuilder &builder, Location loc, Value lane, int64_t row,
              Value column, int64_t elements) const;
  Value finish(OpBuilder &builder, Location loc, Value fragment) const;

private:
  Value acc;
  Type sumType;
  TmemShape shape;
  int64_t rows, columns, halves = 1, warps = 4, warpsN = 1;
};

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_RESULTREADER_H
