//===- CaptureApi.cpp - Turning streams into graphs -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a stream is captured, what is submitted to it becomes nodes of a graph
// (CUDA Programming Guide, "Creating a Graph Using Stream Capture"). The
// results of wrong calls are those of an H200.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Stream.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static CUresult beginCapture(CUstream handle, CUgraph graphHandle,
                             const CUgraphNode *dependencies, size_t count,
                             CUstreamCaptureMode mode, bool toGraph) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->legacy)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  std::vector<Node *> first;
  if (toGraph) {
    auto found = state.graphs.find(reinterpret_cast<Graph *>(graphHandle));
    if (found == state.graphs.end())
      return CUDA_ERROR_INVALID_VALUE;
    capture->graph = found->second;
    capture->ownsGraph = false;
    for (size_t i = 0; i < count; ++i) {
      Node *node = findNode(state, dependencies[i]);
      if (!node || node->graph != found->first)
        return CUDA_ERROR_INVALID_VALUE;
      first.push_back(node);
    }
  } else {
    // Known from the start: cuStreamGetCaptureInfo hands it out.
    capture->graph = std::make_shared<Graph>();
    state.graphs[capture->graph.get()] = capture->graph;
  }
  capture->id = state.nextId++;
  capture->mode = mode;
  capture->thread = threadId();
  capture->origin = stream.get();
  capture->streams = {stream.get()};
  stream->capture = capture;
  stream->dependencies = first;
  state.captures.insert(capture);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamBeginCapture_v2(CUstream stream,
                                     CUstreamCaptureMode mode) {
  return beginCapture(stream, nullptr, nullptr, 0, mode, false);
}
BWGEMM_ENTRY cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
BWGEMM_ENTRY cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                         const CUgraphNode *dependencies,
                                         const CUgraphEdgeData *, size_t count,
                                         CUstreamCaptureMode mode) {
  return beginCapture(stream, graph, dependencies, count, mode, true);
}

/// Whether every stream that was forked has been joined: what it came to last
/// lies before what the origin came to.
static bool allJoined(const Capture &capture) {
  std::set<Node *> before;
  std::vector<Node *> open(capture.origin->dependencies);
  while (!open.empty()) {
    Node *node = open.back();
    open.pop_back();
    if (!before.insert(node).second)
      continue;
    for (const Edge &edge : node->dependencies)
      open.push_back(edge.node);
  }
  for (driver::Stream *stream : capture.streams)
    for (Node *node : stream->dependencies)
      if (!before.count(node))
        return false;
  return true;
}

BWGEMM_ENTRY cuStreamEndCapture(CUstream handle, CUgraph *result) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  *result = nullptr;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != threadId())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  if (capture->origin != stream.get()) {
    invalidate(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult status = capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                    : allJoined(*capture) ? CUDA_SUCCESS
                                          : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  for (driver::Stream *member : capture->streams) {
    member->capture.reset();
    member->dependencies.clear();
  }
  state.captures.erase(capture);
  if (status == CUDA_SUCCESS) {
    *result = reinterpret_cast<CUgraph>(capture->graph.get());
    return CUDA_SUCCESS;
  }
  if (capture->ownsGraph)
    forgetGraph(call, capture->graph);
  return status;
}

BWGEMM_ENTRY cuStreamIsCapturing(CUstream handle,
                                 CUstreamCaptureStatus *status) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = !stream->capture ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->invalidated
                ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamGetCaptureInfo_v3(CUstream handle,
                                       CUstreamCaptureStatus *status,
                                       uint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies,
                                       const CUgraphEdgeData **edges,
                                       size_t *count) {
  CUresult result = cuStreamIsCapturing(handle, status);
  if (result != CUDA_SUCCESS || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return result;
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream || !stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = reinterpret_cast<CUgraph>(stream->capture->graph.get());
  // Valid until the stream's dependencies change, as documented.
  if (dependencies)
    *dependencies =
        reinterpret_cast<const CUgraphNode *>(stream->dependencies.data());
  if (edges)
    *edges = nullptr;
  if (count)
    *count = stream->dependencies.size();
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuStreamGetCaptureInfo_v2(CUstream stream,
                                       CUstreamCaptureStatus *status,
                                       uint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies,
                                       size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies,
                                   nullptr, count);
}
BWGEMM_ENTRY cuStreamGetCaptureInfo(CUstream stream,
                                    CUstreamCaptureStatus *status,
                                    uint64_t *id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr,
                                   nullptr, nullptr);
}

BWGEMM_ENTRY cuStreamUpdateCaptureDependencies_v2(CUstream handle,
                                                  CUgraphNode *dependencies,
                                                  const CUgraphEdgeData *,
                                                  size_t count,
                                                  unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  std::vector<Node *> list;
  if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES)
    list = stream->dependencies;
  for (size_t i = 0; i < count; ++i) {
    Node *node = findNode(call.state, dependencies[i]);
    if (!node || node->graph != stream->capture->graph.get())
      return CUDA_ERROR_INVALID_VALUE;
    if (std::find(list.begin(), list.end(), node) == list.end())
      list.push_back(node);
  }
  stream->dependencies = std::move(list);
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuStreamUpdateCaptureDependencies(CUstream stream,
                                               CUgraphNode *dependencies,
                                               size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr,
                                              count, flags);
}

BWGEMM_ENTRY cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, threadCaptureMode());
  return CUDA_SUCCESS;
}
