//===- Parser.cpp - PTX text to syntax tree ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Module scope, variables, functions and statements. Operands and constant
// expressions are in ParseOperands.cpp.
//
//===----------------------------------------------------------------------===//

#include "parser/Parser.h"

#include "parser/ParserImpl.h"

#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

ParserImpl::ParserImpl(ast::Module &module)
    : module(module), lexer(module.text) {
  token = lexer.next();
}

void ParserImpl::advance() {
  previousEnd = token.end;
  token = lexer.next();
}

bool ParserImpl::errorAt(ast::Location where, const std::string &text) {
  if (message.empty())
    message = module.name + ":" + std::to_string(where.line) + ":" +
              std::to_string(where.column) + ": error: " + text;
  return false;
}

static std::string describe(const Token &token) {
  switch (token.kind) {
  case Token::Kind::End:
    return "the end of the text";
  case Token::Kind::String:
    return "a string";
  default:
    break;
  }
  std::string text(token.text.substr(0, 40));
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 ||
        static_cast<unsigned char>(c) >= 0x7F)
      c = '?';
  return "'" + text + "'";
}

bool ParserImpl::expected(const std::string &what) {
  if (token.kind == Token::Kind::Invalid)
    return errorAt(token.location,
                   std::string(token.problem) + ", got " + describe(token));
  return errorAt(token.location,
                 "expected " + what + ", got " + describe(token));
}

bool ParserImpl::consume(char punct) {
  if (!token.is(punct))
    return false;
  advance();
  return true;
}

bool ParserImpl::expect(char punct, const char *context) {
  if (consume(punct))
    return true;
  return expected(std::string("'") + punct + "' " + context);
}

bool ParserImpl::expectName(std::string_view &name, const char *what) {
  if (token.kind != Token::Kind::Word || token.text[0] == '.')
    return expected(what);
  name = token.text;
  advance();
  return true;
}

bool ParserImpl::expectUnsigned(uint64_t &value, uint64_t limit,
                                const char *what) {
  ast::Location where = token.location;
  if (token.kind != Token::Kind::Integer)
    return expected(what);
  if (!constant(value))
    return false;
  if (value > limit)
    return errorAt(where, std::string("expected ") + what + " of at most " +
                              std::to_string(limit) + ", got " +
                              std::to_string(value));
  return true;
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

bool ParserImpl::parseModule() {
  if (!token.isWord(".version"))
    return expected("'.version' at the start of the module");
  while (token.kind != Token::Kind::End) {
    if (token.kind != Token::Kind::Word || token.text[0] != '.')
      return expected("a directive");
    if (!parseDirective())
      return false;
  }
  if (module.target.empty())
    return errorAt(token.location,
                   "expected a '.target' directive, got none in the module");
  return true;
}

bool ParserImpl::parseVersion() {
  advance();
  if (token.kind != Token::Kind::Float64 ||
      token.text.find('.') == std::string_view::npos)
    return expected("a version number such as 8.8");
  size_t dot = token.text.find('.');
  auto number = [](std::string_view digits) {
    unsigned value = 0;
    for (char c : digits)
      if (c >= '0' && c <= '9' && value < 1000)
        value = value * 10 + (c - '0');
    return value;
  };
  module.versionMajor = number(token.text.substr(0, dot));
  module.versionMinor = number(token.text.substr(dot + 1));
  advance();
  return true;
}

bool ParserImpl::parseTarget() {
  advance();
  std::string_view word;
  if (!expectName(word, "a target such as sm_100a"))
    return false;
  module.target = word;
  while (consume(',')) {
    if (!expectName(word, "a target flag"))
      return false;
    module.targetFlags.push_back(word);
  }
  return true;
}

/// Skips a balanced `{ … }`, or up to the end of the line if none follows.
bool ParserImpl::skipSection() {
  advance();
  while (token.kind == Token::Kind::Word || token.is(','))
    advance();
  if (!token.is('{'))
    return expected("'{' after '.section'");
  unsigned depth = 0;
  do {
    if (token.is('{'))
      ++depth;
    else if (token.is('}'))
      --depth;
    else if (token.kind == Token::Kind::End)
      return expected("'}' that closes the section");
    advance();
  } while (depth);
  return true;
}

bool ParserImpl::skipToSemicolon(const char *context) {
  while (!token.is(';')) {
    if (token.kind == Token::Kind::End || token.is('{') || token.is('}'))
      return expected(std::string("';' after ") + context);
    advance();
  }
  advance();
  return true;
}

/// `.loc` and `.file` end with their line and have no semicolon.
void ParserImpl::skipDebugLine() {
  lexer.skipLine();
  advance();
}

bool ParserImpl::parseDirective() {
  std::string_view word = token.text;
  if (word == ".version")
    return parseVersion();
  if (word == ".target")
    return parseTarget();
  if (word == ".address_size") {
    advance();
    uint64_t value;
    ast::Location where = token.location;
    if (!expectUnsigned(value, 64, "an address size"))
      return false;
    if (value != 64)
      return errorAt(where, "expected an address size of 64, got " +
                                std::to_string(value));
    return true;
  }
  if (word == ".file" || word == ".loc") {
    skipDebugLine();
    return true;
  }
  if (word == ".section")
    return skipSection();
  if (word == ".pragma") {
    advance();
    return skipToSemicolon("a directive");
  }
  if (word == ".alias") {
    std::vector<std::string_view> names;
    ast::Location where = token.location;
    if (!parseNames(names, "a function"))
      return false;
    if (names.size() != 2)
      return errorAt(where, "expected '.alias name, function', got " +
                                std::to_string(names.size()) + " names");
    module.aliases.emplace_back(names[0], names[1]);
    return true;
  }

  bool isExtern = false, isVisible = false, isWeak = false;
  for (;; advance()) {
    if (token.isWord(".extern"))
      isExtern = true;
    else if (token.isWord(".visible"))
      isVisible = true;
    else if (token.isWord(".weak") || token.isWord(".common"))
      isWeak = true;
    else
      break;
  }
  if (token.isWord(".entry") || token.isWord(".func"))
    return parseFunction(isExtern, isVisible, isWeak);
  ast::StateSpace space;
  if (parseSpace(space)) {
    ast::Variable prototype;
    prototype.isExtern = isExtern;
    prototype.isVisible = isVisible;
    prototype.isWeak = isWeak;
    if (space == ast::StateSpace::Reg || space == ast::StateSpace::Local ||
        space == ast::StateSpace::Param)
      return expected("a variable in .global, .const or .shared at module "
                      "scope");
    std::vector<ast::Variable> variables;
    if (!parseVariables(prototype, space, variables))
      return false;
    for (ast::Variable &variable : variables)
      module.variables.push_back(std::move(variable));
    return true;
  }
  return expected("a directive");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool ParserImpl::parseSpace(ast::StateSpace &space) const {
  struct Entry {
    const char *word;
    ast::StateSpace space;
  };
  static const Entry entries[] = {
      {".reg", ast::StateSpace::Reg},
      {".const", ast::StateSpace::Const},
      {".global", ast::StateSpace::Global},
      {".local", ast::StateSpace::Local},
      {".param", ast::StateSpace::Param},
      {".shared", ast::StateSpace::Shared},
  };
  for (const Entry &entry : entries)
    if (token.isWord(entry.word)) {
      space = entry.space;
      return true;
    }
  return false;
}

static bool isTypeWord(std::string_view word) {
  static const char *const types[] = {
      "b8",   "b16",    "b32",        "b64",    "b128",  "u8",     "u16",
      "u32",  "u64",    "s8",         "s16",    "s32",   "s64",    "f16",
      "bf16", "tf32",   "f32",        "f64",    "f16x2", "bf16x2", "f32x2",
      "pred", "texref", "samplerref", "surfref"};
  for (const char *type : types)
    if (word == type)
      return true;
  return false;
}

bool ParserImpl::parseVariableHead(ast::Variable &variable) {
  advance();
  while (token.kind == Token::Kind::Word && token.text[0] == '.') {
    std::string_view word = token.text.substr(1);
    ast::Location where = token.location;
    if (word == "align") {
      advance();
      uint64_t align;
      where = token.location;
      if (!expectUnsigned(align, 1u << 20, "an alignment"))
        return false;
      if (align == 0 || (align & (align - 1)))
        return errorAt(where, "expected an alignment that is a power of two, "
                              "got " +
                                  std::to_string(align));
      variable.align = static_cast<uint32_t>(align);
      continue;
    }
    if (word == "v2" || word == "v4" || word == "v8") {
      variable.vectorWidth = word[1] - '0';
    } else if (word == "ptr") {
      // `.param .u64 .ptr .global .align 16 p`: about what p points at.
      advance();
      while (token.kind == Token::Kind::Word && token.text[0] == '.') {
        bool isAlign = token.isWord(".align");
        advance();
        uint64_t ignored;
        if (isAlign && !expectUnsigned(ignored, 1u << 30, "an alignment"))
          return false;
      }
      break;
    } else if (word.substr(0, 9) == "attribute") {
      advance();
      if (!expect('(', "after '.attribute'"))
        return false;
      while (!token.is(')')) {
        if (token.kind == Token::Kind::End)
          return expected("')' that closes '.attribute'");
        advance();
      }
    } else if (isTypeWord(word)) {
      if (!variable.type.empty())
        return expected("a name after the type");
      variable.type = word;
    } else {
      return expected("a type, '.align' or a vector width");
    }
    advance();
  }
  if (variable.type.empty())
    return expected("a type");
  return true;
}

bool ParserImpl::parseVariableName(ast::Variable &variable) {
  variable.location = token.location;
  if (!expectName(variable.name, "a variable name"))
    return false;
  if (variable.space == ast::StateSpace::Reg && consume('<')) {
    uint64_t count;
    if (!expectUnsigned(count, 1u << 20, "a register count"))
      return false;
    variable.rangeCount = static_cast<uint32_t>(count);
    if (!expect('>', "after the register count"))
      return false;
    if (count == 0)
      return errorAt(variable.location,
                     "expected a register count of at least 1, got 0");
  }
  while (consume('[')) {
    variable.isArray = true;
    if (consume(']')) {
      variable.isUnsized = true;
      continue;
    }
    ast::Location where = token.location;
    uint64_t bound;
    if (!expectUnsigned(bound, uint64_t(1) << 40, "an array bound") ||
        !expect(']', "after the array bound"))
      return false;
    if (bound && variable.elementCount > (uint64_t(1) << 40) / bound)
      return errorAt(where, "expected an array of at most 2^40 elements, got "
                            "more");
    variable.elementCount *= bound;
  }
  return true;
}

bool ParserImpl::parseInitializerElement(ast::Variable &variable,
                                         unsigned depth) {
  if (depth > 16)
    return errorAt(token.location, "expected an initialiser nested at most 16 "
                                   "deep, got more");
  if (consume('{')) {
    while (!token.is('}')) {
      if (!parseInitializerElement(variable, depth + 1))
        return false;
      if (!consume(','))
        break;
    }
    return expect('}', "at the end of the initialiser");
  }
  ast::Initializer element;
  element.location = token.location;
  if (token.kind == Token::Kind::Word) {
    element.kind = ast::Initializer::Kind::Symbol;
    if (token.isWord("generic")) {
      advance();
      element.generic = true;
      if (!expect('(', "after 'generic'") ||
          !expectName(element.symbol, "a symbol") ||
          !expect(')', "after the symbol"))
        return false;
    } else if (!expectName(element.symbol, "a symbol")) {
      return false;
    }
    if (token.is('+') || token.is('-')) {
      bool minus = token.is('-');
      advance();
      uint64_t offset;
      if (!constant(offset))
        return false;
      element.offset = static_cast<int64_t>(minus ? 0 - offset : offset);
    }
  } else {
    ast::Operand value;
    if (!number(value))
      return false;
    element.bits = value.bits;
    element.kind = value.kind == ast::Operand::Kind::Integer
                       ? ast::Initializer::Kind::Integer
                   : value.kind == ast::Operand::Kind::Float32
                       ? ast::Initializer::Kind::Float32
                       : ast::Initializer::Kind::Float64;
    if (element.kind == ast::Initializer::Kind::Integer && consume('(')) {
      // 0xFF00(symbol): one byte of an address.
      element.kind = ast::Initializer::Kind::Symbol;
      element.mask = element.bits;
      if (!expectName(element.symbol, "a symbol") ||
          !expect(')', "after the symbol"))
        return false;
    }
  }
  variable.initializer.push_back(element);
  return true;
}

bool ParserImpl::parseVariables(const ast::Variable &prototype,
                                ast::StateSpace space,
                                std::vector<ast::Variable> &out) {
  ast::Variable head = prototype;
  head.space = space;
  if (!parseVariableHead(head))
    return false;
  do {
    ast::Variable variable = head;
    if (!parseVariableName(variable))
      return false;
    if (consume('=')) {
      if (space != ast::StateSpace::Global && space != ast::StateSpace::Const)
        return errorAt(variable.location,
                       "expected an initialiser only on .global and .const "
                       "variables, got one on '" +
                           std::string(variable.name) + "'");
      if (!parseInitializerElement(variable, 0))
        return false;
      if (variable.isUnsized) {
        variable.isUnsized = false;
        variable.elementCount = variable.initializer.size();
      }
      if (variable.initializer.size() >
          variable.elementCount * variable.vectorWidth)
        return errorAt(
            variable.location,
            "expected at most " +
                std::to_string(variable.elementCount * variable.vectorWidth) +
                " initial values, got " +
                std::to_string(variable.initializer.size()));
    }
    out.push_back(std::move(variable));
  } while (consume(','));
  return expect(';', "after the declaration");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool ParserImpl::parseParameterList(std::vector<ast::Variable> &params) {
  if (!expect('(', "before the parameters"))
    return false;
  while (!token.is(')')) {
    ast::Variable param;
    if (!parseSpace(param.space) || (param.space != ast::StateSpace::Param &&
                                     param.space != ast::StateSpace::Reg))
      return expected("'.param' or ')'");
    if (!parseVariableHead(param) || !parseVariableName(param))
      return false;
    params.push_back(std::move(param));
    if (!consume(','))
      break;
  }
  return expect(')', "after the parameters");
}

bool ParserImpl::parseExtent(ast::Extent &extent) {
  advance();
  uint32_t *parts[] = {&extent.x, &extent.y, &extent.z};
  for (unsigned i = 0; i < 3; ++i) {
    ast::Location where = token.location;
    uint64_t value;
    if (!expectUnsigned(value, 0xFFFFFFFFu, "an extent"))
      return false;
    if (value == 0)
      return errorAt(where, "expected an extent of at least 1, got 0");
    *parts[i] = static_cast<uint32_t>(value);
    if (!consume(','))
      break;
  }
  return true;
}

bool ParserImpl::parsePerformanceDirectives(ast::Function &function) {
  auto count = [&](std::optional<uint32_t> &place) {
    advance();
    uint64_t value;
    if (!expectUnsigned(value, 0xFFFFFFFFu, "a number"))
      return false;
    place = static_cast<uint32_t>(value);
    return true;
  };
  for (;;) {
    ast::Extent extent;
    bool good = true;
    if (token.isWord(".reqntid")) {
      good = parseExtent(extent);
      function.reqntid = extent;
    } else if (token.isWord(".maxntid")) {
      good = parseExtent(extent);
      function.maxntid = extent;
    } else if (token.isWord(".reqnctapercluster")) {
      good = parseExtent(extent);
      function.reqCluster = extent;
    } else if (token.isWord(".minnctapersm") || token.isWord(".maxnctapersm")) {
      good = count(function.minCtasPerSm);
    } else if (token.isWord(".maxnreg")) {
      good = count(function.maxRegisters);
    } else if (token.isWord(".maxclusterrank")) {
      good = count(function.maxClusterRank);
    } else if (token.isWord(".explicitcluster")) {
      function.explicitCluster = true;
      advance();
    } else if (token.isWord(".blocksareclusters")) {
      function.blocksAreClusters = true;
      advance();
    } else if (token.isWord(".noreturn")) {
      function.noReturn = true;
      advance();
    } else if (token.isWord(".pragma")) {
      good = skipToSemicolon("'.pragma'");
    } else if (token.isWord(".loc") || token.isWord(".file")) {
      skipDebugLine();
    } else {
      return true;
    }
    if (!good)
      return false;
  }
}

bool ParserImpl::parseFunction(bool isExtern, bool isVisible, bool isWeak) {
  auto function = std::make_unique<ast::Function>();
  function->isEntry = token.isWord(".entry");
  function->isExtern = isExtern;
  function->isVisible = isVisible;
  function->isWeak = isWeak;
  advance();
  if (!function->isEntry && token.is('(') &&
      !parseParameterList(function->results))
    return false;
  function->location = token.location;
  if (!expectName(function->name, "a function name"))
    return false;
  if (token.is('(') && !parseParameterList(function->params))
    return false;
  if (!parsePerformanceDirectives(*function))
    return false;
  if (!consume(';')) {
    if (!token.is('{'))
      return expected("'{' or ';' after the function's head");
    function->hasBody = true;
    if (!parseBlock(function->body, 0))
      return false;
  }
  module.functions.push_back(std::move(function));
  return true;
}

/// `.callprototype (results) _ (params) .noreturn;`
bool ParserImpl::parsePrototype(ast::Function &prototype) {
  advance();
  prototype.location = token.location;
  std::string_view name;
  if (token.is('(') && !parseParameterList(prototype.results))
    return false;
  if (!expectName(name, "'_' in a call prototype"))
    return false;
  if (token.is('(') && !parseParameterList(prototype.params))
    return false;
  return parsePerformanceDirectives(prototype) &&
         expect(';', "after the call prototype");
}

/// `.branchtargets a, b;` and `.calltargets f, g;`
bool ParserImpl::parseNames(std::vector<std::string_view> &names,
                            const char *what) {
  advance();
  do {
    std::string_view name;
    if (!expectName(name, what))
      return false;
    names.push_back(name);
  } while (consume(','));
  return expect(';', "after the list");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool ParserImpl::parseBlock(ast::Block &block, unsigned depth) {
  if (depth > 64)
    return errorAt(token.location,
                   "expected blocks nested at most 64 deep, got more");
  if (!expect('{', "at the start of a block"))
    return false;
  while (!token.is('}')) {
    if (token.kind == Token::Kind::End)
      return expected("'}' at the end of the block");
    if (!parseStatement(block, depth))
      return false;
  }
  advance();
  return true;
}

bool ParserImpl::parseStatement(ast::Block &block, unsigned depth) {
  using Kind = ast::Statement::Kind;
  if (token.is('{')) {
    ast::Statement statement{};
    statement.kind = Kind::Block;
    statement.block = std::make_unique<ast::Block>();
    if (!parseBlock(*statement.block, depth + 1))
      return false;
    block.statements.push_back(std::move(statement));
    return true;
  }
  if (consume(';'))
    return true;
  if (token.is('@'))
    return parseInstruction(block);
  if (token.kind != Token::Kind::Word)
    return expected("an instruction, a label, a declaration or '}'");

  if (token.text[0] == '.') {
    if (token.isWord(".loc") || token.isWord(".file")) {
      skipDebugLine();
      return true;
    }
    if (token.isWord(".pragma")) {
      advance();
      return skipToSemicolon("'.pragma'");
    }
    if (token.isWord(".section"))
      return skipSection();
    ast::Variable prototype;
    if (token.isWord(".extern")) {
      prototype.isExtern = true;
      advance();
    }
    ast::StateSpace space;
    if (!parseSpace(space))
      return expected("a declaration");
    std::vector<ast::Variable> variables;
    if (!parseVariables(prototype, space, variables))
      return false;
    for (ast::Variable &variable : variables) {
      ast::Statement statement{};
      statement.kind = Kind::Variable;
      statement.variable = std::move(variable);
      block.statements.push_back(std::move(statement));
    }
    return true;
  }

  Token word = token;
  advance();
  if (!token.is(':'))
    return parseInstruction(block, &word);
  advance();
  ast::Statement statement{};
  statement.kind = Kind::Label;
  statement.label.location = word.location;
  statement.label.name = word.text;
  if (token.isWord(".branchtargets")) {
    if (!parseNames(statement.label.branchTargets, "a label"))
      return false;
  } else if (token.isWord(".calltargets")) {
    if (!parseNames(statement.label.callTargets, "a function"))
      return false;
  } else if (token.isWord(".callprototype")) {
    statement.label.prototype = std::make_shared<ast::Function>();
    if (!parsePrototype(*statement.label.prototype))
      return false;
  }
  block.statements.push_back(std::move(statement));
  return true;
}

bool ParserImpl::parseInstruction(ast::Block &block, const Token *mnemonic) {
  ast::Statement statement{};
  statement.kind = ast::Statement::Kind::Instruction;
  ast::Instruction &instruction = statement.instruction;
  size_t begin = mnemonic ? mnemonic->begin : token.begin;
  if (!mnemonic && consume('@')) {
    instruction.guardNegated = consume('!');
    if (!expectName(instruction.guard, "a predicate register after '@'"))
      return false;
  }
  Token word = mnemonic ? *mnemonic : token;
  if (word.kind != Token::Kind::Word || word.text[0] == '.')
    return expected("an instruction");
  if (!mnemonic)
    advance();
  instruction.location = word.location;
  for (size_t at = 0; at <= word.text.size();) {
    size_t dot = word.text.find('.', at);
    if (dot == std::string_view::npos)
      dot = word.text.size();
    instruction.parts.push_back(word.text.substr(at, dot - at));
    at = dot + 1;
  }
  bool isCall = instruction.parts[0] == "call";
  if (!token.is(';')) {
    do {
      instruction.operands.emplace_back();
      if (!operand(instruction.operands.back(), isCall, 0))
        return false;
    } while (consume(','));
  }
  instruction.text =
      std::string_view(module.text).substr(begin, previousEnd - begin);
  if (!expect(';', "after the instruction"))
    return false;
  block.statements.push_back(std::move(statement));
  return true;
}

std::unique_ptr<ast::Module>
parsePtx(std::string_view text, std::string_view name, std::string &error) {
  auto module = std::make_unique<ast::Module>();
  // Text that came as a C array may have its terminator with it.
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  module->text = text;
  module->name = name;
  ParserImpl parser(*module);
  if (!parser.parseModule()) {
    error = parser.takeMessage();
    return nullptr;
  }
  return module;
}

} // namespace bwgemm::emulator
