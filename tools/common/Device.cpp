//===- Device.cpp - What is timed on ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstdlib>

namespace bwgemm::tools {

std::string Device::open(runtime::DriverChoice choice,
                         const std::string &target, bool dryRun) {
  // The emulator reads its options when it is opened.
  const char *given = std::getenv("BWGEMM_EMULATOR");
  std::string settings = "arch=" + target;
  if (given && *given)
    settings += std::string(",") + given;
  setenv("BWGEMM_EMULATOR", settings.c_str(), 1);
  choice.target = target;
  std::string error;
  driver = runtime::loadDriver(choice, error);
  if (!driver)
    return error;
  if (driver->emulated && !dryRun)
    return "there is nothing to time: this is the " + driver->describe() +
           ", which has no clock; --dry-run checks the results on it";
  return context.create(*driver);
}

} // namespace bwgemm::tools
