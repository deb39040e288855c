//===- GraphNodeApi.cpp - Nodes of each kind --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParams.h"
#include "LaunchAttributes.h"

#include <algorithm>
#include <cstring>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

/// Checks graph and dependencies, makes the work with `make` and adds the node.
template <typename Make>
static CUresult add(CUgraphNode *result, CUgraph graphHandle,
                    const CUgraphNode *dependencies,
                    const CUgraphEdgeData *data, size_t count, Make make) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, graphHandle);
  if (!result || !graph || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node *> before;
  for (size_t i = 0; i < count; ++i) {
    Node *node = findNode(call.state, dependencies[i]);
    if (!node || node->graph != graph ||
        std::find(before.begin(), before.end(), node) != before.end())
      return CUDA_ERROR_INVALID_VALUE;
    before.push_back(node);
  }
  Work work;
  if (CUresult status = make(call, work); status != CUDA_SUCCESS)
    return status;
  Node *node = addNode(call.state, *graph, std::move(work), before);
  for (size_t i = 0; data && i < count; ++i) {
    node->dependencies[i].data = data[i];
    before[i]->dependents.back().data = data[i];
  }
  *result = reinterpret_cast<CUgraphNode>(node);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *before, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeKernel(call.state, *p, {}, work);
  });
}
BWGEMM_ENTRY cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *before, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS longer = fromVersion1(p);
  return cuGraphAddKernelNode_v2(node, graph, before, count, &longer);
}

BWGEMM_ENTRY cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *before, size_t count,
                                  const CUDA_MEMCPY3D *p, CUcontext) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeCopy(call.state, p, work);
  });
}

BWGEMM_ENTRY cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *before, size_t count,
                                  const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeSet(call.state, *p, work);
  });
}

BWGEMM_ENTRY cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *before, size_t count,
                                const CUDA_HOST_NODE_PARAMS *p) {
  return add(node, graph, before, nullptr, count,
             [&](Call &, Work &work) { return makeHost(p, work); });
}

BWGEMM_ENTRY cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *before, size_t count) {
  return add(node, graph, before, nullptr, count,
             [](Call &, Work &) { return CUDA_SUCCESS; });
}

BWGEMM_ENTRY cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *before, size_t count,
                                      CUgraph child) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeChild(call.state, child, work);
  });
}

BWGEMM_ENTRY cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                       const CUgraphNode *before, size_t count,
                                       CUevent event) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeRecord(call.state, event, work);
  });
}

BWGEMM_ENTRY cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *before, size_t count,
                                     CUevent event) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeWait(call.state, event, work);
  });
}

BWGEMM_ENTRY cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                    const CUgraphNode *before, size_t count,
                                    CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeAllocation(call.state, p, call.context, work);
  });
}

BWGEMM_ENTRY cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *before, size_t count,
                                   CUdeviceptr address) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeFree(call.state, address, work);
  });
}

BWGEMM_ENTRY cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *before, size_t count,
                                      const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return add(node, graph, before, nullptr, count, [&](Call &call, Work &work) {
    return makeValues(call.state, p, work);
  });
}

BWGEMM_ENTRY cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *before,
                               const CUgraphEdgeData *data, size_t count,
                               CUgraphNodeParams *p) {
  return add(node, graph, before, data, count, [&](Call &call, Work &work) {
    return makeWork(call.state, p, call.context, work);
  });
}
BWGEMM_ENTRY cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *before, size_t count,
                            CUgraphNodeParams *p) {
  return cuGraphAddNode_v2(node, graph, before, nullptr, count, p);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Calls `read(work)` with the node's work if it is a `T`.
template <typename T, typename Read>
static CUresult get(CUgraphNode handle, const void *result, Read read) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node || !result)
    return CUDA_ERROR_INVALID_VALUE;
  auto *work = std::get_if<T>(&node->work);
  if (!work)
    return CUDA_ERROR_INVALID_VALUE;
  read(*node, *work);
  return CUDA_SUCCESS;
}

static void readKernel(Node &node, KernelWork &work,
                       CUDA_KERNEL_NODE_PARAMS &p) {
  p = CUDA_KERNEL_NODE_PARAMS();
  p.func = reinterpret_cast<CUfunction>(work.handle);
  p.gridDimX = work.request.grid.x;
  p.gridDimY = work.request.grid.y;
  p.gridDimZ = work.request.grid.z;
  p.blockDimX = work.request.block.x;
  p.blockDimY = work.request.block.y;
  p.blockDimZ = work.request.block.z;
  p.sharedMemBytes = work.request.sharedBytes;
  // Pointers to the node's own copies, valid while the node does not change.
  node.parameterPointers.clear();
  for (const ParamInfo &parameter : work.function.kernel->params)
    node.parameterPointers.push_back(work.config.params.data() +
                                     parameter.offset);
  p.kernelParams = node.parameterPointers.data();
}

BWGEMM_ENTRY cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                                           CUDA_KERNEL_NODE_PARAMS *p) {
  return get<KernelWork>(handle, p, [&](Node &node, KernelWork &work) {
    readKernel(node, work, *p);
  });
}
BWGEMM_ENTRY cuGraphKernelNodeGetParams(CUgraphNode handle,
                                        CUDA_KERNEL_NODE_PARAMS *p) {
  return get<KernelWork>(handle, p, [&](Node &node, KernelWork &work) {
    CUDA_KERNEL_NODE_PARAMS longer;
    readKernel(node, work, longer);
    std::memcpy(static_cast<void *>(p), &longer,
                offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
  });
}

BWGEMM_ENTRY cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *p) {
  return get<CopyWork>(handle, p,
                       [&](Node &, CopyWork &work) { *p = work.copy; });
}

BWGEMM_ENTRY cuGraphMemsetNodeGetParams(CUgraphNode handle,
                                        CUDA_MEMSET_NODE_PARAMS *p) {
  // The first version, which ends before the context.
  return get<SetWork>(handle, p, [&](Node &, SetWork &work) {
    p->dst = work.to;
    p->pitch = work.pitch;
    p->value = work.value;
    p->elementSize = work.elementBytes;
    p->width = work.width;
    p->height = work.height;
  });
}

BWGEMM_ENTRY cuGraphHostNodeGetParams(CUgraphNode handle,
                                      CUDA_HOST_NODE_PARAMS *p) {
  return get<HostWork>(handle, p, [&](Node &, HostWork &work) {
    *p = {work.function, work.data};
  });
}

BWGEMM_ENTRY cuGraphEventRecordNodeGetEvent(CUgraphNode handle,
                                            CUevent *event) {
  return get<RecordWork>(handle, event, [&](Node &, RecordWork &work) {
    *event = reinterpret_cast<CUevent>(work.event.get());
  });
}

BWGEMM_ENTRY cuGraphEventWaitNodeGetEvent(CUgraphNode handle, CUevent *event) {
  return get<WaitWork>(handle, event, [&](Node &, WaitWork &work) {
    *event = reinterpret_cast<CUevent>(work.event.get());
  });
}

BWGEMM_ENTRY cuGraphMemAllocNodeGetParams(CUgraphNode handle,
                                          CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  return get<AllocateWork>(
      handle, p, [&](Node &, AllocateWork &work) { *p = work.parameters; });
}

BWGEMM_ENTRY cuGraphMemFreeNodeGetParams(CUgraphNode handle,
                                         CUdeviceptr *address) {
  return get<FreeWork>(handle, address, [&](Node &, FreeWork &work) {
    *address = work.address;
  });
}

BWGEMM_ENTRY cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
                                            CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return get<ValueWork>(handle, p, [&](Node &, ValueWork &work) {
    *p = {nullptr, unsigned(work.operations.size()), work.operations.data(), 0};
  });
}

//===----------------------------------------------------------------------===//
// Changing, in the graph or in what was instantiated from it
//===----------------------------------------------------------------------===//

/// The node to change: that of the graph, or its copy in `execHandle`.
static Node *nodeToChange(State &state, CUgraphExec execHandle, bool inExec,
                          CUgraphNode handle) {
  Node *node = findNode(state, handle);
  if (!inExec || !node)
    return node;
  auto found = state.graphExecs.find(reinterpret_cast<GraphExec *>(execHandle));
  if (found == state.graphExecs.end())
    return nullptr;
  for (Node *copy : found->second->order)
    if (copy->clonedFrom == node->id)
      return copy;
  return nullptr;
}

/// Makes new work with `make` and gives it to the node.
template <typename Make>
static CUresult change(CUgraphExec exec, bool inExec, CUgraphNode handle,
                       Make make) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Node *node = nodeToChange(call.state, exec, inExec, handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  Work work;
  if (CUresult result = make(call, *node, work); result != CUDA_SUCCESS)
    return result;
  if (!sameKind(node->work, work))
    return CUDA_ERROR_INVALID_VALUE;
  node->work = std::move(work);
  return CUDA_SUCCESS;
}

static CUresult changeKernel(CUgraphExec exec, bool inExec, CUgraphNode node,
                             const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  return change(exec, inExec, node, [&](Call &call, Node &node, Work &work) {
    auto *before = std::get_if<KernelWork>(&node.work);
    if (!before)
      return CUDA_ERROR_INVALID_VALUE;
    return makeKernel(call.state, *p, before->request.attributes, work);
  });
}

BWGEMM_ENTRY cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *p) {
  return changeKernel(nullptr, false, node, p);
}
BWGEMM_ENTRY cuGraphKernelNodeSetParams(CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS longer = fromVersion1(p);
  return changeKernel(nullptr, false, node, &longer);
}
BWGEMM_ENTRY
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *p) {
  return changeKernel(exec, true, node, p);
}
BWGEMM_ENTRY cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS longer = fromVersion1(p);
  return changeKernel(exec, true, node, &longer);
}

BWGEMM_ENTRY cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                        const CUDA_MEMCPY3D *p) {
  return change(nullptr, false, node, [&](Call &call, Node &, Work &work) {
    return makeCopy(call.state, p, work);
  });
}
BWGEMM_ENTRY cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_MEMCPY3D *p, CUcontext) {
  return change(exec, true, node, [&](Call &call, Node &, Work &work) {
    return makeCopy(call.state, p, work);
  });
}

static CUresult changeSet(CUgraphExec exec, bool inExec, CUgraphNode node,
                          const CUDA_MEMSET_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  return change(exec, inExec, node, [&](Call &call, Node &, Work &work) {
    return makeSet(call.state, *p, work);
  });
}
BWGEMM_ENTRY cuGraphMemsetNodeSetParams(CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *p) {
  return changeSet(nullptr, false, node, p);
}
BWGEMM_ENTRY cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_MEMSET_NODE_PARAMS *p,
                                            CUcontext) {
  return changeSet(exec, true, node, p);
}

BWGEMM_ENTRY cuGraphHostNodeSetParams(CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *p) {
  return change(nullptr, false, node,
                [&](Call &, Node &, Work &work) { return makeHost(p, work); });
}
BWGEMM_ENTRY cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                          const CUDA_HOST_NODE_PARAMS *p) {
  return change(exec, true, node,
                [&](Call &, Node &, Work &work) { return makeHost(p, work); });
}

BWGEMM_ENTRY cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return change(nullptr, false, node, [&](Call &call, Node &, Work &work) {
    return makeRecord(call.state, event, work);
  });
}
BWGEMM_ENTRY cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec,
                                                CUgraphNode node,
                                                CUevent event) {
  return change(exec, true, node, [&](Call &call, Node &, Work &work) {
    return makeRecord(call.state, event, work);
  });
}
BWGEMM_ENTRY cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return change(nullptr, false, node, [&](Call &call, Node &, Work &work) {
    return makeWait(call.state, event, work);
  });
}
BWGEMM_ENTRY cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec,
                                              CUgraphNode node, CUevent event) {
  return change(exec, true, node, [&](Call &call, Node &, Work &work) {
    return makeWait(call.state, event, work);
  });
}

BWGEMM_ENTRY
cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                               const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return change(nullptr, false, node, [&](Call &call, Node &, Work &work) {
    return makeValues(call.state, p, work);
  });
}
BWGEMM_ENTRY
cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return change(exec, true, node, [&](Call &call, Node &, Work &work) {
    return makeValues(call.state, p, work);
  });
}

BWGEMM_ENTRY cuGraphExecChildGraphNodeSetParams(CUgraphExec exec,
                                                CUgraphNode node,
                                                CUgraph child) {
  return change(exec, true, node, [&](Call &call, Node &, Work &work) {
    return makeChild(call.state, child, work);
  });
}

static CUresult changeAny(CUgraphExec exec, bool inExec, CUgraphNode node,
                          CUgraphNodeParams *p) {
  return change(exec, inExec, node, [&](Call &call, Node &node, Work &work) {
    if (!p || p->type != node.type())
      return CUDA_ERROR_INVALID_VALUE;
    return makeWork(call.state, p, call.context, work);
  });
}
BWGEMM_ENTRY cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p) {
  return changeAny(nullptr, false, node, p);
}
BWGEMM_ENTRY cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      CUgraphNodeParams *p) {
  return changeAny(exec, true, node, p);
}

//===----------------------------------------------------------------------===//
// Attributes of kernel nodes
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuGraphKernelNodeGetAttribute(CUgraphNode handle, int attribute,
                                           CUlaunchAttributeValue *value) {
  return get<KernelWork>(handle, value, [&](Node &, KernelWork &work) {
    *value = CUlaunchAttributeValue{};
    for (const CUlaunchAttribute &set : work.request.attributes)
      if (set.id == attribute)
        *value = set.value;
  });
}

/// The kernel again, with other attributes.
static CUresult withAttributes(State &state, Node &node,
                               const std::vector<CUlaunchAttribute> &list) {
  auto &before = std::get<KernelWork>(node.work);
  CUDA_KERNEL_NODE_PARAMS p;
  readKernel(node, before, p);
  Work work;
  CUresult result = makeKernel(state, p, list, work);
  if (result == CUDA_SUCCESS)
    node.work = std::move(work);
  return result;
}

BWGEMM_ENTRY
cuGraphKernelNodeSetAttribute(CUgraphNode handle, int attribute,
                              const CUlaunchAttributeValue *value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node || !value || !std::holds_alternative<KernelWork>(node->work))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUlaunchAttribute> list =
      std::get<KernelWork>(node->work).request.attributes;
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const CUlaunchAttribute &set) {
                              return set.id == attribute;
                            }),
             list.end());
  CUlaunchAttribute added = {};
  added.id = CUlaunchAttributeID(attribute);
  added.value = *value;
  list.push_back(added);
  return withAttributes(call.state, *node, list);
}

BWGEMM_ENTRY cuGraphKernelNodeCopyAttributes(CUgraphNode toHandle,
                                             CUgraphNode fromHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Node *to = findNode(call.state, toHandle);
  Node *from = findNode(call.state, fromHandle);
  if (!to || !from || !std::holds_alternative<KernelWork>(to->work) ||
      !std::holds_alternative<KernelWork>(from->work))
    return CUDA_ERROR_INVALID_VALUE;
  return withAttributes(call.state, *to,
                        std::get<KernelWork>(from->work).request.attributes);
}
