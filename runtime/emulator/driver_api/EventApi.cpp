//===- EventApi.cpp - Events ------------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Stream.h"

#include <algorithm>
#include <thread>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static std::shared_ptr<Event> findEvent(State &state, CUevent handle) {
  auto found = state.events.find(reinterpret_cast<Event *>(handle));
  return found == state.events.end() ? nullptr : found->second;
}

BWGEMM_ENTRY cuEventCreate(CUevent *handle, unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  // Events of several processes have no times.
  if (!handle || flags > 7 ||
      ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  auto event = std::make_shared<Event>();
  event->context = call.context;
  event->flags = flags;
  *handle = reinterpret_cast<CUevent>(event.get());
  call.state.events[event.get()] = event;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuEventDestroy_v2(CUevent handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  // Work that refers to it keeps the object.
  return call.state.events.erase(reinterpret_cast<Event *>(handle))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}
BWGEMM_ENTRY cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

//===----------------------------------------------------------------------===//
// Recording and waiting
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuEventRecordWithFlags(CUevent handle, CUstream streamHandle,
                                    unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (flags > CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Event> event = findEvent(call.state, handle);
  auto stream = findStream(call.state, call.context, streamHandle);
  if (!event || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    if (flags)
      return submit(call, stream, RecordWork{event, 0});
    if (stream->capture->invalidated)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    // No work: the event stands for what the stream has come to.
    event->capture = stream->capture;
    event->captured = true;
    event->dependencies = stream->dependencies;
    return CUDA_SUCCESS;
  }
  // Outside of a capture there is no graph whose node it could become.
  if (flags)
    return CUDA_ERROR_ILLEGAL_STATE;
  event->captured = false;
  uint64_t ticket = ++event->recorded;
  return submit(call, stream, RecordWork{event, ticket});
}

BWGEMM_ENTRY cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

/// The stream goes on after what a captured event stands for; a stream that was
/// not captured joins the capture.
static CUresult waitInCapture(State &state, driver::Stream &stream,
                              const Event &event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture || !state.captures.count(capture)) {
    // Recorded in a capture that has ended.
    if (stream.capture)
      invalidate(*stream.capture);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream.legacy) {
    invalidate(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream.capture && stream.capture != capture) {
    invalidate(*stream.capture);
    invalidate(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (capture->invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!stream.capture) {
    stream.capture = capture;
    stream.dependencies.clear();
    capture->streams.push_back(&stream);
  }
  for (Node *node : event.dependencies)
    if (state.nodes.count(node) &&
        std::find(stream.dependencies.begin(), stream.dependencies.end(),
                  node) == stream.dependencies.end())
      stream.dependencies.push_back(node);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamWaitEvent(CUstream streamHandle, CUevent handle,
                               unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (flags > CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Event> event = findEvent(call.state, handle);
  auto stream = findStream(call.state, call.context, streamHandle);
  if (!event || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags && !stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (event->captured)
    return waitInCapture(call.state, *stream, *event);
  if (stream->capture) {
    if (flags)
      return submit(call, stream, WaitWork{event, 0});
    if (stream->capture->invalidated)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    // The graph would depend on work outside of it.
    invalidate(*stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (!event->recorded)
    return CUDA_SUCCESS;
  return submit(call, stream, WaitWork{event, event->recorded});
}

/// What a question about an event that was recorded in a capture comes to.
static CUresult refuseCaptured(State &state, const Event &event) {
  if (!event.captured)
    return CUDA_SUCCESS;
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture || !state.captures.count(capture))
    return CUDA_ERROR_INVALID_VALUE;
  invalidate(*capture);
  return CUDA_ERROR_CAPTURED_EVENT;
}

BWGEMM_ENTRY cuEventQuery(CUevent handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<Event> event = findEvent(call.state, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCaptured(call.state, *event);
      result != CUDA_SUCCESS)
    return result;
  pump(call);
  if (call.context->sticky != CUDA_SUCCESS)
    return call.context->sticky;
  return event->completed < event->recorded ? CUDA_ERROR_NOT_READY
                                            : CUDA_SUCCESS;
}

BWGEMM_ENTRY cuEventSynchronize(CUevent handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<Event> event = findEvent(call.state, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCaptured(call.state, *event);
      result != CUDA_SUCCESS)
    return result;
  uint64_t ticket = event->recorded;
  // A wait of its own in a stream of its own.
  auto waiter = std::make_shared<driver::Stream>();
  waiter->context = call.context;
  waiter->flags = CU_STREAM_NON_BLOCKING;
  if (event->completed < ticket) {
    call.state.streams[waiter.get()] = waiter;
    (void)submit(call, waiter, WaitWork{event, ticket});
    CUresult result = drain(call, waiter);
    call.state.streams.erase(waiter.get());
    return result;
  }
  return call.context->sticky;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Host time between two records: how long the emulation took.
BWGEMM_ENTRY cuEventElapsedTime_v2(float *milliseconds, CUevent startHandle,
                                   CUevent endHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<Event> start = findEvent(call.state, startHandle);
  std::shared_ptr<Event> end = findEvent(call.state, endHandle);
  if (!start || !end || (start->flags & CU_EVENT_DISABLE_TIMING) ||
      (end->flags & CU_EVENT_DISABLE_TIMING) || !start->recorded ||
      !end->recorded || start->captured || end->captured || !milliseconds)
    return CUDA_ERROR_INVALID_HANDLE; // For a null result too, on an H200.
  pump(call);
  if (start->completed < start->recorded || end->completed < end->recorded)
    return CUDA_ERROR_NOT_READY;
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuEventElapsedTime(float *milliseconds, CUevent start,
                                CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

//===----------------------------------------------------------------------===//
// All streams of a context
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuCtxSynchronize() {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  CUresult refused = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture> &capture : state.captures)
    for (driver::Stream *stream : capture->streams)
      if (stream->context == call.context) {
        invalidate(*capture);
        refused = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      }
  if (refused != CUDA_SUCCESS)
    return refused;
  std::vector<std::shared_ptr<driver::Stream>> streams;
  for (auto &[pointer, stream] : state.streams)
    if (stream->context == call.context)
      streams.push_back(stream);
  if (call.context->legacyStream)
    streams.push_back(call.context->legacyStream);
  for (auto &[thread, stream] : call.context->threadStreams)
    streams.push_back(stream);
  for (const std::shared_ptr<driver::Stream> &stream : streams)
    if (CUresult result = drain(call, stream); result != CUDA_SUCCESS)
      return result;
  return call.context->sticky;
}

BWGEMM_ENTRY cuCtxSynchronize_v2(CUcontext handle) {
  {
    Call call(Needs::Initialised);
    if (!call)
      return call.status;
    auto *context = reinterpret_cast<Context *>(handle);
    if (!call.state.alive(context))
      return CUDA_ERROR_INVALID_CONTEXT;
    contextStack().push_back(context);
  }
  CUresult result = cuCtxSynchronize();
  Call call(Needs::Initialised);
  contextStack().pop_back();
  return result;
}
