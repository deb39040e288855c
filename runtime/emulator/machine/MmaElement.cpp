//===- MmaElement.cpp - Element types of tcgen05.mma operands ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MmaElement.h"
#include "machine/Tcgen05MmaKernels.h"

#include <cstring>

namespace bwgemm::emulator {

unsigned mmaElementBytes(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::BF16:
    return 2;
  case MmaElement::TF32:
    return 4;
  default:
    return 1;
  }
}

unsigned mmaElementsPerChunk(MmaElement element) {
  return element == MmaElement::PackedE2M1 ? 32 : 16 / mmaElementBytes(element);
}

/// A sign, `exponentBits` bits of exponent and `fractionBits` of fraction. None
/// of the narrow formats has infinities or NaNs (OCP Microscaling Formats).
static constexpr float narrowToFloat(uint32_t bits, unsigned exponentBits,
                                     unsigned fractionBits) {
  uint32_t fraction = bits & ((1u << fractionBits) - 1);
  uint32_t exponent = (bits >> fractionBits) & ((1u << exponentBits) - 1);
  bool negative = (bits >> (fractionBits + exponentBits)) & 1;
  int bias = (1 << (exponentBits - 1)) - 1;
  int power = (exponent ? int(exponent) : 1) - bias - int(fractionBits);
  float value = float(exponent ? fraction | 1u << fractionBits : fraction);
  for (; power > 0; --power)
    value *= 2;
  for (; power < 0; ++power)
    value /= 2;
  return negative ? -value : value;
}

namespace {
struct NarrowTables {
  float e2m1[16] = {}, e2m3[64] = {}, e3m2[64] = {};
  constexpr NarrowTables() {
    for (uint32_t i = 0; i < 16; ++i)
      e2m1[i] = narrowToFloat(i, 2, 1);
    for (uint32_t i = 0; i < 64; ++i) {
      e2m3[i] = narrowToFloat(i, 2, 3);
      e3m2[i] = narrowToFloat(i, 3, 2);
    }
  }
};
} // namespace

static constexpr NarrowTables tables;

float e2m1ToFloat(uint32_t bits) { return tables.e2m1[bits & 15]; }
float e2m3ToFloat(uint32_t bits) { return tables.e2m3[bits & 63]; }
float e3m2ToFloat(uint32_t bits) { return tables.e3m2[bits & 63]; }

/// Element `index` of consecutive 6-bit elements.
static uint32_t sixBits(const std::byte *bytes, unsigned index) {
  unsigned bit = 6 * index, byte = bit / 8;
  uint32_t low = uint32_t(bytes[byte]);
  uint32_t high = byte + 1 < 12 ? uint32_t(bytes[byte + 1]) : 0;
  return ((low | high << 8) >> (bit % 8)) & 63;
}

static uint32_t fourBits(const std::byte *bytes, unsigned index) {
  return (uint32_t(bytes[index / 2]) >> (4 * (index % 2))) & 15;
}

void loadMmaChunk(MmaElement element, const std::byte *chunk, float *values) {
  unsigned count = mmaElementsPerChunk(element);
  switch (element) {
  case MmaElement::E2M1:
  case MmaElement::PackedE2M1:
    for (unsigned i = 0; i < count; ++i)
      values[i] = e2m1ToFloat(fourBits(chunk, i));
    return;
  case MmaElement::E2M3:
    for (unsigned i = 0; i < count; ++i)
      values[i] = e2m3ToFloat(sixBits(chunk, i));
    return;
  case MmaElement::E3M2:
    for (unsigned i = 0; i < count; ++i)
      values[i] = e3m2ToFloat(sixBits(chunk, i));
    return;
  default:
    break;
  }
  unsigned bytes = mmaElementBytes(element);
  for (unsigned i = 0; i < count; ++i)
    values[i] = loadMmaElement(element, chunk + i * bytes);
}

void loadMmaCell(MmaElement element, uint32_t cell, float *values) {
  std::byte bytes[4];
  std::memcpy(bytes, &cell, 4);
  switch (element) {
  case MmaElement::PackedE2M1:
    for (unsigned i = 0; i < 8; ++i)
      values[i] = e2m1ToFloat(fourBits(bytes, i));
    return;
  case MmaElement::E2M1:
  case MmaElement::E2M3:
  case MmaElement::E3M2:
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t container = uint32_t(bytes[i]);
      values[i] = element == MmaElement::E2M1   ? e2m1ToFloat(container >> 2)
                  : element == MmaElement::E2M3 ? e2m3ToFloat(container)
                                                : e3m2ToFloat(container);
    }
    return;
  default:
    break;
  }
  unsigned size = mmaElementBytes(element);
  for (unsigned i = 0; i < 4 / size; ++i)
    values[i] = loadMmaElement(element, bytes + i * size);
}

void spreadChunk(unsigned elementBits, const std::byte *chunk,
                 uint8_t *containers) {
  for (unsigned i = 0; i < 16; ++i)
    containers[i] = elementBits == 4 ? uint8_t(fourBits(chunk, i) << 2)
                                     : uint8_t(sixBits(chunk, i));
}

} // namespace bwgemm::emulator
