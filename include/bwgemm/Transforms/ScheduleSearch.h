//===- ScheduleSearch.h - Candidates for a gemm's schedule ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_SCHEDULESEARCH_H
#define BWGEMM_TRANSFORMS_SCHEDULESEARCH_H

#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/CostModel.h"

#include <vector>

namespace mlir::bwgemm {

/// The extent that is assumed for one that only the run tells: a large problem,
/// for which a wrong choice costs most.
constexpr int64_t kAssumedExtent = 4096;

/// The K of a gemm as far as the types of A and B tell; ShapedType::kDynamic if
/// only the run does.
int64_t getKnownDepth(GemmOp gemm);

/// Parts of K that searches try.
constexpr int64_t kPartsOfK[] = {1,  2,  3,  4,  5,  6,  8, 10,
                                 12, 16, 20, 24, 32, 48, 64};

/// What the cost model needs to know of a gemm. Extents that are not known are
/// assumed; zero counts as one, since nothing runs then.
GemmProblem getProblem(GemmOp gemm);

/// One schedule that was considered.
struct Candidate {
  ScheduleSpec spec;
  /// Complete; null if the target, the types or the shape do not allow it.
  ScheduleAttr schedule;
  /// Why not.
  std::string refusal;
  Prediction prediction;
};

/// The time that the target's model predicts.
Prediction predict(const TargetInfo &target, const GemmProblem &problem,
                   const ScheduleFields &fields);

/// Whether `auto` lets a kernel that takes so long begin while the one before
/// it ends: where a launch takes a share of its time that counts, on targets
/// where that was measured.
bool isOverlapped(const TargetInfo &target, double microseconds);

/// Completes `spec`, whose preset is not `auto`, for `gemm` and checks it. An
/// error at the gemm says what does not fit, with the numbers.
FailureOr<ScheduleAttr> completeSchedule(GemmOp gemm, const TargetInfo &target,
                                         const ScheduleSpec &spec);

/// As completeSchedule, but a refusal is returned and not reported.
Candidate tryCandidate(GemmOp gemm, const TargetInfo &target,
                       const ScheduleSpec &spec);

/// The schedules on tensor cores that `auto` chooses from: those that fit by
/// their predicted time, then those that do not. Fields that `spec` sets are
/// kept, and `pdl` is the same for all. Of two that are predicted to take the
/// same time the one comes first that reads less from DRAM, then that of the
/// lower preset.
std::vector<Candidate> searchSchedules(GemmOp gemm, const TargetInfo &target,
                                       const ScheduleSpec &spec);

/// The schedules that are worth measuring for `gemm`, the most promising first:
/// what `auto` takes without a database, those of searchSchedules that fit, and
/// each of these with one field changed that the model cannot judge. Fields
/// that `spec` sets are kept.
std::vector<Candidate> listSchedules(GemmOp gemm, const TargetInfo &target,
                                     const ScheduleSpec &spec);

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_SCHEDULESEARCH_H
