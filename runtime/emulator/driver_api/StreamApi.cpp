//===- StreamApi.cpp - Streams and events -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is done when it is submitted, so every order that streams and events
// may ask for holds already.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static driver::Stream *fromHandle(CUstream handle) {
  return reinterpret_cast<driver::Stream *>(handle);
}
static Event *fromHandle(CUevent handle) {
  return reinterpret_cast<Event *>(handle);
}

/// Null, 1 (legacy) and 2 (per thread) name the default streams.
static bool isStream(State &state, CUstream handle) {
  return reinterpret_cast<uintptr_t>(handle) <= 2 ||
         state.streams.count(fromHandle(handle));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuStreamCreateWithPriority(CUstream *handle, unsigned flags,
                                        int priority) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  auto *stream = new driver::Stream;
  stream->flags = flags;
  stream->priority = std::clamp(priority, -5, 0);
  stream->id = call.state.nextId++;
  call.state.streams.insert(stream);
  *handle = reinterpret_cast<CUstream>(stream);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamCreate(CUstream *handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

static CUresult destroyStream(CUstream handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!call.state.streams.erase(fromHandle(handle)))
    return CUDA_ERROR_INVALID_HANDLE;
  delete fromHandle(handle);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamDestroy(CUstream stream) { return destroyStream(stream); }
BWGEMM_ENTRY cuStreamDestroy_v2(CUstream stream) {
  return destroyStream(stream);
}

/// What waiting for, or asking about, a stream's work comes to.
static CUresult checkStream(CUstream handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return isStream(call.state, handle) ? CUDA_SUCCESS
                                      : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuStreamSynchronize(CUstream stream) {
  return checkStream(stream);
}
BWGEMM_ENTRY cuStreamQuery(CUstream stream) { return checkStream(stream); }

BWGEMM_ENTRY cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return isStream(call.state, stream) &&
                 call.state.events.count(fromHandle(event))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuStreamGetFlags(CUstream handle, unsigned *flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isStream(call.state, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  *flags = call.state.streams.count(fromHandle(handle))
               ? fromHandle(handle)->flags
               : unsigned(CU_STREAM_DEFAULT);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamGetPriority(CUstream handle, int *priority) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!priority)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isStream(call.state, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  *priority = call.state.streams.count(fromHandle(handle))
                  ? fromHandle(handle)->priority
                  : 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamGetId(CUstream handle, unsigned long long *id) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isStream(call.state, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  *id = call.state.streams.count(fromHandle(handle))
            ? fromHandle(handle)->id
            : reinterpret_cast<uintptr_t>(handle);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamGetCtx(CUstream handle, CUcontext *context) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isStream(call.state, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  *context = reinterpret_cast<CUcontext>(call.context);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamIsCapturing(CUstream stream, int *status) {
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  *status = 0;
  return checkStream(stream);
}

BWGEMM_ENTRY cuStreamBeginCapture_v2(CUstream, int) {
  complain("stream capture (CUDA graphs) is not supported");
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

BWGEMM_ENTRY cuLaunchHostFunc(CUstream stream, CUhostFn function,
                              void *userData) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  // The lock is gone by now: the function may call the driver's own functions.
  if (CUresult result = checkStream(stream); result != CUDA_SUCCESS)
    return result;
  function(userData);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuEventCreate(CUevent *handle, unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  auto *event = new Event;
  event->flags = flags;
  call.state.events.insert(event);
  *handle = reinterpret_cast<CUevent>(event);
  return CUDA_SUCCESS;
}

static CUresult destroyEvent(CUevent handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!call.state.events.erase(fromHandle(handle)))
    return CUDA_ERROR_INVALID_HANDLE;
  delete fromHandle(handle);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuEventDestroy(CUevent event) { return destroyEvent(event); }
BWGEMM_ENTRY cuEventDestroy_v2(CUevent event) { return destroyEvent(event); }

BWGEMM_ENTRY cuEventRecordWithFlags(CUevent handle, CUstream stream, unsigned) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!call.state.events.count(fromHandle(handle)) ||
      !isStream(call.state, stream))
    return CUDA_ERROR_INVALID_HANDLE;
  fromHandle(handle)->recorded = true;
  fromHandle(handle)->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

static CUresult checkEvent(CUevent handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return call.state.events.count(fromHandle(handle))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuEventSynchronize(CUevent event) { return checkEvent(event); }
BWGEMM_ENTRY cuEventQuery(CUevent event) { return checkEvent(event); }

/// Host time between two records: how long the emulation took.
static CUresult elapsedTime(float *milliseconds, CUevent startHandle,
                            CUevent endHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Event *start = fromHandle(startHandle), *end = fromHandle(endHandle);
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.events.count(start) || !call.state.events.count(end) ||
      !start->recorded || !end->recorded ||
      (start->flags & CU_EVENT_DISABLE_TIMING) ||
      (end->flags & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuEventElapsedTime(float *milliseconds, CUevent start,
                                CUevent end) {
  return elapsedTime(milliseconds, start, end);
}
BWGEMM_ENTRY cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                                   CUevent end) {
  return elapsedTime(milliseconds, start, end);
}
