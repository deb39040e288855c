//===- UserObjectApi.cpp - Objects that live as long as a graph -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static std::shared_ptr<UserObject> findObject(State &state,
                                              CUuserObject handle) {
  auto found = state.userObjects.find(reinterpret_cast<UserObject *>(handle));
  return found == state.userObjects.end() ? nullptr : found->second;
}

BWGEMM_ENTRY cuUserObjectCreate(CUuserObject *handle, void *pointer,
                                CUhostFn destroy, unsigned references,
                                unsigned flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  // The one flag there is has to be given.
  if (!handle || !destroy || !references || references > 0x7fffffff ||
      flags != 1)
    return CUDA_ERROR_INVALID_VALUE;
  auto object = std::make_shared<UserObject>();
  object->pointer = pointer;
  object->destroy = destroy;
  object->references = references;
  *handle = reinterpret_cast<CUuserObject>(object.get());
  call.state.userObjects[object.get()] = object;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuUserObjectRetain(CUuserObject handle, unsigned count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<UserObject> object = findObject(call.state, handle);
  if (!object || !count || count > 0x7fffffff - object->references)
    return CUDA_ERROR_INVALID_VALUE;
  object->references += count;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuUserObjectRelease(CUuserObject handle, unsigned count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<UserObject> object = findObject(call.state, handle);
  if (!object || !count || count > object->references)
    return CUDA_ERROR_INVALID_VALUE;
  releaseUserObjects(call, {{object, count}});
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphRetainUserObject(CUgraph graphHandle, CUuserObject handle,
                                     unsigned count, unsigned flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<UserObject> object = findObject(call.state, handle);
  Graph *graph = findGraph(call.state, graphHandle);
  // With the flag (1) the caller's references become the graph's.
  if (!graph || !object || !count || flags > 1 ||
      count > 0x7fffffff - object->references)
    return CUDA_ERROR_INVALID_VALUE;
  if (!flags)
    object->references += count;
  graph->userObjects[object] += count;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphReleaseUserObject(CUgraph graphHandle, CUuserObject handle,
                                      unsigned count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<UserObject> object = findObject(call.state, handle);
  Graph *graph = findGraph(call.state, graphHandle);
  if (!graph || !object || !count)
    return CUDA_ERROR_INVALID_VALUE;
  auto held = graph->userObjects.find(object);
  if (held == graph->userObjects.end() || held->second < count)
    return CUDA_ERROR_INVALID_VALUE;
  held->second -= count;
  if (!held->second)
    graph->userObjects.erase(held);
  releaseUserObjects(call, {{object, count}});
  return CUDA_SUCCESS;
}
