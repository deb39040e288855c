//===- MmaSyncSchedule.h - Schedules on mma.sync ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a schedule for mma.sync leaves open, and what it may not say.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_MMASYNCSCHEDULE_H
#define BWGEMM_LIB_TRANSFORMS_MMASYNCSCHEDULE_H

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

namespace mlir::bwgemm {

/// Completes `spec`, whose preset is one of mma.sync, for `gemm`. Fields that
/// these presets do not have, tiles that do not fit and the like are refused at
/// the gemm, with what was got and what works instead.
FailureOr<ScheduleAttr> completeMmaSyncSchedule(GemmOp gemm,
                                                const TargetInfo &target,
                                                const ScheduleSpec &spec);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_MMASYNCSCHEDULE_H
