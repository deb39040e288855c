//===- Parser.h - PTX text to syntax tree -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PARSER_PARSER_H
#define BWGEMM_EMULATOR_PARSER_PARSER_H

#include "parser/Ast.h"

#include <memory>
#include <string>
#include <string_view>

namespace bwgemm::emulator {

/// Parses PTX text. On failure returns null and sets `error` to
/// "<name>:<line>:<column>: error: expected …, got …".
std::unique_ptr<ast::Module>
parsePtx(std::string_view text, std::string_view name, std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PARSER_PARSER_H
