//===- Pipeline.h - From linalg to a binary ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_PIPELINE_H
#define BWGEMM_TARGET_PIPELINE_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::bwgemm {

struct LowerOptions {
  /// GPU target, see TargetInfo.
  std::string target = "sm_100a";
  /// SPEC of the schedule: a preset and fields.
  std::string schedule = "auto";
  /// Measured schedules for `auto`, see ScheduleDatabase::open.
  std::string database;
  /// Path of ptxas, empty to look for it, "none" for PTX only.
  std::string ptxas;
};

/// Appends to `manager`, a manager of builtin.module, everything between linalg
/// on tensors or memrefs and a module with a gpu.binary, host code in the LLVM
/// dialect and a description.
///
/// Functions that return tensors get a buffer argument for each, behind the
/// others.
void buildLowerPipeline(OpPassManager &manager, const LowerOptions &options);

/// The beginning of it: up to gemms without a schedule.
void buildGemmPipeline(OpPassManager &manager);

/// Registers the pipeline as `bwgemm-lower`, with the options target, schedule,
/// database and ptxas.
void registerLowerPipeline();

} // namespace mlir::bwgemm

#endif // BWGEMM_TARGET_PIPELINE_H
