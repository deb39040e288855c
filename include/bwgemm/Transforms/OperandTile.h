//===- OperandTile.h - Tiles and the boxes that fill them -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_OPERANDTILE_H
#define BWGEMM_TRANSFORMS_OPERANDTILE_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// The tensor map whose boxes fill `tile`: as wide as a row of the tile's
/// columns, and as many rows as one box may have (256) such that equal boxes
/// fill a column, or `rows` of it.
TensorMapType getMapFor(SmemType tile);
TensorMapType getMapFor(SmemType tile, int64_t rows);

/// The widest span of a swizzle (128, 64 or 32 bytes, or 0 for none), `span` at
/// most, that divides rows of `bytes` bytes.
unsigned getWidestSwizzle(unsigned span, int64_t bytes);

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_OPERANDTILE_H
