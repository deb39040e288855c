//===- Runtime.cpp - State of the launch runtime ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <atomic>
#include <cstdio>
#include <unistd.h>

namespace bwgemm::runtime::launch {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {

struct Handler {
  std::mutex mutex;
  bwgemm_error_handler function = nullptr;
  void *user = nullptr;
};

struct ThreadError {
  bool failed = false;   ///< In error state.
  bool reported = false; ///< `message` holds something.
  std::string message;
};

} // namespace

static Handler &handler() {
  static Handler *instance = new Handler;
  return *instance;
}

static ThreadError &threadError() {
  thread_local ThreadError error;
  return error;
}

/// Prints and ends the process. Not by exit(): destructors of the program would
/// run in the middle of a call that holds locks, and module destructors would
/// call back.
static void defaultHandler(const char *message, int status) {
  std::fflush(nullptr);
  std::fprintf(stderr, "bwgemm: error: %s\n", message);
  std::fflush(stderr);
  _exit(status);
}

static void report(const std::string &message, int status) {
  ThreadError &error = threadError();
  error.message = message;
  error.reported = true;
  bwgemm_error_handler function;
  void *user;
  {
    std::lock_guard<std::mutex> lock(handler().mutex);
    function = handler().function;
    user = handler().user;
  }
  if (function)
    function(message.c_str(), status, user);
  else
    defaultHandler(message.c_str(), status);
}

void fail(const std::string &message, int status) {
  threadError().failed = true;
  report(message, status);
}

void warn(const std::string &message, int status) { report(message, status); }

bool inError() { return threadError().failed; }

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {

struct Device {
  std::mutex mutex;
  std::string target;
  int ordinal = -1;
  CUcontext context = nullptr;
  /// The driver, once it and `context` are there.
  std::atomic<const DriverApi *> ready{nullptr};
  unsigned long long hazardsSeen = 0;
};

} // namespace

static Device &device() {
  static Device *instance = new Device;
  return *instance;
}

void noteTarget(const std::string &target) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (device().target.empty())
    device().target = target;
}

void setDefaultDevice(int ordinal) {
  std::lock_guard<std::mutex> lock(device().mutex);
  device().ordinal = ordinal;
}

/// Opens the driver and keeps the primary context, once.
static std::string open(Device &device) {
  if (device.ready)
    return std::string();
  const char *known = bwgemm_emulator_library; // Weak: null if undefined.
  if (known)
    setEmulatorLibrary(known);
  DriverChoice choice;
  choice.target = device.target;
  std::string error;
  const DriverApi *api = loadDriver(choice, error);
  if (!api)
    return error;
  CUdevice ordinal = api->device;
  if (device.ordinal >= 0) {
    error =
        api->check(api->cuDeviceGet(&ordinal, device.ordinal),
                   ("cuDeviceGet of device " + std::to_string(device.ordinal) +
                    " (mgpuSetDefaultDevice)")
                       .c_str());
    if (!error.empty())
      return error;
  }
  error = api->check(api->cuDevicePrimaryCtxRetain(&device.context, ordinal),
                     "cuDevicePrimaryCtxRetain");
  if (error.empty())
    device.ready = api;
  return error;
}

/// A thread's context, while it is kept.
struct KeptContext {
  bool keeping = false, current = false;
};

static KeptContext &keptContext() {
  thread_local KeptContext instance;
  return instance;
}

void keepContext() { keptContext() = {true, false}; }

void releaseContext() {
  if (keptContext().current) {
    CUcontext popped = nullptr;
    (void)device().ready.load()->cuCtxPopCurrent(&popped);
  }
  keptContext() = {};
}

Session::Session(Use use) {
  if (inError() && use != Use::CleanUp)
    return;
  std::string error;
  const DriverApi *driver = device().ready.load();
  if (!driver) {
    std::lock_guard<std::mutex> lock(device().mutex);
    error = open(device());
    driver = device().ready.load();
  }
  if (driver && keptContext().current) {
    api = driver;
    return;
  }
  if (driver) {
    CUresult result = driver->cuCtxPushCurrent(device().context);
    if (result == CUDA_ERROR_DEINITIALIZED && use == Use::Exit)
      return;
    error = driver->check(result, "cuCtxPushCurrent");
  }
  if (!error.empty()) {
    if (use != Use::CleanUp)
      fail(error);
    return;
  }
  api = driver;
  keptContext().current = keptContext().keeping;
  pushed = !keptContext().keeping;
}

Session::~Session() {
  if (!pushed)
    return;
  CUcontext popped = nullptr;
  (void)api->cuCtxPopCurrent(&popped);
}

bool Session::check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return true;
  fail(api->check(result, what),
       isLaunchFault(result) ? BWGEMM_STATUS_FAULT : BWGEMM_STATUS_USAGE);
  return false;
}

bool Session::check(CUresult result, const std::string &what) {
  return check(result, what.c_str());
}

void reportHazards(const DriverApi &driver) {
  if (!driver.emulatorHazardCount)
    return;
  unsigned long long found = driver.emulatorHazardCount(), news = 0;
  {
    std::lock_guard<std::mutex> lock(device().mutex);
    // Fewer than before: the program has reset the report.
    news = found < device().hazardsSeen ? found : found - device().hazardsSeen;
    device().hazardsSeen = found;
  }
  if (news)
    warn("the emulator found " + std::to_string(news) +
             (news == 1 ? " hazard" : " hazards") + ", described above",
         BWGEMM_STATUS_FAULT);
}

} // namespace bwgemm::runtime::launch

using namespace bwgemm::runtime::launch;

extern "C" __attribute__((visibility("default"))) void
bwgemm_set_error_handler(bwgemm_error_handler function, void *user) {
  std::lock_guard<std::mutex> lock(handler().mutex);
  handler().function = function;
  handler().user = user;
}

extern "C" __attribute__((visibility("default"))) void bwgemm_clear_error() {
  threadError() = ThreadError();
}

extern "C" __attribute__((visibility("default"))) const char *
bwgemm_last_error() {
  return threadError().reported ? threadError().message.c_str() : nullptr;
}
