//===- Calls.h - Calls of compiled functions --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a compiled function puts all its work into one stream and waits for
// it once, at its end; or, if the program has named a stream of its own, not at
// all. What runs outside of any call (MLIR's runner, tests) uses the default
// stream and waits at once.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_MGPU_CALLS_H
#define BWGEMM_RUNTIME_MGPU_CALLS_H

#include "Runtime.h"

namespace bwgemm::runtime::launch {

/// Whether the calling thread is in a call of a compiled function.
bool inCall();

/// Whether the calling thread's work goes to a stream of the program's.
bool usesCallersStream();

/// The stream of the running call, made if need be; the default stream outside
/// of calls. False on failure, which is reported.
bool streamOfCall(Session &session, CUstream &stream);

/// Remembers, for errors, a kernel that was launched in `stream`.
void noteLaunch(CUstream stream, CUfunction function);

/// Waits for what the running call has put into its stream (outside of calls:
/// for the default stream), names its kernels if that fails, and reports
/// hazards. True if all is well.
bool waitForCall(Session &session);

/// The same outside of calls; in one, the wait at its end will do.
bool waitOutsideCalls(Session &session);

/// Device memory, aligned to 256 bytes, for use in stream order: what is freed
/// is there for later work of any stream.
CUresult allocateInOrder(const DriverApi &driver, CUstream stream, size_t bytes,
                         CUdeviceptr &address);
CUresult freeInOrder(const DriverApi &driver, CUstream stream,
                     CUdeviceptr address);

/// Streams that are not in use. Creating one costs more than a small kernel.
/// Null on failure, which is reported.
CUstream takeStream(Session &session);
void giveBackStream(CUstream stream);

/// While it lives, the driver allows this thread what it would refuse while a
/// stream is captured: loading modules and making memory pools.
class AllowWhileCapturing {
public:
  explicit AllowWhileCapturing(const DriverApi &driver) : driver(driver) {
    (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~AllowWhileCapturing() {
    (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  AllowWhileCapturing(const AllowWhileCapturing &) = delete;

private:
  const DriverApi &driver;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace bwgemm::runtime::launch

#endif // BWGEMM_RUNTIME_MGPU_CALLS_H
