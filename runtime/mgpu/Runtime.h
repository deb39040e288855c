//===- Runtime.h - State of the launch runtime ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_MGPU_RUNTIME_H
#define BWGEMM_RUNTIME_MGPU_RUNTIME_H

#include "bwgemm-runtime/Driver.h"
#include "bwgemm-runtime/Launch.h"

#include <mutex>
#include <string>

/// Functions that compiled code and MLIR's runner look up by name. Whether they
/// leave the library is decided by the export list of the shared one; in the
/// static one they stay inside the library it is linked into.
#define BWGEMM_RUNTIME_C extern "C" BWGEMM_RUNTIME_VISIBILITY
#ifdef BWGEMM_RUNTIME_SHARED
#define BWGEMM_RUNTIME_VISIBILITY __attribute__((visibility("default")))
#else
#define BWGEMM_RUNTIME_VISIBILITY __attribute__((visibility("hidden")))
#endif

namespace bwgemm::runtime::launch {

/// Reports a failure as Launch.h says and puts the thread into error state.
void fail(const std::string &message, int status = BWGEMM_STATUS_USAGE);

/// Reports a failure after which the work goes on.
void warn(const std::string &message, int status);

/// True in error state: do nothing.
bool inError();

/// A driver with the primary context current, for the length of a call. False
/// if the thread is in error state or there is no driver, which has then been
/// reported.
class Session {
public:
  /// Work is not done in error state. At Exit a driver that is shutting down is
  /// no error: there is nothing left to do. CleanUp is done in error state too,
  /// and reports nothing.
  enum class Use { Work, Exit, CleanUp };
  explicit Session(Use use = Use::Work);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  explicit operator bool() const { return api != nullptr; }
  const DriverApi &driver() const { return *api; }

  /// Reports a failed result. True if it was CUDA_SUCCESS.
  bool check(CUresult result, const char *what);
  bool check(CUresult result, const std::string &what);

private:
  const DriverApi *api = nullptr;
  bool pushed = false;
};

/// Between these, on one thread, the context stays current once the first
/// Session has made it so; each further one would otherwise push and pop it.
void keepContext();
void releaseContext();

/// Tells which target the code to come was compiled for; the first one counts,
/// and only before the driver is opened.
void noteTarget(const std::string &target);

/// The device ordinal that mgpuSetDefaultDevice named, or -1.
void setDefaultDevice(int ordinal);

/// Reports the hazards that the emulator has found since the last call.
void reportHazards(const DriverApi &driver);

} // namespace bwgemm::runtime::launch

#endif // BWGEMM_RUNTIME_MGPU_RUNTIME_H
