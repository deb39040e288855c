//===- ScheduleDatabase.h - Schedules that were measured --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `schedule=auto` asks before the cost model: a file of the schedules
/// that were the fastest on a GPU, which bwgemm-tune writes. docs/Tuning.md
/// describes the file, and when an entry counts.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_SCHEDULEDATABASE_H
#define BWGEMM_TRANSFORMS_SCHEDULEDATABASE_H

#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

#include <string>
#include <vector>

namespace mlir::bwgemm {

/// The version of the file's form that is read.
constexpr int64_t kDatabaseVersion = 1;

/// How far the sizes of an entry may be from those of a product, see
/// getDistance: a quarter of a doubling, such as 19 % in one of them.
constexpr double kNearDistance = 0.25;

/// How much longer than the model's own choice an entry for other sizes may be
/// predicted to take.
constexpr double kNearSlowdown = 1.03;

/// The fastest schedule that was measured of one product.
struct DatabaseEntry {
  /// From 1 on, for messages.
  size_t number = 0;
  std::string target, device;
  /// Element types of A and B and of D, "bf16"; for A and for B whether it is
  /// stored transposed (t) or not (n), "nt"; "none", "accumulate", or, with
  /// elementwise ops, "bias", "bias_relu", "bias_gelu" or "bias_gelu_approx".
  std::string operands, result, transposes, epilogue;
  int64_t m = 0, n = 0, k = 0;
  ScheduleSpec spec;
  /// Median of one execution.
  double microseconds = 0;

  /// "4096x4096x4096 bf16-bf16 nt".
  std::string getProblemText() const;
};

class ScheduleDatabase {
public:
  /// Parses a file's text. On failure returns nothing and says in `error` what
  /// was expected and what was got, with `name` and the line or the entry.
  static std::optional<ScheduleDatabase>
  parse(llvm::StringRef text, llvm::StringRef name, std::string &error);

  /// Opens what an option names: a file, "none" for one without entries, or,
  /// if it is empty, what the environment variable BWGEMM_DATABASE names in
  /// this way; without that, the schedules that are part of this library.
  static std::optional<ScheduleDatabase> open(llvm::StringRef option,
                                              std::string &error);

  /// The file's name, or what stands for it in a message.
  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<DatabaseEntry> getEntries() const { return entries; }

private:
  std::string name;
  std::vector<DatabaseEntry> entries;
};

/// What a database says of a gemm.
struct MeasuredChoice {
  /// The entry that comes closest, if there is one for such products; its
  /// distance is 0 if it is for these sizes.
  const DatabaseEntry *entry = nullptr;
  double distance = 0;
  /// Whether it is for the very types and such an epilogue: it may be for bf16
  /// where the gemm has f16, or the other way round, and for a plain product
  /// where the gemm has elementwise ops behind it.
  bool isOfKind = false;
  /// Complete; null if the cost model has to choose.
  ScheduleAttr schedule;
  /// Why the cost model has to choose.
  std::string reason;
  /// The entry is for this product, but its schedule does not fit it.
  bool isUnfit = false;
};

/// The distance of two problems: the length of the vector of the binary
/// logarithms of the ratios of their extents, all of which are positive.
double getDistance(const DatabaseEntry &entry, int64_t m, int64_t n, int64_t k);

/// Whether a SPEC leaves the choice to a database: plain `auto`. `pdl` may be
/// named, since it is not tuned.
bool asksDatabase(const ScheduleSpec &spec);

/// Looks for a schedule of `gemm`, whose SPEC is `spec`. The entry has to be
/// for the target, types, transposes and kind of epilogue. f16 and bf16, which
/// the same instructions multiply in the same time, count as the same where
/// there is no entry of the very types for these sizes. Elementwise ops are of
/// three kinds, whatever they are: with functions that take many instructions
/// ("bias_gelu"), with the hardware's approximations of some
/// ("bias_gelu_approx"), or with neither ("bias", "bias_relu"); where no entry
/// of the kind is as near, they take that of the plain product, but for `store`
/// and `stages`, since these ops change what leaves and how.
///
/// An entry for the same sizes counts if its schedule fits; else the nearest
/// one, if it is within kNearDistance, its schedule fits, and the model
/// predicts it to be at most kNearSlowdown times as slow as what it would
/// choose itself; so it is with that of the plain product for elementwise ops.
/// Of several entries for the same sizes the first counts.
MeasuredChoice findMeasured(GemmOp gemm, const TargetInfo &target,
                            const ScheduleSpec &spec,
                            const ScheduleDatabase &database);

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_SCHEDULEDATABASE_H
