//===- Emulator.h - Execute PTX on the host ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ interface of the emulator: parse PTX text, own device memory, launch
// a grid, and report what went wrong. The CUDA driver API (driver_api/) is a
// thin layer over this header.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_EMULATOR_H
#define BWGEMM_EMULATOR_EMULATOR_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::emulator {

/// A grid, block or cluster extent; each component is at least 1.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// How tensor-core sums are formed. `Exact` follows the integer model of the
/// hardware, `Fast` is a chain of fp32 fused multiply-adds in K order.
enum class Numerics { Exact, Fast };

/// The order in which ready warps run and in which asynchronous operations
/// land: `Fair` is round-robin and first in, first out; `Random` is drawn from
/// `Options::seed`.
enum class WarpOrder { Fair, Random };

/// The options of BWGEMM_EMULATOR, a comma-separated list of key=value.
struct Options {
  std::string arch = "sm_100a";
  bool hazards = false;
  Numerics numerics = Numerics::Fast;
  WarpOrder schedule = WarpOrder::Fair;
  uint64_t seed = 0;
  /// Host threads that execute CTAs; 0 means one per host core.
  unsigned threads = 0;
  /// Warp instructions that a cluster may execute before it counts as hung; 0
  /// for any number.
  uint64_t budget = 0;
  /// File that receives one line per executed instruction, with the registers
  /// that it changed; empty for none, "-" for standard output.
  std::string trace;
  /// The only warp that is traced, written CTA:WARP as in "3x0x0:1"; empty for
  /// all of them.
  std::string traceWarp;
  /// File that receives, after each launch, what the kernel did: instructions
  /// by opcode, tensor-core operations, bytes moved, bank conflicts and waits
  /// by line; empty for none, "-" for standard output.
  std::string stats;
  /// File that receives, after each launch, the kernel's instructions with how
  /// often each ran, in how many lanes; empty for none, "-" for standard
  /// output.
  std::string profile;

  /// Parses `text` over the defaults already in `*this`. On failure returns
  /// false and says in `error` which key or value was not understood and what
  /// is accepted.
  bool parse(std::string_view text, std::string &error);
};

enum class FaultKind {
  Trap,        ///< The hardware would stop the kernel with an error.
  Hang,        ///< All warps blocked and nothing in flight.
  Hazard,      ///< The program is racy or reads what was never written.
  Unsupported, ///< An instruction, modifier or feature that is not modelled.
};

/// One thing that went wrong, with the scene: where in the PTX, which thread.
struct Fault {
  FaultKind kind = FaultKind::Trap;
  std::string message;
  std::string kernel;
  unsigned line = 0;       ///< PTX line, 1-based; 0 if none applies.
  std::string instruction; ///< Text of the PTX instruction.
  Dim3 cta{0, 0, 0};
  int warp = -1;
  int lane = -1;
  std::optional<uint64_t> address;

  /// "trap: <message>" then the scene, one fact a line.
  std::string render() const;
};

/// One kernel parameter: its place in the parameter buffer.
struct ParamInfo {
  std::string name;
  uint32_t offset = 0, size = 0, align = 1;
};

/// What a launch has to know of a `.entry`.
struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t paramBytes = 0;
  uint32_t staticSharedBytes = 0;
  std::optional<Dim3> reqntid, maxntid, reqCluster;
  bool explicitCluster = false;
  unsigned registers = 0;
  /// Has griddepcontrol.launch_dependents: a grid behind it may begin before
  /// it ends.
  bool letsDependentsBegin = false;
};

/// Device memory: allocations at their host addresses, so that a device
/// pointer is a host pointer. Every access of a kernel is checked against it.
/// Thread safe.
class DeviceMemory {
public:
  struct Allocation {
    uint64_t base = 0;
    uint64_t bytes = 0;
  };

  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Returns the 256-byte aligned address of `bytes` new bytes (contents
  /// undefined), or 0 if the host has none left or `bytes` is 0.
  uint64_t allocate(uint64_t bytes);
  /// Makes existing host memory (pinned or managed) visible to kernels.
  bool registerHost(void *pointer, uint64_t bytes);
  /// Frees the allocation that starts at `base`; false if there is none.
  bool release(uint64_t base);
  /// The allocation that contains `address`, if any.
  std::optional<Allocation> find(uint64_t address) const;
  /// From now on memory starts out so that a kernel which reads what nobody
  /// has written is found out (hazards=on).
  void setPoisoned(bool poisoned);
  /// Why an access of `bytes` bytes at `address` is wrong, e.g. "ends 4 bytes
  /// behind an allocation of 64 bytes": the nearest allocation and how far
  /// away it is, or the one that was there and has been freed.
  std::string describe(uint64_t address, uint64_t bytes) const;
  /// Most bytes that may be allocated altogether; no limit but the host's at
  /// first.
  void setCapacity(uint64_t bytes);
  /// Total bytes now allocated.
  uint64_t allocatedBytes() const;

  /// malloc and free of device code: like allocate and release, with at most
  /// `heapLimit` bytes altogether, 0 bytes allowed, and only addresses that
  /// allocateHeap gave accepted.
  uint64_t allocateHeap(uint64_t bytes);
  bool releaseHeap(uint64_t base);
  /// CU_LIMIT_MALLOC_HEAP_SIZE.
  void setHeapLimit(uint64_t bytes);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Parsed and decoded PTX. Module-scope `.global` and `.const` variables live
/// in the DeviceMemory given to `load`.
class Module {
public:
  ~Module();

  /// Parses PTX text. On failure returns null and sets `error` to
  /// "<name>:<line>:<column>: error: …".
  static std::unique_ptr<Module> load(std::string_view ptx,
                                      std::string_view name,
                                      DeviceMemory &memory, std::string &error);

  /// The `.target` architecture, e.g. "sm_100a".
  const std::string &target() const;
  const std::vector<KernelInfo> &kernels() const;
  const KernelInfo *findKernel(std::string_view name) const;
  /// Address and size of a module-scope variable; false if there is none.
  bool findGlobal(std::string_view name, uint64_t &address,
                  uint64_t &bytes) const;

  struct Impl;
  const Impl &implementation() const { return *impl; }

private:
  Module();
  std::unique_ptr<Impl> impl;
};

struct LaunchConfig {
  Dim3 grid, block, cluster;
  uint32_t dynamicSharedBytes = 0;
  /// Stack of each thread (CU_LIMIT_STACK_SIZE) for what cannot be worked out
  /// ahead of time: recursion and alloca. A kernel without them has what it
  /// needs.
  uint32_t stackBytes = 16 * 1024;
  /// The kernel's parameter buffer, laid out as KernelInfo::params says.
  std::vector<std::byte> params;
};

/// What the kernel did, summed over the grid, by name ("instructions",
/// "mma_issued", "tma_loads", "tma_bytes_loaded", "global_bytes_stored",
/// "mbarrier_waits", …).
using Counters = std::map<std::string, uint64_t>;

/// Adds what another launch did.
void addCounters(Counters &sum, const Counters &more);

struct LaunchReport {
  std::optional<Fault> fault; ///< Trap, hang or unsupported: what stopped it.
  std::vector<Fault> hazards; ///< Found without stopping the kernel.
  Counters counters;
  double seconds = 0; ///< Host wall time.
};

/// Runs the grid to its end, or to the first fault.
LaunchReport launch(const Module &module, const KernelInfo &kernel,
                    const LaunchConfig &config, DeviceMemory &memory,
                    const Options &options);

/// One grid of a chain. Refers to what the caller keeps.
struct ChainLink {
  const Module &module;
  const KernelInfo &kernel;
  const LaunchConfig &config;
};

/// Runs grids of one stream of which each, but for the first, may begin before
/// the one in front of it has ended (programmatic dependent launch): as soon as
/// each CTA of that one has executed griddepcontrol.launch_dependents or ended.
/// To find a missing griddepcontrol.wait, CTAs that have executed the one are
/// then held back until those of the next grid have come to the other or have
/// ended; with a random schedule, some of them are. Where a trace, a profile or
/// statistics are asked for, the grids run one after the other.
///
/// The first fault stops all of them. Returns the reports of those that ran.
std::vector<LaunchReport> launchChain(const std::vector<ChainLink> &chain,
                                      DeviceMemory &memory,
                                      const Options &options);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_EMULATOR_H
