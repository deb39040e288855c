//===- DecodeFunctions.cpp - The functions that a kernel calls --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions that a kernel may reach, gives them their parameters and
// frames, and works out how much stack their calls can need.
//
//===----------------------------------------------------------------------===//

#include "instructions/Builtins.h"
#include "instructions/KernelDecoder.h"

#include <algorithm>

namespace bwgemm::emulator {

static std::string_view resolveAlias(const ast::Module &module,
                                     std::string_view name) {
  // An alias may not name another one (PTX ISA, .alias).
  for (const auto &[alias, target] : module.aliases)
    if (alias == name)
      return target;
  return name;
}

uint64_t functionAddress(const ast::Module &module, std::string_view name) {
  name = resolveAlias(module, name);
  for (size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i]->name == name)
      return functionWindow + 16 * (i + 1);
  return 0;
}

/// The definition of a `.func`, or its declaration if there is none; null if
/// the name is not that of a function.
const ast::Function *KernelDecoder::findFunction(std::string_view name) const {
  name = resolveAlias(module, name);
  const ast::Function *found = nullptr;
  for (const auto &candidate : module.functions)
    if (candidate->name == name && !candidate->isEntry &&
        (!found || candidate->hasBody))
      found = candidate.get();
  return found;
}

//===----------------------------------------------------------------------===//
// Which functions
//===----------------------------------------------------------------------===//

void KernelDecoder::collectNames(const ast::Operand &operand) {
  if (operand.kind == ast::Operand::Kind::Name)
    names.insert(operand.name);
  for (const ast::Operand &element : operand.elements)
    collectNames(element);
}

void KernelDecoder::collectNames(const ast::Block &block) {
  for (const ast::Statement &statement : block.statements) {
    if (statement.kind == ast::Statement::Kind::Block)
      collectNames(*statement.block);
    else if (statement.kind == ast::Statement::Kind::Instruction)
      for (const ast::Operand &operand : statement.instruction.operands)
        collectNames(operand);
    else if (statement.kind == ast::Statement::Kind::Label)
      for (std::string_view target : statement.label.callTargets)
        names.insert(target);
    // An indirect call has a prototype or a list of targets.
    if (statement.kind == ast::Statement::Kind::Label &&
        (statement.label.prototype || !statement.label.callTargets.empty()))
      callsIndirectly = true;
  }
}

/// Adds the names whose value an instruction takes, which leaves out the
/// targets of direct calls.
static void addTakenNames(const ast::Block &block,
                          std::vector<std::string_view> &found) {
  using Kind = ast::Operand::Kind;
  for (const ast::Statement &statement : block.statements) {
    if (statement.kind == ast::Statement::Kind::Block)
      addTakenNames(*statement.block, found);
    if (statement.kind != ast::Statement::Kind::Instruction ||
        statement.instruction.parts[0] == "call")
      continue;
    for (const ast::Operand &operand : statement.instruction.operands)
      if (operand.kind == Kind::Name)
        found.push_back(operand.name);
  }
}

/// Names that may be those of functions whose address is taken somewhere in
/// the module: an indirect call of any kernel may reach them.
static std::vector<std::string_view> takenNames(const ast::Module &module) {
  std::vector<std::string_view> found;
  for (const ast::Variable &variable : module.variables)
    for (const ast::Initializer &element : variable.initializer)
      if (element.kind == ast::Initializer::Kind::Symbol)
        found.push_back(element.symbol);
  for (const auto &other : module.functions)
    addTakenNames(other->body, found);
  return found;
}

void KernelDecoder::findFunctions() {
  collectNames(function.body);
  std::unordered_set<const ast::Function *> seen;
  bool addedTaken = false;
  for (bool changed = true; changed;) {
    changed = false;
    if (callsIndirectly && !addedTaken) {
      addedTaken = true;
      for (std::string_view name : takenNames(module))
        if (findFunction(name))
          names.insert(name);
    }
    std::vector<std::string_view> present(names.begin(), names.end());
    for (std::string_view name : present) {
      const ast::Function *callee = findFunction(name);
      if (!callee || !seen.insert(callee).second)
        continue;
      reached.push_back(callee);
      collectNames(callee->body);
      changed = true;
    }
  }
  // In text order, so that decoding does not depend on a hash.
  std::sort(reached.begin(), reached.end(),
            [](const ast::Function *a, const ast::Function *b) {
              return a->location.line != b->location.line
                         ? a->location.line < b->location.line
                         : a->location.column < b->location.column;
            });
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

bool KernelDecoder::declareValue(const ast::Variable &variable,
                                 SymbolScope *scope, CallValue &value) {
  if (variable.isUnsized)
    return fail(variable.location,
                "expected a parameter of known size, got an array without "
                "bound; variadic functions are not supported");
  uint64_t bytes, align;
  if (!layOutVariable(variable, bytes, align))
    return fail(variable.location, "expected a parameter of a fundamental "
                                   "type, got '" +
                                       std::string(variable.type) + "'");
  if (bytes > maxFrameBytes)
    return fail(variable.location, "expected a parameter of at most " +
                                       std::to_string(maxFrameBytes) +
                                       " bytes, got " + std::to_string(bytes));
  value.bytes = static_cast<uint32_t>(bytes);
  if (variable.space == ast::StateSpace::Reg) {
    if (variable.isArray || variable.vectorWidth > 1 || variable.rangeCount)
      return fail(variable.location, "expected a single register as parameter, "
                                     "got an array or a vector");
    value.kind = CallValue::Kind::Register;
    if (!scope)
      return true;
    if (!scope->defineRegister(variable, *parseType(variable.type)))
      return fail(variable.location,
                  "'" + std::string(variable.name) + "' is declared twice");
    auto symbol = scope->find(variable.name);
    unsigned bits = bitWidth(symbol->type);
    value.operand.kind = Operand::Kind::Register;
    value.operand.width = static_cast<uint8_t>(bits <= 16 ? 16 : bits);
    value.operand.slot = symbol->slot;
    return true;
  }
  value.kind = CallValue::Kind::Frame;
  if (!scope)
    return true;
  Symbol symbol;
  if (!placeInFrame(variable, bytes, align, symbol))
    return false;
  symbol.isCallParam = true;
  value.offset = static_cast<uint32_t>(symbol.address);
  if (!scope->define(variable.name, symbol))
    return fail(variable.location,
                "'" + std::string(variable.name) + "' is declared twice");
  return true;
}

/// Gives a .local variable or a .param of a call its place.
bool KernelDecoder::placeInFrame(const ast::Variable &variable, uint64_t bytes,
                                 uint64_t align, Symbol &symbol) {
  symbol.kind = Symbol::Kind::Variable;
  symbol.space = Space::Local;
  if (collecting) {
    symbol.inFrame = true;
    symbol.slot = collecting->frameSlot;
    if (align > collecting->frameAlign)
      collecting->frameAlign = static_cast<uint32_t>(align);
  }
  localEnd = (localEnd + align - 1) / align * align;
  symbol.address = localEnd;
  symbol.bytes = bytes;
  localEnd += bytes;
  if (localEnd > maxFrameBytes)
    return fail(variable.location,
                "expected at most " + std::to_string(maxFrameBytes) +
                    " bytes of local memory, got " + std::to_string(localEnd));
  return true;
}

bool KernelDecoder::declareFunctions() {
  for (const ast::Function *source : reached) {
    kernel.functions.emplace_back();
    DeviceFunction &made = kernel.functions.back();
    made.name = source->name;
    made.address = functionAddress(module, source->name);
    made.line = source->location.line;
    made.noReturn = source->noReturn;
    made.number = static_cast<uint32_t>(kernel.functions.size() - 1);
    functionsByName[source->name] = &made;
    if (!source->hasBody) {
      for (const ast::Variable &param : source->params)
        if (!declareValue(param, nullptr, made.params.emplace_back()))
          return false;
      for (const ast::Variable &result : source->results)
        if (!declareValue(result, nullptr, made.results.emplace_back()))
          return false;
      std::string problem;
      made.builtin = findBuiltin(made, problem);
      if (!made.builtin)
        return fail(source->location, problem);
      kernel.prints |= made.name == "vprintf";
    }
  }
  for (const auto &[alias, target] : module.aliases) {
    auto found = functionsByName.find(target);
    if (found != functionsByName.end())
      functionsByName[alias] = found->second;
  }
  return true;
}

bool KernelDecoder::collectFunctions(SymbolScope *moduleScope) {
  size_t index = 0;
  for (const ast::Function *source : reached) {
    DeviceFunction &made = kernel.functions[index++];
    if (!source->hasBody)
      continue;
    collecting = &made;
    bodies.emplace_back();
    Body &body = bodies.back();
    body.function = &made;
    body.firstItem = items.size();
    file.setOwner(&body.registers);
    made.frameSlot = file.allocate(Type::B32);
    localEnd = 0;
    scopes.push_back(std::make_unique<SymbolScope>(moduleScope, file));
    SymbolScope *paramScope = scopes.back().get();
    for (const ast::Variable &param : source->params)
      if (!declareValue(param, paramScope, made.params.emplace_back()))
        return false;
    for (const ast::Variable &result : source->results)
      if (!declareValue(result, paramScope, made.results.emplace_back()))
        return false;
    scopes.push_back(std::make_unique<SymbolScope>(paramScope, file));
    SymbolScope *bodyScope = scopes.back().get();
    if (!collect(source->body, *bodyScope))
      return false;
    static const ast::Instruction end = [] {
      ast::Instruction instruction;
      instruction.parts = {"ret"};
      instruction.text = "ret (end of the function)";
      return instruction;
    }();
    items.push_back({&end, bodyScope, lastLine(body.firstItem)});
    made.frameBytes = static_cast<uint32_t>((localEnd + 15) / 16 * 16);
  }
  collecting = nullptr;
  file.setOwner(nullptr);
  return true;
}

//===----------------------------------------------------------------------===//
// Stack
//===----------------------------------------------------------------------===//

/// Longest chain of frames; `calls[n]` are the callees of function n, the last
/// list those of the kernel. A function on its own path may recurse.
void KernelDecoder::sizeStack() {
  size_t count = kernel.functions.size();
  std::vector<std::vector<uint32_t>> callees(count + 1);
  auto add = [&](size_t caller, uint32_t callee) {
    auto &list = callees[caller];
    if (std::find(list.begin(), list.end(), callee) == list.end())
      list.push_back(callee);
  };
  for (const auto &[caller, callee] : callEdges) {
    size_t from = caller ? caller->number : count;
    if (callee)
      add(from, callee->number);
    else
      for (uint32_t n = 0; n < count; ++n)
        add(from, n);
  }
  // Reachability by depth-first search from each; kernels have few functions.
  for (uint32_t start = 0; start < count; ++start) {
    std::vector<bool> seen(count, false);
    std::vector<uint32_t> stack(callees[start]);
    while (!stack.empty()) {
      uint32_t at = stack.back();
      stack.pop_back();
      if (at == start)
        kernel.functions[start].mayRecurse = true;
      if (seen[at])
        continue;
      seen[at] = true;
      stack.insert(stack.end(), callees[at].begin(), callees[at].end());
    }
    kernel.dynamicStack |= kernel.functions[start].mayRecurse;
  }
  kernel.entryFrameBytes = kernel.localBytes;
  if (kernel.dynamicStack)
    return;
  // Without a cycle, depths settle after as many rounds as there are
  // functions.
  std::vector<uint64_t> depth(count + 1, 0);
  for (size_t round = 0; round <= count; ++round)
    for (size_t n = 0; n <= count; ++n) {
      uint64_t below = 0;
      for (uint32_t callee : callees[n])
        below = std::max(below, depth[callee]);
      depth[n] = below;
      if (n < count)
        depth[n] +=
            frameCharge(kernel.functions[n]) + kernel.functions[n].frameAlign;
    }
  kernel.localBytes = static_cast<uint32_t>(
      std::min<uint64_t>(kernel.localBytes + depth[count], maxFrameBytes));
}

} // namespace bwgemm::emulator
