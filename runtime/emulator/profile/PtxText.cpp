//===- PtxText.cpp - Instructions as reports show them ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/PtxText.h"

namespace bwgemm::emulator {

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string oneLine(std::string_view text) {
  std::string line;
  for (char c : text) {
    if (!isBlank(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

std::string_view mnemonicOf(std::string_view text) {
  auto skipBlanks = [&] {
    while (!text.empty() && isBlank(text.front()))
      text.remove_prefix(1);
  };
  auto wordLength = [&] {
    size_t length = 0;
    while (length < text.size() && !isBlank(text[length]) &&
           text[length] != ';')
      ++length;
    return length;
  };
  skipBlanks();
  if (!text.empty() && text.front() == '@') {
    text.remove_prefix(wordLength());
    skipBlanks();
  }
  return text.substr(0, wordLength());
}

std::vector<std::string_view> partsOf(std::string_view mnemonic) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t dot = mnemonic.find('.');
    parts.push_back(mnemonic.substr(0, dot));
    if (dot == std::string_view::npos)
      return parts;
    mnemonic.remove_prefix(dot + 1);
  }
}

bool isPreparation(const std::vector<Instruction> &code, size_t at) {
  return at + 1 < code.size() &&
         code[at].text.data() == code[at + 1].text.data();
}

} // namespace bwgemm::emulator
