//===- B200DotTest.cpp - Sums as a B200 forms them --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors: Inputs/b200-dots.txt, published results of a B200.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactDot.h"

#include "NarrowMmaFixture.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace bwgemm::emulator;

static const NarrowType &typeNamed(const std::string &name) {
  static const NarrowType types[] = {tf32Type, bf16Type, f16Type, e4m3,
                                     e5m2,     e2m3,     e3m2,    e2m1};
  for (const NarrowType &type : types)
    if (name == type.name)
      return type;
  ADD_FAILURE() << name;
  return e4m3;
}

static ExactFormat formatNamed(const std::string &name) {
  return name == "tf32"   ? exactTF32
         : name == "bf16" ? exactBF16
         : name == "f16"  ? exactF16
         : name == "e4m3" ? exactE4M3
         : name == "e5m2" ? exactE5M2
         : name == "e2m3" ? exactE2M3
         : name == "e3m2" ? exactE3M2
                          : exactE2M1;
}

static std::vector<ExactTerm> terms(const std::string &name,
                                    const std::string &words) {
  std::vector<ExactTerm> result;
  std::istringstream stream(words);
  std::string word;
  while (std::getline(stream, word, ',')) {
    uint32_t bits = uint32_t(std::stoul(word, nullptr, 16));
    if (name == "tf32") // 13 bits are ignored; of a bf16 the vectors give 32.
      bits &= 0xffffe000u;
    if (name == "bf16")
      bits >>= 16;
    result.push_back(exactElement(formatNamed(name),
                                  float(narrowValue(typeNamed(name), bits))));
  }
  return result;
}

TEST(B200Dot, Vectors) {
  std::ifstream file(BWGEMM_EMULATOR_INPUTS "/b200-dots.txt");
  ASSERT_TRUE(file);
  std::string line;
  unsigned count = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string name, scaleA, scaleB, a, b, c, d;
    words >> name >> scaleA >> scaleB >> a >> b >> c >> d;
    auto hex = [](const std::string &text) {
      return uint32_t(std::stoul(text, nullptr, 16));
    };
    std::vector<ExactTerm> termsA = terms(name, a), termsB = terms(name, b);
    ASSERT_EQ(termsA.size(), termsB.size());
    ExactFormat format = formatNamed(name);
    ExactModel model;
    EXPECT_EQ(exactDot(model, termsA.data(), format, termsB.data(), format,
                       unsigned(termsA.size()), exactAddend(model, hex(c)), 0,
                       int(hex(scaleA)) + int(hex(scaleB)) - 254),
              hex(d))
        << line;
    ++count;
  }
  EXPECT_EQ(count, 17u);
}
