//===- Report.h - What launches did, as JSON --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_REPORT_H
#define BWGEMM_EMULATOR_DRIVER_API_REPORT_H

#include "../Emulator.h"

#include <string>

namespace bwgemm::emulator::driver {

/// Remembers a launch for bwgemmEmulatorReport and prints what it found wrong
/// to standard error, each hazard once.
void recordLaunch(const std::string &kernel, const std::string &target,
                  const LaunchReport &report);

} // namespace bwgemm::emulator::driver

/// The emulator's own entry points, beside the driver's.
extern "C" {

/// One JSON object, valid until the next call on this thread:
///   "launches"       launches since the last reset
///   "total_seconds"  host seconds that they took
///   "hazards"        what was found without stopping a kernel, a list of
///                    objects, since the last reset (the first 100)
///   "hazard_count"   how many there were
/// and, absent if there was no launch:
///   "counters"       an object of numbers, summed over these launches (of
///                    "tmem_columns_high_water" the greatest)
///   "kernel", "target", "seconds" and "fault" (an object, or null if the
///   kernel ended) of the last one.
/// A fault or hazard has "kind" (trap, hang, hazard or unsupported), "message",
/// "kernel", "line", "instruction", "cta", "warp", "lane", "address" and
/// "text", the whole diagnosis as it is printed.
const char *bwgemmEmulatorReport();

/// Forgets all launches.
void bwgemmEmulatorResetReport();

/// Hazards since the last reset.
unsigned long long bwgemmEmulatorHazardCount();
}

#endif // BWGEMM_EMULATOR_DRIVER_API_REPORT_H
