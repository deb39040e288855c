//===- Graph.h - Graphs of work ---------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_GRAPH_H
#define BWGEMM_EMULATOR_DRIVER_API_GRAPH_H

#include "Stream.h"

#include <string>

namespace bwgemm::emulator::driver {

/// An edge; the data say with which port it begins and ends.
struct Edge {
  Node *node = nullptr;
  CUgraphEdgeData data{};
};

struct Node {
  uint64_t id = 0;
  Graph *graph = nullptr;
  Work work;
  std::vector<Edge> dependencies, dependents;
  /// The node that this is a copy of, by id; 0 for none.
  uint64_t clonedFrom = 0;
  bool enabled = true;
  /// What cuGraphKernelNodeGetParams points into.
  std::vector<void *> parameterPointers;

  CUgraphNodeType type() const;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes; ///< In order of creation.
  bool child = false; ///< Inside a node, which destroys it.
  /// References that the graph holds.
  std::map<std::shared_ptr<UserObject>, unsigned> userObjects;
  ~Graph();
};

struct GraphExec {
  std::shared_ptr<Graph> graph;
  std::vector<Node *> order;
  uint64_t flags = 0;
};

/// An object of the program that lives while it is referred to.
struct UserObject {
  CUhostFn destroy = nullptr;
  void *pointer = nullptr;
  unsigned references = 0;
};

/// Appends a node. Every dependency is a node of the same graph.
Node *addNode(State &state, Graph &graph, Work work,
              const std::vector<Node *> &dependencies);

/// A copy whose nodes know what they are copies of.
std::shared_ptr<Graph> cloneGraph(State &state, const Graph &graph);

/// The nodes so that each comes after what it depends on; nothing if there is a
/// cycle. Of those that may come next, the one created first.
std::optional<std::vector<Node *>> topologicalOrder(const Graph &graph);

/// Forgets a graph and runs the destructors of the objects that it held last.
void forgetGraph(Call &call, std::shared_ptr<Graph> graph);

/// Drops references to user objects; the lock is let go for their destructors.
void releaseUserObjects(Call &call,
                        std::map<std::shared_ptr<UserObject>, unsigned> list);

/// Submits the nodes of a graph to a stream in order.
CUresult submitGraph(Call &call, const std::shared_ptr<Stream> &stream,
                     const std::vector<Node *> &order);

/// Finds a graph, a node; null for a wrong handle.
Graph *findGraph(State &state, CUgraph handle);
Node *findNode(State &state, CUgraphNode handle);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_GRAPH_H
