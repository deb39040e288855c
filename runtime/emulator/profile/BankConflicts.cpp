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

/// The most different words that any bank has to serve.
static uint32_t wavefrontsOf(std::vector<uint32_t> &words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  uint32_t perBank[banks] = {};
  uint32_t most = 0;
  for (uint32_t word : words)
    most = std::max(most, ++perBank[word % banks]);
  return most;
}

Wavefronts wavefrontsOf(const uint32_t (&address)[warpSize], LaneMask mask,
                        uint32_t bytes) {
  Wavefronts result;
  uint32_t passes = bytes <= 4 ? 1 : bytes / 4;
  uint32_t lanesPerPass = warpSize / passes;
  std::vector<uint32_t> words;
  for (uint32_t pass = 0; pass < passes; ++pass) {
    words.clear();
    for (uint32_t lane = pass * lanesPerPass; lane < (pass + 1) * lanesPerPass;
         ++lane)
      if (mask >> lane & 1)
        for (uint32_t word = address[lane] / 4;
             word <= (address[lane] + bytes - 1) / 4; ++word)
          words.push_back(word);
    if (words.empty())
      continue;
    ++result.ideal;
    result.needed += wavefrontsOf(words);
  }
  return result;
}

} // namespace bwgemm::emulator
