//===- TileLoop.h - Roles that work on many tiles ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_TILELOOP_H
#define BWGEMM_LIB_TRANSFORMS_TILELOOP_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace mlir::bwgemm {

/// Slots of the ring of answers of launch control. The role that loads asks for
/// the tile after the one that it begins; with one slot more than accumulators
/// it waits for readers no longer than the multiplication does for them.
constexpr int64_t getWorkSlots(int64_t accumulators) {
  return accumulators + 1;
}

/// Where a ring program says which tile its CTA works on.
class TileOrigin {
public:
  /// That of a kernel; none if it has no `tile_coord`, or one that names its
  /// tile already.
  static std::optional<TileOrigin> find(gpu::GPUFuncOp kernel);

  TileCoordOp getCoord() const { return coord; }

  /// Emits the number of tiles of a D with `rows` rows; of those of clusters,
  /// where there are.
  Value emitCount(OpBuilder &builder, Value rows) const;

  /// Makes what belongs to tile number `tile` in front of `builder`'s place,
  /// for use in the rest of its block.
  void emitAt(OpBuilder &builder, Value tile) const;

  /// Erases what is not used any more.
  void eraseUnused();

private:
  TileCoordOp coord;
  /// What follows from it for each tile: its part of K, where K is split.
  SmallVector<Operation *> derived;
};

/// The roles that work on a tile: those that fill or use slots of rings.
SmallVector<RoleOp> findTileRoles(gpu::GPUFuncOp kernel);

/// The body of a role, which works on one tile, in three parts: where its
/// cursors begin, and what it waits for at the end, which stay where they are,
/// and the rest.
struct RoleParts {
  explicit RoleParts(RoleOp role);

  /// Moves the rest to `builder`'s place at the end of a loop's body, for the
  /// tile with number `tile` and with `cursors`. Returns the cursors behind the
  /// tile.
  SmallVector<Value> moveInto(OpBuilder &builder, const TileOrigin &origin,
                              Value tile, ValueRange cursors);

  /// Moves the rest into a loop from `first` to `end` in steps of `step`. It
  /// goes over tiles by their number; or over whatever `getTile` makes the
  /// number of a tile of, at the place of `builder`.
  scf::ForOp moveIntoLoop(OpBuilder &builder, const TileOrigin &origin,
                          Value first, Value end, Value step,
                          llvm::function_ref<Value(Value)> getTile = nullptr);

  /// Lets what comes after the last tile go on from the last cursor: where it
  /// has one of `last`, the cursors behind a tile, it gets that of `results`.
  void redirectDrains(ArrayRef<Value> last, ValueRange results);

  RoleOp role;
  SmallVector<RingBeginOp> begins;
  SmallVector<RingDrainOp> drains;
  SmallVector<Operation *> ops;
};

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_TILELOOP_H
