//===- Tcgen05GoldenTest.cpp - Published numerics of tcgen05.mma -*- C++
//-*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole mmas with numerics=exact against golden/tcgen05_dot.inc, which
// golden/tcgen05_dot.py computes from published rules with unbounded integers.
// The inputs come from the same generator as there.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t rows = 16, columns = 8;

struct Golden {
  MmaElement a, b;
  MmaAccumulator d;
  uint32_t words[rows * columns];
};
const Golden golden[] = {
#include "golden/tcgen05_dot.inc"
};

/// Exponent and fraction bits, and whether the largest exponent is special.
struct Format {
  unsigned exponent, fraction;
  bool special;
};
Format formatOf(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
    return {5, 10, true};
  case MmaElement::BF16:
    return {8, 7, true};
  case MmaElement::TF32:
    return {8, 10, true};
  case MmaElement::E4M3:
    return {4, 3, true};
  case MmaElement::E5M2:
    return {5, 2, true};
  case MmaElement::E2M3:
    return {2, 3, false};
  case MmaElement::E3M2:
    return {3, 2, false};
  default:
    return {2, 1, false};
  }
}

/// The generator of tcgen05_dot.py.
struct Draw {
  uint32_t state;
  uint32_t operator()() {
    state = state * 1664525 + 1013904223;
    return state >> 8;
  }
  uint32_t element(MmaElement type) {
    Format f = formatOf(type);
    uint32_t bits = (*this)() % (1u << (1 + f.exponent + f.fraction));
    uint32_t ones = (1u << f.exponent) - 1;
    uint32_t field = bits >> f.fraction & ones;
    uint32_t fraction = bits & ((1u << f.fraction) - 1);
    uint32_t sign = bits >> (f.exponent + f.fraction);
    if (f.exponent == 8)
      field = field ? 112 + field % 32 : 0;
    bool rare = (*this)() % 512 == 0;
    if (field == ones && f.special && !rare)
      --field;
    return sign << (f.exponent + f.fraction) | field << f.fraction | fraction;
  }
  uint32_t addend(MmaAccumulator type) {
    if ((*this)() % 8 == 0)
      return 0;
    uint64_t bits = (*this)();
    bits |= uint64_t((*this)()) << 24;
    if (type == MmaAccumulator::F16)
      return uint32_t((bits & 0x8000) | (8 + (bits >> 16) % 16) << 10 |
                      (bits & 0x3ff));
    return uint32_t((bits >> 31 & 1) << 31 | (110 + (bits >> 32) % 36) << 23 |
                    (bits & 0x7fffff));
  }
};

/// The code of a type in the instruction descriptor.
uint32_t code(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::E4M3:
    return 0;
  case MmaElement::BF16:
  case MmaElement::E5M2:
    return 1;
  case MmaElement::TF32:
    return 2;
  case MmaElement::E2M3:
    return 3;
  case MmaElement::E3M2:
    return 4;
  default:
    return 5;
  }
}

constexpr uint32_t startA = 2048, startB = 32768, sharedEnd = 65536;

/// Puts element (row, k) where a K-major operand without swizzle has it: LBO
/// 8192, SBO 128; chunks of 16 bytes hold 4, 8 or 16 elements, narrow ones
/// packed at the chunk's beginning.
void place(std::byte *shared, uint32_t start, MmaElement element, uint32_t row,
           uint32_t k, uint32_t bits) {
  Format f = formatOf(element);
  unsigned width = 1 + f.exponent + f.fraction;
  if (element == MmaElement::TF32) {
    bits <<= 13;
    width = 32;
  }
  uint32_t perChunk = width == 32 ? 4 : width == 16 ? 8 : 16;
  std::byte *chunk =
      shared + start + row % 8 * 16 + row / 8 * 128 + k / perChunk * 8192;
  uint32_t first = k % perChunk * width;
  for (unsigned i = 0; i < width; ++i)
    if (bits >> i & 1)
      chunk[(first + i) / 8] |= std::byte(1 << ((first + i) % 8));
}

} // namespace

TEST(Tcgen05Golden, SumsOfEveryUnscaledType) {
  uint32_t seed = 0;
  for (const Golden &g : golden) {
    std::unique_ptr<std::byte[]> storage(new std::byte[sharedEnd]());
    SharedWindow shared{storage.get() + 1024, 1024, sharedEnd};
    TensorMemory tensor;
    std::string error;
    uint32_t address;
    tensor.allocate(32, address, error);
    uint32_t depth = g.a == MmaElement::TF32                             ? 8
                     : g.a == MmaElement::F16 || g.a == MmaElement::BF16 ? 16
                                                                         : 32;
    Draw draw{++seed};
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t k = 0; k < depth; ++k)
        place(storage.get(), startA, g.a, row, k, draw.element(g.a));
    for (uint32_t n = 0; n < columns; ++n)
      for (uint32_t k = 0; k < depth; ++k)
        place(storage.get(), startB, g.b, n, k, draw.element(g.b));
    for (uint32_t column = 0; column < columns; ++column) {
      std::memset(tensor.column(column), 0, 512);
      tensor.markWritten(column, {~0ull, ~0ull});
    }
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t n = 0; n < columns; ++n)
        tensor.column(n)[row] = draw.addend(g.d);
    MmaOperands operands;
    operands.kind = depth == 8    ? MmaKind::TF32
                    : depth == 16 ? MmaKind::F16
                                  : MmaKind::F8F6F4;
    uint64_t descriptor =
        uint64_t(8192 >> 4) << 16 | uint64_t(128 >> 4) << 32 | 1ull << 46;
    operands.a = descriptor | startA >> 4;
    operands.b = descriptor | startB >> 4;
    operands.accumulate = true;
    operands.instructionDescriptor = uint32_t(g.d == MmaAccumulator::F32) << 4 |
                                     code(g.a) << 7 | code(g.b) << 10 |
                                     (columns >> 3) << 17 | (64 >> 4) << 24;
    Mma mma;
    MmaRefusal refusal;
    ASSERT_TRUE(Mma::issue(operands, tensor, shared, mma, refusal))
        << refusal.message;
    ASSERT_TRUE(mma.land(tensor, shared, Numerics::Exact, error)) << error;
    uint32_t mask = g.d == MmaAccumulator::F16 ? 0xffff : 0xffffffff;
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t n = 0; n < columns; ++n)
        ASSERT_EQ(tensor.column(n)[row] & mask, g.words[row * columns + n])
            << "case " << seed << " at " << row << ", " << n;
  }
}
