//===- Graph.cpp - Graphs of work -------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
#include <utility>

namespace bwgemm::emulator::driver {

CUgraphNodeType Node::type() const {
  struct TypeOf {
    CUgraphNodeType operator()(const EmptyWork &) {
      return CU_GRAPH_NODE_TYPE_EMPTY;
    }
    CUgraphNodeType operator()(const KernelWork &) {
      return CU_GRAPH_NODE_TYPE_KERNEL;
    }
    CUgraphNodeType operator()(const CopyWork &) {
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    }
    CUgraphNodeType operator()(const SetWork &) {
      return CU_GRAPH_NODE_TYPE_MEMSET;
    }
    CUgraphNodeType operator()(const HostWork &) {
      return CU_GRAPH_NODE_TYPE_HOST;
    }
    CUgraphNodeType operator()(const RecordWork &) {
      return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    }
    CUgraphNodeType operator()(const WaitWork &) {
      return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    }
    CUgraphNodeType operator()(const ValueWork &) {
      return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    }
    CUgraphNodeType operator()(const AllocateWork &) {
      return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    }
    CUgraphNodeType operator()(const FreeWork &) {
      return CU_GRAPH_NODE_TYPE_MEM_FREE;
    }
    CUgraphNodeType operator()(const ChildWork &) {
      return CU_GRAPH_NODE_TYPE_GRAPH;
    }
    // These are never nodes.
    CUgraphNodeType operator()(const CallbackWork &) {
      return CU_GRAPH_NODE_TYPE_EMPTY;
    }
    CUgraphNodeType operator()(const JoinWork &) {
      return CU_GRAPH_NODE_TYPE_EMPTY;
    }
    CUgraphNodeType operator()(const ChainWork &) {
      return CU_GRAPH_NODE_TYPE_EMPTY;
    }
  };
  return std::visit(TypeOf{}, work);
}

Graph::~Graph() {
  for (std::unique_ptr<Node> &node : nodes)
    state().nodes.erase(node.get());
}

GraphMemory::~GraphMemory() {
  // No launch lock: whoever runs a kernel of the graph holds the graph.
  if (address)
    dropMemory(state(), address, "the destruction of its graph");
}

Graph *findGraph(State &state, CUgraph handle) {
  auto *graph = reinterpret_cast<Graph *>(handle);
  return state.graphs.count(graph) ? graph : nullptr;
}

Node *findNode(State &state, CUgraphNode handle) {
  auto *node = reinterpret_cast<Node *>(handle);
  return state.nodes.count(node) ? node : nullptr;
}

Node *addNode(State &state, Graph &graph, Work work,
              const std::vector<Node *> &dependencies) {
  auto owner = std::make_unique<Node>();
  Node *node = owner.get();
  node->id = state.nextId++;
  node->graph = &graph;
  node->work = std::move(work);
  for (Node *dependency : dependencies) {
    node->dependencies.push_back({dependency, {}});
    dependency->dependents.push_back({node, {}});
  }
  graph.nodes.push_back(std::move(owner));
  state.nodes.insert(node);
  return node;
}

std::shared_ptr<Graph> cloneGraph(State &state, const Graph &graph) {
  auto clone = std::make_shared<Graph>();
  std::map<const Node *, Node *> copies;
  for (const std::unique_ptr<Node> &node : graph.nodes) {
    Work work = node->work;
    if (auto *child = std::get_if<ChildWork>(&work)) {
      child->graph = cloneGraph(state, *child->graph);
      child->graph->child = true;
      state.graphs[child->graph.get()] = child->graph;
    }
    Node *copy = addNode(state, *clone, std::move(work), {});
    copy->clonedFrom = node->id;
    copy->enabled = node->enabled;
    copies[node.get()] = copy;
  }
  // Edges last: a node may depend on one that was created after it.
  for (const std::unique_ptr<Node> &node : graph.nodes) {
    Node *copy = copies[node.get()];
    for (const Edge &edge : node->dependencies)
      copy->dependencies.push_back({copies[edge.node], edge.data});
    for (const Edge &edge : node->dependents)
      copy->dependents.push_back({copies[edge.node], edge.data});
  }
  clone->userObjects = graph.userObjects;
  for (auto &[object, count] : clone->userObjects)
    object->references += count;
  return clone;
}

std::optional<std::vector<Node *>> topologicalOrder(const Graph &graph) {
  std::map<const Node *, size_t> missing;
  auto byAge = [](const Node *a, const Node *b) { return a->id < b->id; };
  std::set<Node *, decltype(byAge)> ready(byAge);
  for (const std::unique_ptr<Node> &node : graph.nodes) {
    missing[node.get()] = node->dependencies.size();
    if (node->dependencies.empty())
      ready.insert(node.get());
  }
  std::vector<Node *> order;
  while (!ready.empty()) {
    Node *node = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(node);
    for (const Edge &edge : node->dependents)
      if (--missing[edge.node] == 0)
        ready.insert(edge.node);
  }
  if (order.size() != graph.nodes.size())
    return std::nullopt;
  return order;
}

CUresult submitGraph(Call &call, const std::shared_ptr<Stream> &stream,
                     const std::vector<Node *> &order) {
  for (Node *node : order) {
    if (!node->enabled)
      continue;
    if (auto *child = std::get_if<ChildWork>(&node->work)) {
      std::shared_ptr<Graph> graph = child->graph;
      auto inner = topologicalOrder(*graph);
      if (!inner)
        return CUDA_ERROR_INVALID_VALUE;
      if (CUresult result = submitGraph(call, stream, *inner);
          result != CUDA_SUCCESS)
        return result;
      continue;
    }
    if (CUresult result = submit(call, stream, node->work);
        result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

void releaseUserObjects(Call &call,
                        std::map<std::shared_ptr<UserObject>, unsigned> list) {
  for (auto &[object, count] : list) {
    object->references -= std::min(count, object->references);
    if (object->references || !object->destroy)
      continue;
    CUhostFn destroy = std::exchange(object->destroy, nullptr);
    call.state.userObjects.erase(object.get());
    call.lock.unlock();
    destroy(object->pointer);
    call.lock.lock();
  }
}

void forgetGraph(Call &call, std::shared_ptr<Graph> graph) {
  for (const std::unique_ptr<Node> &node : graph->nodes)
    if (auto *child = std::get_if<ChildWork>(&node->work)) {
      call.state.graphs.erase(child->graph.get());
      forgetGraph(call, child->graph);
    }
  call.state.graphs.erase(graph.get());
  releaseUserObjects(call, std::move(graph->userObjects));
  graph->userObjects.clear();
}

} // namespace bwgemm::emulator::driver
