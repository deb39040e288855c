//===- BulkGroups.h - Bulk async-groups of threads --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bulk async-groups that cp.async.bulk.commit_group and wait_group work
// with (PTX ISA, "bulk async-group"). Each thread has its own.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H

#include "machine/Types.h"

#include <cstdint>
#include <deque>
#include <memory>

namespace bwgemm::emulator {

/// Operations of one group that have not landed.
struct BulkGroup {
  uint32_t outstanding = 0;
};

/// The groups of a warp's threads; an extension of Warp.
struct BulkGroups {
  struct Thread {
    std::shared_ptr<BulkGroup> open; ///< Not yet committed; null if empty.
    std::deque<std::shared_ptr<BulkGroup>> committed;
  };
  Thread threads[warpSize];

  /// Adds an operation to the open group of `lane`; whoever lands it lowers
  /// `outstanding`.
  std::shared_ptr<BulkGroup> join(unsigned lane) {
    Thread &thread = threads[lane];
    if (!thread.open)
      thread.open = std::make_shared<BulkGroup>();
    ++thread.open->outstanding;
    return thread.open;
  }
  /// Closes the open group; an empty one counts too.
  void commit(unsigned lane) {
    Thread &thread = threads[lane];
    thread.committed.push_back(thread.open ? std::move(thread.open)
                                           : std::make_shared<BulkGroup>());
    thread.open = nullptr;
  }
  /// Groups of `lane` that are not complete; groups complete in order.
  size_t pending(unsigned lane) {
    auto &committed = threads[lane].committed;
    while (!committed.empty() && committed.front()->outstanding == 0)
      committed.pop_front();
    return committed.size();
  }
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H
