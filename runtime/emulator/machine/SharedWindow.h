//===- SharedWindow.h - Shared memory as copy engines see it ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_SHAREDWINDOW_H
#define BWGEMM_EMULATOR_MACHINE_SHAREDWINDOW_H

#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

/// The shared memory of one CTA: the addresses [begin, end), without the bits
/// that carry the CTA's rank in its cluster.
struct SharedWindow {
  std::byte *data = nullptr; ///< Host memory behind `begin`.
  uint32_t begin = 0;
  uint32_t end = 0;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
  std::byte *at(uint32_t address) const { return data + (address - begin); }
  /// What address 0 would be, so that inner loops add addresses to it without
  /// a subtraction. Formed as an integer: there need be no memory there.
  std::byte *origin() const {
    return reinterpret_cast<std::byte *>(reinterpret_cast<uintptr_t>(data) -
                                         begin);
  }
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_SHAREDWINDOW_H
