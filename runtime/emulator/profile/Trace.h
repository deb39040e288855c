//===- Trace.h - One line per executed instruction --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PROFILE_TRACE_H
#define BWGEMM_EMULATOR_PROFILE_TRACE_H

#include "Emulator.h"
#include "machine/Kernel.h"
#include "machine/Warp.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// Reads "3x0x0:1" (the CTA's index and the warp's). Axes left out are 0.
bool parseTraceWarp(std::string_view text, Dim3 &cta, unsigned &warp);

/// "-" is standard output, anything else a file that is appended to; null if
/// it cannot be opened.
struct OutputFile {
  explicit OutputFile(const std::string &name);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  std::FILE *stream;
};

/// Writes, for every instruction that a traced warp executes,
///
///   cta (0,0,0) warp 1 mask 0xffffffff line 9: add.u32 %r1, %r2, 4;  // %r1 =
///   5
///
/// with the registers that it changed: one value if all lanes of the mask hold
/// the same, `first, second .. last` if they are evenly spaced, else all.
class Trace {
public:
  Trace(const Options &options, const Kernel &kernel);
  bool valid() const { return file.stream != nullptr; }
  bool wants(const Warp &warp) const;
  /// Calls the handler and writes the line.
  Step execute(Warp &warp, const Instruction &instruction, LaneMask mask);

private:
  struct Place {
    uint32_t slot;
    RegisterName name;
  };
  std::string changes(const Warp &warp, const std::byte *before,
                      const std::byte *after, LaneMask mask) const;

  OutputFile file;
  std::optional<Dim3> onlyCta;
  unsigned onlyWarp = 0;
  const std::vector<Instruction> &code;
  uint32_t registerBytes;
  std::vector<Place> places;
  std::mutex mutex;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PROFILE_TRACE_H
