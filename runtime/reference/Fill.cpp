//===- Fill.cpp - Reproducible contents for matrices ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Fill.h"

#include "Parallel.h"

#include <algorithm>
#include <cmath>

namespace bwgemm::runtime {
namespace {

struct NamedFill {
  Fill fill;
  const char *name;
};
constexpr NamedFill fills[] = {
    {Fill::Zeros, "zeros"},     {Fill::Ones, "ones"},
    {Fill::Iota, "iota"},       {Fill::Int, "int"},
    {Fill::Uniform, "uniform"}, {Fill::Normal, "normal"},
    {Fill::Poison, "poison"},
};

/// 64 random bits for each (seed, index): two rounds of the finaliser of
/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
uint64_t randomBits(uint64_t seed, uint64_t index) {
  auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  };
  constexpr uint64_t golden = 0x9E3779B97F4A7C15;
  return mix(mix(seed + golden) + (index + 1) * golden);
}

/// From [0, 1), a multiple of 2^-53.
double unit(uint64_t bits) { return double(bits >> 11) * 0x1p-53; }

/// Box and Muller's method: elements 2i and 2i + 1 are one pair.
double normal(uint64_t seed, uint64_t index) {
  uint64_t pair = index & ~uint64_t(1);
  double radius = std::sqrt(-2 * std::log(1 - unit(randomBits(seed, pair))));
  double angle = 6.283185307179586 * unit(randomBits(seed, pair + 1));
  return radius * (index & 1 ? std::sin(angle) : std::cos(angle));
}

bool isUnsigned(ElementType type) {
  return type == ElementType::U8 || type == ElementType::U16 ||
         type == ElementType::U32 || type == ElementType::U64;
}

/// The value of one element; not for Poison.
double valueOf(ElementType type, Fill kind, uint64_t seed, uint64_t index) {
  switch (kind) {
  case Fill::Zeros:
  case Fill::Poison:
    return 0;
  case Fill::Ones:
    return 1;
  case Fill::Iota: {
    unsigned bits = isFloat(type) ? mantissaBits(type) + 1
                                  : 8 * unsigned(sizeInBytes(type)) -
                                        (isUnsigned(type) ? 0 : 1);
    return double(bits >= 63 ? index : index & ((uint64_t(1) << bits) - 1));
  }
  case Fill::Int: {
    // The upper half times the range: no bias worth mentioning.
    int range = isUnsigned(type) ? 4 : 7;
    int value = int((randomBits(seed, index) >> 32) * uint64_t(range) >> 32);
    return isUnsigned(type) ? value : value - 3;
  }
  case Fill::Uniform: {
    double u = unit(randomBits(seed, index));
    if (isFloat(type))
      return 2 * u - 1;
    double span = sizeInBytes(type) == 1 ? 256 : isUnsigned(type) ? 1024 : 2048;
    return std::floor(u * span) - (isUnsigned(type) ? 0 : span / 2);
  }
  case Fill::Normal: {
    double value = normal(seed, index);
    if (isFloat(type))
      return value;
    return isUnsigned(type) ? std::abs(16 * value) : 16 * value;
  }
  }
  return 0;
}

} // namespace

std::optional<Fill> parseFill(std::string_view name) {
  for (const NamedFill &f : fills)
    if (name == f.name)
      return f.fill;
  return std::nullopt;
}

std::string fillNames() {
  std::string names;
  for (const NamedFill &f : fills) {
    if (!names.empty())
      names += ", ";
    names += f.name;
  }
  return names;
}

void fill(ElementType type, void *data, size_t count, Fill kind,
          uint64_t seed) {
  auto *bytes = static_cast<unsigned char *>(data);
  size_t step = sizeInBytes(type);
  parallelFor(count, 1 << 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      storeBits(type, bytes + i * step,
                kind == Fill::Poison
                    ? poisonBits(type)
                    : fromDouble(type, valueOf(type, kind, seed, i)));
  });
}

} // namespace bwgemm::runtime
