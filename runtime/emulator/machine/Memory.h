//===- Memory.h - Address translation and checks ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MEMORY_H
#define BWGEMM_EMULATOR_MACHINE_MEMORY_H

#include "machine/Types.h"

#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

class DeviceMemory;

/// The allocations that were last found, so that most checks are a compare.
class AllocationCache {
public:
  /// True if [address, address + bytes) lies inside one allocation.
  bool contains(const DeviceMemory &memory, uint64_t address, uint64_t bytes) {
    for (const Entry &entry : entries)
      if (address - entry.base < entry.bytes &&
          bytes <= entry.bytes - (address - entry.base))
        return true;
    return lookUp(memory, address, bytes);
  }

private:
  struct Entry {
    uint64_t base = 0, bytes = 0;
  };
  bool lookUp(const DeviceMemory &memory, uint64_t address, uint64_t bytes);

  Entry entries[4];
  unsigned next = 0;
};

/// Where a generic address points.
struct GenericAddress {
  Space space;     ///< Global, SharedCluster or Local.
  uint64_t offset; ///< Address within that space.
};
inline GenericAddress splitGeneric(uint64_t address) {
  if (address - sharedWindow < windowBytes)
    return {Space::SharedCluster, address - sharedWindow};
  if (address - localWindow < windowBytes)
    return {Space::Local, address - localWindow};
  return {Space::Global, address};
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MEMORY_H
