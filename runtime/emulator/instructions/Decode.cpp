//===- Decode.cpp - Modifiers and operands of one instruction ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/KernelDecoder.h"
#include "instructions/Special.h"

#include <cstring>

namespace bwgemm::emulator {

using AstKind = ast::Operand::Kind;

Decode::Decode(const ast::Instruction &source, Instruction &out, Kernel &kernel,
               KernelDecoder &owner, SymbolScope &scope, size_t prefixParts)
    : source(source), out(out), kernel(kernel), owner(owner), scope(scope),
      taken(source.parts.size(), false), used(source.operands.size(), false) {
  for (size_t i = 0; i < prefixParts; ++i)
    taken[i] = true;
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool Decode::take(std::string_view modifier) {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && source.parts[i] == modifier) {
      taken[i] = true;
      return true;
    }
  if (tried)
    tried->push_back(modifier);
  return false;
}

int Decode::takeOne(std::initializer_list<std::string_view> choices) {
  int index = 0;
  for (std::string_view choice : choices) {
    if (take(choice))
      return index;
    ++index;
  }
  return -1;
}

bool Decode::takeOptionalType(Type &type) {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i])
      if (auto parsed = parseType(source.parts[i])) {
        taken[i] = true;
        type = *parsed;
        return true;
      }
  return false;
}

bool Decode::takeType(Type &type) {
  return takeOptionalType(type) ||
         error("expected a type in '" + mnemonic() + "', got none");
}

unsigned Decode::takeVectorWidth() {
  switch (takeOne({"v2", "v4", "v8"})) {
  case 0:
    return 2;
  case 1:
    return 4;
  case 2:
    return 8;
  default:
    return 1;
  }
}

Space Decode::takeSpace() {
  switch (takeOne({"global", "shared", "shared::cta", "shared::cluster",
                   "local", "const", "param", "param::entry", "param::func"})) {
  case 0:
    return Space::Global;
  case 1:
  case 2:
    return Space::Shared;
  case 3:
    return Space::SharedCluster;
  case 4:
    return Space::Local;
  case 5:
    return Space::Const;
  case 6:
  case 7:
  case 8:
    return Space::Param;
  default:
    return Space::Generic;
  }
}

void Decode::takeAllWithPrefix(std::string_view prefix) {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && source.parts[i].substr(0, prefix.size()) == prefix)
      taken[i] = true;
}

std::optional<std::string_view> Decode::unusedModifier() const {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i])
      return source.parts[i];
  return std::nullopt;
}

std::string Decode::mnemonic() const {
  std::string text;
  for (std::string_view part : source.parts) {
    if (!text.empty())
      text += '.';
    text += part;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

bool Decode::error(std::string_view message) {
  return errorAt(source.location, message);
}

bool Decode::errorAt(ast::Location where, std::string_view message) {
  if (errorMessage.empty()) {
    errorMessage = message;
    errorPlace = where;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decode::expectOperands(size_t least, size_t most) {
  size_t got = source.operands.size();
  if (got >= least && got <= most)
    return true;
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " to " + std::to_string(most);
  return error("expected " + wanted + " operands of '" + mnemonic() +
               "', got " + std::to_string(got));
}

bool Decode::hasOperand(size_t index) {
  if (index < source.operands.size()) {
    used[index] = true;
    return true;
  }
  return error("expected at least " + std::to_string(index + 1) +
               " operands of '" + mnemonic() + "', got " +
               std::to_string(source.operands.size()));
}

Operand *Decode::append(size_t index) {
  if (!hasOperand(index))
    return nullptr;
  if (out.operandCount == maxOperands) {
    error("expected at most " + std::to_string(maxOperands) + " operands of '" +
          mnemonic() + "', got more");
    return nullptr;
  }
  return &out.operands[out.operandCount++];
}

void Decode::noOperand() {
  if (out.operandCount < maxOperands)
    out.operands[out.operandCount++] = Operand();
}

const void *Decode::constant(unsigned width, uint64_t bits) {
  return owner.constant(width, bits);
}

static unsigned storageWidth(Type type) {
  unsigned bits = bitWidth(type);
  return bits <= 16 ? 16 : bits;
}

bool Decode::resolveImmediate(const ast::Operand &operand, Type type,
                              Operand &result) {
  unsigned bits = bitWidth(type);
  uint64_t value = operand.bits;
  std::string name(typeName(type));
  if (type == Type::Pred)
    return errorAt(operand.location,
                   "expected a predicate register, got an immediate");
  if (bits > 64)
    return errorAt(operand.location, "expected a register of type " + name +
                                         ", got an immediate");
  switch (operand.kind) {
  case AstKind::Integer:
    if (type == Type::F32 || type == Type::F64)
      return errorAt(operand.location,
                     "expected a floating-point immediate for type " + name +
                         ", got an integer");
    // Like ptxas, take the low bits of one that is too large.
    break;
  case AstKind::Float32:
    if (bits != 32)
      return errorAt(operand.location, "expected an immediate of type " + name +
                                           ", got one of type f32");
    break;
  case AstKind::Float64: {
    if (type == Type::F32) {
      double wide;
      std::memcpy(&wide, &value, 8);
      float narrow = static_cast<float>(wide);
      uint32_t narrowBits;
      std::memcpy(&narrowBits, &narrow, 4);
      value = narrowBits;
    } else if (bits != 64) {
      return errorAt(operand.location, "expected an immediate of type " + name +
                                           ", got one of type f64");
    }
    break;
  }
  default:
    return errorAt(operand.location, "expected a register or an immediate");
  }
  if (bits < 64)
    value &= (uint64_t(1) << bits) - 1;
  result.kind = Operand::Kind::Constant;
  result.width = static_cast<uint8_t>(storageWidth(type));
  result.bits = value;
  result.constant = owner.constant(result.width, value);
  return true;
}

bool Decode::resolve(const ast::Operand &operand, Type type, bool isDestination,
                     bool sinkAllowed, bool widerAllowed, Operand &result) {
  if (type == Type::Pred)
    return resolvePredicate(operand, isDestination, sinkAllowed, result);
  result = Operand();
  std::string wanted = "a register of type " + std::string(typeName(type));
  if (!isDestination)
    wanted += " or an immediate";
  if (operand.kind == AstKind::Sink) {
    if (!sinkAllowed)
      return errorAt(operand.location, "expected " + wanted + ", got '_'");
    result.kind = Operand::Kind::Sink;
    result.width = static_cast<uint8_t>(storageWidth(type));
    result.constant = owner.constant(result.width > 64 ? 64 : result.width, 0);
    return true;
  }
  if (operand.kind != AstKind::Name) {
    if (isDestination || operand.kind == AstKind::Vector ||
        operand.kind == AstKind::Address || operand.kind == AstKind::Pair ||
        operand.kind == AstKind::List)
      return errorAt(operand.location, "expected " + wanted);
    return resolveImmediate(operand, type, result);
  }
  std::string name(operand.name);
  if (operand.negated || operand.minus)
    return errorAt(operand.location,
                   "expected " + wanted + ", got a negated operand");
  auto symbol = scope.find(operand.name);
  if (!symbol) {
    if (operand.name == "WARP_SZ" && !isDestination) {
      ast::Operand number = operand;
      number.kind = AstKind::Integer;
      number.bits = warpSize;
      return resolveImmediate(number, type, result);
    }
    if (isSpecialRegisterName(operand.name) && !isDestination) {
      unsigned width = storageWidth(type);
      result.kind = Operand::Kind::Register;
      result.width = static_cast<uint8_t>(width);
      return owner.materializeSpecial(operand.name, width, source,
                                      result.slot) ||
             errorAt(operand.location,
                     "expected " + wanted + ", got '" + name + "'");
    }
    if (operand.name[0] == '%')
      return errorAt(operand.location,
                     "expected " + wanted + ", got '" + name +
                         "', which is neither declared nor a special register "
                         "that the emulator has");
    return errorAt(operand.location, "expected " + wanted + ", got '" + name +
                                         "', which is not declared");
  }
  switch (symbol->kind) {
  case Symbol::Kind::Register: {
    if (operand.offset)
      return errorAt(operand.location,
                     "expected " + wanted + ", got a register with an offset");
    unsigned have = bitWidth(symbol->type), need = bitWidth(type);
    bool fits = symbol->type != Type::Pred &&
                (have == need || (widerAllowed && have > need));
    if (!fits)
      return errorAt(operand.location, "expected " + wanted + ", got '" + name +
                                           "' of type " +
                                           std::string(typeName(symbol->type)));
    result.kind = Operand::Kind::Register;
    result.width = static_cast<uint8_t>(storageWidth(symbol->type));
    result.slot = symbol->slot;
    if (isDestination)
      kernel.registerNames.try_emplace(
          result.slot, RegisterName{operand.name, result.width});
    return true;
  }
  case Symbol::Kind::Variable: {
    unsigned width = bitWidth(type);
    if (isDestination || isFloat(type) || (width != 32 && width != 64))
      break;
    result.kind = Operand::Kind::Register;
    result.width = static_cast<uint8_t>(width);
    owner.materializeAddress(*symbol, operand.offset, width, source,
                             result.slot);
    return true;
  }
  case Symbol::Kind::Function: {
    if (isDestination || isFloat(type) || bitWidth(type) != 64 ||
        operand.offset)
      break;
    ast::Operand number = operand;
    number.kind = AstKind::Integer;
    number.bits = symbol->address;
    return resolveImmediate(number, type, result);
  }
  case Symbol::Kind::Unsupported:
    return errorAt(operand.location, "'" + name + "' " + symbol->reason);
  default:
    break;
  }
  return errorAt(operand.location,
                 "expected " + wanted + ", got '" + name + "'");
}

bool Decode::resolvePredicate(const ast::Operand &operand, bool isDestination,
                              bool sinkAllowed, Operand &result) {
  result = Operand();
  result.width = 1;
  if (operand.kind == AstKind::Sink && sinkAllowed) {
    result.kind = Operand::Kind::Sink;
    return true;
  }
  if (operand.kind == AstKind::Integer && !isDestination) {
    result.kind = Operand::Kind::Constant;
    result.bits = operand.bits != 0;
    return true;
  }
  if (operand.kind != AstKind::Name)
    return errorAt(operand.location, "expected a predicate register");
  std::string name(operand.name);
  auto symbol = scope.find(operand.name);
  if (!symbol)
    return errorAt(operand.location, "expected a predicate register, got '" +
                                         name + "', which is not declared");
  if (symbol->kind != Symbol::Kind::Register || symbol->type != Type::Pred ||
      operand.offset || operand.minus || (isDestination && operand.negated))
    return errorAt(operand.location,
                   "expected a predicate register, got '" + name + "'");
  result.kind = Operand::Kind::Predicate;
  result.slot = symbol->slot;
  if (isDestination)
    kernel.registerNames.try_emplace(result.slot,
                                     RegisterName{operand.name, 1});
  result.negated = operand.negated;
  return true;
}

bool Decode::destination(size_t index, Type type, bool sinkAllowed,
                         bool widerAllowed) {
  Operand *result = append(index);
  return result && resolve(operand(index), type, true, sinkAllowed,
                           widerAllowed, *result);
}

bool Decode::sourceOperand(size_t index, Type type, bool widerAllowed) {
  Operand *result = append(index);
  return result &&
         resolve(operand(index), type, false, false, widerAllowed, *result);
}

bool Decode::predicateDestination(size_t index, bool sinkAllowed) {
  Operand *result = append(index);
  return result && resolvePredicate(operand(index), true, sinkAllowed, *result);
}

bool Decode::predicateSource(size_t index) {
  Operand *result = append(index);
  return result && resolvePredicate(operand(index), false, false, *result);
}

bool Decode::destinationPair(size_t index, Type type) {
  Operand *first = append(index);
  if (!first)
    return false;
  const ast::Operand &written = operand(index);
  if (written.kind != AstKind::Pair) {
    bool good = resolve(written, type, true, true, false, *first);
    noOperand();
    return good;
  }
  Operand *second = append(index);
  return second &&
         resolve(written.elements[0], type, true, true, false, *first) &&
         resolvePredicate(written.elements[1], true, true, *second);
}

bool Decode::resolveElements(const ast::Operand *first, size_t count,
                             const Operand *&elements) {
  Operand *array = owner.operandArray(count);
  elements = array;
  for (size_t i = 0; i < count; ++i) {
    const ast::Operand &written = first[i];
    if (written.kind != AstKind::Vector) {
      if (!resolve(written, Type::B32, false, false, false, array[i]))
        return false;
      continue;
    }
    array[i].kind = Operand::Kind::Vector;
    array[i].count = static_cast<uint16_t>(written.elements.size());
    if (!resolveElements(written.elements.data(), written.elements.size(),
                         array[i].elements))
      return false;
  }
  return true;
}

bool Decode::address(size_t index, Space space) {
  Operand *result = append(index);
  if (!result)
    return false;
  const ast::Operand &written = operand(index);
  if (written.kind != AstKind::Address)
    return errorAt(written.location, "expected an address such as [r+4]");
  const ast::Operand &base = written.elements[0];
  result->kind = Operand::Kind::Address;
  result->offset = base.offset;
  if (base.kind == AstKind::Integer) {
    result->base = Base::Absolute;
    result->width = 64;
    result->offset = static_cast<int64_t>(base.bits);
  } else if (base.kind != AstKind::Name || base.negated || base.minus) {
    return errorAt(base.location, "expected a register, a symbol or an "
                                  "integer as the base of an address");
  } else {
    std::string name(base.name);
    auto symbol = scope.find(base.name);
    if (!symbol)
      return errorAt(base.location, "expected a register, a symbol or an "
                                    "integer as the base of an address, got '" +
                                        name + "', which is not declared");
    if (symbol->kind == Symbol::Kind::Unsupported)
      return errorAt(base.location, "'" + name + "' " + symbol->reason);
    if (symbol->kind == Symbol::Kind::Register) {
      unsigned width = bitWidth(symbol->type);
      if (isFloat(symbol->type) || (width != 32 && width != 64))
        return errorAt(base.location,
                       "expected an address register of 32 or 64 bits, got '" +
                           name + "' of type " +
                           std::string(typeName(symbol->type)));
      result->base = Base::Register;
      result->width = static_cast<uint8_t>(width);
      result->slot = symbol->slot;
    } else if (symbol->kind == Symbol::Kind::Variable) {
      result->width = 64;
      result->offset =
          static_cast<int64_t>(uint64_t(result->offset) + symbol->address);
      Space want = space == Space::SharedCluster ? Space::Shared : space;
      if (symbol->isCallParam && want == Space::Param)
        want = Space::Local;
      bool isPlain = symbol->space == Space::Global ||
                     symbol->space == Space::Const ||
                     symbol->space == Space::Param;
      bool fits = want == Space::Generic ? isPlain : want == symbol->space;
      if (!fits)
        return errorAt(base.location,
                       "expected a variable of the instruction's state space, "
                       "got '" +
                           name + "' of another");
      switch (symbol->space) {
      case Space::Shared:
        result->base = Base::Shared;
        break;
      case Space::Local:
        result->base = symbol->inFrame ? Base::Frame : Base::Local;
        if (symbol->inFrame) {
          result->width = 32;
          result->slot = symbol->slot;
        }
        break;
      case Space::Param:
        result->base = Base::Param;
        break;
      default:
        result->base = Base::Absolute;
        break;
      }
    } else {
      return errorAt(base.location, "expected a register, a symbol or an "
                                    "integer as the base of an address, got '" +
                                        name + "'");
    }
  }
  size_t more = written.elements.size() - 1;
  result->count = static_cast<uint16_t>(more);
  return more == 0 ||
         resolveElements(&written.elements[1], more, result->elements);
}

bool Decode::resolveVector(size_t index, Type type, unsigned count,
                           bool isDestination, bool sinkAllowed,
                           bool widerAllowed) {
  Operand *result = append(index);
  if (!result)
    return false;
  const ast::Operand &written = operand(index);
  if (written.kind != AstKind::Vector)
    return errorAt(written.location, "expected a vector such as {a, b}");
  size_t got = written.elements.size();
  if ((count && got != count) || got > 256)
    return errorAt(written.location, "expected a vector of " +
                                         std::to_string(count ? count : 256) +
                                         (count ? "" : " or fewer") +
                                         " elements, got " +
                                         std::to_string(got));
  Operand *array = owner.operandArray(got);
  result->kind = Operand::Kind::Vector;
  result->count = static_cast<uint16_t>(got);
  result->elements = array;
  for (size_t i = 0; i < got; ++i)
    if (!resolve(written.elements[i], type, isDestination, sinkAllowed,
                 widerAllowed, array[i]))
      return false;
  return true;
}

bool Decode::vectorDestination(size_t index, Type type, unsigned count,
                               bool sinkAllowed, bool widerAllowed) {
  return resolveVector(index, type, count, true, sinkAllowed, widerAllowed);
}

bool Decode::vectorSource(size_t index, Type type, unsigned count,
                          bool sinkAllowed, bool widerAllowed) {
  return resolveVector(index, type, count, false, sinkAllowed, widerAllowed);
}

bool Decode::immediate(size_t index, int64_t &value) {
  if (!hasOperand(index))
    return false;
  const ast::Operand &written = operand(index);
  if (written.kind != AstKind::Integer)
    return errorAt(written.location, "expected an integer immediate");
  value = static_cast<int64_t>(written.bits);
  return true;
}

bool Decode::isPredicate(size_t index) const {
  if (index >= source.operands.size())
    return false;
  const ast::Operand &written = source.operands[index];
  if (written.kind != AstKind::Name)
    return false;
  auto symbol = scope.find(written.name);
  return symbol && symbol->kind == Symbol::Kind::Register &&
         symbol->type == Type::Pred;
}

bool Decode::isImmediate(size_t index) const {
  return index < source.operands.size() &&
         source.operands[index].kind == AstKind::Integer;
}

bool Decode::isVector(size_t index) const {
  return index < source.operands.size() &&
         source.operands[index].kind == AstKind::Vector;
}

bool Decode::isVariable(size_t index) const {
  if (index >= source.operands.size() ||
      source.operands[index].kind != AstKind::Name)
    return false;
  auto symbol = scope.find(source.operands[index].name);
  return symbol && symbol->kind == Symbol::Kind::Variable;
}

bool Decode::isSpecialRegister(size_t index) const {
  return index < source.operands.size() &&
         source.operands[index].kind == AstKind::Name &&
         isSpecialRegisterName(source.operands[index].name) &&
         !scope.find(source.operands[index].name);
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

bool Decode::labelNumber(std::string_view name, ast::Location where,
                         uint32_t &number) {
  auto symbol = scope.find(name);
  if (!symbol || symbol->kind != Symbol::Kind::Label)
    return errorAt(where, "expected a label, got '" + std::string(name) + "'" +
                              (symbol ? "" : ", which is not declared"));
  number = symbol->label;
  return true;
}

bool Decode::label(size_t index) {
  if (!hasOperand(index))
    return false;
  const ast::Operand &written = operand(index);
  if (written.kind != AstKind::Name)
    return errorAt(written.location, "expected a label");
  uint32_t number;
  if (!labelNumber(written.name, written.location, number))
    return false;
  targetLabel = number;
  return true;
}

bool Decode::labelInto(std::string_view name, ast::Location where,
                       uint32_t *place) {
  uint32_t number;
  if (!labelNumber(name, where, number))
    return false;
  owner.placePatches.emplace_back(place, number);
  owner.currentPlaces.push_back(place);
  return true;
}

std::optional<Symbol> Decode::symbol(std::string_view name) {
  return scope.find(name);
}

const DeviceFunction *Decode::function() const { return owner.running; }

const DeviceFunction *Decode::calledFunction(std::string_view name) const {
  auto found = owner.functionsByName.find(name);
  return found == owner.functionsByName.end() ? nullptr : found->second;
}

void Decode::noteCall(const DeviceFunction *callee) {
  owner.callEdges.emplace_back(owner.running, callee);
}

const std::vector<std::string_view> *
Decode::branchTargets(std::string_view name) {
  auto symbol = scope.find(name);
  if (!symbol || symbol->kind != Symbol::Kind::BranchTargets)
    return nullptr;
  return symbol->targets;
}

} // namespace bwgemm::emulator
