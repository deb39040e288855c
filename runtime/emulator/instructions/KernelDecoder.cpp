//===- KernelDecoder.cpp - Syntax tree to decoded kernel --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/KernelDecoder.h"

#include "instructions/Diagnostics.h"
#include "instructions/Special.h"
#include "instructions/WgmmaGroup.h"

#include <algorithm>

namespace bwgemm::emulator {

KernelDecoder::KernelDecoder(const ast::Module &module,
                             const ast::Function &function, Kernel &kernel,
                             Placement placement)
    : module(module), function(function), kernel(kernel),
      placement(std::move(placement)) {}

bool KernelDecoder::fail(ast::Location where, const std::string &message) {
  if (errorText.empty())
    errorText = module.name + ":" + std::to_string(where.line) + ":" +
                std::to_string(where.column) + ": error: " + message;
  return false;
}

static uint64_t alignUp(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

bool layOutVariable(const ast::Variable &variable, uint64_t &bytes,
                    uint64_t &align) {
  auto type = parseType(variable.type);
  if (!type || *type == Type::Pred)
    return false;
  uint64_t element = bitWidth(*type) / 8 * variable.vectorWidth;
  bytes = element * variable.elementCount;
  align = variable.align ? variable.align : element;
  return true;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

bool KernelDecoder::layOutParams() {
  uint64_t offset = 0;
  for (const ast::Variable &param : function.params) {
    uint64_t bytes, align;
    if (!layOutVariable(param, bytes, align))
      return fail(param.location, "expected a parameter of a fundamental type, "
                                  "got '" +
                                      std::string(param.type) + "'");
    if (param.isUnsized)
      return fail(param.location, "expected a parameter of known size, got an "
                                  "array without bound");
    offset = alignUp(offset, align);
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    symbol.space = Space::Param;
    symbol.address = offset;
    symbol.bytes = bytes;
    if (!scopes.back()->define(param.name, symbol))
      return fail(param.location,
                  "'" + std::string(param.name) + "' is declared twice");
    if (offset + bytes > 32764)
      return fail(
          param.location,
          "expected parameters of at most 32764 bytes altogether, got " +
              std::to_string(offset + bytes));
    kernel.info.params.push_back({std::string(param.name), uint32_t(offset),
                                  uint32_t(bytes), uint32_t(align)});
    offset += bytes;
  }
  kernel.info.paramBytes = static_cast<uint32_t>(offset);
  return true;
}

bool KernelDecoder::placeShared(const ast::Variable &variable, Symbol &symbol) {
  uint64_t bytes, align;
  if (!layOutVariable(variable, bytes, align))
    return fail(variable.location, "expected a variable of a fundamental type, "
                                   "got '" +
                                       std::string(variable.type) + "'");
  symbol.kind = Symbol::Kind::Variable;
  symbol.space = Space::Shared;
  if (variable.isExtern || variable.isUnsized) {
    // All such arrays start at the same place, behind the static variables;
    // decode() fills it in when it has seen them all.
    dynamicAlign = align > dynamicAlign ? align : dynamicAlign;
    hasDynamicArray = true;
    symbol.isDynamic = true;
    return true;
  }
  sharedEnd = alignUp(sharedEnd, align);
  symbol.address = sharedEnd;
  symbol.bytes = bytes;
  sharedEnd += bytes;
  if (sharedEnd - sharedBase > maxSharedBytes)
    return fail(variable.location, "expected at most " +
                                       std::to_string(maxSharedBytes) +
                                       " bytes of static shared memory, got " +
                                       std::to_string(sharedEnd - sharedBase));
  return true;
}

bool KernelDecoder::declare(const ast::Variable &variable, SymbolScope &scope) {
  std::string name(variable.name);
  auto type = parseType(variable.type);
  Symbol symbol;
  switch (variable.space) {
  case ast::StateSpace::Reg:
    if (!type)
      return fail(variable.location, "expected a register of a fundamental "
                                     "type, got '" +
                                         std::string(variable.type) + "'");
    if (variable.isArray)
      return fail(variable.location,
                  "expected a register, got an array of registers '" + name +
                      "'");
    if (!scope.defineRegister(variable, *type))
      return fail(variable.location, "'" + name + "' is declared twice");
    return true;
  case ast::StateSpace::Shared:
    if (!placeShared(variable, symbol))
      return false;
    break;
  case ast::StateSpace::Local: {
    uint64_t bytes, align;
    if (!layOutVariable(variable, bytes, align) || variable.isUnsized)
      return fail(variable.location, "expected a local variable of a "
                                     "fundamental type and known size");
    if (!placeInFrame(variable, bytes, align, symbol))
      return false;
    break;
  }
  case ast::StateSpace::Global:
  case ast::StateSpace::Const: {
    std::string error;
    symbol.kind = Symbol::Kind::Variable;
    symbol.space = variable.space == ast::StateSpace::Global ? Space::Global
                                                             : Space::Const;
    if (!placement(variable, symbol.address, symbol.bytes, error))
      return fail(variable.location, error);
    break;
  }
  case ast::StateSpace::Param: {
    uint64_t bytes, align;
    if (!layOutVariable(variable, bytes, align) || variable.isUnsized)
      return fail(variable.location, "expected an argument of a fundamental "
                                     "type and known size");
    if (!placeInFrame(variable, bytes, align, symbol))
      return false;
    symbol.isCallParam = true;
    break;
  }
  }
  if (!scope.define(variable.name, symbol))
    return fail(variable.location, "'" + name + "' is declared twice");
  return true;
}

bool KernelDecoder::declareModuleVariables() {
  SymbolScope &scope = *scopes.front();
  for (const ast::Variable &variable : module.variables) {
    // Only what the kernel names takes room in its shared memory.
    if (!names.count(variable.name))
      continue;
    if (!declare(variable, scope))
      return false;
  }
  for (const auto &other : module.functions) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Function;
    symbol.address = functionAddress(module, other->name);
    scope.define(other->name, symbol);
  }
  for (const auto &alias : module.aliases) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Function;
    symbol.address = functionAddress(module, alias.first);
    scope.define(alias.first, symbol);
  }
  return true;
}

bool KernelDecoder::collect(const ast::Block &block, SymbolScope &scope) {
  using Kind = ast::Statement::Kind;
  // Labels may be used before they stand in the text.
  for (const ast::Statement &statement : block.statements) {
    if (statement.kind == Kind::Variable) {
      if (!declare(statement.variable, scope))
        return false;
    } else if (statement.kind == Kind::Label) {
      const ast::Label &label = statement.label;
      Symbol symbol;
      if (!label.branchTargets.empty()) {
        symbol.kind = Symbol::Kind::BranchTargets;
        symbol.targets = &label.branchTargets;
      } else if (label.prototype) {
        symbol.kind = Symbol::Kind::Prototype;
        symbol.prototype = label.prototype.get();
      } else if (!label.callTargets.empty()) {
        symbol.kind = Symbol::Kind::CallTargets;
        symbol.targets = &label.callTargets;
      } else {
        symbol.kind = Symbol::Kind::Label;
        symbol.label = static_cast<uint32_t>(labels.size());
        labels.emplace_back();
      }
      if (!scope.define(label.name, symbol))
        return fail(label.location, "label '" + std::string(label.name) +
                                        "' is declared twice");
    }
  }
  for (const ast::Statement &statement : block.statements) {
    switch (statement.kind) {
    case Kind::Instruction:
      items.push_back({&statement.instruction, &scope, 0});
      break;
    case Kind::Label: {
      auto symbol = scope.find(statement.label.name);
      if (symbol && symbol->kind == Symbol::Kind::Label)
        labels[symbol->label].item = items.size();
      break;
    }
    case Kind::Block:
      scopes.push_back(std::make_unique<SymbolScope>(&scope, file));
      if (!collect(*statement.block, *scopes.back()))
        return false;
      break;
    case Kind::Variable:
      break;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Services for Decode
//===----------------------------------------------------------------------===//

const void *KernelDecoder::constant(unsigned width, uint64_t bits) {
  bool isWide = width > 32;
  auto &place = constants[{isWide, bits}];
  if (place)
    return place;
  kernel.constants.emplace_back();
  Kernel::Lanes &lanes = kernel.constants.back();
  if (isWide) {
    for (uint64_t &word : lanes.words)
      word = bits;
  } else {
    uint64_t twice = (bits & 0xFFFFFFFFu) | bits << 32;
    for (uint64_t &word : lanes.words)
      word = twice;
  }
  place = lanes.words;
  return place;
}

Operand *KernelDecoder::operandArray(size_t count) {
  kernel.operandArrays.push_back(
      std::make_unique<Operand[]>(count ? count : 1));
  return kernel.operandArrays.back().get();
}

void KernelDecoder::emit(const Instruction &instruction, Flow flow) {
  kernel.code.push_back(instruction);
  flows.push_back(flow);
  indirectPlaces.push_back(std::move(currentPlaces));
  currentPlaces.clear();
}

bool KernelDecoder::materializeSpecial(std::string_view name, unsigned width,
                                       const ast::Instruction &source,
                                       uint32_t &slot) {
  Instruction read;
  read.operandCount = 1;
  read.operands[0].kind = Operand::Kind::Register;
  read.operands[0].width = static_cast<uint8_t>(width);
  slot = file.allocate(width == 64 ? Type::B64 : Type::B32);
  read.operands[0].slot = slot;
  read.line = source.location.line;
  read.text = source.text;
  if (!decodeSpecialRegister(name, read))
    return false;
  std::vector<uint32_t *> places;
  places.swap(currentPlaces);
  emit(read, Flow::Next);
  places.swap(currentPlaces);
  return true;
}

void KernelDecoder::materializeAddress(const Symbol &symbol, int64_t offset,
                                       unsigned width,
                                       const ast::Instruction &source,
                                       uint32_t &slot) {
  Instruction read;
  read.operandCount = 1;
  read.operands[0].kind = Operand::Kind::Register;
  read.operands[0].width = static_cast<uint8_t>(width);
  slot = file.allocate(width == 64 ? Type::B64 : Type::B32);
  read.operands[0].slot = slot;
  read.line = source.location.line;
  read.text = source.text;
  uint64_t place = symbol.address + uint64_t(offset);
  if (symbol.inFrame)
    decodeFrameAddress(symbol.slot, place, read);
  else
    decodeVariableAddress(symbol.space, place, read);
  std::vector<uint32_t *> places;
  places.swap(currentPlaces);
  emit(read, Flow::Next);
  places.swap(currentPlaces);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool KernelDecoder::addGuard(const ast::Instruction &source, SymbolScope &scope,
                             Instruction &out) {
  if (source.guard.empty())
    return true;
  auto symbol = scope.find(source.guard);
  if (!symbol || symbol->kind != Symbol::Kind::Register ||
      symbol->type != Type::Pred)
    return fail(source.location, "expected a predicate register as guard, got "
                                 "'" +
                                     std::string(source.guard) + "'");
  out.guard = static_cast<int32_t>(symbol->slot);
  out.guardNegated = source.guardNegated;
  return true;
}

bool KernelDecoder::decodeInstruction(const Item &item) {
  const ast::Instruction &source = *item.instruction;
  Instruction out;
  out.line = item.line ? item.line : source.location.line;
  out.text = source.text;
  if (!addGuard(source, *item.scope, out))
    return false;
  size_t prefixParts = 0;
  DecodeFunction function =
      Registry::instance().find(source.parts, prefixParts);
  if (!function)
    return fail(source.location, describeUnknown(source.parts));
  Decode decode(source, out, kernel, *this, *item.scope, prefixParts);
  if (!function(decode))
    return fail(decode.errorLocation(), decode.message());
  if (auto modifier = decode.unusedModifier()) {
    // Once more, to hear what would have been taken.
    Instruction ignored;
    Decode again(source, ignored, kernel, *this, *item.scope, prefixParts);
    std::vector<std::string_view> tried;
    again.tried = &tried;
    function(again);
    return fail(source.location,
                describeModifier(*modifier, decode.mnemonic(), tried));
  }
  for (size_t i = 0; i < decode.used.size(); ++i)
    if (!decode.used[i])
      return fail(source.operands[i].location,
                  "unexpected operand " + std::to_string(i + 1) + " of '" +
                      decode.mnemonic() + "'");
  std::string problem = describeTarget(source.parts, module.target);
  if (!problem.empty())
    return fail(source.location, problem);
  if (decode.targetLabel >= 0)
    targetPatches.emplace_back(kernel.code.size(),
                               uint32_t(decode.targetLabel));
  emit(out, decode.flow);
  return true;
}

/// Begins with the instructions of a body.
void KernelDecoder::enter(Body &body) {
  running = body.function;
  file.setOwner(running ? &body.registers : nullptr);
  if (running)
    body.function->entry = static_cast<uint32_t>(kernel.code.size());
}

/// Notes what a body turned out to use.
void KernelDecoder::leave(Body &body) {
  if (!body.function)
    return;
  for (const RegisterFile::Place &place : body.registers) {
    body.function->registers.push_back({place.slot, place.bits});
    body.function->savedBytes += place.bits == 1 ? 1 : place.bits / 8;
  }
}

/// Line of the last instruction since `firstItem`.
unsigned KernelDecoder::lastLine(size_t firstItem) const {
  return items.size() > firstItem ? items.back().instruction->location.line : 0;
}

void KernelDecoder::resolveLabels() {
  for (auto &[code, label] : targetPatches)
    kernel.code[code].target = labels[label].codeIndex;
  for (auto &[place, label] : placePatches)
    *place = labels[label].codeIndex;
}

/// What ptxas 13.0 gives a thread at most: .maxnreg, or with .minnctapersm its
/// share of the SM's 65536, by warps and in units of 8.
static uint32_t entryRegisters(const ast::Function &function) {
  if (function.maxRegisters)
    return std::min<uint32_t>(*function.maxRegisters, 256);
  const auto &extent = function.reqntid ? function.reqntid : function.maxntid;
  if (!extent || !function.minCtasPerSm || *function.minCtasPerSm == 0)
    return 0;
  uint64_t threads = uint64_t(extent->x) * extent->y * extent->z;
  uint64_t perCta = (threads + 31) / 32 * 32;
  if (perCta == 0 || perCta > 1024)
    return 0;
  uint64_t share = 65536 / (perCta * *function.minCtasPerSm) / 8 * 8;
  return static_cast<uint32_t>(std::min<uint64_t>(share, 256));
}

bool KernelDecoder::decode(std::string &error) {
  auto done = [&](bool good) {
    error = errorText;
    return good;
  };
  kernel.info.name = function.name;
  kernel.target = module.target;
  auto dim = [](const std::optional<ast::Extent> &extent) {
    return extent ? std::optional<Dim3>(Dim3{extent->x, extent->y, extent->z})
                  : std::nullopt;
  };
  kernel.info.reqntid = dim(function.reqntid);
  kernel.info.maxntid = dim(function.maxntid);
  kernel.info.reqCluster = dim(function.reqCluster);
  kernel.info.explicitCluster = function.explicitCluster;
  kernel.entryRegisters = entryRegisters(function);

  scopes.push_back(std::make_unique<SymbolScope>(nullptr, file));
  findFunctions();
  if (!declareFunctions() || !declareModuleVariables())
    return done(false);
  SymbolScope *moduleScope = scopes.back().get();
  scopes.push_back(std::make_unique<SymbolScope>(moduleScope, file));
  if (!layOutParams())
    return done(false);
  SymbolScope *paramScope = scopes.back().get();
  scopes.push_back(std::make_unique<SymbolScope>(paramScope, file));
  SymbolScope *bodyScope = scopes.back().get();
  bodies.emplace_back();
  if (!collect(function.body, *bodyScope))
    return done(false);
  // Running off the end ends the thread.
  static const ast::Instruction end = [] {
    ast::Instruction made;
    made.parts = {"exit"};
    made.text = "exit (end of the kernel)";
    return made;
  }();
  items.push_back({&end, bodyScope, lastLine(0)});
  uint64_t entryEnd = localEnd;
  if (!collectFunctions(moduleScope))
    return done(false);

  kernel.staticSharedBytes = static_cast<uint32_t>(sharedEnd - sharedBase);
  kernel.info.staticSharedBytes = kernel.staticSharedBytes;
  kernel.dynamicSharedOffset =
      static_cast<uint32_t>(hasDynamicArray ? alignUp(sharedEnd, dynamicAlign)
                                            : alignUp(sharedEnd, 16));
  kernel.localBytes = static_cast<uint32_t>(alignUp(entryEnd - localBase, 16));
  for (auto &scope : scopes)
    scope->placeDynamicArrays(kernel.dynamicSharedOffset);

  size_t nextLabel = 0;
  std::vector<uint32_t> byPlace(labels.size());
  for (uint32_t i = 0; i < byPlace.size(); ++i)
    byPlace[i] = i;
  std::stable_sort(byPlace.begin(), byPlace.end(), [&](uint32_t a, uint32_t b) {
    return labels[a].item < labels[b].item;
  });
  kernel.code.reserve(items.size());
  size_t nextBody = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (nextBody < bodies.size() && bodies[nextBody].firstItem == i)
      enter(bodies[nextBody++]);
    while (nextLabel < byPlace.size() && labels[byPlace[nextLabel]].item == i)
      labels[byPlace[nextLabel++]].codeIndex =
          static_cast<uint32_t>(kernel.code.size());
    if (!decodeInstruction(items[i]))
      return done(false);
  }
  for (Body &body : bodies)
    leave(body);
  sizeStack();

  resolveLabels();
  assignPriorities(kernel.code, flows, indirectPlaces);
  kernel.registerBytes = file.bytes();
  kernel.info.registers = file.count();
  guardWgmmaRegisters(kernel);
  return done(true);
}

} // namespace bwgemm::emulator
