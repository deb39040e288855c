//===- Stream.cpp - Work in streams -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "Execute.h"
#include "Graph.h"

#include <algorithm>
#include <thread>

namespace bwgemm::emulator::driver {

/// How long the device may wait for a value in memory or an event with nothing
/// running before that counts as a hang.
static constexpr std::chrono::seconds patience{30};

/// The most kernels that run together.
static constexpr size_t longestChain = 8;

/// All streams that have work waiting.
static std::vector<std::shared_ptr<Stream>> waitingStreams(State &state) {
  std::vector<std::shared_ptr<Stream>> result;
  auto add = [&](const std::shared_ptr<Stream> &stream) {
    if (stream && !stream->pending.empty())
      result.push_back(stream);
  };
  for (auto &[pointer, stream] : state.streams)
    add(stream);
  for (Context *context : state.contextHandles) {
    add(context->legacyStream);
    for (auto &[thread, stream] : context->threadStreams)
      add(stream);
  }
  return result;
}

/// Carries out one piece of work of a stream that nobody else works on.
static bool run(Call &call, Stream &stream, Work &work) {
  stream.running = true;
  bool done = execute(call.state, call.lock, stream.context, work);
  stream.running = false;
  auto *chain = std::get_if<ChainWork>(&work);
  if (done)
    stream.completed += chain ? chain->kernels.size() : 1;
  return done;
}

/// Whether the next kernel of the stream may begin before this one ends.
static bool letsNextBegin(const KernelWork &work) {
  return work.function.kernel->letsDependentsBegin &&
         !work.request.completionEvent;
}

static bool mayBeginEarly(const Work &work) {
  auto *kernel = std::get_if<KernelWork>(&work);
  return kernel && kernel->request.programmatic;
}

/// Takes the first work out of the list, which may change while the lock is let
/// go. Kernels that may overlap come together.
static Work takeFirst(Stream &stream) {
  auto take = [&] {
    Work work = std::move(stream.pending.front());
    stream.pending.pop_front();
    return work;
  };
  Work first = take();
  auto *kernel = std::get_if<KernelWork>(&first);
  if (!kernel || !letsNextBegin(*kernel) || stream.pending.empty() ||
      !mayBeginEarly(stream.pending.front()))
    return first;
  ChainWork chain;
  chain.kernels.push_back(std::move(*kernel));
  while (!stream.pending.empty() && mayBeginEarly(stream.pending.front()) &&
         letsNextBegin(chain.kernels.back())) {
    Work next = take();
    chain.kernels.push_back(std::move(std::get<KernelWork>(next)));
  }
  return chain;
}

void pump(Call &call) {
  State &state = call.state;
  bool moved = true;
  while (moved && state.waitingStreams) {
    moved = false;
    for (const std::shared_ptr<Stream> &stream : waitingStreams(state))
      while (!stream->running && !stream->pending.empty()) {
        stream->open = false;
        Work work = takeFirst(*stream);
        // Counted before the lock is let go: others may add to the list.
        if (stream->pending.empty())
          --state.waitingStreams;
        if (!run(call, *stream, work)) {
          if (stream->pending.empty())
            ++state.waitingStreams;
          stream->pending.push_front(std::move(work));
          break;
        }
        moved = true;
      }
  }
}

void finishKernels() {
  Call call(Needs::Initialised);
  if (call)
    pump(call);
}

static void keep(State &state, Stream &stream, Work work) {
  if (stream.pending.empty())
    ++state.waitingStreams;
  stream.pending.push_back(std::move(work));
  ++stream.submitted;
}

/// Stream 0 comes after all blocking streams of its context, and they after it
/// (CUDA Driver API, "Stream synchronization behavior").
static void orderWithDefault(State &state, Stream &stream) {
  auto join = [&](const std::shared_ptr<Stream> &other) {
    if (other && other.get() != &stream && !other->pending.empty())
      keep(state, stream, JoinWork{other, other->submitted});
  };
  if (!stream.legacy) {
    if (!(stream.flags & CU_STREAM_NON_BLOCKING))
      join(stream.context->legacyStream);
    return;
  }
  for (auto &[pointer, other] : state.streams)
    if (other->context == stream.context &&
        !(other->flags & CU_STREAM_NON_BLOCKING))
      join(other);
  for (auto &[thread, other] : stream.context->threadStreams)
    join(other);
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

CUstreamCaptureMode &threadCaptureMode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

void invalidate(Capture &capture) { capture.invalidated = true; }

CUresult forbidWhileCapturing(State &state) {
  if (state.captures.empty())
    return CUDA_SUCCESS;
  CUstreamCaptureMode mode = threadCaptureMode();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture> &capture : state.captures) {
    bool own = capture->thread == threadId();
    bool concerned =
        capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL
            ? own || mode == CU_STREAM_CAPTURE_MODE_GLOBAL
            : capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && own;
    if (!concerned)
      continue;
    invalidate(*capture);
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

/// Adds work to the graph that the stream is captured into.
static CUresult captureWork(State &state, Stream &stream, Work work) {
  Capture &capture = *stream.capture;
  if (capture.invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (std::holds_alternative<CallbackWork>(work)) {
    invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  Node *node =
      addNode(state, *capture.graph, std::move(work), stream.dependencies);
  stream.dependencies = {node};
  return CUDA_SUCCESS;
}

/// Whether stream 0 would have to wait for a stream that is being captured.
static CUresult checkImplicit(State &state, Stream &stream) {
  if (!stream.legacy)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture> &capture : state.captures)
    for (Stream *captured : capture->streams)
      if (captured->context == stream.context &&
          !(captured->flags & CU_STREAM_NON_BLOCKING)) {
        invalidate(*capture);
        result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
  return result;
}

//===----------------------------------------------------------------------===//
// Submitting and waiting
//===----------------------------------------------------------------------===//

CUresult submit(Call &call, const std::shared_ptr<Stream> &owner, Work work) {
  State &state = call.state;
  // Its own reference: others may destroy the stream while the lock is let go.
  std::shared_ptr<Stream> kept = owner;
  Stream &stream = *kept;
  if (stream.capture)
    return captureWork(state, stream, std::move(work));
  if (CUresult result = checkImplicit(state, stream); result != CUDA_SUCCESS)
    return result;
  auto *kernel = std::get_if<KernelWork>(&work);
  bool keepsOpen = kernel && letsNextBegin(*kernel);
  if (stream.open && mayBeginEarly(work) &&
      stream.pending.size() < longestChain) {
    keep(state, stream, std::move(work));
    if (!keepsOpen)
      pump(call);
    return CUDA_SUCCESS;
  }
  if (state.waitingStreams) {
    pump(call);
    orderWithDefault(state, stream);
  }
  if (keepsOpen && stream.pending.empty() && !stream.running) {
    keep(state, stream, std::move(work));
    stream.open = true;
    return CUDA_SUCCESS;
  }
  if (!stream.pending.empty() || stream.running) {
    keep(state, stream, std::move(work));
    return CUDA_SUCCESS;
  }
  ++stream.submitted;
  if (!run(call, stream, work)) {
    --stream.submitted;
    keep(state, stream, std::move(work));
  }
  if (state.waitingStreams)
    pump(call);
  return CUDA_SUCCESS;
}

CUresult submit(Call &call, CUstream handle, Work work) {
  std::shared_ptr<Stream> stream = findStream(call.state, call.context, handle);
  return stream ? submit(call, stream, std::move(work))
                : CUDA_ERROR_INVALID_HANDLE;
}

CUresult drain(Call &call, const std::shared_ptr<Stream> &owner) {
  State &state = call.state;
  std::shared_ptr<Stream> stream = owner;
  Context *context = stream->context;
  uint64_t target = stream->submitted;
  auto since = std::chrono::steady_clock::now();
  while (context->alive && stream->completed < target) {
    pump(call);
    if (stream->completed >= target)
      break;
    // Another thread's kernel, or a value that another thread writes.
    if (state.running)
      since = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - since > patience) {
      complain("a stream has waited " + std::to_string(patience.count()) +
               " s for an event or a value in memory, and nothing runs that "
               "could bring it");
      context->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    }
    call.lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    call.lock.lock();
  }
  return context->sticky;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether a copy may touch `bytes` bytes at an address. Host memory is the
/// program's own and is not checked, as it is not by a driver.
static bool mayTouch(State &state, CUmemorytype type, uint64_t address,
                     uint64_t bytes) {
  if (!address)
    return false;
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    return true;
  case CU_MEMORYTYPE_DEVICE:
    return inDeviceMemory(state, address, bytes);
  case CU_MEMORYTYPE_UNIFIED:
    // An address that no allocation contains is ordinary host memory, unless
    // it is so small that it cannot be.
    return address >= 4096 && (!state.memory.find(address) ||
                               inDeviceMemory(state, address, bytes));
  case CU_MEMORYTYPE_ARRAY:
    break;
  }
  return false;
}

/// The bytes from the first to the last of one side; false if it wraps.
static bool spanOf(const CUDA_MEMCPY3D &c, size_t pitch, size_t height,
                   uint64_t x, uint64_t y, uint64_t z, uint64_t &before,
                   uint64_t &bytes) {
  using Wide = unsigned __int128;
  Wide first = (Wide(z) * height + y) * pitch + x;
  Wide last =
      (Wide(c.Depth - 1) * height + (c.Height - 1)) * pitch + c.WidthInBytes;
  if (first + last > (Wide(1) << 62))
    return false;
  before = uint64_t(first);
  bytes = uint64_t(last);
  return true;
}

bool checkCopy(State &state, const CUDA_MEMCPY3D &c) {
  auto known = [](CUmemorytype type) {
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
           type == CU_MEMORYTYPE_UNIFIED;
  };
  if (!known(c.dstMemoryType) || !known(c.srcMemoryType))
    return false;
  if (!c.WidthInBytes || !c.Height || !c.Depth)
    return true;
  size_t toPitch = c.dstPitch ? c.dstPitch : c.WidthInBytes + c.dstXInBytes;
  size_t fromPitch = c.srcPitch ? c.srcPitch : c.WidthInBytes + c.srcXInBytes;
  size_t toHeight = c.dstHeight ? c.dstHeight : c.Height + c.dstY;
  size_t fromHeight = c.srcHeight ? c.srcHeight : c.Height + c.srcY;
  if (toPitch < c.WidthInBytes + c.dstXInBytes ||
      fromPitch < c.WidthInBytes + c.srcXInBytes ||
      toHeight < c.Height + c.dstY || fromHeight < c.Height + c.srcY)
    return false;
  uint64_t to = c.dstMemoryType == CU_MEMORYTYPE_HOST
                    ? reinterpret_cast<uintptr_t>(c.dstHost)
                    : c.dstDevice;
  uint64_t from = c.srcMemoryType == CU_MEMORYTYPE_HOST
                      ? reinterpret_cast<uintptr_t>(c.srcHost)
                      : c.srcDevice;
  uint64_t before = 0, bytes = 0;
  if (!to || !from ||
      !spanOf(c, toPitch, toHeight, c.dstXInBytes, c.dstY, c.dstZ, before,
              bytes) ||
      !mayTouch(state, c.dstMemoryType, to + before, bytes))
    return false;
  return spanOf(c, fromPitch, fromHeight, c.srcXInBytes, c.srcY, c.srcZ, before,
                bytes) &&
         mayTouch(state, c.srcMemoryType, from + before, bytes);
}

bool checkSet(State &state, const SetWork &set) {
  unsigned size = set.elementBytes;
  if (size != 1 && size != 2 && size != 4)
    return false;
  if (!set.width || !set.height)
    return true;
  if (set.width > (uint64_t(1) << 60))
    return false;
  uint64_t row = set.width * size;
  uint64_t pitch = set.height > 1 ? set.pitch : 0;
  if (set.to % size || pitch % size || (set.height > 1 && pitch < row))
    return false;
  if (pitch && set.height > ((uint64_t(1) << 62) - row) / pitch)
    return false;
  return inDeviceMemory(state, set.to, pitch * (set.height - 1) + row);
}

CUresult checkOperations(State &state,
                         const std::vector<CUstreamBatchMemOpParams> &list) {
  for (const CUstreamBatchMemOpParams &operation : list) {
    bool wait = false;
    unsigned size = 4;
    switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      size = 8;
      [[fallthrough]];
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      wait = true;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      size = 8;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      break;
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      continue;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
    unsigned allowed = wait ? 3u | CU_STREAM_WAIT_VALUE_FLUSH : 1u;
    if ((operation.value.flags & ~allowed) || operation.value.address % size ||
        !inDeviceMemory(state, operation.value.address, size))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

} // namespace bwgemm::emulator::driver
