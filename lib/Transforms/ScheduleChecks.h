//===- ScheduleChecks.h - What all schedules are asked ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules about fields that schedules of TMA and of mma.sync share. `refuse`
/// begins the error at the gemm.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_SCHEDULECHECKS_H
#define BWGEMM_LIB_TRANSFORMS_SCHEDULECHECKS_H

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

namespace mlir::bwgemm {

/// Each of `splitK` parts has at least one tile of `tileK`, as far as is known
/// now: where K is only known at run time the host makes fewer parts.
LogicalResult checkSplitK(GemmOp gemm, int64_t splitK, int64_t tileK,
                          llvm::function_ref<InFlightDiagnostic()> refuse);

/// Blocks of K whose sums are added apart are whole tiles of floating-point
/// operands.
LogicalResult checkPromotion(GemmOp gemm, const ScheduleSpec &spec,
                             int64_t tileK,
                             llvm::function_ref<InFlightDiagnostic()> refuse);

/// Sets `raster` and `order` as the SPEC says. Where it leaves the raster open,
/// rows of tiles are walked in groups if `inGroups` or the order needs it.
LogicalResult chooseOrder(const ScheduleSpec &spec, bool inGroups,
                          ScheduleFields &fields,
                          llvm::function_ref<InFlightDiagnostic()> refuse);

/// Why wgmma or tcgen05, whichever `target` has, cannot multiply A and B of
/// `gemm`, as far as their types and their order in memory tell; nothing if it
/// can.
std::optional<std::string>
whyNotByDescriptors(GemmOp gemm, const TargetInfo &target, Precision precision);

/// Why mma.sync cannot.
std::optional<std::string>
whyNotByMmaSync(GemmOp gemm, const TargetInfo &target, Precision precision);

/// Why a schedule of `preset` cannot add up products in f16.
std::optional<std::string> whyNotInHalf(GemmOp gemm, Preset preset);

/// Elements of K of one instruction, which takes 32 bytes of it.
int64_t getInstructionDepth(GemmOp gemm);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_SCHEDULECHECKS_H
