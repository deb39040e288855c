//===- GraphParams.cpp - Nodes and their parameters -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParams.h"

#include "LaunchAttributes.h"

#include <cstring>

namespace bwgemm::emulator::driver {

CUresult makeKernel(State &state, const CUDA_KERNEL_NODE_PARAMS &p,
                    const std::vector<CUlaunchAttribute> &attributes,
                    Work &work) {
  LaunchRequest request;
  request.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  request.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  request.sharedBytes = p.sharedMemBytes;
  for (const CUlaunchAttribute &attribute : attributes)
    if (CUresult result = applyAttribute(state, attribute, request);
        result != CUDA_SUCCESS)
      return result;
  CUfunction function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  KernelWork kernel;
  CUresult result =
      prepareLaunch(state, request, function, p.kernelParams, p.extra, kernel);
  if (result == CUDA_SUCCESS)
    work = std::move(kernel);
  return result;
}

CUDA_KERNEL_NODE_PARAMS fromVersion1(const CUDA_KERNEL_NODE_PARAMS *shorter) {
  CUDA_KERNEL_NODE_PARAMS result = {};
  std::memcpy(static_cast<void *>(&result), shorter,
              offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
  return result;
}

CUresult makeCopy(State &state, const CUDA_MEMCPY3D *p, Work &work) {
  if (!p || !checkCopy(state, *p))
    return CUDA_ERROR_INVALID_VALUE;
  work = CopyWork{*p};
  return CUDA_SUCCESS;
}

CUresult makeSet(State &state, const CUDA_MEMSET_NODE_PARAMS &p, Work &work) {
  SetWork set{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
  if (!checkSet(state, set))
    return CUDA_ERROR_INVALID_VALUE;
  work = set;
  return CUDA_SUCCESS;
}

CUresult makeHost(const CUDA_HOST_NODE_PARAMS *p, Work &work) {
  if (!p || !p->fn)
    return CUDA_ERROR_INVALID_VALUE;
  work = HostWork{p->fn, p->userData};
  return CUDA_SUCCESS;
}

static std::shared_ptr<Event> findEvent(State &state, CUevent handle) {
  auto found = state.events.find(reinterpret_cast<Event *>(handle));
  return found == state.events.end() ? nullptr : found->second;
}

CUresult makeRecord(State &state, CUevent handle, Work &work) {
  std::shared_ptr<Event> event = findEvent(state, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  work = RecordWork{event, 0};
  return CUDA_SUCCESS;
}

CUresult makeWait(State &state, CUevent handle, Work &work) {
  std::shared_ptr<Event> event = findEvent(state, handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  work = WaitWork{event, 0};
  return CUDA_SUCCESS;
}

CUresult makeValues(State &state, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p,
                    Work &work) {
  if (!p || p->count > 256 || (p->count && !p->paramArray) || p->flags)
    return CUDA_ERROR_INVALID_VALUE;
  ValueWork values;
  values.operations.assign(p->paramArray, p->paramArray + p->count);
  if (CUresult result = checkOperations(state, values.operations);
      result != CUDA_SUCCESS)
    return result;
  work = std::move(values);
  return CUDA_SUCCESS;
}

CUresult makeAllocation(State &state, CUDA_MEM_ALLOC_NODE_PARAMS *p,
                        Context *context, Work &work) {
  if (!p || !p->bytesize ||
      p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      p->poolProps.location.id != 0)
    return CUDA_ERROR_INVALID_VALUE;
  auto memory = std::make_shared<GraphMemory>();
  memory->bytes = p->bytesize;
  memory->address =
      newMemory(state, context, p->bytesize, CU_MEMORYTYPE_DEVICE);
  if (!memory->address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  state.memories[memory->address].ofGraph = true;
  p->dptr = memory->address;
  work = AllocateWork{memory, *p};
  return CUDA_SUCCESS;
}

CUresult makeFree(State &state, CUdeviceptr address, Work &work) {
  if (!state.memories.count(address))
    return CUDA_ERROR_INVALID_VALUE;
  work = FreeWork{address};
  return CUDA_SUCCESS;
}

CUresult makeChild(State &state, CUgraph handle, Work &work) {
  Graph *graph = findGraph(state, handle);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Graph> clone = cloneGraph(state, *graph);
  clone->child = true;
  state.graphs[clone.get()] = clone;
  work = ChildWork{clone};
  return CUDA_SUCCESS;
}

CUresult makeWork(State &state, CUgraphNodeParams *p, Context *context,
                  Work &work) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return makeKernel(state, p->kernel, {}, work);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return makeCopy(state, &p->memcpy.copyParams, work);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return makeSet(state, p->memset, work);
  case CU_GRAPH_NODE_TYPE_HOST:
    return makeHost(&p->host, work);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return makeChild(state, p->graph.graph, work);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    work = EmptyWork{};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return makeWait(state, p->event.event, work);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return makeRecord(state, p->event.event, work);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return makeAllocation(state, &p->alloc, context, work);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return makeFree(state, p->free.dptr, work);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return makeValues(state, &p->memOp, work);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    return notSupported("a graph node for an external semaphore",
                        "there is no other device to share one with");
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return notSupported("a conditional graph node",
                        "kernels cannot set its condition");
  }
  return CUDA_ERROR_INVALID_VALUE;
}

bool sameKind(const Work &before, const Work &after) {
  if (before.index() != after.index())
    return false;
  if (auto *a = std::get_if<AllocateWork>(&before))
    return a->memory->bytes == std::get<AllocateWork>(after).memory->bytes;
  if (auto *a = std::get_if<ChildWork>(&before))
    return a->graph->nodes.size() ==
           std::get<ChildWork>(after).graph->nodes.size();
  return true;
}

} // namespace bwgemm::emulator::driver
