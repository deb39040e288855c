//===- Linker.cpp - Several PTX texts become one ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is taken apart into what stands at module scope: header directives,
// declarations and functions with their bodies (PTX ISA, "Linking directives").
// Nothing inside a function is looked at.
//
//===----------------------------------------------------------------------===//

#include "Linker.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <string_view>

namespace bwgemm::emulator::driver {

namespace {

struct Item {
  std::string text, name;
  bool isExtern = false, isWeak = false, isVisible = false;
  bool isFunction = false, hasBody = false;
  bool keep = true;

  bool defines() const { return !isExtern && (!isFunction || hasBody); }
};

struct Parts {
  int version = 0; ///< Times ten.
  std::string target;
  std::vector<Item> items;
};

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

/// Walks over a text without its comments.
class Splitter {
public:
  explicit Splitter(std::string_view text) : text(text) {}
  Parts split();

private:
  bool skipSpace();
  Item readItem();
  void readHeader(Parts &parts, std::string_view directive);
  std::string_view line();

  std::string_view text;
  size_t at = 0;
};

/// To the next character that is neither white nor in a comment; false at the
/// end.
bool Splitter::skipSpace() {
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    else if (text.substr(at, 2) == "//")
      at = std::min(text.find('\n', at), text.size());
    else if (text.substr(at, 2) == "/*")
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    else
      return true;
  }
  return false;
}

/// What is left of the line, without a comment.
std::string_view Splitter::line() {
  size_t end = std::min(text.find('\n', at), text.size());
  std::string_view result = text.substr(at, end - at);
  at = end;
  return result.substr(0, result.find("//"));
}

/// Reads to the semicolon, or to the brace that ends a body.
Item Splitter::readItem() {
  Item item;
  int depth = 0, brackets = 0;
  bool afterEquals = false;
  std::string word, lastName;
  while (skipSpace()) {
    char c = text[at];
    if (isWord(c)) {
      size_t end = at;
      while (end < text.size() && isWord(text[end]))
        ++end;
      word = text.substr(at, end - at);
      at = end;
      item.text += (item.text.empty() ? "" : " ") + word;
      if (depth || brackets)
        continue;
      if (word == ".extern")
        item.isExtern = true;
      else if (word == ".weak")
        item.isWeak = true;
      else if (word == ".visible")
        item.isVisible = true;
      else if (word == ".func" || word == ".entry")
        item.isFunction = true;
      else if (word[0] != '.' && !afterEquals &&
               !std::isdigit(static_cast<unsigned char>(word[0])) &&
               (!item.isFunction || item.name.empty()))
        item.name = word;
      continue;
    }
    ++at;
    item.text += c;
    if (c == '"') { // A string, as in .pragma.
      size_t end = std::min(text.find('"', at), text.size() - 1) + 1;
      item.text += text.substr(at, end - at);
      at = end;
    } else if (c == '(' || c == '[') {
      ++brackets;
    } else if (c == ')' || c == ']') {
      --brackets;
    } else if (c == '=') {
      afterEquals = true;
    } else if (c == '{') {
      if (depth++ == 0 && item.isFunction) {
        // The body as it is, comments and all.
        item.hasBody = true;
        size_t begin = at;
        while (depth > 0 && skipSpace()) {
          char inner = text[at++];
          depth += inner == '{' ? 1 : inner == '}' ? -1 : 0;
          if (inner == '"')
            at = std::min(text.find('"', at), text.size() - 1) + 1;
        }
        item.text += text.substr(begin, at - begin);
        return item;
      }
    } else if (c == '}') {
      --depth;
    } else if (c == ';' && depth == 0) {
      return item;
    }
  }
  return item;
}

void Splitter::readHeader(Parts &parts, std::string_view directive) {
  at += directive.size();
  std::string rest(line());
  if (directive == ".version") {
    char *end = nullptr;
    long major = std::strtol(rest.c_str(), &end, 10);
    long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
    parts.version = int(major * 10 + minor);
  } else if (directive == ".target") {
    size_t begin = rest.find_first_not_of(" \t");
    if (begin != rest.npos)
      parts.target =
          rest.substr(begin, rest.find_first_of(" \t\r,", begin) - begin);
  }
}

Parts Splitter::split() {
  Parts parts;
  while (skipSpace()) {
    size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    std::string_view word = text.substr(at, end - at);
    if (word == ".version" || word == ".target" || word == ".address_size") {
      readHeader(parts, word);
    } else if (word == ".file") {
      (void)line();
    } else if (word == ".section") {
      at = std::min(text.find('}', at), text.size() - 1) + 1;
    } else {
      Item item = readItem();
      if (!item.text.empty())
        parts.items.push_back(std::move(item));
    }
  }
  return parts;
}

} // namespace

static int numberOf(const std::string &target) {
  return target.size() > 3 ? std::atoi(target.c_str() + 3) : 0;
}

bool linkPtx(const std::vector<LinkInput> &inputs, std::string &result,
             std::string &error) {
  std::vector<Parts> all;
  int version = 0;
  std::string target;
  for (const LinkInput &input : inputs) {
    all.push_back(Splitter(input.ptx).split());
    version = std::max(version, all.back().version);
    if (numberOf(all.back().target) > numberOf(target))
      target = all.back().target;
  }
  // Names have one definition among all inputs.
  std::map<std::string, size_t> definitions;
  for (size_t i = 0; i < all.size(); ++i)
    for (Item &item : all[i].items) {
      if (item.name.empty() || !item.defines())
        continue;
      auto [known, added] = definitions.emplace(item.name, i);
      if (added)
        continue;
      if (item.isWeak) {
        item.keep = false;
        continue;
      }
      error = "'" + item.name + "' is defined in " +
              inputs[known->second].name + " and in " + inputs[i].name +
              (item.isVisible ? std::string()
                              : "; names that are not .visible have to differ "
                                "here too");
      return false;
    }
  result = ".version " + std::to_string(version / 10) + "." +
           std::to_string(version % 10) + "\n.target " + target +
           "\n.address_size 64\n";
  // Declarations first: a function may be called before its definition.
  std::string bodies;
  for (Parts &parts : all)
    for (Item &item : parts.items) {
      if (!item.keep)
        continue;
      if (item.isExtern && definitions.count(item.name)) {
        if (!item.isFunction)
          continue; // The variable itself stands elsewhere.
        size_t word = item.text.find(".extern");
        item.text.erase(word, 7);
      }
      (item.hasBody ? bodies : result) += item.text + "\n";
    }
  result += bodies;
  return true;
}

} // namespace bwgemm::emulator::driver
