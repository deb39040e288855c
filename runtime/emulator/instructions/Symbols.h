//===- Symbols.h - Names visible in a kernel --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_SYMBOLS_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_SYMBOLS_H

#include "machine/Types.h"
#include "parser/Ast.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bwgemm::emulator {

/// What a name in a kernel stands for.
struct Symbol {
  enum class Kind {
    Register,
    Variable,      ///< Address `address` in `space`.
    Label,         ///< `label`: index for KernelDecoder's label table.
    BranchTargets, ///< `targets`.
    Function,      ///< Generic address `address`.
    Prototype,     ///< `prototype`.
    CallTargets,   ///< `targets`.
    Unsupported,   ///< A name that exists and cannot be used; `reason`.
  };
  Kind kind = Kind::Register;
  // Register.
  Type type = Type::B32;
  uint32_t slot = 0;
  // Variable.
  Space space = Space::Global;
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool isDynamic = false; ///< `.extern .shared` array.
  /// `address` is relative to the frame pointer of a function's call, a
  /// register at `slot`.
  bool inFrame = false;
  /// An argument or result of a call, or a parameter of a function: local
  /// memory that ld.param and st.param reach.
  bool isCallParam = false;
  // Label, branch targets and prototypes.
  uint32_t label = 0;
  const ast::Function *prototype = nullptr;
  const std::vector<std::string_view> *targets = nullptr;
  const char *reason = nullptr;
};

/// Hands out places in the register file, for registers that are used.
class RegisterFile {
public:
  /// A register of a function, which a recursive call has to keep.
  struct Place {
    uint32_t slot;
    uint32_t bits;
  };
  /// From now on allocated registers are also noted in `places`, which may be
  /// null. A predicate counts as one bit.
  void setOwner(std::vector<Place> *places) { owner = places; }
  /// Bytes are a multiple of 64 but for predicates, which share lines.
  uint32_t allocate(Type type);
  uint32_t bytes() const { return (next + 63) / 64 * 64; }
  unsigned count() const { return registers; }

private:
  uint32_t next = 0;
  uint32_t predicateLine = 0, predicatesLeft = 0;
  unsigned registers = 0;
  std::vector<Place> *owner = nullptr;
};

/// One `{ … }` and what is declared in it; asks the enclosing one for the
/// rest.
class SymbolScope {
public:
  SymbolScope(SymbolScope *parent, RegisterFile &file)
      : parent(parent), file(file) {}

  /// False if the name is taken in this scope.
  bool define(std::string_view name, const Symbol &symbol);
  /// Registers of a `.reg` declaration, ranges and vectors included.
  bool defineRegister(const ast::Variable &variable, Type type);
  /// The symbol, or nothing. A register gets its place on first use; `v.x` is
  /// a component of a vector register.
  std::optional<Symbol> find(std::string_view name);
  /// Gives every dynamic shared array its address.
  void placeDynamicArrays(uint64_t address);
  RegisterFile &registerFile() { return file; }

private:
  struct Register {
    Type type = Type::B32;
    uint32_t slot = 0;
    bool placed = false;
  };
  struct Range {
    Type type;
    uint32_t count;
    /// Those that are used: a range may declare a million.
    std::unordered_map<uint32_t, Register> registers;
  };
  Symbol place(Register &reg);
  Range *findRange(std::string_view name, uint32_t &index);

  SymbolScope *parent;
  RegisterFile &file;
  std::unordered_map<std::string_view, Symbol> symbols;
  std::unordered_map<std::string_view, Register> single;
  std::unordered_map<std::string_view, std::vector<Register>> vectors;
  std::unordered_map<std::string_view, Range> ranges;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_SYMBOLS_H
