//===- BulkGroups.h - Bulk async-groups of threads --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bulk async-groups that cp.async.bulk.commit_group and wait_group work
// with (PTX ISA, "bulk async-group"). Each thread has its own. An operation
// has two parts that land one after the other: it reads its source, and it
// writes its destination; wait_group.read waits for the first alone.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H

#include "instructions/AsyncSupport.h"
#include "machine/Types.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace bwgemm::emulator {

/// Operations of one group that have not landed.
struct BulkGroup {
  uint32_t reading = 0; ///< That have not read their source.
  uint32_t writing = 0; ///< That have not written their destination.
};

/// The groups of a warp's threads; an extension of Warp.
struct BulkGroups {
  struct Thread {
    std::shared_ptr<BulkGroup> open; ///< Not yet committed; null if empty.
    std::deque<std::shared_ptr<BulkGroup>> committed;
  };
  Thread threads[warpSize];

  /// Adds an operation to the open group of `lane`; whoever lands it lowers
  /// the two counts.
  std::shared_ptr<BulkGroup> join(unsigned lane) {
    Thread &thread = threads[lane];
    if (!thread.open)
      thread.open = std::make_shared<BulkGroup>();
    ++thread.open->reading;
    ++thread.open->writing;
    return thread.open;
  }
  /// Closes the open group; an empty one counts too.
  void commit(unsigned lane) {
    Thread &thread = threads[lane];
    thread.committed.push_back(thread.open ? std::move(thread.open)
                                           : std::make_shared<BulkGroup>());
    thread.open = nullptr;
  }
  /// Groups of `lane` that are not complete, or, if `readsOnly`, that have
  /// sources to read; groups complete in order.
  size_t pending(unsigned lane, bool readsOnly) {
    auto &committed = threads[lane].committed;
    while (!committed.empty() && committed.front()->writing == 0)
      committed.pop_front();
    size_t done = 0;
    if (readsOnly)
      while (done < committed.size() && committed[done]->reading == 0)
        ++done;
    return committed.size() - done;
  }
};

/// Issues an operation of the open group of `scene`'s thread. `read` runs when
/// the source is read and returns its bytes, `write` when they arrive, later;
/// `granules` are the multiples of 16 in the CTA's shared memory that it reads.
void issueBulkWrite(Warp &warp, const Scene &scene, const char *what,
                    std::vector<uint32_t> granules,
                    std::function<std::vector<std::byte>()> read,
                    std::function<void(std::vector<std::byte> &)> write);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_BULKGROUPS_H
