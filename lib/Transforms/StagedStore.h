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

/// How a CTA's result lies in tensor memory: `halves` side by side in its
/// lanes, each of `rows` x `columns`. See `!bwgemm.tmem`, folded.
struct ResultShape {
  int64_t rows, columns, halves;
};
ResultShape getResultShape(const ScheduleFields &fields);

/// The map of D for such a result: its box is a slice of a half, as wide as the
/// widest swizzle that divides a row of it.
TensorMapType getStoreMap(ResultShape shape, Type elementType);

/// The staging tiles of a result that leaves in boxes of `map`: two for each
/// half, of which one is written while the other one is read, or one if one
/// holds the whole half.
SmemType getStagingTiles(TensorMapType map, ResultShape shape);

/// Expands a store that goes via a tensor map. Where some tiles need another
/// way, a store without a map remains for them.
void lowerStagedStore(StoreOp store, TmemShape shape);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_STAGEDSTORE_H
