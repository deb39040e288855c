//===- Profiler.h - Counts what each instruction does -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PROFILE_PROFILER_H
#define BWGEMM_EMULATOR_PROFILE_PROFILER_H

#include "machine/Probe.h"
#include "profile/Trace.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// Traces and counts, as the options ask. One launch each.
class Profiler : public Probe {
public:
  /// True if some option needs a probe.
  static bool wanted(const Options &options);

  Profiler(const Options &options, const Kernel &kernel,
           const LaunchConfig &config);
  /// Says which file cannot be written; "" if all can.
  std::string problem() const;

  Step execute(Warp &warp, const Instruction &instruction,
               LaneMask mask) override;
  void skipped(Warp &warp, const Instruction &instruction) override;
  void mma(const Instruction &instruction, uint32_t m, uint32_t n,
           uint32_t k) override;

  /// Adds the totals to `counters` and writes the files.
  void finish(Counters &counters);

private:
  /// How an instruction accesses shared memory.
  struct Access {
    enum class Kind : uint8_t { None, Lanes, Matrix } kind = Kind::None;
    bool generic = false;  ///< Only addresses in the shared window count.
    uint8_t bytes = 0;     ///< Of one lane; 16 for a row of a matrix.
    uint8_t rows = 0;      ///< Lanes that give the rows of matrices.
    uint8_t addressAt = 0; ///< Which operand is the address.
  };
  /// Of one instruction. Relaxed: only the sums matter.
  struct Line {
    std::atomic<uint64_t> executed{0}, lanes{0}, skipped{0}, waits{0},
        wavefronts{0}, ideal{0};
    Access access;
  };

  static Access classify(const Instruction &instruction);
  void countBanks(Warp &warp, const Instruction &instruction, LaneMask mask,
                  Line &line);
  void writeStats(const Counters &counters);
  void writeProfile();
  std::string title() const;

  const Options &options;
  const Kernel &kernel;
  const LaunchConfig &config;
  std::unique_ptr<Trace> trace;
  std::unique_ptr<OutputFile> stats, profile;
  bool counting = false;
  std::vector<Line> lines;
  std::mutex mutex;
  std::map<std::string, uint64_t> mmas;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PROFILE_PROFILER_H
