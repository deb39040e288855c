//===- Lanes.cpp - Which lane loops the host runs ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Lanes.h"

#include <cstdlib>
#include <string_view>

namespace bwgemm::emulator {

bool hostHasAvx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has = [] {
    const char *wish = std::getenv("BWGEMM_EMULATOR_VECTORS");
    if (wish && std::string_view(wish) == "portable")
      return false;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("popcnt");
  }();
  return has;
#else
  return false;
#endif
}

} // namespace bwgemm::emulator
