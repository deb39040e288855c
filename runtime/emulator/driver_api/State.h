//===- State.h - What the driver remembers ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles of the driver API, and the guard that every
// entry point begins with. There is one device. A launch runs to its end inside
// cuLaunchKernel, so that streams and events have nothing left to wait for;
// what it did wrong shows where a real driver would show it, at the next call.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_STATE_H
#define BWGEMM_EMULATOR_DRIVER_API_STATE_H

#include "../Emulator.h"

#include "bwgemm-runtime/CudaAbi.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/// Begins the definition of an entry point.
#define BWGEMM_ENTRY extern "C" __attribute__((visibility("default"))) CUresult

namespace bwgemm::emulator::driver {

using namespace bwgemm::cuda;

/// What cuDeviceGetAttribute says about an architecture.
struct Architecture {
  std::string name; ///< As asked for, "sm_100a".
  int major, minor;
  const char *chip;
  int multiprocessors;
  int threadsPerMultiprocessor;
  int sharedPerBlock; ///< With the opt-in attribute, bytes.
  int sharedPerMultiprocessor;
  int l2Bytes;
  int clockKHz;
  uint64_t memoryBytes;
};

/// The figures of the best-known chip of the target's compute capability; those
/// of the B200 where there is none.
Architecture architectureOf(const std::string &target);

/// Shared memory that a block may use without asking for more, bytes.
inline constexpr int defaultSharedPerBlock = 48 * 1024;
/// Shared memory of a block that the system keeps for itself, bytes.
inline constexpr int reservedSharedPerBlock = 1024;

struct Context {
  uint64_t id = 0;
  bool primary = false;
  unsigned flags = 0;
  /// The launch fault after which nothing works in this context any more.
  CUresult sticky = CUDA_SUCCESS;
};

struct LoadedImage;

/// Behind CUfunction and CUkernel alike, so that either may be launched.
struct Function {
  std::shared_ptr<Module> module; ///< Keeps the code alive during a launch.
  LoadedImage *image = nullptr;
  const KernelInfo *kernel = nullptr;
  /// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
  int maxDynamicShared = 0;
  bool nonPortableCluster = false;
  int carveout = -1;
  int schedulingPolicy = 0;
  Dim3 requiredCluster{0, 0, 0};
};

/// Behind CUmodule and CUlibrary.
struct LoadedImage {
  std::shared_ptr<Module> module;
  std::vector<std::unique_ptr<Function>> functions;
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

/// Memory that an entry point has handed out or taken on.
struct Memory {
  uint64_t bytes = 0;
  CUmemorytype type = CU_MEMORYTYPE_DEVICE;
  bool managed = false;
  bool registered = false; ///< Host memory of the program's own.
  uint64_t id = 0;
  Context *context = nullptr;
};

struct State {
  /// Guards everything below. Not held while a kernel runs.
  std::mutex mutex;
  /// Held while a kernel runs; taken before `mutex` by calls that must not
  /// overtake one (freeing memory).
  std::mutex launchMutex;

  bool initialised = false;
  /// The process ends: every call answers CUDA_ERROR_DEINITIALIZED, as the real
  /// driver's do from then on (seen on an H200).
  bool ended = false;
  Options options;
  bool archGiven = false; ///< BWGEMM_EMULATOR names an architecture.
  bool archFixed = false; ///< Given, or taken from the first module.
  Architecture architecture;

  DeviceMemory memory;
  std::map<uint64_t, Memory> memories; ///< By first address.
  std::set<Context *> contexts;
  std::set<LoadedImage *> modules, libraries;
  std::set<Function *> functions;
  std::set<Stream *> streams;
  std::set<Event *> events;
  Context *primary = nullptr;
  unsigned primaryUses = 0;
  unsigned primaryFlags = 0;
  uint64_t nextId = 1;
  /// One for each thread that has called; see contextStack.
  std::deque<std::vector<Context *>> contextStacks;

  State();
};

State &state();

/// The calling thread's stack of contexts; the last is current. The caller
/// holds the state's mutex.
std::vector<Context *> &contextStack();

/// What a call needs before it may go on.
enum class Needs {
  Initialised, ///< cuInit.
  Context,     ///< A current context in which no kernel has failed.
};

/// Locks the state and checks what the call needs; `status` is what to return
/// if it is not CUDA_SUCCESS.
class Call {
public:
  explicit Call(Needs needs);
  explicit operator bool() const { return status == CUDA_SUCCESS; }

  std::unique_lock<std::mutex> lock;
  State &state;
  CUresult status = CUDA_SUCCESS;
  Context *context = nullptr;
};

/// The device that a kernel runs on: the one that BWGEMM_EMULATOR names, else
/// the one that its code was compiled for.
Architecture architectureFor(const State &state, const Function &function);

/// Writes "bwgemm emulator: error: MESSAGE" to standard error.
void complain(const std::string &message);

/// The recorded memory that contains `address`, or null.
const Memory *findMemory(State &state, uint64_t address, uint64_t &base);

/// True if `bytes` bytes at `address` are within one allocation.
bool inDeviceMemory(State &state, uint64_t address, uint64_t bytes);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_STATE_H
