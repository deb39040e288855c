//===- StagedStore.h - Results through shared memory and TMA ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_STAGEDSTORE_H
#define BWGEMM_LIB_TRANSFORMS_STAGEDSTORE_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// The map of D for a tile of `rows` x `columns`: its box is a slice of the
/// tile, as wide as the widest swizzle that divides a row.
TensorMapType getStoreMap(int64_t rows, int64_t columns, Type elementType);

/// The staging tiles of a result of `columns` columns that leaves in boxes of
/// `map`: two, of which one is written while the other one is read, or one if
/// one holds the whole result.
SmemType getStagingTiles(TensorMapType map, int64_t columns);

/// Expands a store that goes via a tensor map. Where some tiles need another
/// way, a store without a map remains for them.
void lowerStagedStore(StoreOp store, TmemShape shape);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_STAGEDSTORE_H
