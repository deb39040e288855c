//===- ExplainSchedule.h - Why a schedule was chosen ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_EXPLAINSCHEDULE_H
#define BWGEMM_TARGET_EXPLAINSCHEDULE_H

#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/ScheduleDatabase.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::bwgemm {

/// Prints for each `bwgemm.gemm` of a module, whose schedules have been
/// assigned for `wanted` with `database`: what it computes, its schedule, which
/// entry of the database it is or why it is none, what a CTA takes, what the
/// cost model predicts, and which other schedules there are, with their
/// predicted time and why they are not taken. Returns the number of gemms.
unsigned explainSchedules(ModuleOp module, const TargetInfo &target,
                          const ScheduleSpec &wanted,
                          const ScheduleDatabase &database,
                          llvm::raw_ostream &out);

} // namespace mlir::bwgemm

#endif // BWGEMM_TARGET_EXPLAINSCHEDULE_H
