//===- Registry.cpp - Instruction families ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Registry.h"

#include <algorithm>

namespace bwgemm::emulator {

const Registry &Registry::instance() {
  static const Registry registry = [] {
    Registry made;
#define BWGEMM_EMULATOR_FAMILY(Name) register##Name(made);
#include "instructions/Families.def"
#undef BWGEMM_EMULATOR_FAMILY
    return made;
  }();
  return registry;
}

void Registry::add(std::string_view mnemonic, DecodeFunction function) {
  functions[std::string(mnemonic)] = function;
}

std::vector<std::string> Registry::mnemonics() const {
  std::vector<std::string> names;
  for (const auto &[name, function] : functions)
    names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

DecodeFunction Registry::find(const std::vector<std::string_view> &parts,
                              size_t &prefixParts) const {
  std::vector<std::string> prefixes;
  std::string joined;
  // No mnemonic has more than eight parts before its modifiers.
  for (size_t i = 0; i < parts.size() && i < 8; ++i) {
    if (i)
      joined += '.';
    joined += parts[i];
    prefixes.push_back(joined);
  }
  for (size_t count = prefixes.size(); count > 0; --count) {
    auto found = functions.find(prefixes[count - 1]);
    if (found != functions.end()) {
      prefixParts = count;
      return found->second;
    }
  }
  return nullptr;
}

} // namespace bwgemm::emulator
