//===- ResourcePlan.h - What a CTA of a schedule takes ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one place that says what a schedule needs of an SM. The schedule is
/// chosen and refused by it, the passes take their numbers from it, and
/// `bwgemm-plan-resources` checks that what a kernel allocates is what was
/// planned.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_RESOURCEPLAN_H
#define BWGEMM_TRANSFORMS_RESOURCEPLAN_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// How warpgroups share the tiles of a CTA with wgmma.
struct WarpgroupPlan {
  /// Rows of a block, those of an instruction (PTX ISA, wgmma.mma_async).
  static constexpr int64_t kBlockRows = 64;

  /// Those that work at tiles of their own, in turn.
  int64_t teams = 1;
  /// Warpgroups that share a tile, and blocks of 64 rows that each has of it.
  int64_t groups = 1, blocks = 1;
  /// Whether a step waits for the products of the one before only, since no
  /// other warpgroup multiplies meanwhile. That takes a second slot, and one
  /// sum over all of K.
  bool isPipelined = false;
  /// Registers of a thread that hold its part of the accumulator.
  int64_t accumulatorRegisters = 0;

  /// Warps that multiply.
  int64_t getWarps() const { return 4 * teams * groups; }
  /// Whether the warps that multiply take registers from those that load, which
  /// are a whole warpgroup then (PTX ISA, setmaxnreg).
  bool isReallocating() const {
    return (blocks > 1 || teams > 1) && accumulatorRegisters >= 128;
  }
  /// Warps that are there for loading.
  int64_t getLoadWarps() const { return isReallocating() ? 4 : 1; }
  /// Registers of a thread that multiplies and of one that loads, where they
  /// are reallocated: those of 384 threads with 168 each are dealt out anew.
  /// One that loads gets what the others can spare.
  int64_t getMultiplyRegisters() const {
    return accumulatorRegisters > 192   ? kMostMultiplyRegisters
           : accumulatorRegisters > 160 ? 232
           : accumulatorRegisters > 128 ? 216
                                        : 208;
  }
  int64_t getLoadRegisters() const {
    return 3 * kLaunchRegisters - 2 * getMultiplyRegisters();
  }

  static constexpr int64_t kLaunchRegisters = 168;
  static constexpr int64_t kMostMultiplyRegisters = 240;
};

WarpgroupPlan planWarpgroups(const ScheduleFields &fields);

/// Of one CTA.
struct ResourcePlan {
  /// Bytes of the operand tiles of one slot of the shared-memory ring.
  int64_t slotBytes = 0;
  int64_t stages = 1;
  /// Bytes of the tiles through which the result goes to TMA.
  int64_t stagingBytes = 0;
  /// Bytes of the answers of launch control.
  int64_t answerBytes = 0;
  /// Accumulators in tensor memory, and columns that are allocated for them: a
  /// power of two from 32 on. None where they are in registers.
  int64_t accumulators = 1;
  int64_t tensorColumns = 0;
  /// Of 8 bytes each.
  int64_t mbarriers = 0;
  int64_t threads = 0;

  /// Registers that a thread may have: 255, and 16384 for all of them in a
  /// quarter of the SM, to which every fourth warp belongs.
  int64_t getMostRegisters() const;
  /// Dynamic shared memory: all of the above, and 4 bytes for the address of
  /// the tensor memory.
  int64_t getSharedBytes() const {
    return stages * slotBytes + stagingBytes + answerBytes + 8 * mbarriers +
           (tensorColumns ? 4 : 0);
  }
};

/// The plan for a schedule on tensor cores, with operands of `operandType` and
/// tiles that are stored as `storedType`: that of D, or f32 for partial sums.
/// With `warpgroups` it is that of wgmma, whose accumulators are in registers.
ResourcePlan planResources(const ScheduleFields &fields, Type operandType,
                           Type storedType, bool warpgroups = false);

/// The most stages with which the plan of `fields` fits into `sharedBytes`; 0
/// if not even one does.
int64_t getMostStages(ScheduleFields fields, Type operandType, Type storedType,
                      int64_t sharedBytes, bool warpgroups = false);

/// Registers for what a thread keeps of a warp's part of a tile of mma.sync: an
/// accumulator of 32 bits for each element, or 16 of f16, 32 bits for a sum
/// that it is added to, and two sets of operands.
inline int64_t countPartRegisters(int64_t rows, int64_t columns,
                                  const ScheduleFields &fields) {
  int64_t elements = rows * columns / 32;
  int64_t sums =
      fields.accumulator == Accumulator::F16 ? elements / 2 : elements;
  if (fields.promote)
    sums += elements;
  return sums + 2 * (rows + columns) / 4;
}

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_RESOURCEPLAN_H
