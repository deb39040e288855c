//===- Calls.cpp - Calls of compiled functions ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "Modules.h"

#include <algorithm>
#include <vector>

namespace bwgemm::runtime::launch {

namespace {

/// The running call of a thread.
struct Call {
  unsigned depth = 0; ///< Compiled functions call each other.
  bool hasStream = false;
  CUstream stream = nullptr;
  /// Kernels that were launched since the last wait, each once.
  std::vector<CUfunction> kernels;
};

/// What bwgemm_set_stream has said on this thread.
struct CallersStream {
  bool given = false;
  CUstream stream = nullptr;
  /// Known to be one of the right context.
  bool checked = false;
};

struct StreamCache {
  std::mutex mutex;
  std::vector<CUstream> idle;
};

} // namespace

static Call &call() {
  thread_local Call instance;
  return instance;
}

static CallersStream &callersStream() {
  thread_local CallersStream instance;
  return instance;
}

static StreamCache &streamCache() {
  static StreamCache *instance = new StreamCache;
  return *instance;
}

bool inCall() { return call().depth > 0; }

bool usesCallersStream() { return inCall() && callersStream().given; }

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUstream takeStream(Session &session) {
  {
    std::lock_guard<std::mutex> lock(streamCache().mutex);
    if (!streamCache().idle.empty()) {
      CUstream stream = streamCache().idle.back();
      streamCache().idle.pop_back();
      return stream;
    }
  }
  // One that waits for the legacy default stream: a program may have filled a
  // buffer there, and even a copy from pageable memory that has returned may
  // still be on its way (CUDA driver API, synchronization behavior).
  CUstream stream = nullptr;
  session.check(session.driver().cuStreamCreate(&stream, CU_STREAM_DEFAULT),
                "cuStreamCreate");
  return stream;
}

void giveBackStream(CUstream stream) {
  std::lock_guard<std::mutex> lock(streamCache().mutex);
  streamCache().idle.push_back(stream);
}

/// A stream of another context would be refused by each call in turn, for
/// reasons that say nothing.
static bool checkCallersStream(Session &session, CUstream stream) {
  const DriverApi &driver = session.driver();
  CUcontext own = nullptr, its = nullptr;
  if (!session.check(driver.cuCtxGetCurrent(&own), "cuCtxGetCurrent") ||
      !session.check(driver.cuStreamGetCtx(stream, &its),
                     "asking for the context of the stream that "
                     "bwgemm_set_stream was given"))
    return false;
  if (own == its)
    return true;
  fail("the stream that bwgemm_set_stream was given belongs to another context "
       "than this library's, the primary one of " +
       driver.describe() +
       "; make it there, or name its device with CUDA_VISIBLE_DEVICES");
  return false;
}

bool streamOfCall(Session &session, CUstream &stream) {
  Call &now = call();
  if (inCall() && !now.hasStream) {
    now.stream = callersStream().stream;
    if (callersStream().given) {
      if (!callersStream().checked && !checkCallersStream(session, now.stream))
        return false;
      callersStream().checked = true;
    } else if (now.stream = takeStream(session); !now.stream) {
      return false;
    }
    now.hasStream = true;
  }
  stream = inCall() ? now.stream : nullptr;
  return true;
}

void noteLaunch(CUstream stream, CUfunction function) {
  Call &now = call();
  if (now.hasStream && stream == now.stream &&
      std::find(now.kernels.begin(), now.kernels.end(), function) ==
          now.kernels.end())
    now.kernels.push_back(function);
}

static std::string describeKernels() {
  const std::vector<CUfunction> &kernels = call().kernels;
  if (kernels.empty())
    return "waiting for the device";
  std::string text = kernels.size() == 1 ? "waiting for the kernel"
                                         : "waiting for the kernels";
  for (size_t i = 0; i < kernels.size(); ++i)
    text += (i ? ", '" : " '") + kernelName(kernels[i]) + "'";
  return text;
}

bool waitForCall(Session &session) {
  CUstream stream;
  if (!streamOfCall(session, stream) ||
      !session.check(session.driver().cuStreamSynchronize(stream),
                     describeKernels()))
    return false;
  call().kernels.clear();
  reportHazards(session.driver());
  return !inError();
}

bool waitOutsideCalls(Session &session) {
  return inCall() || waitForCall(session);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {

/// The pool of all device memory that calls take. The driver's default pool is
/// the program's own to set up.
struct MemoryPool {
  std::mutex mutex;
  bool tried = false;
  CUmemoryPool pool = nullptr; ///< Null if the device has none.
};

} // namespace

/// So much memory stays with the pool for later calls.
static constexpr uint64_t keptBytes = uint64_t(256) << 20;

static CUmemoryPool memoryPool(const DriverApi &driver) {
  static MemoryPool *instance = new MemoryPool;
  std::lock_guard<std::mutex> lock(instance->mutex);
  if (instance->tried)
    return instance->pool;
  instance->tried = true;
  CUdevice device = 0;
  int supported = 0;
  if (driver.cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      driver.cuDeviceGetAttribute(&supported,
                                  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                  device) != CUDA_SUCCESS ||
      !supported)
    return nullptr;
  AllowWhileCapturing allowed(driver);
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  if (driver.cuMemPoolCreate(&instance->pool, &properties) != CUDA_SUCCESS)
    return instance->pool = nullptr;
  uint64_t kept = keptBytes;
  (void)driver.cuMemPoolSetAttribute(instance->pool,
                                     CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  return instance->pool;
}

CUresult allocateInOrder(const DriverApi &driver, CUstream stream, size_t bytes,
                         CUdeviceptr &address) {
  CUmemoryPool pool = memoryPool(driver);
  return pool ? driver.cuMemAllocFromPoolAsync(&address, bytes, pool, stream)
              : driver.cuMemAlloc(&address, bytes);
}

CUresult freeInOrder(const DriverApi &driver, CUstream stream,
                     CUdeviceptr address) {
  if (memoryPool(driver))
    return driver.cuMemFreeAsync(address, stream);
  CUresult result = driver.cuStreamSynchronize(stream);
  return result == CUDA_SUCCESS ? driver.cuMemFree(address) : result;
}

} // namespace bwgemm::runtime::launch

using namespace bwgemm::runtime;
using namespace bwgemm::runtime::launch;
using namespace bwgemm::cuda;

BWGEMM_RUNTIME_C void bwgemmHostBegin() {
  Call &now = call();
  if (now.depth++ > 0)
    return;
  now.hasStream = false;
  now.kernels.clear();
  keepContext();
}

BWGEMM_RUNTIME_C void *bwgemmHostStream() {
  Session session;
  CUstream stream = nullptr;
  return session && streamOfCall(session, stream) ? stream : nullptr;
}

BWGEMM_RUNTIME_C void bwgemmHostEnd() {
  Call &now = call();
  if (now.depth == 0 || --now.depth > 0)
    return;
  now.depth = 1; // What follows is still part of the call.
  if (now.hasStream && !callersStream().given) {
    bool done = false;
    if (Session session; session)
      done = waitForCall(session);
    if (!done)
      // Whatever is still under way uses memory that the program may free now.
      if (Session session(Session::Use::CleanUp); session)
        (void)session.driver().cuStreamSynchronize(now.stream);
    giveBackStream(now.stream);
  }
  releaseContext();
  now.depth = 0;
}

extern "C" __attribute__((visibility("default"))) void
bwgemm_set_stream(void *stream) {
  callersStream() = {true, static_cast<CUstream>(stream), false};
}

extern "C" __attribute__((visibility("default"))) void bwgemm_unset_stream() {
  callersStream() = {};
}
