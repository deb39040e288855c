//===- Compile.h - Run bwgemm-compile on a .mlir file -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_COMPILE_H
#define BWGEMM_TOOLS_RUNNER_COMPILE_H

#include <string>
#include <vector>

namespace bwgemm::runner {

/// A temporary folder, removed with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();
  /// Makes a new one in TMPDIR, or in /tmp. Returns an error text.
  std::string create();
  const std::string &path() const { return name; }

private:
  std::string name;
};

/// Compiles `source` to the library `output` with the bwgemm-compile in the
/// folder of this program; its diagnostics go to standard error. `target`,
/// `schedule` and `database` are passed on unless empty. Returns an error text.
std::string compile(const std::string &source, const std::string &output,
                    const std::string &target, const std::string &schedule,
                    const std::string &database = "");

/// The schedules that are worth measuring for the one product of `source`, the
/// most promising first, as the same program says. Returns an error text.
std::string listSchedules(const std::string &source, const std::string &target,
                          const std::string &schedule,
                          std::vector<std::string> &schedules);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_COMPILE_H
