//===- TargetTest.cpp - Which device runs which target ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Driver.h"

#include "gtest/gtest.h"

using namespace bwgemm::runtime;

static std::string whyNot(const char *target, int major, int minor) {
  std::string why;
  return canRunTarget(target, major, minor, why) ? "" : why;
}

TEST(Target, ArchitectureSpecificNeedsExactlyThat) {
  EXPECT_EQ(whyNot("sm_100a", 10, 0), "");
  EXPECT_EQ(whyNot("sm_100a", 10, 3), "sm_100a needs compute capability 10.0");
  EXPECT_EQ(whyNot("sm_90a", 10, 0), "sm_90a needs compute capability 9.0");
  EXPECT_EQ(whyNot("sm_103a", 10, 3), "");
}

TEST(Target, FamilyNeedsTheSameMajor) {
  EXPECT_EQ(whyNot("sm_100f", 10, 0), "");
  EXPECT_EQ(whyNot("sm_100f", 10, 3), "");
  EXPECT_EQ(whyNot("sm_103f", 10, 0),
            "sm_103f needs compute capability 10.3 or a later 10.x");
  EXPECT_EQ(whyNot("sm_100f", 12, 0),
            "sm_100f needs compute capability 10.0 or a later 10.x");
}

TEST(Target, PlainNeedsAtLeastThat) {
  EXPECT_EQ(whyNot("sm_80", 8, 0), "");
  EXPECT_EQ(whyNot("sm_80", 12, 1), "");
  EXPECT_EQ(whyNot("sm_89", 8, 6),
            "sm_89 needs compute capability 8.9 or later");
  EXPECT_EQ(whyNot("sm_100", 9, 0),
            "sm_100 needs compute capability 10.0 or later");
}

TEST(Target, NonsenseIsNamed) {
  for (const char *text : {"", "sm_", "sm_x", "sm_9", "sm_90b", "compute_90",
                           "sm_100aa", "sm_99999999999999999999"})
    EXPECT_NE(whyNot(text, 10, 0).find("is not a PTX target"),
              std::string::npos)
        << text;
}

TEST(Target, OfPtx) {
  EXPECT_EQ(targetOfPtx(".version 8.6\n.target sm_100a\n"), "sm_100a");
  EXPECT_EQ(targetOfPtx("\t.target\tsm_90, debug\n"), "sm_90");
  EXPECT_EQ(targetOfPtx("// .target sm_80\n.target sm_90a // x\n"), "sm_90a");
  EXPECT_EQ(targetOfPtx(".version 8.6\n"), "");
  EXPECT_EQ(targetOfPtx(".target"), "");
  EXPECT_EQ(targetOfPtx(""), "");
}
