//===- DeviceWorkshop.h - Candidates on a GPU or the emulator ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_TUNE_DEVICEWORKSHOP_H
#define BWGEMM_TOOLS_TUNE_DEVICEWORKSHOP_H

#include "Candidates.h"
#include "Compile.h"
#include "Device.h"
#include "Tuner.h"

namespace bwgemm::tune {

/// Compiles with the bwgemm-compile beside this program, or takes libraries
/// that it has made, and calls and times them as bwgemm-bench does.
class DeviceWorkshop : public Workshop {
public:
  explicit DeviceWorkshop(const Options &options) : options(options) {}
  std::string open() override;
  std::string describe() const override { return device.driver->describe(); }
  std::string deviceName() const override { return device.driver->deviceName; }
  std::string prepare(const Problem &problem, double seconds,
                      std::vector<std::string> &schedules,
                      std::vector<std::string> &failures) override;
  std::unique_ptr<Bench>
  bench(const Problem &problem,
        std::function<void(size_t, const std::string &)> hang) override;

private:
  const Options &options;
  tools::Device device;
  runner::TemporaryFolder folder;
  Candidates candidates;
};

/// Compiles the candidates of all problems into options.compileTo. Returns the
/// exit status.
int compileAll(const Options &options);

} // namespace bwgemm::tune

#endif // BWGEMM_TOOLS_TUNE_DEVICEWORKSHOP_H
