//===- Printf.h - Output of kernels -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_PRINTF_H
#define BWGEMM_EMULATOR_MACHINE_PRINTF_H

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace bwgemm::emulator {

/// Where formatPrintf gets its arguments.
class PrintfArguments {
public:
  virtual ~PrintfArguments() = default;
  /// The next argument, of 4 or 8 bytes.
  virtual bool next(unsigned bytes, uint64_t &value) = 0;
  /// The string that an argument of %s points at.
  virtual bool string(uint64_t address, std::string &text) = 0;
};

/// Formats as the device's printf does: the conversions d i o u x X p e E f F g
/// G a A c s %, flags, widths and precisions (`*` too), sizes h l ll. A
/// conversion that is none of these is printed as it is written. `count` is
/// the number of arguments used. False as soon as `arguments` returns false.
bool formatPrintf(std::string_view format, PrintfArguments &arguments,
                  std::string &out, unsigned &count);

/// Standard output of one launch. Clusters run on several host threads in an
/// order that changes from run to run; what they print comes out in the order
/// of their numbers. Thread safe.
class PrintStream {
public:
  PrintStream() = default;
  PrintStream(const PrintStream &) = delete;
  ~PrintStream();

  /// Text from cluster `number`: written at once if every cluster with a
  /// lower number has finished, else kept.
  void print(uint64_t number, std::string_view text);
  /// Cluster `number` prints no more.
  void finish(uint64_t number);

private:
  void write(std::string_view text);
  void writeKept(uint64_t number);

  std::mutex mutex;
  uint64_t current = 0; ///< Lowest number that has not finished.
  std::map<uint64_t, std::string> kept;
  uint64_t keptBytes = 0;
  std::set<uint64_t> finished; ///< Above `current`.
  bool wrote = false;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_PRINTF_H
