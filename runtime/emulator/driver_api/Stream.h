//===- Stream.h - Work in streams and graphs --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a program submits to a stream is a Work. Three things may happen to
// it: it is carried out at once, inside the call that submits it (the usual
// case, and the reason why a program sees its kernels' results in a fixed
// order); it is kept, if the stream still waits for an event or a value in
// memory, and carried out when that has come; or it becomes a node of a graph,
// if the stream is being captured. A graph's launch submits its nodes in order.
//
// A kernel that lets the one behind it begin early
// (griddepcontrol.launch_dependents) is kept too, until the program does
// something else: if that is the launch of such a kernel, they run together.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_STREAM_H
#define BWGEMM_EMULATOR_DRIVER_API_STREAM_H

#include "State.h"

#include <chrono>
#include <functional>
#include <variant>

namespace bwgemm::emulator::driver {

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// A launch as it was asked for. A cluster of 0 means that none was named.
struct LaunchRequest {
  Dim3 grid, block, cluster{0, 0, 0};
  unsigned sharedBytes = 0;
  bool cooperative = false;
  /// May begin while the kernel in front still runs
  /// (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).
  bool programmatic = false;
  /// Recorded when the kernel lets its successors start, here when it ends.
  CUevent completionEvent = nullptr;
  std::vector<CUlaunchAttribute> attributes;
};

struct EmptyWork {};
struct KernelWork {
  Function function; ///< A copy: the module may be unloaded meanwhile.
  Function *handle = nullptr;
  LaunchRequest request;
  LaunchConfig config;
};
struct CopyWork {
  CUDA_MEMCPY3D copy{};
};
struct SetWork {
  CUdeviceptr to = 0;
  size_t pitch = 0;
  unsigned value = 0, elementBytes = 1;
  size_t width = 0, height = 1;
};
struct HostWork {
  CUhostFn function = nullptr;
  void *data = nullptr;
};
/// cuStreamAddCallback.
struct CallbackWork {
  CUstreamCallback function = nullptr;
  CUstream stream = nullptr;
  void *data = nullptr;
};
struct RecordWork {
  std::shared_ptr<Event> event;
  uint64_t ticket = 0; ///< Which record of the event; 0 in a graph.
};
struct WaitWork {
  std::shared_ptr<Event> event;
  uint64_t ticket = 0; ///< 0 in a graph: the last record before the launch.
};
/// Waits until another stream has done what was submitted so far.
struct JoinWork {
  std::shared_ptr<Stream> stream;
  uint64_t submitted = 0;
};
struct ValueWork {
  std::vector<CUstreamBatchMemOpParams> operations;
  size_t next = 0; ///< Those before are done.
};
/// Memory that lives as long as a graph refers to it.
struct GraphMemory {
  uint64_t address = 0, bytes = 0;
  ~GraphMemory();
};
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
};
struct FreeWork {
  CUdeviceptr address = 0;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
/// Kernels that may overlap.
struct ChainWork {
  std::vector<KernelWork> kernels;
};

using Work =
    std::variant<EmptyWork, KernelWork, CopyWork, SetWork, HostWork,
                 CallbackWork, RecordWork, WaitWork, JoinWork, ValueWork,
                 AllocateWork, FreeWork, ChildWork, ChainWork>;

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

struct Stream {
  Context *context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  bool legacy = false; ///< Stream 0, which orders all blocking streams.
  std::map<int, CUlaunchAttributeValue> attributes;

  std::deque<Work> pending;
  /// All that is pending are kernels that could run now and wait for one that
  /// may overlap with them.
  bool open = false;
  bool running = false; ///< Some thread carries out its work now.
  uint64_t submitted = 0, completed = 0;

  std::shared_ptr<Capture> capture;
  /// What the next captured node comes after.
  std::vector<Node *> dependencies;
};

struct Event {
  Context *context = nullptr;
  unsigned flags = 0;
  uint64_t recorded = 0, completed = 0;
  std::chrono::steady_clock::time_point time;
  /// Recorded in a capture: the nodes it stands for. Of no use once the capture
  /// has ended, until it is recorded again.
  std::weak_ptr<Capture> capture;
  bool captured = false;
  std::vector<Node *> dependencies;
};

/// A capture from cuStreamBeginCapture to cuStreamEndCapture.
struct Capture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t thread = 0;
  std::shared_ptr<Graph> graph;
  bool ownsGraph = true;
  Stream *origin = nullptr;
  bool invalidated = false;
  std::vector<Stream *> streams;
};

/// Submits work to a stream: runs, keeps or captures it. The lock is let go
/// while a kernel or the program's own function runs.
CUresult submit(Call &call, CUstream handle, Work work);
CUresult submit(Call &call, const std::shared_ptr<Stream> &stream, Work work);

/// Waits until the stream has done all that was submitted.
CUresult drain(Call &call, const std::shared_ptr<Stream> &stream);

/// Carries out kept work whose time has come.
void pump(Call &call);

/// What a call that touches all of the device at once may not do while a stream
/// is captured (CUDA Driver API, cuThreadExchangeStreamCaptureMode). Spoils the
/// capture and returns what the call has to answer.
CUresult forbidWhileCapturing(State &state);

/// Spoils a capture.
void invalidate(Capture &capture);

/// The calling thread's capture mode.
CUstreamCaptureMode &threadCaptureMode();

/// Checks a launch and fills `work`.
CUresult prepareLaunch(State &state, const LaunchRequest &request,
                       CUfunction handle, void **parameters, void **extra,
                       KernelWork &work);

/// Checks a copy. False if a side is out of bounds or the shape is wrong.
bool checkCopy(State &state, const CUDA_MEMCPY3D &copy);
bool checkSet(State &state, const SetWork &set);
/// Checks addresses and flags of memory operations.
CUresult checkOperations(State &state,
                         const std::vector<CUstreamBatchMemOpParams> &list);

/// What a driver reports for such a fault.
CUresult resultOf(const Fault &fault);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_STREAM_H
