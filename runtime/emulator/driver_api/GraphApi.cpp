//===- GraphApi.cpp - Graphs, their nodes and edges -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static CUgraphNode toHandle(Node *node) {
  return reinterpret_cast<CUgraphNode>(node);
}

BWGEMM_ENTRY cuGraphCreate(CUgraph *handle, unsigned flags) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!handle || flags)
    return CUDA_ERROR_INVALID_VALUE;
  auto graph = std::make_shared<Graph>();
  *handle = reinterpret_cast<CUgraph>(graph.get());
  call.state.graphs[graph.get()] = graph;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphDestroy(CUgraph handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  auto found = call.state.graphs.find(reinterpret_cast<Graph *>(handle));
  if (found == call.state.graphs.end() || found->second->child)
    return CUDA_ERROR_INVALID_VALUE;
  forgetGraph(call, found->second);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphClone(CUgraph *handle, CUgraph original) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, original);
  if (!handle || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Graph> clone = cloneGraph(call.state, *graph);
  call.state.graphs[clone.get()] = clone;
  *handle = reinterpret_cast<CUgraph>(clone.get());
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphNodeFindInClone(CUgraphNode *result, CUgraphNode original,
                                    CUgraph cloneHandle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, original);
  Graph *clone = findGraph(call.state, cloneHandle);
  if (!result || !node || !clone)
    return CUDA_ERROR_INVALID_VALUE;
  for (const std::unique_ptr<Node> &candidate : clone->nodes)
    if (candidate->clonedFrom == node->id) {
      *result = toHandle(candidate.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Answers as all of the list functions do: without an array the number; with
/// one as many as it takes, the rest of it filled with null.
static CUresult list(const std::vector<Node *> &nodes, CUgraphNode *array,
                     size_t *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!array) {
    *count = nodes.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i)
    array[i] = i < nodes.size() ? toHandle(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return CUDA_SUCCESS;
}

static CUresult listNodes(CUgraph handle, CUgraphNode *array, size_t *count,
                          bool rootsOnly) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, handle);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node *> nodes;
  for (const std::unique_ptr<Node> &node : graph->nodes)
    if (!rootsOnly || node->dependencies.empty())
      nodes.push_back(node.get());
  return list(nodes, array, count);
}

BWGEMM_ENTRY cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return listNodes(graph, nodes, count, false);
}
BWGEMM_ENTRY cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes,
                                 size_t *count) {
  return listNodes(graph, nodes, count, true);
}

BWGEMM_ENTRY cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from,
                                CUgraphNode *to, CUgraphEdgeData *data,
                                size_t *count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, handle);
  if (!graph || !count || (!from != !to))
    return CUDA_ERROR_INVALID_VALUE;
  size_t found = 0;
  for (const std::unique_ptr<Node> &node : graph->nodes)
    for (const Edge &edge : node->dependencies) {
      if (from && found < *count) {
        from[found] = toHandle(edge.node);
        to[found] = toHandle(node.get());
        if (data)
          data[found] = edge.data;
      }
      ++found;
    }
  if (from) {
    for (size_t i = found; i < *count; ++i)
      from[i] = to[i] = nullptr;
    *count = std::min(*count, found);
  } else {
    *count = found;
  }
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                             size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

static CUresult listEdges(CUgraphNode handle, std::vector<Edge> Node::*edges,
                          CUgraphNode *array, CUgraphEdgeData *data,
                          size_t *count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node *> nodes;
  for (const Edge &edge : node->*edges)
    nodes.push_back(edge.node);
  CUresult result = list(nodes, array, count);
  if (result == CUDA_SUCCESS && array && data)
    for (size_t i = 0; i < *count; ++i)
      data[i] = (node->*edges)[i].data;
  return result;
}

BWGEMM_ENTRY cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *array,
                                           CUgraphEdgeData *data,
                                           size_t *count) {
  return listEdges(node, &Node::dependencies, array, data, count);
}
BWGEMM_ENTRY cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *array,
                                        size_t *count) {
  return listEdges(node, &Node::dependencies, array, nullptr, count);
}
BWGEMM_ENTRY cuGraphNodeGetDependentNodes_v2(CUgraphNode node,
                                             CUgraphNode *array,
                                             CUgraphEdgeData *data,
                                             size_t *count) {
  return listEdges(node, &Node::dependents, array, data, count);
}
BWGEMM_ENTRY cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *array,
                                          size_t *count) {
  return listEdges(node, &Node::dependents, array, nullptr, count);
}

BWGEMM_ENTRY cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node || !type)
    return CUDA_ERROR_INVALID_VALUE;
  *type = node->type();
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph *graph) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node || !graph || !std::holds_alternative<ChildWork>(node->work))
    return CUDA_ERROR_INVALID_VALUE;
  *graph =
      reinterpret_cast<CUgraph>(std::get<ChildWork>(node->work).graph.get());
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static std::vector<Edge>::iterator findEdge(std::vector<Edge> &edges,
                                            Node *node) {
  return std::find_if(edges.begin(), edges.end(),
                      [&](const Edge &edge) { return edge.node == node; });
}

/// Checks the ends of all edges before any is changed. A cycle is found when
/// the graph is instantiated (as on an H200).
static CUresult changeEdges(CUgraph handle, const CUgraphNode *from,
                            const CUgraphNode *to, const CUgraphEdgeData *data,
                            size_t count, bool add) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Graph *graph = findGraph(call.state, handle);
  if (!graph || (count && (!from || !to)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    Node *before = findNode(call.state, from[i]);
    Node *after = findNode(call.state, to[i]);
    if (!before || !after || before->graph != graph || after->graph != graph ||
        before == after)
      return CUDA_ERROR_INVALID_VALUE;
    bool exists =
        findEdge(after->dependencies, before) != after->dependencies.end();
    if (exists == add)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i) {
    Node *before = findNode(call.state, from[i]);
    Node *after = findNode(call.state, to[i]);
    auto there = findEdge(after->dependencies, before);
    if (add && there == after->dependencies.end()) {
      CUgraphEdgeData edge = data ? data[i] : CUgraphEdgeData{};
      after->dependencies.push_back({before, edge});
      before->dependents.push_back({after, edge});
    } else if (!add && there != after->dependencies.end()) {
      after->dependencies.erase(there);
      before->dependents.erase(findEdge(before->dependents, after));
    }
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to,
                                       const CUgraphEdgeData *data,
                                       size_t count) {
  return changeEdges(graph, from, to, data, count, true);
}
BWGEMM_ENTRY cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                    const CUgraphNode *to, size_t count) {
  return changeEdges(graph, from, to, nullptr, count, true);
}
BWGEMM_ENTRY cuGraphRemoveDependencies_v2(CUgraph graph,
                                          const CUgraphNode *from,
                                          const CUgraphNode *to,
                                          const CUgraphEdgeData *data,
                                          size_t count) {
  return changeEdges(graph, from, to, data, count, false);
}
BWGEMM_ENTRY cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count) {
  return changeEdges(graph, from, to, nullptr, count, false);
}

BWGEMM_ENTRY cuGraphDestroyNode(CUgraphNode handle) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  Node *node = findNode(call.state, handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  for (const Edge &edge : node->dependencies)
    edge.node->dependents.erase(findEdge(edge.node->dependents, node));
  for (const Edge &edge : node->dependents)
    edge.node->dependencies.erase(findEdge(edge.node->dependencies, node));
  if (auto *child = std::get_if<ChildWork>(&node->work))
    forgetGraph(call, child->graph);
  call.state.nodes.erase(node);
  auto &nodes = node->graph->nodes;
  nodes.erase(std::find_if(
      nodes.begin(), nodes.end(),
      [&](const std::unique_ptr<Node> &own) { return own.get() == node; }));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory of graphs
//===----------------------------------------------------------------------===//

/// Bytes in graphs' memory nodes now.
static uint64_t graphBytes(State &state) {
  uint64_t total = 0;
  for (auto &[base, memory] : state.memories)
    if (memory.ofGraph)
      total += memory.bytes;
  return total;
}

BWGEMM_ENTRY cuDeviceGetGraphMemAttribute(CUdevice device,
                                          CUgraphMem_attribute attribute,
                                          void *value) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value || attribute < CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT ||
      attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<uint64_t *>(value) = graphBytes(call.state);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceSetGraphMemAttribute(CUdevice device,
                                          CUgraphMem_attribute attribute,
                                          void *value) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  // Only the high-water marks can be set, and only to zero.
  bool high = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
              attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
  return high && value && !*static_cast<uint64_t *>(value)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuDeviceGraphMemTrim(CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
