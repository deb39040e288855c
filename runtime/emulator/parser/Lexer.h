//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PARSER_LEXER_H
#define BWGEMM_EMULATOR_PARSER_LEXER_H

#include "parser/Ast.h"

#include <string_view>

namespace bwgemm::emulator {

struct Token {
  enum class Kind {
    End,
    Word,    ///< Identifier, mnemonic or directive with dots and `::` in it:
             ///< "ld.shared::cta.b32", ".visible", "%tid.x", "$L__BB0_1".
    Integer, ///< `bits`, `isUnsigned`.
    Float32, ///< 0fXXXXXXXX.
    Float64, ///< 0dXXXXXXXXXXXXXXXX or decimal.
    String,  ///< "…", without the quotes.
    Punct, ///< One character of `, ; : { } [ ] ( ) < > @ ! | + - = ~ * / % & ^
           ///< ?`.
    Invalid, ///< `text` is the offending piece, `problem` says why.
  };
  Kind kind = Kind::End;
  ast::Location location;
  std::string_view text;
  uint64_t bits = 0;
  bool isUnsigned = false;
  const char *problem = nullptr;
  size_t begin = 0, end = 0; ///< Offsets in the text.

  bool is(char punct) const {
    return kind == Kind::Punct && text.size() == 1 && text[0] == punct;
  }
  bool isWord(std::string_view word) const {
    return kind == Kind::Word && text == word;
  }
};

/// Splits PTX text into tokens; comments, white space and preprocessor lines
/// (`# 1 "file"`) are skipped.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();
  /// Drops the rest of the present line (for .loc and its kind). Returns false
  /// at the end of the text.
  void skipLine();

private:
  bool skipBlank(Token &problem);
  Token number(Token token);
  ast::Location here() const {
    return {line, static_cast<unsigned>(position - lineStart) + 1};
  }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  unsigned line = 1;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PARSER_LEXER_H
