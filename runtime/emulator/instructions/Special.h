//===- Special.h - Special registers ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_SPECIAL_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_SPECIAL_H

#include "machine/Instruction.h"

#include <string_view>

namespace bwgemm::emulator {

/// True if `name` ("%tid.x") is a special register that is modelled.
bool isSpecialRegisterName(std::string_view name);

/// Makes `out` write the special register to operands[0], whose width is set.
/// False if there is no such register.
bool decodeSpecialRegister(std::string_view name, Instruction &out);

/// Makes `out` write the address `offset` bytes into `space` to operands[0]:
/// state space addresses, not generic ones.
void decodeVariableAddress(Space space, uint64_t offset, Instruction &out);

/// The same for a place `offset` bytes into the frame of the running call,
/// whose address is the register at `frameSlot`.
void decodeFrameAddress(uint32_t frameSlot, uint64_t offset, Instruction &out);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_SPECIAL_H
