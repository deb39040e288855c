//===- PtxText.h - Instructions as reports show them ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PROFILE_PTXTEXT_H
#define BWGEMM_EMULATOR_PROFILE_PTXTEXT_H

#include "machine/Instruction.h"

#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::emulator {

/// The text with every run of white space as one blank.
std::string oneLine(std::string_view text);
/// The opcode with its modifiers, "ld.shared.v4.u32", without guard and
/// operands.
std::string_view mnemonicOf(std::string_view text);
/// The pieces of a mnemonic between its dots.
std::vector<std::string_view> partsOf(std::string_view mnemonic);

/// True if instruction `at` only prepares the next, as by putting the address
/// of a variable into a register; both have the same text.
bool isPreparation(const std::vector<Instruction> &code, size_t at);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PROFILE_PTXTEXT_H
