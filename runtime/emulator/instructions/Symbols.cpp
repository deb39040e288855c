//===- Symbols.cpp - Names visible in a kernel ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Symbols.h"

namespace bwgemm::emulator {

uint32_t RegisterFile::allocate(Type type) {
  ++registers;
  if (type == Type::Pred) {
    if (predicatesLeft == 0) {
      predicateLine = next;
      predicatesLeft = 16;
      next += 64;
    }
    uint32_t slot = predicateLine + 4 * (16 - predicatesLeft--);
    if (owner)
      owner->push_back({slot, 1});
    return slot;
  }
  unsigned bits = bitWidth(type) < 32 ? 32 : bitWidth(type);
  uint32_t slot = next;
  next += warpSize * (bits / 8);
  if (owner)
    owner->push_back({slot, bits});
  return slot;
}

bool SymbolScope::define(std::string_view name, const Symbol &symbol) {
  if (symbols.count(name) || single.count(name) || vectors.count(name))
    return false;
  symbols.emplace(name, symbol);
  return true;
}

bool SymbolScope::defineRegister(const ast::Variable &variable, Type type) {
  std::string_view name = variable.name;
  if (symbols.count(name) || single.count(name) || vectors.count(name))
    return false;
  Register fresh;
  fresh.type = type;
  if (variable.rangeCount) {
    Range &range = ranges[name];
    range.type = type;
    range.count = variable.rangeCount;
    return true;
  }
  if (variable.vectorWidth > 1) {
    vectors[name].assign(variable.vectorWidth, fresh);
    return true;
  }
  single[name] = fresh;
  return true;
}

void SymbolScope::placeDynamicArrays(uint64_t address) {
  for (auto &[name, symbol] : symbols)
    if (symbol.isDynamic)
      symbol.address = address;
}

Symbol SymbolScope::place(Register &reg) {
  if (!reg.placed) {
    reg.slot = file.allocate(reg.type);
    reg.placed = true;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::Register;
  symbol.type = reg.type;
  symbol.slot = reg.slot;
  return symbol;
}

SymbolScope::Range *SymbolScope::findRange(std::string_view name,
                                           uint32_t &index) {
  // `%r<20>` declares %r0 to %r19; the prefix itself may end in digits.
  size_t digits = 0;
  while (digits < name.size() && digits < 7 &&
         name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9')
    ++digits;
  for (; digits > 0; --digits) {
    size_t split = name.size() - digits;
    if (digits > 1 && name[split] == '0')
      continue;
    auto found = ranges.find(name.substr(0, split));
    if (found == ranges.end())
      continue;
    index = 0;
    for (char c : name.substr(split))
      index = index * 10 + uint32_t(c - '0');
    if (index < found->second.count)
      return &found->second;
  }
  return nullptr;
}

std::optional<Symbol> SymbolScope::find(std::string_view name) {
  for (SymbolScope *scope = this; scope; scope = scope->parent) {
    auto one = scope->single.find(name);
    if (one != scope->single.end())
      return scope->place(one->second);
    auto symbol = scope->symbols.find(name);
    if (symbol != scope->symbols.end())
      return symbol->second;
    uint32_t index;
    if (Range *range = scope->findRange(name, index)) {
      Register &reg = range->registers[index];
      reg.type = range->type;
      return scope->place(reg);
    }
    size_t dot = name.rfind('.');
    if (dot != std::string_view::npos && dot + 2 == name.size()) {
      auto vector = scope->vectors.find(name.substr(0, dot));
      if (vector != scope->vectors.end()) {
        static constexpr std::string_view components = "xyzw", colors = "rgba";
        size_t component = components.find(name[dot + 1]);
        if (component == std::string_view::npos)
          component = colors.find(name[dot + 1]);
        if (component < vector->second.size())
          return scope->place(vector->second[component]);
      }
    }
  }
  return std::nullopt;
}

} // namespace bwgemm::emulator
