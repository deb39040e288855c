//===- Ast.h - Syntax tree of a PTX module ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of PTX text: directives, variables, functions and
// statements, close to the grammar of the PTX ISA (chapters 4, 5 and 11) and
// with no meaning given to an opcode yet. All names and texts are views into
// `Module::text`.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_PARSER_AST_H
#define BWGEMM_EMULATOR_PARSER_AST_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bwgemm::emulator::ast {

/// A place in the PTX text, 1-based.
struct Location {
  unsigned line = 0, column = 0;
};

/// One operand of an instruction, as written.
struct Operand {
  enum class Kind {
    Name,    ///< Register, symbol, label or special register; `name`, `offset`.
    Integer, ///< `bits`, the value modulo 2^64; `isNegative` if written with -.
    Float32, ///< `0f…`: the bit pattern in `bits`.
    Float64, ///< `0d…` or a decimal literal: the bit pattern in `bits`.
    Vector,  ///< `{a, b, …}`: `elements`.
    Address, ///< `[base+offset, more…]`: `elements[0]` is the base.
    Pair,    ///< `d|p`: `elements[0]` and `elements[1]`.
    List,    ///< `(a, b)` of a call: `elements`.
    Sink,    ///< `_`.
  };
  Kind kind = Kind::Name;
  Location location;
  std::string_view name;
  uint64_t bits = 0;
  bool isNegative = false;
  bool isUnsigned = false; ///< Integer with a U suffix.
  bool negated = false;    ///< Written `!p`.
  bool minus = false;      ///< Name written `-r`.
  int64_t offset = 0;      ///< `name+offset`.
  std::vector<Operand> elements;
};

/// One instruction. `parts` is the mnemonic split at its dots, without them:
/// {"ld", "shared::cta", "v4", "b32"}.
struct Instruction {
  Location location;
  std::vector<std::string_view> parts;
  std::vector<Operand> operands;
  std::string_view guard; ///< Register of `@p`, empty if none.
  bool guardNegated = false;
  std::string_view text; ///< From the guard to before the semicolon.
};

enum class StateSpace { Reg, Const, Global, Local, Param, Shared };

/// One element of an initialiser: a number of the variable's type, or the
/// address of a symbol.
struct Initializer {
  Location location;
  enum class Kind { Integer, Float32, Float64, Symbol } kind = Kind::Integer;
  uint64_t bits = 0;
  std::string_view symbol;
  int64_t offset = 0;
  bool generic = false; ///< Written `generic(symbol)`.
  uint64_t mask = 0;    ///< `0xFF(symbol)`: which byte; 0 if whole.
};

/// A variable, register or parameter. `.reg .b32 %r<5>` is one Variable with
/// `rangeCount` 5.
struct Variable {
  Location location;
  StateSpace space = StateSpace::Reg;
  std::string_view name;
  std::string_view type;    ///< "b32", "pred", …; without the dot.
  unsigned vectorWidth = 1; ///< 2, 4 or 8 for .v2, .v4, .v8.
  uint32_t align = 0;       ///< Bytes; 0 if not written.
  bool isArray = false;
  bool isUnsized = false;    ///< `name[]` with no initialiser.
  uint64_t elementCount = 1; ///< Product of the array bounds.
  uint32_t rangeCount = 0;   ///< `<N>`; 0 if none.
  bool isExtern = false, isVisible = false, isWeak = false;
  std::vector<Initializer> initializer;
};

struct Block;
struct Function;

struct Label {
  Location location;
  std::string_view name;
  /// `name: .branchtargets a, b;` lists labels.
  std::vector<std::string_view> branchTargets;
  /// `name: .calltargets f, g;` lists functions.
  std::vector<std::string_view> callTargets;
  /// `name: .callprototype …;`: a function without name and body.
  std::shared_ptr<Function> prototype;
};

/// An instruction, a label, a declaration or a nested block, in order.
struct Statement {
  enum class Kind { Instruction, Label, Variable, Block } kind;
  Instruction instruction;
  Label label;
  Variable variable;
  std::unique_ptr<Block> block;
};

/// `{ … }`: its labels and variables are visible inside only.
struct Block {
  std::vector<Statement> statements;
};

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
};

/// `.entry` or `.func`.
struct Function {
  Location location;
  bool isEntry = false;
  bool isExtern = false, isVisible = false, isWeak = false;
  std::string_view name;
  std::vector<Variable> results; ///< Of a `.func`.
  std::vector<Variable> params;
  std::optional<Extent> reqntid, maxntid, reqCluster;
  std::optional<uint32_t> minCtasPerSm, maxRegisters, maxClusterRank;
  bool explicitCluster = false, noReturn = false, blocksAreClusters = false;
  bool hasBody = false;
  Block body;
};

struct Module {
  std::string text; ///< Owns what every view refers to.
  std::string name; ///< For messages.
  unsigned versionMajor = 0, versionMinor = 0;
  std::string_view target; ///< "sm_100a".
  std::vector<std::string_view> targetFlags;
  unsigned addressSize = 64;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  /// `.alias name, function;`.
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
};

} // namespace bwgemm::emulator::ast

#endif // BWGEMM_EMULATOR_PARSER_AST_H
