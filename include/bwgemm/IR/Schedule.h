//===- Schedule.h - The textual form of schedules ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_SCHEDULE_H
#define BWGEMM_IR_SCHEDULE_H

#include "bwgemm/IR/Bwgemm.h"
#include <optional>

namespace mlir::bwgemm {

/// What a SPEC such as "swizzle,tile=128x64x64,swizzle=64B" says. Fields that
/// it leaves out are chosen by the preset.
struct ScheduleSpec {
  Preset preset = Preset::Auto;
  std::optional<std::array<int64_t, 3>> tile;
  std::optional<int64_t> stages;
  /// Span in bytes: 0, 32, 64 or 128.
  std::optional<unsigned> swizzleSpan;
  std::optional<TmemShape> tmemLoad;
  std::optional<int64_t> raster;
  std::optional<TileOrder> order;
  std::optional<StoreKind> store;
  std::optional<int64_t> ctaGroup;
  std::optional<std::array<int64_t, 2>> cluster;
  std::optional<TileScheduler> scheduler;
  std::optional<int64_t> splitK;
  std::optional<Precision> precision;
  std::optional<bool> pdl;
  std::optional<std::array<int64_t, 2>> warps;
  std::optional<int64_t> staging;
  std::optional<bool> swapAB;
  std::optional<Accumulator> accumulator;
  std::optional<int64_t> promote;
  std::optional<bool> compensated;
  std::optional<bool> pingpong;
  std::optional<L2Keep> l2Keep;

  /// Every field as `fields` has it.
  static ScheduleSpec getFrom(const ScheduleFields &fields);
  /// Parses `text`. On failure returns nothing and says in `error` what was
  /// not understood and what is accepted.
  static std::optional<ScheduleSpec> parse(llvm::StringRef text,
                                           std::string &error);
  /// Whether a field is set that only schedules on tensor cores have.
  bool namesFields() const;
};

/// "auto, naive, tma, ...", for diagnostics and help.
std::string getPresetNames();
/// "tile=MxNxK, stages=S, ...".
llvm::StringRef getScheduleFields();

} // namespace mlir::bwgemm

#endif // BWGEMM_IR_SCHEDULE_H
