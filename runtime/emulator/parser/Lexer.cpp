//===- Lexer.cpp - Tokens of PTX text ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parser/Lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace bwgemm::emulator {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool isWordStart(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
static bool isWordPart(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '%';
}
static int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool Lexer::skipBlank(Token &problem) {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      ++position;
      ++line;
      lineStart = position;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position;
    } else if (c == '/' && position + 1 < text.size() &&
               text[position + 1] == '/') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '/' && position + 1 < text.size() &&
               text[position + 1] == '*') {
      problem.location = here();
      size_t end = text.find("*/", position + 2);
      if (end == std::string_view::npos) {
        problem.kind = Token::Kind::Invalid;
        problem.text = text.substr(position, 2);
        problem.problem = "comment is not closed, expected '*/'";
        position = text.size();
        return false;
      }
      for (; position < end + 2; ++position)
        if (text[position] == '\n') {
          ++line;
          lineStart = position + 1;
        }
    } else if (c == '#' && position == lineStart) {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else {
      break;
    }
  }
  return true;
}

void Lexer::skipLine() {
  while (position < text.size() && text[position] != '\n')
    ++position;
}

Token Lexer::number(Token token) {
  size_t begin = position;
  auto finish = [&](Token::Kind kind) {
    token.kind = kind;
    token.text = text.substr(begin, position - begin);
    token.end = position;
    return token;
  };
  auto invalid = [&](const char *problem) {
    while (position < text.size() && isWordPart(text[position]))
      ++position;
    token.problem = problem;
    return finish(Token::Kind::Invalid);
  };
  char second = begin + 1 < text.size() ? text[begin + 1] : '\0';
  bool zero = text[begin] == '0';

  // 0f3F800000 and 0d3FF0000000000000: bit patterns.
  if (zero &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    bool isSingle = second == 'f' || second == 'F';
    unsigned digits = isSingle ? 8 : 16;
    position = begin + 2;
    unsigned count = 0;
    for (; position < text.size() && hexValue(text[position]) >= 0; ++position)
      if (++count <= digits)
        token.bits = token.bits * 16 + hexValue(text[position]);
    if (count != digits ||
        (position < text.size() && isWordPart(text[position])))
      return invalid(isSingle ? "expected 8 hexadecimal digits after '0f'"
                              : "expected 16 hexadecimal digits after '0d'");
    return finish(isSingle ? Token::Kind::Float32 : Token::Kind::Float64);
  }

  unsigned base = 10;
  position = begin;
  if (zero && (second == 'x' || second == 'X')) {
    base = 16;
    position += 2;
  } else if (zero && (second == 'b' || second == 'B')) {
    base = 2;
    position += 2;
  } else if (zero && isDigit(second)) {
    base = 8;
    position += 1;
  }
  if (base == 10) {
    size_t end = position;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    bool isDecimal =
        end < text.size() && ((text[end] == '.' && end + 1 < text.size() &&
                               isDigit(text[end + 1])) ||
                              text[end] == 'e' || text[end] == 'E');
    if (isDecimal) {
      if (text[end] == '.')
        for (++end; end < text.size() && isDigit(text[end]);)
          ++end;
      if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        ++end;
        if (end < text.size() && (text[end] == '+' || text[end] == '-'))
          ++end;
        if (end >= text.size() || !isDigit(text[end])) {
          position = end;
          return invalid("expected digits in the exponent");
        }
        while (end < text.size() && isDigit(text[end]))
          ++end;
      }
      double value = std::strtod(
          std::string(text.substr(begin, end - begin)).c_str(), nullptr);
      std::memcpy(&token.bits, &value, sizeof(value));
      position = end;
      return finish(Token::Kind::Float64);
    }
  }
  unsigned count = 0;
  bool overflow = false;
  for (; position < text.size(); ++position, ++count) {
    int digit = hexValue(text[position]);
    if (digit < 0 || unsigned(digit) >= base)
      break;
    if (token.bits > (~uint64_t(0) - digit) / base)
      overflow = true;
    token.bits = token.bits * base + digit;
  }
  if (count == 0 && base != 8)
    return invalid("expected digits after the base prefix");
  if (position < text.size() &&
      (text[position] == 'U' || text[position] == 'u')) {
    token.isUnsigned = true;
    ++position;
  }
  if (position < text.size() && isWordPart(text[position]))
    return invalid("unexpected character in an integer");
  if (overflow)
    return invalid("integer does not fit 64 bits");
  return finish(Token::Kind::Integer);
}

Token Lexer::next() {
  Token token;
  if (!skipBlank(token))
    return token;
  token.location = here();
  token.begin = position;
  token.end = position;
  if (position >= text.size())
    return token;
  char c = text[position];
  size_t begin = position;
  if (isDigit(c))
    return number(token);
  if (isWordStart(c)) {
    // A word goes on over dots and `::` so that a mnemonic is one token. A
    // single colon ends it: that is a label's. Of directives each is a word
    // (`.reg.pred` is two).
    bool isDirective = c == '.';
    ++position;
    while (position < text.size()) {
      char d = text[position];
      char after = position + 1 < text.size() ? text[position + 1] : '\0';
      if (isWordPart(d))
        ++position;
      else if (d == '.' && !isDirective && isWordPart(after))
        ++position;
      else if (d == ':' && after == ':' && position + 2 < text.size() &&
               isWordPart(text[position + 2]))
        position += 2;
      else
        break;
    }
    token.kind = Token::Kind::Word;
  } else if (c == '"') {
    ++position;
    while (position < text.size() && text[position] != '"' &&
           text[position] != '\n')
      position += text[position] == '\\' && position + 1 < text.size() ? 2 : 1;
    if (position >= text.size() || text[position] != '"') {
      position = position < text.size() ? position : text.size();
      token.kind = Token::Kind::Invalid;
      token.problem = "string is not closed, expected '\"'";
      token.text = text.substr(begin, 1);
      token.end = position;
      return token;
    }
    token.kind = Token::Kind::String;
    token.text = text.substr(begin + 1, position - begin - 1);
    token.end = ++position;
    return token;
  } else if (std::strchr(",;:{}[]()<>@!|+-=~*/&^?", c) && c != '\0') {
    ++position;
    token.kind = Token::Kind::Punct;
  } else {
    ++position;
    token.kind = Token::Kind::Invalid;
    token.problem = "unexpected character";
  }
  token.text = text.substr(begin, position - begin);
  token.end = position;
  return token;
}

} // namespace bwgemm::emulator
