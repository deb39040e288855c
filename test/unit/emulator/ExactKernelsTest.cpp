//===- ExactKernelsTest.cpp - Many sums at once, and one by one -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every variant of the kernels that this host can run, against exactDot, which
// ExactDotTest.cpp checks by hand.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactKernels.h"
#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace bwgemm::emulator;

namespace {
/// How operands are drawn.
enum class Draw {
  Any,    ///< Any bits: NaN, infinities, subnormals.
  Near,   ///< One binade: sums that need 32 bits and more.
  Cancel, ///< Near, with both signs.
  Wide,   ///< Exponents far apart.
  Tiny,   ///< Around the smallest normal f32 product.
  Huge,   ///< Around the largest.
  Sparse, ///< Mostly zeros of both signs.
  Zero,   ///< Zeros of both signs, and mostly a C of zero.
  Count_,
};

struct Case {
  MmaElement element;
  ExactModel model;
};
} // namespace

static float drawElement(MmaElement element, Draw draw, std::mt19937 &random) {
  uint32_t bits = random();
  if (element == MmaElement::TF32 && draw != Draw::Any) {
    uint32_t exponent = draw == Draw::Wide   ? 64 + bits % 128
                        : draw == Draw::Tiny ? 60 + bits % 8
                        : draw == Draw::Huge ? 186 + bits % 8
                                             : 127;
    bits = (bits & 0x807fe000) | exponent << 23;
  } else if (element == MmaElement::BF16 && draw != Draw::Any) {
    uint32_t exponent = draw == Draw::Wide   ? 64 + bits / 256 % 128
                        : draw == Draw::Tiny ? 60 + bits / 256 % 8
                        : draw == Draw::Huge ? 186 + bits / 256 % 8
                                             : 127;
    bits = (bits & 0x807f) | exponent << 7;
  } else if (element == MmaElement::F16 && draw != Draw::Any) {
    uint32_t exponent = draw == Draw::Wide   ? bits / 2048 % 31
                        : draw == Draw::Tiny ? bits / 2048 % 4
                        : draw == Draw::Huge ? 27 + bits / 2048 % 4
                                             : 15;
    bits = (bits & 0x83ff) | exponent << 10;
  } else if (draw == Draw::Near || draw == Draw::Cancel) {
    bits = element == MmaElement::E4M3 ? (bits & 0x87) | 0x38
                                       : (bits & 0x83) | 0x3c;
  }
  if (draw == Draw::Near)
    bits &= element == MmaElement::TF32 ? 0x7fffffff
            : element == MmaElement::BF16 || element == MmaElement::F16 ? 0x7fff
                                                                        : 0x7f;
  if (draw == Draw::Zero || (draw == Draw::Sparse && random() % 4))
    bits = random() % 2 ? 0 : 0x80008080;
  return loadMmaElement(element, reinterpret_cast<const std::byte *>(&bits));
}

static uint32_t drawAddend(bool half, Draw draw, std::mt19937 &random) {
  uint32_t bits = random();
  if (draw == Draw::Zero && bits % 4)
    return bits & 4 ? 0 : half ? 0x8000 : 0x80000000;
  if (half)
    return draw == Draw::Any ? bits & 0xffff : (bits & 0x83ff) | 0x3c00;
  switch (draw) {
  case Draw::Any:
    return bits;
  case Draw::Tiny:
    return (bits & 0x807fffff) | (random() % 12) << 23;
  case Draw::Huge:
    return (bits & 0x807fffff) | (240 + random() % 15) << 23;
  case Draw::Sparse:
    return random() % 3 ? 0x80000000u : bits & 0xbfffffff;
  default:
    return (bits & 0x807fffff) | (120 + random() % 16) << 23;
  }
}

TEST(ExactKernels, EveryVariantGivesTheBitsOfTheModel) {
  const Case cases[] = {
      {MmaElement::BF16, {25, ExactOutput::F32}},
      {MmaElement::F16, {25, ExactOutput::F32}},
      {MmaElement::F16, {25, ExactOutput::F16}},
      {MmaElement::TF32, {25, ExactOutput::F32}},
      {MmaElement::E4M3, {25, ExactOutput::F32}},
      {MmaElement::E4M3, {13, ExactOutput::F32Short}},
      {MmaElement::E5M2, {13, ExactOutput::F16}},
  };
  std::mt19937 random(11);
  for (const Case &test : cases)
    for (int draw = 0; draw < int(Draw::Count_); ++draw)
      for (bool alongK : {false, true}) {
        // Five columns: a block of each width and a rest.
        uint32_t m = 32, n = 5, k = 32 / mmaElementBytes(test.element);
        // With a gap between the lines of B.
        uint32_t pitch = alongK ? k + 3 : n;
        std::vector<float> a(m * k), b(size_t(pitch) * (alongK ? n : k));
        for (float &x : a)
          x = drawElement(test.element, Draw(draw), random);
        for (float &x : b)
          x = drawElement(test.element, Draw(draw), random);
        std::vector<uint32_t> before(n * m);
        for (uint32_t &cell : before)
          cell = drawAddend(test.model.toF16(), Draw(draw), random);
        const uint32_t lanes[] = {16, 0}; // Groups in any order.
        const bool accumulate = draw != int(Draw::Near);
        ExactMultiply exact;
        exact.work.a = a.data();
        exact.work.b = {b.data(), alongK ? pitch : 1, alongK ? 1 : pitch};
        exact.work.groups = m / 16;
        exact.work.n = n;
        exact.work.k = k;
        exact.work.dColumnStride = m;
        exact.work.laneOffset = lanes;
        exact.work.accumulate = accumulate;
        exact.a = exact.b = exactFormat(test.element);
        exact.model = test.model;
        exact.scale = draw % 3;
        exact.disabled[0] = 1ull << 5;
        for (auto list = availableExactKernels(); *list; ++list) {
          std::vector<uint32_t> cells = before;
          exact.cells = cells.data();
          multiplyExactly(exact, **list);
          for (uint32_t column = 0; column < n; ++column)
            for (uint32_t row = 0; row < m; ++row) {
              uint32_t at = column * m + lanes[row / 16] + row % 16;
              std::vector<ExactTerm> x, y;
              for (uint32_t i = 0; i < k; ++i) {
                x.push_back(exactElement(exact.a, a[i * m + row]));
                y.push_back(
                    exactElement(exact.b, b[column * exact.work.b.rowStride +
                                            i * exact.work.b.kStride]));
              }
              ExactTerm c;
              if (accumulate)
                c = exactAddend(test.model, before[at]);
              uint32_t expected =
                  row == 21 ? before[at]
                            : exactDot(test.model, x.data(), exact.a, y.data(),
                                       exact.b, k, c, exact.scale);
              ASSERT_EQ(cells[at], expected)
                  << (*list)->name << ", element " << int(test.element)
                  << ", draw " << draw << ", row " << row << ", column "
                  << column;
            }
        }
      }
}
