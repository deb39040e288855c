//===- State.h - What the driver remembers ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles of the driver API, and the guard that every
// entry point begins with. There is one device. Every handle is looked up
// before it is followed, so that a wrong one is an error and not a crash. What
// is submitted to a stream is in Stream.h.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_STATE_H
#define BWGEMM_EMULATOR_DRIVER_API_STATE_H

#include "../Emulator.h"
#include "DriverTypes.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

/// Begins the definition of an entry point.
#define BWGEMM_ENTRY extern "C" __attribute__((visibility("default"))) CUresult

namespace bwgemm::emulator::driver {

using namespace bwgemm::cuda;

struct Stream;
struct Event;
struct Capture;
struct Graph;
struct Node;
struct GraphExec;
struct Pool;
struct UserObject;
struct Reservation;
struct PhysicalMemory;
struct LinkState;

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
  int memoryClockKHz;
  int memoryBusBits;
  uint64_t memoryBytes;
};

/// The figures of the best-known chip of the target's compute capability; those
/// of the B200 where there is none.
Architecture architectureOf(const std::string &target);

/// The value of an attribute, or nothing for one that does not exist.
std::optional<int> attributeOf(const Architecture &arch, int attribute);

/// Shared memory that a block may use without asking for more, bytes.
inline constexpr int defaultSharedPerBlock = 48 * 1024;
/// Shared memory of a block that the system keeps for itself, bytes.
inline constexpr int reservedSharedPerBlock = 1024;
/// Statically allocated shared memory is counted in units of so many bytes
/// (measured on an H200: 1000 bytes are reported as 1008).
inline constexpr int sharedGranularity = 16;

struct Context {
  uint64_t id = 0;
  bool primary = false;
  /// False once destroyed; the object stays, so that its handle is known to be
  /// a dead one.
  bool alive = true;
  unsigned flags = 0;
  /// The launch fault after which nothing works in this context any more.
  CUresult sticky = CUDA_SUCCESS;
  int cacheConfig = 0;
  std::map<int, size_t> limits;
  /// Stream 0, made on first use.
  std::shared_ptr<Stream> legacyStream;
  /// CU_STREAM_PER_THREAD, by thread.
  std::map<uint64_t, std::shared_ptr<Stream>> threadStreams;
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

  /// Static shared memory as the driver counts it.
  int staticShared() const {
    return int((kernel->staticSharedBytes + sharedGranularity - 1) /
               sharedGranularity * sharedGranularity);
  }
};

/// Behind CUmodule and CUlibrary.
struct LoadedImage {
  std::shared_ptr<Module> module;
  std::vector<std::unique_ptr<Function>> functions;
  /// Null for a library, which belongs to no context.
  Context *context = nullptr;
};

/// Memory that an entry point has handed out or taken on.
struct Memory {
  uint64_t bytes = 0;
  CUmemorytype type = CU_MEMORYTYPE_DEVICE;
  bool managed = false;
  bool registered = false; ///< Host memory of the program's own.
  bool mapped = false;     ///< By cuMemMap.
  bool syncMemops = false;
  unsigned hostFlags = 0;
  uint64_t id = 0;
  Context *context = nullptr;
  Pool *pool = nullptr;
  /// A graph's memory, which goes with the graph.
  bool ofGraph = false;
};

/// A range that was freed, for saying so when a kernel reaches into it.
struct FreedRange {
  uint64_t base = 0, bytes = 0;
  const char *by = "";
};

struct State {
  /// Guards everything below. Not held while a kernel or the program's own
  /// functions run.
  std::mutex mutex;
  /// Held while a kernel runs; taken before `mutex` by calls that must not
  /// overtake one (freeing memory).
  std::mutex launchMutex;

  bool initialised = false;
  /// The process ends: every call answers CUDA_ERROR_DEINITIALIZED, as the real
  /// driver's do from then on (seen on an H200).
  bool ended = false;
  Options options;
  /// CU_LIMIT_STACK_SIZE, if it was set.
  uint32_t stackBytes = 0;
  bool archGiven = false; ///< BWGEMM_EMULATOR names an architecture.
  bool archFixed = false; ///< Given, or taken from the first module.
  Architecture architecture;

  DeviceMemory memory;
  std::map<uint64_t, Memory> memories; ///< By first address.
  std::deque<FreedRange> freed;        ///< The latest last.
  uint64_t deviceBytes = 0;            ///< Device memory in `memories`.

  std::deque<std::unique_ptr<Context>> contexts;
  std::unordered_set<Context *> contextHandles;
  std::set<LoadedImage *> modules, libraries;
  std::unordered_set<Function *> functions;
  std::map<Stream *, std::shared_ptr<Stream>> streams;
  std::map<Event *, std::shared_ptr<Event>> events;
  std::set<std::shared_ptr<Capture>> captures;
  std::map<Graph *, std::shared_ptr<Graph>> graphs;
  std::unordered_set<Node *> nodes;
  std::map<GraphExec *, std::shared_ptr<GraphExec>> graphExecs;
  std::map<UserObject *, std::shared_ptr<UserObject>> userObjects;
  std::map<Pool *, std::shared_ptr<Pool>> pools;
  std::shared_ptr<Pool> defaultPool;
  Pool *currentPool = nullptr;
  std::map<uint64_t, std::shared_ptr<Reservation>> reservations;
  std::map<uint64_t, std::shared_ptr<PhysicalMemory>> physical;
  std::map<LinkState *, std::shared_ptr<LinkState>> links;

  Context *primary = nullptr;
  unsigned primaryUses = 0;
  unsigned primaryFlags = 0;
  uint64_t nextId = 1;
  /// Streams with work that waits for something; 0 is the common case.
  unsigned waitingStreams = 0;
  /// Kernels and functions of the program that run now.
  unsigned running = 0;
  /// One for each thread that has called; see contextStack.
  std::deque<std::vector<Context *>> contextStacks;

  State();
  ~State();

  bool alive(Context *context) const {
    return contextHandles.count(context) && context->alive;
  }
};

State &state();

/// The calling thread's stack of contexts; the last is current. The caller
/// holds the state's mutex.
std::vector<Context *> &contextStack();

/// A number of the calling thread's own, from 1.
uint64_t threadId();

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

/// Carries out the kernels that are kept because another one might overlap with
/// them. For who holds no lock, before what they use goes away and before
/// anybody asks what they did.
void finishKernels();

/// The device that a kernel runs on: the one that BWGEMM_EMULATOR names, else
/// the one that its code was compiled for.
Architecture architectureFor(const State &state, const Function &function);

/// Writes "bwgemm emulator: error: MESSAGE" to standard error.
void complain(const std::string &message);

/// Says on standard error, once for each entry point, that it does nothing
/// here, and returns CUDA_ERROR_NOT_SUPPORTED.
CUresult notSupported(const char *entry, const char *why);

/// The recorded memory that contains `address`, or null.
const Memory *findMemory(State &state, uint64_t address, uint64_t &base);

/// True if `bytes` bytes at `address` are within one allocation, or within
/// mapped ones that follow each other.
bool inDeviceMemory(State &state, uint64_t address, uint64_t bytes);

/// New device or pinned memory of the context, or 0.
uint64_t newMemory(State &state, Context *context, uint64_t bytes,
                   CUmemorytype type);
/// Gives back what newMemory returned. The caller has the launch mutex, or
/// knows that no kernel uses it.
void dropMemory(State &state, uint64_t base, const char *by);

/// Everything that belongs to the context goes with it.
void destroyResources(State &state, Context *context);

/// Unloads the image and forgets its functions.
void unloadImage(State &state, LoadedImage *image);

/// The context's own stream behind the handles 0, 1 and 2, and the stream of
/// any other; null for what is no stream.
std::shared_ptr<Stream> findStream(State &state, Context *context,
                                   CUstream handle);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_STATE_H
