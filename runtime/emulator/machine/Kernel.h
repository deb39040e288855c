//===- Kernel.h - A decoded entry -------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_KERNEL_H
#define BWGEMM_EMULATOR_MACHINE_KERNEL_H

#include "Emulator.h"
#include "machine/CallStack.h"
#include "machine/Instruction.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bwgemm::emulator {

/// What a place in the register file is called, for traces.
struct RegisterName {
  std::string_view name;
  uint8_t width = 0; ///< 1 for a predicate, else the bits that it takes.
};

struct WgmmaKernel;

/// Everything a launch needs of one `.entry`. Never changes after decoding;
/// all warps of all threads share it.
struct Kernel {
  KernelInfo info;
  std::string target; ///< "sm_100a"
  /// The most registers that ptxas gives a thread, as far as the directives
  /// say; 0 if they leave it open. For setmaxnreg.
  uint32_t entryRegisters = 0;
  /// The largest count of a setmaxnreg.inc; 0 if there is none.
  uint32_t largestIncrease = 0;
  /// .cta_group of the tcgen05 instructions; 0 if there is none.
  uint8_t tcgen05CtaGroup = 0;
  std::vector<Instruction> code;
  /// By slot: the registers that instructions write.
  std::unordered_map<uint32_t, RegisterName> registerNames;
  /// Bytes of one warp's register file, a multiple of 64.
  uint32_t registerBytes = 0;
  /// Bytes of one thread's local memory: the kernel's own variables, and the
  /// frames of calls as far as their depth is known.
  uint32_t localBytes = 0;
  /// Of these, the kernel's own: calls use what is above.
  uint32_t entryFrameBytes = 0;
  /// Calls recurse or use alloca: LaunchConfig::stackBytes are added.
  bool dynamicStack = false;
  /// Some function prints: output has to be brought into order.
  bool prints = false;
  /// The functions that the kernel may call; addresses are stable.
  std::deque<DeviceFunction> functions;
  /// Shared memory: statics lie at [sharedBase, sharedBase + staticBytes);
  /// `.extern .shared` arrays start at `dynamicOffset`.
  uint32_t staticSharedBytes = 0;
  uint32_t dynamicSharedOffset = sharedBase;
  /// What is known of registers that wgmmas use; null if there is no wgmma.
  const WgmmaKernel *wgmma = nullptr;
  /// Arenas that instructions point into; addresses are stable.
  struct alignas(64) Lanes {
    uint64_t words[32];
  };
  std::deque<Lanes> constants;
  std::vector<std::unique_ptr<Operand[]>> operandArrays;
  /// Family data: keep anything here by shared_ptr.
  std::vector<std::shared_ptr<void>> data;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_KERNEL_H
