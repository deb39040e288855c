//===- ParserImpl.h - The recursive descent parser --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PARSER_PARSERIMPL_H
#define BWGEMM_EMULATOR_PARSER_PARSERIMPL_H

#include "parser/Ast.h"
#include "parser/Lexer.h"

#include <string>

namespace bwgemm::emulator {

/// Every method returns false after recording the first error. Recursion is
/// bounded, so that no text can exhaust the stack.
class ParserImpl {
public:
  explicit ParserImpl(ast::Module &module);
  bool parseModule();
  std::string takeMessage() { return std::move(message); }

private:
  void advance();
  bool errorAt(ast::Location where, const std::string &text);
  bool expected(const std::string &what);
  bool consume(char punct);
  bool expect(char punct, const char *context);
  bool expectName(std::string_view &name, const char *what);
  bool expectUnsigned(uint64_t &value, uint64_t limit, const char *what);

  bool parseVersion();
  bool parseTarget();
  bool skipSection();
  bool skipToSemicolon(const char *context);
  void skipDebugLine();
  bool parseDirective();

  bool parseSpace(ast::StateSpace &space) const;
  bool parseVariableHead(ast::Variable &variable);
  bool parseVariableName(ast::Variable &variable);
  bool parseInitializerElement(ast::Variable &variable, unsigned depth);
  bool parseVariables(const ast::Variable &prototype, ast::StateSpace space,
                      std::vector<ast::Variable> &out);

  bool parseParameterList(std::vector<ast::Variable> &params);
  bool parseExtent(ast::Extent &extent);
  bool parsePerformanceDirectives(ast::Function &function);
  bool parseFunction(bool isExtern, bool isVisible, bool isWeak);

  bool parsePrototype(ast::Function &prototype);
  bool parseNames(std::vector<std::string_view> &names, const char *what);

  bool parseBlock(ast::Block &block, unsigned depth);
  bool parseStatement(ast::Block &block, unsigned depth);
  bool parseInstruction(ast::Block &block, const Token *mnemonic = nullptr);

  /// An operand; `(` opens an argument list if `isCall`, else a constant
  /// expression.
  bool operand(ast::Operand &out, bool isCall, unsigned depth);
  bool operandList(ast::Operand &out, char close, bool isCall, unsigned depth);
  /// A literal or constant expression.
  bool number(ast::Operand &out);
  /// An integer constant expression (PTX ISA 4.5.6).
  bool constant(uint64_t &value);
  bool binary(ast::Operand &out, int minPrecedence, unsigned depth);
  bool unary(ast::Operand &out, unsigned depth);

  ast::Module &module;
  Lexer lexer;
  Token token;
  size_t previousEnd = 0;
  std::string message;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_PARSER_PARSERIMPL_H
