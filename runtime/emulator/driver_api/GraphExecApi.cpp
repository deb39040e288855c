//===- GraphExecApi.cpp - Instantiating and launching graphs ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParams.h"

#include <algorithm>
#include <cstdio>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static std::shared_ptr<GraphExec> findExec(State &state, CUgraphExec handle) {
  auto found = state.graphExecs.find(reinterpret_cast<GraphExec *>(handle));
  return found == state.graphExecs.end() ? nullptr : found->second;
}

/// Whether a graph and those inside of it have an order.
static bool hasOrder(const Graph &graph) {
  if (!topologicalOrder(graph))
    return false;
  for (const std::unique_ptr<Node> &node : graph.nodes)
    if (auto *child = std::get_if<ChildWork>(&node->work))
      if (!hasOrder(*child->graph))
        return false;
  return true;
}

static CUresult instantiate(CUgraphExec *handle, CUgraph graphHandle,
                            uint64_t flags, CUgraphInstantiateResult *reason) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, graphHandle);
  if (!handle || !graph || flags > 15)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
    if (reason)
      *reason = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    return notSupported("a graph that kernels launch",
                        "kernels cannot reach the driver");
  }
  if (!hasOrder(*graph)) {
    if (reason)
      *reason = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto exec = std::make_shared<GraphExec>();
  exec->graph = cloneGraph(call.state, *graph);
  exec->order = *topologicalOrder(*exec->graph);
  exec->flags = flags;
  *handle = reinterpret_cast<CUgraphExec>(exec.get());
  call.state.graphExecs[exec.get()] = exec;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long flags) {
  return instantiate(exec, graph, flags, nullptr);
}

BWGEMM_ENTRY
cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  if (!parameters)
    return CUDA_ERROR_INVALID_VALUE;
  parameters->hErrNode_out = nullptr;
  parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUresult result =
      instantiate(exec, graph, parameters->flags, &parameters->result_out);
  if (result != CUDA_SUCCESS &&
      parameters->result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS)
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

BWGEMM_ENTRY cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph,
                                   CUgraphNode *errorNode, char *log,
                                   size_t bytes) {
  if (errorNode)
    *errorNode = nullptr;
  CUgraphInstantiateResult reason = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUresult result = instantiate(exec, graph, 0, &reason);
  if (log && bytes)
    std::snprintf(log, bytes, "%s",
                  reason == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                      ? "the graph has a cycle"
                      : "");
  return result;
}
BWGEMM_ENTRY cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                CUgraphNode *errorNode, char *log,
                                size_t bytes) {
  return cuGraphInstantiate_v2(exec, graph, errorNode, log, bytes);
}

BWGEMM_ENTRY cuGraphExecDestroy(CUgraphExec handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<GraphExec> exec = findExec(call.state, handle);
  if (!exec)
    return CUDA_ERROR_INVALID_VALUE;
  call.state.graphExecs.erase(exec.get());
  forgetGraph(call, exec->graph);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphExecGetFlags(CUgraphExec handle, uint64_t *flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  std::shared_ptr<GraphExec> exec = findExec(call.state, handle);
  if (!exec || !flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphUpload(CUgraphExec handle, CUstream stream) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!findExec(call.state, handle))
    return CUDA_ERROR_INVALID_VALUE;
  return findStream(call.state, call.context, stream)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

BWGEMM_ENTRY cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<GraphExec> exec = findExec(call.state, handle);
  if (!exec)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, streamHandle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    // A graph in a graph.
    std::shared_ptr<Graph> child = cloneGraph(call.state, *exec->graph);
    child->child = true;
    call.state.graphs[child.get()] = child;
    return submit(call, stream, ChildWork{child});
  }
  return submitGraph(call, stream, exec->order);
}

//===----------------------------------------------------------------------===//
// Updating
//===----------------------------------------------------------------------===//

/// Compares two graphs node by node, in order of creation.
static CUgraphExecUpdateResult compare(const Graph &have, const Graph &want,
                                       Node *&at) {
  at = nullptr;
  if (have.nodes.size() != want.nodes.size())
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  std::map<const Node *, size_t> places;
  for (size_t i = 0; i < have.nodes.size(); ++i)
    places[have.nodes[i].get()] = places[want.nodes[i].get()] = i;
  for (size_t i = 0; i < have.nodes.size(); ++i) {
    const Node &a = *have.nodes[i], &b = *want.nodes[i];
    at = want.nodes[i].get();
    if (a.dependencies.size() != b.dependencies.size())
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    std::set<size_t> before, wanted;
    for (const Edge &edge : a.dependencies)
      before.insert(places[edge.node]);
    for (const Edge &edge : b.dependencies)
      wanted.insert(places[edge.node]);
    if (before != wanted)
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (a.type() != b.type())
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (auto *child = std::get_if<ChildWork>(&a.work)) {
      Node *inner = nullptr;
      CUgraphExecUpdateResult result =
          compare(*child->graph, *std::get<ChildWork>(b.work).graph, inner);
      if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return result;
    } else if (!sameKind(a.work, b.work)) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
  }
  at = nullptr;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static void takeOver(Graph &have, const Graph &want) {
  for (size_t i = 0; i < have.nodes.size(); ++i) {
    Node &node = *have.nodes[i];
    if (auto *child = std::get_if<ChildWork>(&node.work))
      takeOver(*child->graph, *std::get<ChildWork>(want.nodes[i]->work).graph);
    else if (!std::holds_alternative<AllocateWork>(node.work))
      node.work = want.nodes[i]->work;
  }
}

static CUresult update(CUgraphExec handle, CUgraph graphHandle,
                       CUgraphExecUpdateResult *reason, CUgraphNode *at) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<GraphExec> exec = findExec(call.state, handle);
  Graph *graph = findGraph(call.state, graphHandle);
  if (!exec || !graph || !reason)
    return CUDA_ERROR_INVALID_VALUE;
  Node *node = nullptr;
  *reason = compare(*exec->graph, *graph, node);
  if (at)
    *at = reinterpret_cast<CUgraphNode>(node);
  if (*reason != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  takeOver(*exec->graph, *graph);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                  CUgraphExecUpdateResultInfo *info) {
  if (!info)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphExecUpdateResult reason = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  CUgraphNode at = nullptr;
  CUresult result = update(exec, graph, &reason, &at);
  *info = {reason, at, nullptr};
  return result;
}
BWGEMM_ENTRY cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *at,
                               CUgraphExecUpdateResult *reason) {
  return update(exec, graph, reason, at);
}

//===----------------------------------------------------------------------===//
// Switching nodes off
//===----------------------------------------------------------------------===//

/// The copy of a node; null if it is of a kind that is always on.
static Node *switchable(State &state, CUgraphExec handle, CUgraphNode node) {
  std::shared_ptr<GraphExec> exec = findExec(state, handle);
  Node *original = findNode(state, node);
  if (!exec || !original)
    return nullptr;
  for (Node *copy : exec->order)
    if (copy->clonedFrom == original->id) {
      CUgraphNodeType type = copy->type();
      return type == CU_GRAPH_NODE_TYPE_KERNEL ||
                     type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                     type == CU_GRAPH_NODE_TYPE_MEMSET
                 ? copy
                 : nullptr;
    }
  return nullptr;
}

BWGEMM_ENTRY cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode handle,
                                   unsigned enabled) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = switchable(call.state, exec, handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  node->enabled = enabled != 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode handle,
                                   unsigned *enabled) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = switchable(call.state, exec, handle);
  if (!node || !enabled)
    return CUDA_ERROR_INVALID_VALUE;
  *enabled = node->enabled;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

static std::string label(const Node &node) {
  static const char *const names[] = {"kernel",
                                      "copy",
                                      "set",
                                      "host function",
                                      "graph",
                                      "empty",
                                      "wait event",
                                      "record event",
                                      "signal",
                                      "wait",
                                      "allocation",
                                      "free",
                                      "memory operations",
                                      "condition"};
  std::string text = names[node.type()];
  if (auto *kernel = std::get_if<KernelWork>(&node.work)) {
    const LaunchRequest &r = kernel->request;
    text += " " + kernel->function.kernel->name + "\\n" +
            std::to_string(r.grid.x) + "x" + std::to_string(r.grid.y) + "x" +
            std::to_string(r.grid.z) + " blocks of " +
            std::to_string(r.block.x) + "x" + std::to_string(r.block.y) + "x" +
            std::to_string(r.block.z) + " threads";
  } else if (auto *copy = std::get_if<CopyWork>(&node.work)) {
    text += "\\n" +
            std::to_string(copy->copy.WidthInBytes * copy->copy.Height *
                           copy->copy.Depth) +
            " bytes";
  }
  return text;
}

static void draw(std::FILE *file, const Graph &graph, unsigned cluster,
                 unsigned &clusters) {
  std::fprintf(file, "subgraph cluster_%u {\nlabel=\"graph %u\";\n", cluster,
               cluster);
  for (const std::unique_ptr<Node> &node : graph.nodes) {
    std::fprintf(file, "n%llu [shape=box, label=\"%s\"];\n",
                 static_cast<unsigned long long>(node->id),
                 label(*node).c_str());
    for (const Edge &edge : node->dependencies)
      std::fprintf(file, "n%llu -> n%llu;\n",
                   static_cast<unsigned long long>(edge.node->id),
                   static_cast<unsigned long long>(node->id));
    if (auto *child = std::get_if<ChildWork>(&node->work))
      draw(file, *child->graph, ++clusters, clusters);
  }
  std::fprintf(file, "}\n");
}

BWGEMM_ENTRY cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, handle);
  if (!graph || !path)
    return CUDA_ERROR_INVALID_VALUE;
  std::FILE *file = std::fopen(path, "w");
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  unsigned clusters = 0;
  std::fprintf(file, "digraph dot {\n");
  draw(file, *graph, 0, clusters);
  std::fprintf(file, "}\n");
  return std::fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
