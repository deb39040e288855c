//===- Device.h - What is timed on -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_COMMON_DEVICE_H
#define BWGEMM_TOOLS_COMMON_DEVICE_H

#include "bwgemm-runtime/Driver.h"

#include <string>

namespace bwgemm::tools {

/// A GPU, or the emulator, with its context current.
struct Device {
  const runtime::DriverApi *driver = nullptr;
  runtime::PrimaryContext context;

  /// Opens the device for libraries of `target`. The emulator, which has no
  /// clock, is refused unless nothing is to be timed (`dryRun`). Returns an
  /// error text.
  std::string open(runtime::DriverChoice choice, const std::string &target,
                   bool dryRun);
};

} // namespace bwgemm::tools

#endif // BWGEMM_TOOLS_COMMON_DEVICE_H
