//===- Types.cpp - Fundamental PTX types ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Types.h"

#include <cstddef>

namespace bwgemm::emulator {

namespace {
struct TypeEntry {
  std::string_view word;
  Type type;
  uint8_t bits;
};
constexpr TypeEntry typeTable[] = {
    {"b8", Type::B8, 8},        {"b16", Type::B16, 16},
    {"b32", Type::B32, 32},     {"b64", Type::B64, 64},
    {"b128", Type::B128, 128},  {"u8", Type::U8, 8},
    {"u16", Type::U16, 16},     {"u32", Type::U32, 32},
    {"u64", Type::U64, 64},     {"s8", Type::S8, 8},
    {"s16", Type::S16, 16},     {"s32", Type::S32, 32},
    {"s64", Type::S64, 64},     {"f16", Type::F16, 16},
    {"bf16", Type::BF16, 16},   {"tf32", Type::TF32, 32},
    {"f32", Type::F32, 32},     {"f64", Type::F64, 64},
    {"f16x2", Type::F16x2, 32}, {"bf16x2", Type::BF16x2, 32},
    {"f32x2", Type::F32x2, 64}, {"u16x2", Type::U16x2, 32},
    {"s16x2", Type::S16x2, 32}, {"pred", Type::Pred, 1},
};
} // namespace

std::optional<Type> parseType(std::string_view word) {
  for (const TypeEntry &entry : typeTable)
    if (entry.word == word)
      return entry.type;
  return std::nullopt;
}

std::string_view typeName(Type type) {
  return typeTable[static_cast<size_t>(type)].word;
}

unsigned bitWidth(Type type) {
  return typeTable[static_cast<size_t>(type)].bits;
}

bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64 || type == Type::S16x2;
}

bool isFloat(Type type) {
  switch (type) {
  case Type::F16:
  case Type::BF16:
  case Type::TF32:
  case Type::F32:
  case Type::F64:
  case Type::F16x2:
  case Type::BF16x2:
  case Type::F32x2:
    return true;
  default:
    return false;
  }
}

} // namespace bwgemm::emulator
