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

/// How a CTA's result is dealt out: `parts` of `rows` x `columns`, each of
/// which is staged by itself. In tensor memory these are halves side by side
/// (see
/// `!bwgemm.tmem`, folded) or all of it; in registers each warpgroup has one,
/// 64 rows of an accumulator that is its team's.
struct ResultShape {
  int64_t rows, columns, parts;
};
/// With `warpgroups` the accumulator is in registers.
ResultShape getResultShape(const ScheduleFields &fields, bool warpgroups);

/// Bytes of a row of a slice, in which a part with rows of `bytes` bytes
/// leaves: the widest swizzle that divides them, or 16.
int64_t getSliceBytes(int64_t bytes);

/// The map of D for such a result: its box is a slice of a part.
TensorMapType getStoreMap(ResultShape shape, Type elementType);

/// Slices of a part that have a staging tile at the same time: `staging`, or
/// all of them if there are fewer.
int64_t getStagedSlices(TensorMapType map, int64_t columns, int64_t staging);

/// The staging tiles of a result that leaves in boxes of `map`: for each part
/// as many as `getStagedSlices` says, of which one is written while others are
/// read. Those of one slice follow each other.
SmemType getStagingTiles(TensorMapType map, ResultShape shape, int64_t staging);

/// What all staged stores of a kernel share: staging tiles, which one after the
/// other goes through, and where a thread stands. Made for the first one.
struct StagingPlace {
  Value tiles, lane, warp, elected;
  /// Whether there are several stores.
  bool isRepeated = false;
};

/// Expands a store that goes via a tensor map. Where some tiles need another
/// way, a store without a map remains for them.
void lowerStagedStore(StoreOp store, TmemShape shape, int64_t staging,
                      StagingPlace &place);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_STAGEDSTORE_H
