//===- ParseOperands.cpp - Operands and constant expressions ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parser/ParserImpl.h"

namespace bwgemm::emulator {

/// Enough for every operand and expression that a tool writes.
static constexpr unsigned maxDepth = 32;

//===----------------------------------------------------------------------===//
// Constant expressions
//===----------------------------------------------------------------------===//

bool ParserImpl::unary(ast::Operand &out, unsigned depth) {
  if (depth > maxDepth)
    return errorAt(token.location,
                   "expected an expression nested at most 32 deep, got more");
  out.location = token.location;
  if (token.is('-') || token.is('+') || token.is('~') || token.is('!')) {
    char op = token.text[0];
    advance();
    if (!unary(out, depth + 1))
      return false;
    if (out.kind == ast::Operand::Kind::Integer) {
      if (op == '-') {
        out.bits = 0 - out.bits;
        out.isNegative = !out.isNegative;
      } else if (op == '~') {
        out.bits = ~out.bits;
      } else if (op == '!') {
        out.bits = out.bits == 0;
      }
      return true;
    }
    if (op == '-')
      out.bits ^= out.kind == ast::Operand::Kind::Float32 ? uint64_t(1) << 31
                                                          : uint64_t(1) << 63;
    else if (op != '+')
      return errorAt(out.location, "expected an integer after '" +
                                       std::string(1, op) +
                                       "', got a floating-point number");
    return true;
  }
  if (consume('(')) {
    // `(.s64) x` and `(.u64) x` are casts.
    if (token.isWord(".s64") || token.isWord(".u64")) {
      advance();
      return expect(')', "after the cast") && unary(out, depth + 1);
    }
    return binary(out, 1, depth + 1) && expect(')', "after the expression");
  }
  switch (token.kind) {
  case Token::Kind::Integer:
    out.kind = ast::Operand::Kind::Integer;
    break;
  case Token::Kind::Float32:
    out.kind = ast::Operand::Kind::Float32;
    break;
  case Token::Kind::Float64:
    out.kind = ast::Operand::Kind::Float64;
    break;
  default:
    return expected("a number");
  }
  out.bits = token.bits;
  out.isUnsigned = token.isUnsigned;
  advance();
  return true;
}

bool ParserImpl::binary(ast::Operand &out, int minPrecedence, unsigned depth) {
  if (!unary(out, depth))
    return false;
  while (token.kind == Token::Kind::Punct &&
         out.kind == ast::Operand::Kind::Integer) {
    char op = token.text[0];
    int precedence = 0;
    switch (op) {
    case '*':
    case '/':
    case '%':
      precedence = 6;
      break;
    case '+':
    case '-':
      precedence = 5;
      break;
    case '<':
    case '>':
      // A single one closes the count in `%r<5>`.
      precedence = token.text.data()[1] == op ? 4 : 0;
      break;
    case '&':
      precedence = 3;
      break;
    case '^':
      precedence = 2;
      break;
    case '|':
      precedence = 1;
      break;
    default:
      break;
    }
    if (precedence == 0 || precedence < minPrecedence)
      return true;
    ast::Location where = token.location;
    advance();
    if ((op == '<' || op == '>') && !expect(op, "of a shift"))
      return false;
    ast::Operand right;
    if (!binary(right, precedence + 1, depth + 1))
      return false;
    if (right.kind != ast::Operand::Kind::Integer)
      return errorAt(right.location, "expected an integer in a constant "
                                     "expression, got a floating-point number");
    uint64_t a = out.bits, b = right.bits;
    bool isUnsigned = out.isUnsigned || right.isUnsigned;
    if ((op == '/' || op == '%') && b == 0)
      return errorAt(where, "expected a divisor other than 0, got 0");
    // Signed division of the smallest number by -1 overflows; PTX wraps.
    bool wraps = !isUnsigned && b == ~uint64_t(0);
    switch (op) {
    case '*':
      a *= b;
      break;
    case '+':
      a += b;
      break;
    case '-':
      a -= b;
      break;
    case '&':
      a &= b;
      break;
    case '^':
      a ^= b;
      break;
    case '|':
      a |= b;
      break;
    case '<':
      a = b < 64 ? a << b : 0;
      break;
    case '>':
      a = isUnsigned ? (b < 64 ? a >> b : 0)
                     : uint64_t(int64_t(a) >> (b < 64 ? b : 63));
      break;
    case '/':
      a = wraps        ? 0 - a
          : isUnsigned ? a / b
                       : uint64_t(int64_t(a) / int64_t(b));
      break;
    case '%':
      a = wraps ? 0 : isUnsigned ? a % b : uint64_t(int64_t(a) % int64_t(b));
      break;
    default:
      break;
    }
    out.bits = a;
    out.isUnsigned = isUnsigned;
    out.isNegative = !isUnsigned && int64_t(a) < 0;
  }
  return true;
}

bool ParserImpl::number(ast::Operand &out) { return binary(out, 1, 0); }

bool ParserImpl::constant(uint64_t &value) {
  ast::Operand out;
  if (!binary(out, 1, 0))
    return false;
  if (out.kind != ast::Operand::Kind::Integer)
    return errorAt(out.location,
                   "expected an integer, got a floating-point number");
  value = out.bits;
  return true;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool ParserImpl::operandList(ast::Operand &out, char close, bool isCall,
                             unsigned depth) {
  while (!token.is(close)) {
    out.elements.emplace_back();
    if (!operand(out.elements.back(), isCall, depth + 1))
      return false;
    if (!consume(','))
      break;
  }
  return expect(close, "at the end of the operand");
}

bool ParserImpl::operand(ast::Operand &out, bool isCall, unsigned depth) {
  using Kind = ast::Operand::Kind;
  if (depth > maxDepth)
    return errorAt(token.location,
                   "expected operands nested at most 32 deep, got more");
  out.location = token.location;
  if (consume('{')) {
    out.kind = Kind::Vector;
    if (!operandList(out, '}', false, depth))
      return false;
    if (out.elements.empty())
      return errorAt(out.location, "expected a vector of at least one element, "
                                   "got none");
    return true;
  }
  if (consume('[')) {
    out.kind = Kind::Address;
    if (!operandList(out, ']', false, depth))
      return false;
    if (out.elements.empty())
      return errorAt(out.location, "expected an address, got none");
    return true;
  }
  if (isCall && consume('(')) {
    out.kind = Kind::List;
    return operandList(out, ')', true, depth);
  }
  bool isNegation = token.is('!'), isMinus = token.is('-');
  if (isNegation || isMinus) {
    Token sign = token;
    // A name may follow; a number is a constant expression with this sign.
    Lexer saved = lexer;
    size_t savedEnd = previousEnd;
    advance();
    if (token.kind != Token::Kind::Word) {
      lexer = saved;
      previousEnd = savedEnd;
      token = sign;
      return number(out);
    }
  }
  if (token.kind != Token::Kind::Word) {
    if (token.kind == Token::Kind::Integer ||
        token.kind == Token::Kind::Float32 ||
        token.kind == Token::Kind::Float64 || token.is('(') || token.is('~') ||
        token.is('+'))
      return number(out);
    return expected("an operand");
  }
  if (token.text == "_") {
    out.kind = Kind::Sink;
    advance();
  } else {
    out.kind = Kind::Name;
    out.negated = isNegation;
    out.minus = isMinus;
    if (!expectName(out.name, "an operand"))
      return false;
    if (token.is('+') || token.is('-')) {
      bool minus = token.is('-');
      advance();
      uint64_t offset;
      if (!constant(offset))
        return false;
      out.offset = static_cast<int64_t>(minus ? 0 - offset : offset);
    }
  }
  if (depth == 0 && consume('|')) {
    ast::Operand first = std::move(out);
    out = ast::Operand();
    out.kind = Kind::Pair;
    out.location = first.location;
    out.elements.push_back(std::move(first));
    out.elements.emplace_back();
    ast::Operand &second = out.elements.back();
    if (token.kind != Token::Kind::Word)
      return expected("a second destination after '|'");
    return operand(second, false, depth + 1);
  }
  return true;
}

} // namespace bwgemm::emulator
