//===- Diagnostics.h - What is wrong with an instruction --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_DIAGNOSTICS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_DIAGNOSTICS_H

#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::emulator {

/// The message for an instruction that no family has: why, if it is known to
/// be left out, else the mnemonics that are spelt most like it.
std::string describeUnknown(const std::vector<std::string_view> &parts);

/// The message for a modifier that nobody took; `tried` are those that were
/// asked for and are not in the instruction.
std::string describeModifier(std::string_view modifier,
                             const std::string &mnemonic,
                             std::vector<std::string_view> tried);

/// Why `.target` does not have the instruction (PTX ISA, "Target ISA Notes" of
/// each); empty if it has, or if no rule is known.
std::string describeTarget(const std::vector<std::string_view> &parts,
                           std::string_view target);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_DIAGNOSTICS_H
