//===- TensorMapWrites.h - Who wrote global memory last ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_HAZARDS_TENSORMAPWRITES_H
#define BWGEMM_EMULATOR_HAZARDS_TENSORMAPWRITES_H

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace bwgemm::emulator {

/// Remembers the last ordinary write to every 64 bytes of global memory, since
/// any of them may be a tensor map. Thread safe.
class TensorMapWrites {
public:
  struct Write {
    uint64_t number = 0; ///< Later writes have higher ones; 0 for none.
    uint32_t line = 0;   ///< PTX line.
  };

  void note(uint64_t address, uint32_t bytes, uint32_t line) {
    std::lock_guard lock(mutex);
    ++count;
    for (uint64_t block = address / blockBytes;
         block <= (address + bytes - 1) / blockBytes; ++block)
      writes[block] = {count, line};
  }
  /// The last write to the 64 bytes at `address` that a copy looks at.
  Write last(uint64_t address) {
    std::lock_guard lock(mutex);
    auto found = writes.find(address / blockBytes);
    return found == writes.end() ? Write() : found->second;
  }

private:
  static constexpr uint64_t blockBytes = 64;
  std::mutex mutex;
  uint64_t count = 0;
  std::unordered_map<uint64_t, Write> writes;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_HAZARDS_TENSORMAPWRITES_H
