//===- CallStack.h - Device functions and calls under way -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function has registers of its own in the warp's register file, at places
// that never move, so that an instruction in a function costs what it costs in
// a kernel. A lane that enters a function which it has not left yet (a
// recursion) first puts its column of those registers aside. What a function
// declares in .local, its .param parameters and the arguments of the calls it
// makes lie in its frame, a piece of the thread's local memory.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_CALLSTACK_H
#define BWGEMM_EMULATOR_MACHINE_CALLSTACK_H

#include "machine/Instruction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::emulator {

struct CallSite;

/// Where an argument or result is, seen from the caller or from the callee.
struct CallValue {
  enum class Kind : uint8_t {
    Frame,    ///< `offset` in the function's frame.
    Register, ///< `operand`: a register.
    Constant, ///< `operand`: an immediate.
  };
  Kind kind = Kind::Frame;
  uint32_t bytes = 0;
  uint32_t offset = 0;
  Operand operand;
};

/// What the emulator provides in place of a function that CUDA's runtime
/// library defines (vprintf): reads its arguments, at most 8 bytes each, and
/// sets `result`. Returns Step::Next or Step::Fault.
using Builtin = Step (*)(Warp &warp, const Instruction &call, unsigned lane,
                         const uint64_t *arguments, uint64_t &result);

/// A `.func` as a kernel calls it.
struct DeviceFunction {
  std::string name;
  /// What a register holds that points at the function.
  uint64_t address = 0;
  uint32_t entry = 0; ///< Index of its first instruction.
  uint32_t line = 0;
  std::vector<CallValue> params, results;
  uint32_t frameBytes = 0, frameAlign = 16;
  /// Register that holds the frame's local address.
  uint32_t frameSlot = 0;
  /// Registers (`bits` 1, 32, 64 or 128), for recursion.
  struct SavedRegister {
    uint32_t slot, bits;
  };
  std::vector<SavedRegister> registers;
  uint32_t savedBytes = 0; ///< Of one lane's registers.
  /// Index in Kernel::functions.
  uint32_t number = 0;
  bool mayRecurse = false;
  bool noReturn = false;
  Builtin builtin = nullptr;
};

/// A call instruction's data.
struct CallSite {
  /// Null for an indirect call.
  const DeviceFunction *callee = nullptr;
  /// In the caller: results are never constants.
  std::vector<CallValue> arguments, results;
  /// Register with the caller's frame address, or -1 in a kernel, whose
  /// frame offsets are addresses.
  int32_t frameSlot = -1;
  /// The functions that an indirect call may reach; empty for any.
  std::vector<uint64_t> targets;
};

/// The call that an instruction makes; null if it is no call.
const CallSite *callSiteOf(const Instruction &instruction);

/// The calls of a warp's lanes that have not returned: an extension of Warp.
struct CallStack {
  struct Call {
    const DeviceFunction *callee;
    const Instruction *site; ///< The call instruction.
    uint32_t returnTo;       ///< Index of the instruction behind it.
    uint32_t callerTop;      ///< Stack pointer to go back to.
    bool saved;              ///< The callee's registers were put aside.
  };
  struct Lane {
    std::vector<Call> calls;
    std::vector<std::byte> saved;
    /// Local address above which nothing is used; 0 before the first call.
    uint32_t top = 0;
    /// Calls under way, by function number; for those that may recurse.
    std::vector<uint32_t> active;
  };
  std::array<Lane, warpSize> lanes;
};

/// The calls that `lane` is in, innermost first, as lines of a fault's scene;
/// empty in the kernel itself.
std::string describeCalls(Warp &warp, unsigned lane);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_CALLSTACK_H
