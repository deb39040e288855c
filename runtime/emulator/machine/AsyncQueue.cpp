//===- AsyncQueue.cpp - Operations in flight --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/AsyncQueue.h"

#include <utility>

namespace bwgemm::emulator {

void AsyncQueue::issue(Channel channel, const char *what, uint32_t line,
                       Landing land) {
  operations.push_back({channel, what, line, std::move(land)});
}

bool AsyncQueue::landAt(size_t index) {
  Operation operation = std::move(operations[index]);
  operations.erase(operations.begin() + static_cast<ptrdiff_t>(index));
  // The landing may issue further operations, so it runs off the queue.
  return operation.land();
}

bool AsyncQueue::landFirst() { return landAt(0); }

bool AsyncQueue::landAny(uint64_t draw) {
  size_t index = draw % operations.size();
  Channel channel = operations[index].channel;
  if (channel != unordered)
    for (size_t i = 0; i < index; ++i)
      if (operations[i].channel == channel) {
        index = i;
        break;
      }
  return landAt(index);
}

} // namespace bwgemm::emulator
