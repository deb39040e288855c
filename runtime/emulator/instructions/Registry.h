//===- Registry.h - Instruction families ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is one file in this folder. It registers, for each mnemonic, a
// function that turns the parsed instruction into a handler and operands,
// once per kernel. README.md shows how to add one.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_REGISTRY_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_REGISTRY_H

#include "instructions/Symbols.h"
#include "machine/Kernel.h"
#include "parser/Ast.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bwgemm::emulator {

class KernelDecoder;

/// Where control goes after an instruction, for reconvergence.
enum class Flow : uint8_t {
  Next,
  Branch,   ///< To `out.target`, or on.
  Indirect, ///< To one of the labels given to `labelInto`.
  Exit,     ///< Ends the thread.
};

/// What a family's decode function works with. It takes modifiers and
/// operands, and sets `out.handler`. Everything that fails records one error
/// with the place; the function then returns false. A modifier that was not
/// taken, and an operand that was not asked for, are errors afterwards, so a
/// family need not check for them.
class Decode {
public:
  Decode(const ast::Instruction &source, Instruction &out, Kernel &kernel,
         KernelDecoder &owner, SymbolScope &scope, size_t prefixParts);

  const ast::Instruction &source;
  Instruction &out;
  Kernel &kernel;
  Flow flow = Flow::Next;

  //===--- Modifiers ---===//

  /// Takes the modifier if it is there (written without the dot).
  bool take(std::string_view modifier);
  /// Takes the one of the list that is there, and returns its index; -1 if
  /// none is.
  int takeOne(std::initializer_list<std::string_view> choices);
  /// Takes the leftmost modifier that names a type; an error if none is.
  bool takeType(Type &type);
  bool takeOptionalType(Type &type);
  /// Takes .v2, .v4, .v8; 1 if none is there.
  unsigned takeVectorWidth();
  /// Takes .global, .shared, .shared::cta, .shared::cluster, .local, .const,
  /// .param, .param::entry, .param::func; Space::Generic if none is there.
  Space takeSpace();
  /// Takes every modifier that starts with `prefix`, e.g. "L2::".
  void takeAllWithPrefix(std::string_view prefix);

  //===--- Operands ---===//

  size_t operandCount() const { return source.operands.size(); }
  bool expectOperands(size_t least, size_t most);
  const ast::Operand &operand(size_t index) const {
    return source.operands[index];
  }
  /// Each resolves source operand `index` and appends it to out.operands.
  ///
  /// Destination register of `type`; `_` if `sinkAllowed`. With `widerAllowed`
  /// the register may be wider than the type (ld, st, cvt).
  bool destination(size_t index, Type type, bool sinkAllowed = false,
                   bool widerAllowed = false);
  /// Register or immediate of `type`.
  bool sourceOperand(size_t index, Type type, bool widerAllowed = false);
  /// Register, or a 32-bit immediate of any sign: shift counts, lane numbers.
  bool sourceU32(size_t index) { return sourceOperand(index, Type::U32); }
  bool predicateDestination(size_t index, bool sinkAllowed = false);
  /// `d|p` or `d`: appends two operands, the second of kind None if there is
  /// no `|`. `d` is a register of `type` (Pred allowed) or `_`.
  bool destinationPair(size_t index, Type type);
  /// Predicate register, possibly negated, or an immediate.
  bool predicateSource(size_t index);
  /// `[…]`. Base registers may be 32 or 64 bits wide. Symbols of the wrong
  /// state space are refused. Elements after the base are resolved as U32
  /// sources (coordinates), vectors of them included.
  bool address(size_t index, Space space);
  /// `{a, b, …}` with exactly `count` elements of `type` (0: any number).
  bool vectorDestination(size_t index, Type type, unsigned count,
                         bool sinkAllowed = false, bool widerAllowed = false);
  bool vectorSource(size_t index, Type type, unsigned count,
                    bool sinkAllowed = false, bool widerAllowed = false);
  /// A literal as a constant of `type`, to whose width a decimal one is
  /// converted.
  bool resolveImmediate(const ast::Operand &operand, Type type,
                        Operand &result);
  /// Integer immediate, stored in `value`; appended to no list.
  bool immediate(size_t index, int64_t &value);
  /// The address of a variable, if operand `index` names one.
  bool isVariable(size_t index) const;
  bool isSpecialRegister(size_t index) const;
  /// True if operand `index` exists and is a predicate register (or !p).
  bool isPredicate(size_t index) const;
  bool isImmediate(size_t index) const;
  bool isVector(size_t index) const;
  /// Says that operand `index`, read from the source, is taken care of.
  void markUsed(size_t index) { used[index] = true; }
  /// Adds an absent operand, so that later ones keep their places.
  void noOperand();
  Operand &last() { return out.operands[out.operandCount - 1]; }
  /// Names a label: sets out.target.
  bool label(size_t index);
  /// The label number of a name (filled in below), used by label() as well.
  bool labelNumber(std::string_view name, ast::Location where,
                   uint32_t &number);
  /// Index in the code of a label (for branch tables), filled in later into
  /// `*place`, which must stay where it is.
  bool labelInto(std::string_view name, ast::Location where, uint32_t *place);
  /// What a name stands for; nothing if it is not declared.
  std::optional<Symbol> symbol(std::string_view name);
  /// The function of the instruction; null in a kernel.
  const DeviceFunction *function() const;
  /// A function that the kernel may call, by name; null if there is none.
  const DeviceFunction *calledFunction(std::string_view name) const;
  /// Says that the instruction calls a function, or any if it is null.
  void noteCall(const DeviceFunction *callee);
  /// Says that the instruction moves the stack pointer.
  void noteDynamicStack() { kernel.dynamicStack = true; }
  /// Labels of a `.branchtargets` list.
  const std::vector<std::string_view> *branchTargets(std::string_view name);
  /// Lanes that all hold `bits`, in 32- or 64-bit storage.
  const void *constant(unsigned width, uint64_t bits);

  /// Space for a family's own decoded data, owned by the kernel.
  template <class T> T *newData() {
    auto object = std::make_shared<T>();
    T *pointer = object.get();
    kernel.data.push_back(std::move(object));
    return pointer;
  }

  //===--- Errors ---===//

  /// Records "<message>" at the instruction (or the operand), returns false.
  bool error(std::string_view message);
  bool errorAt(ast::Location where, std::string_view message);
  const std::string &message() const { return errorMessage; }
  ast::Location errorLocation() const { return errorPlace; }
  /// "add.s32": the mnemonic as written.
  std::string mnemonic() const;
  /// The first modifier nobody took, if any.
  std::optional<std::string_view> unusedModifier() const;

private:
  friend class KernelDecoder;
  bool resolve(const ast::Operand &operand, Type type, bool isDestination,
               bool sinkAllowed, bool widerAllowed, Operand &result);
  bool resolveVector(size_t index, Type type, unsigned count,
                     bool isDestination, bool sinkAllowed, bool widerAllowed);
  bool resolvePredicate(const ast::Operand &operand, bool isDestination,
                        bool sinkAllowed, Operand &result);
  bool resolveElements(const ast::Operand *first, size_t count,
                       const Operand *&elements);
  bool hasOperand(size_t index);
  Operand *append(size_t index);

  KernelDecoder &owner;
  SymbolScope &scope;
  /// Collects the modifiers that were asked for in vain, for a message.
  std::vector<std::string_view> *tried = nullptr;
  std::vector<bool> taken;
  std::vector<bool> used;
  int64_t targetLabel = -1;
  std::string errorMessage;
  ast::Location errorPlace;
};

using DecodeFunction = bool (*)(Decode &);

/// Mnemonics and their decode functions.
class Registry {
public:
  /// With every family registered.
  static const Registry &instance();

  /// `mnemonic` is the leading part of an opcode at a dot: "add",
  /// "cp.async.bulk.tensor". The longest that fits an instruction is used.
  void add(std::string_view mnemonic, DecodeFunction function);
  /// The function for an instruction, and how many of its parts the mnemonic
  /// takes; null if there is none.
  DecodeFunction find(const std::vector<std::string_view> &parts,
                      size_t &prefixParts) const;

  /// Every registered mnemonic, sorted.
  std::vector<std::string> mnemonics() const;

private:
  std::unordered_map<std::string, DecodeFunction> functions;
};

// One function per family file.
#define BWGEMM_EMULATOR_FAMILY(Name) void register##Name(Registry &registry);
#include "instructions/Families.def"
#undef BWGEMM_EMULATOR_FAMILY

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_REGISTRY_H
