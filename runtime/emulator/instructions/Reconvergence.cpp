//===- Reconvergence.cpp - Postdominators of a kernel -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers instructions so that a postdominator has a higher number than all
// that it postdominates: a walk of the postdominator tree that visits children
// before parents, in text order among siblings. All blocks between a divergent
// branch and its immediate postdominator lie below that postdominator in the
// tree, so a warp that always runs its lowest-numbered lanes first brings the
// lanes together there.
//
//===----------------------------------------------------------------------===//

#include "instructions/KernelDecoder.h"

#include <algorithm>

namespace bwgemm::emulator {

namespace {
class Postdominators {
public:
  Postdominators(std::vector<Instruction> &code, const std::vector<Flow> &flows,
                 const std::vector<std::vector<uint32_t *>> &indirect)
      : code(code), flows(flows), indirect(indirect) {}

  void run() {
    formBlocks();
    connect();
    reachFromExit();
    intersectUntilStable();
    number();
  }

private:
  static constexpr uint32_t none = ~0u;

  void formBlocks() {
    size_t size = code.size();
    std::vector<bool> leader(size + 1, false);
    leader[0] = true;
    for (size_t i = 0; i < size; ++i) {
      if (flows[i] == Flow::Next)
        continue;
      leader[i + 1] = true;
      if (flows[i] == Flow::Branch)
        leader[code[i].target] = true;
      for (uint32_t *place : indirect[i])
        leader[*place] = true;
    }
    blockOf.assign(size, 0);
    for (size_t i = 0; i < size; ++i) {
      if (leader[i])
        first.push_back(static_cast<uint32_t>(i));
      blockOf[i] = static_cast<uint32_t>(first.size() - 1);
    }
    exitBlock = static_cast<uint32_t>(first.size());
    first.push_back(static_cast<uint32_t>(size));
  }

  void edge(uint32_t from, uint32_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }

  void connect() {
    successors.resize(exitBlock + 1);
    predecessors.resize(exitBlock + 1);
    for (uint32_t b = 0; b < exitBlock; ++b) {
      uint32_t last = first[b + 1] - 1;
      bool fallsThrough = code[last].guard >= 0;
      switch (flows[last]) {
      case Flow::Next:
        fallsThrough = true;
        break;
      case Flow::Branch:
        edge(b, blockOf[code[last].target]);
        break;
      case Flow::Indirect:
        for (uint32_t *place : indirect[last])
          edge(b, blockOf[*place]);
        break;
      case Flow::Exit:
        edge(b, exitBlock);
        break;
      }
      if (fallsThrough)
        edge(b, b + 1);
    }
  }

  /// Postorder of the reversed graph from the exit. Blocks of loops without
  /// an end get an edge to the exit, so that each has a postdominator.
  void reachFromExit() {
    order.assign(exitBlock + 1, none);
    visit(exitBlock);
    for (uint32_t b = exitBlock; b-- > 0;)
      if (order[b] == none) {
        edge(b, exitBlock);
        visit(b);
      }
    // The exit is the root: last in postorder whatever was visited later.
    postorder.erase(std::find(postorder.begin(), postorder.end(), exitBlock));
    postorder.push_back(exitBlock);
    for (uint32_t i = 0; i < postorder.size(); ++i)
      order[postorder[i]] = i;
  }

  void visit(uint32_t root) {
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    order[root] = 0;
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == predecessors[block].size()) {
        postorder.push_back(block);
        stack.pop_back();
        continue;
      }
      uint32_t predecessor = predecessors[block][next++];
      if (order[predecessor] == none) {
        order[predecessor] = 0;
        stack.emplace_back(predecessor, 0);
      }
    }
  }

  /// The iterative algorithm of Cooper, Harvey and Kennedy.
  void intersectUntilStable() {
    parent.assign(exitBlock + 1, none);
    parent[exitBlock] = exitBlock;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = postorder.size() - 1; i-- > 0;) {
        uint32_t block = postorder[i];
        uint32_t found = none;
        for (uint32_t successor : successors[block]) {
          if (parent[successor] == none)
            continue;
          found = found == none ? successor : meet(found, successor);
        }
        if (found != none && parent[block] != found) {
          parent[block] = found;
          changed = true;
        }
      }
    }
    for (uint32_t b = 0; b < exitBlock; ++b)
      if (parent[b] == none)
        parent[b] = exitBlock;
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order[a] < order[b])
        a = parent[a];
      while (order[b] < order[a])
        b = parent[b];
    }
    return a;
  }

  void number() {
    std::vector<std::vector<uint32_t>> children(exitBlock + 1);
    for (uint32_t b = 0; b < exitBlock; ++b)
      children[parent[b]].push_back(b);
    uint32_t next = 0;
    std::vector<std::pair<uint32_t, size_t>> stack{{exitBlock, 0}};
    while (!stack.empty()) {
      auto &[block, child] = stack.back();
      if (child < children[block].size()) {
        stack.emplace_back(children[block][child++], 0);
        continue;
      }
      if (block != exitBlock)
        for (uint32_t i = first[block]; i < first[block + 1]; ++i)
          code[i].priority = next++;
      stack.pop_back();
    }
  }

  std::vector<Instruction> &code;
  const std::vector<Flow> &flows;
  const std::vector<std::vector<uint32_t *>> &indirect;
  std::vector<uint32_t> blockOf;
  std::vector<uint32_t> first; ///< First instruction; one past the end last.
  uint32_t exitBlock = 0;
  std::vector<std::vector<uint32_t>> successors, predecessors;
  std::vector<uint32_t> postorder, order, parent;
};
} // namespace

void assignPriorities(std::vector<Instruction> &code,
                      const std::vector<Flow> &flows,
                      const std::vector<std::vector<uint32_t *>> &indirect) {
  Postdominators(code, flows, indirect).run();
}

} // namespace bwgemm::emulator
