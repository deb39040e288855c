//===- Table.h - What was measured -------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_BENCH_TABLE_H
#define BWGEMM_TOOLS_BENCH_TABLE_H

#include "Problems.h"

#include "bwgemm-runtime/Ceilings.h"

#include <string>
#include <vector>

namespace bwgemm::bench {

using tools::Problem;
using tools::Sweep;

/// A problem with a schedule. Times are microseconds of one execution; on the
/// emulator, seconds that emulating took.
struct Row {
  Problem problem;
  /// As it was asked for, and in full.
  std::string asked, schedule;
  /// "right", "wrong", "fault" or "error", and what happened.
  std::string status, message;
  double emulatedSeconds = 0;
  bool timed = false;
  double median = 0, least = 0, greatest = 0;
  double baseline = 0; ///< cuBLASLt's best; 0 if it was not measured.
  /// Why there is no baseline; empty if it was measured or not asked for.
  std::string noBaseline;
  /// The time that the ceilings allow, 0 if they are not known.
  double floor = 0;
  /// In a sweep: slower than what is in front of it, see markDrops.
  bool drop = false;

  double tflops() const {
    return median > 0 ? problem.flops() / median * 1e-6 : 0;
  }
  double ratio() const { return median > 0 ? baseline / median : 0; }
  double ofCeiling() const { return median > 0 ? floor / median : 0; }
};

struct Table {
  std::string device, target, baseline;
  bool emulated = false;
  Sweep sweep;
  runtime::Ceilings ceilings;
  runtime::ClockRange clocks;
  std::vector<Row> rows;
};

/// Marks points of a sweep at which a schedule's TFLOPS are below nine tenths
/// of the greater of the two points in front of it.
void markDrops(std::vector<Row> &rows);

std::string makeText(const Table &table);
std::string makeJson(const Table &table);
std::string makeCsv(const Table &table);
/// A plot as SVG: for each problem a bar for each schedule, with cuBLASLt and
/// the ceiling as lines; for a sweep TFLOPS against the size, with drops
/// marked. From the emulator: its times, labelled so.
std::string makeSvg(const Table &table);

} // namespace bwgemm::bench

#endif // BWGEMM_TOOLS_BENCH_TABLE_H
