//===- Instruction.h - Decoded instructions ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction as the machine executes it: a function pointer and resolved
// operands. A register is a place in the warp's register file, where its 32
// lanes lie side by side; an immediate is a constant of the same shape, so a
// handler does not ask which of the two it reads.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_INSTRUCTION_H
#define BWGEMM_EMULATOR_MACHINE_INSTRUCTION_H

#include "machine/Types.h"

#include <cstdint>
#include <string_view>

namespace bwgemm::emulator {

class Warp;
struct Instruction;

/// What the scheduler does after a handler.
enum class Step : uint8_t {
  Next,  ///< Done; go on with the next instruction.
  Jump,  ///< The handler has set the program counter or the fragments.
  Block, ///< Not done: execute this instruction again when something changed.
  Yield, ///< Done, but polling: let other fragments and warps run first.
  Fault, ///< The grid stops; the fault is recorded.
};

/// Executes `instruction` for the lanes in `mask` (never empty unless the
/// instruction is `runsWithoutLanes`): those of the running fragment whose
/// guard is true.
using Handler = Step (*)(Warp &warp, const Instruction &instruction,
                         LaneMask mask);

/// How an address operand's base is found.
enum class Base : uint8_t {
  Register, ///< Lanes at `slot`.
  Absolute, ///< `offset` alone: an immediate, .global or .const symbol.
  Shared,   ///< `offset` in this CTA's shared window (rank bits are added).
  Local,    ///< `offset` in the thread's local memory.
  Param,    ///< `offset` in the kernel's parameter buffer.
  Frame,    ///< `offset` in the local memory of the running call, whose
            ///< address is the 32-bit register at `slot`.
};

/// One resolved operand.
///
/// Storage: registers up to 32 bits are `uint32_t[32]` (a 16-bit value in the
/// low half, the upper half undefined on reading and zero on writing), 64-bit
/// registers are `uint64_t[32]`, 128-bit ones two `uint64_t[32]` (low plane
/// first), a predicate is one LaneMask.
struct Operand {
  enum class Kind : uint8_t {
    None,
    Register,
    Predicate,
    Constant, ///< Immediate; `constant` points at lanes, `bits` is the value.
    Sink,     ///< `_`; not read, and zero where it must be.
    Address,
    Vector, ///< `count` operands from `elements`.
  };
  Kind kind = Kind::None;
  uint8_t width = 0;    ///< Of the register or constant: 1, 16, 32, 64, 128.
  bool negated = false; ///< Predicate written `!p`.
  Base base = Base::Register;
  uint32_t slot = 0; ///< Byte offset in the register file.
  uint16_t count = 0;
  /// Lanes of a constant, else null.
  const void *constant = nullptr;
  /// Value of a constant.
  uint64_t bits = 0;
  /// Address: displacement in bytes.
  int64_t offset = 0;
  /// Vector: its elements. Address: what follows the base, e.g. the
  /// coordinates in `[map, {x, y}]`, `count` of them (each may be a Vector).
  const Operand *elements = nullptr;

  bool isSink() const { return kind == Kind::Sink; }
  explicit operator bool() const { return kind != Kind::None; }
};

/// The most operands kept in an instruction; vectors count as one.
inline constexpr unsigned maxOperands = 10;

struct Instruction {
  Handler handler = nullptr;
  /// Register file offset of the guard predicate; -1 if there is none.
  int32_t guard = -1;
  bool guardNegated = false;
  /// Call the handler even if the guard leaves no lane.
  bool runsWithoutLanes = false;
  uint8_t operandCount = 0;
  /// Free for the family: numbers that its decoder worked out.
  uint8_t flags = 0;
  uint32_t target = 0; ///< Branch target.
  /// Order for reconvergence: the runnable fragment with the lowest number
  /// runs first. A postdominator has a higher one than what it postdominates.
  uint32_t priority = 0;
  uint32_t line = 0;
  /// Free for the family as well; `data` may point into Kernel's arena.
  uint64_t extra = 0;
  const void *data = nullptr;
  Operand operands[maxOperands];
  /// The PTX text.
  std::string_view text;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_INSTRUCTION_H
