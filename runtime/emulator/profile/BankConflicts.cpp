//===- BankConflicts.cpp - Wavefronts of shared-memory accesses -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/BankConflicts.h"

#include <algorithm>
#include <vector>

namespace bwgemm::emulator {

static constexpr uint32_t banks = 32;

uint32_t lanesPerPass(uint32_t bytes) {
  return bytes <= 8 ? warpSize : 256 / bytes;
}

Wavefronts wavefrontsOf(const uint32_t (&address)[warpSize], LaneMask mask,
                        uint32_t bytes, uint32_t lanes) {
  Wavefronts result;
  std::vector<uint32_t> words;
  for (uint32_t first = 0; first < warpSize; first += lanes) {
    words.clear();
    for (uint32_t lane = first; lane < first + lanes; ++lane)
      if (mask >> lane & 1)
        for (uint32_t word = address[lane] / 4;
             word <= (address[lane] + bytes - 1) / 4; ++word)
          words.push_back(word);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    uint32_t perBank[banks] = {}, most = 0;
    for (uint32_t word : words)
      most = std::max(most, ++perBank[word % banks]);
    result.needed += most;
    result.ideal += uint32_t(words.size() + banks - 1) / banks;
  }
  return result;
}

} // namespace bwgemm::emulator
