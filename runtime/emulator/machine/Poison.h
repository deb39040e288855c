//===- Poison.h - Memory that nobody has written ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With hazards=on, memory starts as words that depend on their address. A word
// that still has that value when it is read was never written: whoever writes,
// by whatever way (host copies, TMA, atomics), need not say so. Each word is a
// NaN of f32, and its upper half one of f16 and bf16, so that a result which
// depends on it shows; it is not the NaN that instructions make, and as an
// integer it is larger than sums are. Of words that a program writes at random
// one in four thousand million is just that of its place.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_POISON_H
#define BWGEMM_EMULATOR_MACHINE_POISON_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bwgemm::emulator {

/// The word at `address`, a multiple of 4, before anything is written.
inline uint32_t poisonWord(uint64_t address) {
  uint64_t mixed = (address >> 2) * 0x9E3779B97F4A7C15u;
  return 0x7FA00000u | uint32_t(mixed >> 43);
}

/// Fills `bytes` bytes, rounded up to words, which are at `address`.
inline void fillPoison(std::byte *place, uint64_t address, uint64_t bytes) {
  for (uint64_t offset = 0; offset < bytes; offset += 4) {
    uint32_t word = poisonWord(address + offset);
    std::memcpy(place + offset, &word, 4);
  }
}

/// True if a word of which [address, address + bytes) has a part was not
/// written; `where` is then its address. Words at both ends may reach beyond
/// the range, and must be readable.
inline bool findPoison(const std::byte *place, uint64_t address, uint64_t bytes,
                       uint64_t &where) {
  uint64_t lead = address & 3;
  for (uint64_t offset = 0; offset < bytes + lead; offset += 4) {
    uint32_t word;
    std::memcpy(&word, place - lead + offset, 4);
    if (word == poisonWord(address - lead + offset)) {
      where = address - lead + offset;
      return true;
    }
  }
  return false;
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_POISON_H
