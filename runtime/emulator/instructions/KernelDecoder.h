//===- KernelDecoder.h - Syntax tree to decoded kernel ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_KERNELDECODER_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_KERNELDECODER_H

#include "instructions/Registry.h"
#include "instructions/Symbols.h"
#include "machine/Kernel.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace bwgemm::emulator {

/// Turns one `.entry` into a Kernel. Used once.
class KernelDecoder {
public:
  /// Finds or makes the storage of a .global or .const variable; returns
  /// false and sets the message if it cannot.
  using Placement =
      std::function<bool(const ast::Variable &variable, uint64_t &address,
                         uint64_t &bytes, std::string &error)>;

  KernelDecoder(const ast::Module &module, const ast::Function &function,
                Kernel &kernel, Placement placement);

  /// On failure returns false and sets `error` to
  /// "<name>:<line>:<column>: error: …".
  bool decode(std::string &error);

private:
  friend class Decode;

  /// A statement list flattened: labels are numbers of places in it.
  struct Item {
    const ast::Instruction *instruction;
    SymbolScope *scope;
    unsigned line; ///< Of an instruction that is not in the text, else 0.
  };
  /// The kernel's body, then those of the functions that it may call.
  struct Body {
    DeviceFunction *function = nullptr; ///< Null for the kernel.
    size_t firstItem = 0;
    std::vector<RegisterFile::Place> registers;
  };
  struct Label {
    size_t item = 0; ///< Index in `items` that it stands before.
    uint32_t codeIndex = 0;
  };

  bool fail(ast::Location where, const std::string &message);
  bool layOutParams();
  const ast::Function *findFunction(std::string_view name) const;
  void findFunctions();
  bool declareFunctions();
  bool collectFunctions(SymbolScope *moduleScope);
  bool declareValue(const ast::Variable &variable, SymbolScope *scope,
                    CallValue &value);
  bool placeInFrame(const ast::Variable &variable, uint64_t bytes,
                    uint64_t align, Symbol &symbol);
  void enter(Body &body);
  void leave(Body &body);
  unsigned lastLine(size_t firstItem) const;
  void sizeStack();
  bool declareModuleVariables();
  bool declare(const ast::Variable &variable, SymbolScope &scope);
  bool placeShared(const ast::Variable &variable, Symbol &symbol);
  bool collect(const ast::Block &block, SymbolScope &scope);
  void collectNames(const ast::Block &block);
  void collectNames(const ast::Operand &operand);
  bool decodeInstruction(const Item &item);
  void emit(const Instruction &instruction, Flow flow);
  bool addGuard(const ast::Instruction &source, SymbolScope &scope,
                Instruction &out);
  void resolveLabels();

  // For Decode.
  const void *constant(unsigned width, uint64_t bits);
  Operand *operandArray(size_t count);
  /// Emits, before the instruction being decoded, one that writes a special
  /// register or the address of a variable to a hidden register.
  bool materializeSpecial(std::string_view name, unsigned width,
                          const ast::Instruction &source, uint32_t &slot);
  void materializeAddress(const Symbol &symbol, int64_t offset, unsigned width,
                          const ast::Instruction &source, uint32_t &slot);

  const ast::Module &module;
  const ast::Function &function;
  Kernel &kernel;
  Placement placement;
  RegisterFile file;
  std::vector<std::unique_ptr<SymbolScope>> scopes;
  std::vector<Item> items;
  std::vector<Label> labels;
  std::unordered_set<std::string_view> names;
  std::vector<std::pair<size_t, uint32_t>> targetPatches; ///< Code, label.
  std::vector<std::pair<uint32_t *, uint32_t>> placePatches;
  std::vector<Flow> flows;
  std::vector<std::vector<uint32_t *>> indirectPlaces;
  std::vector<uint32_t *> currentPlaces; ///< Of the instruction in hand.
  std::map<std::pair<unsigned, uint64_t>, const void *> constants;
  uint64_t sharedEnd = sharedBase;
  uint64_t dynamicAlign = 16;
  uint64_t localEnd = localBase;
  bool hasDynamicArray = false;
  std::string errorText;

  bool callsIndirectly = false;
  std::vector<const ast::Function *> reached;
  std::vector<Body> bodies;
  DeviceFunction *collecting = nullptr;    ///< Its declarations are being read.
  const DeviceFunction *running = nullptr; ///< Its instructions are decoded.
  std::unordered_map<std::string_view, const DeviceFunction *> functionsByName;
  /// Caller (null for the kernel) and callee (null for any).
  std::vector<std::pair<const DeviceFunction *, const DeviceFunction *>>
      callEdges;
};

/// Most bytes that a thread's local memory or one frame of it may have.
inline constexpr uint64_t maxFrameBytes = 512 * 1024;

/// What a call takes of the stack: its frame, and the place of a return
/// address.
inline uint32_t frameCharge(const DeviceFunction &function) {
  return function.frameBytes + 16;
}

/// Size in bytes of a variable and the alignment it must have; false if it is
/// not of a fundamental type.
bool layOutVariable(const ast::Variable &variable, uint64_t &bytes,
                    uint64_t &align);

/// What a register holds that points at the function; 0 if there is no such
/// function.
uint64_t functionAddress(const ast::Module &module, std::string_view name);

/// Sets Instruction::priority from the immediate postdominators of the
/// control flow graph. `flows[i]` and, for Flow::Indirect, `indirect[i]` (the
/// places where the target indices stand) describe code[i].
void assignPriorities(std::vector<Instruction> &code,
                      const std::vector<Flow> &flows,
                      const std::vector<std::vector<uint32_t *>> &indirect);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_KERNELDECODER_H
