//===- ErrorTest.cpp - How errors are reported ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

#include <thread>

namespace {

class ErrorTest : public LaunchTest {};
using ErrorDeathTest = ErrorTest;

TEST_F(ErrorTest, StateBelongsToTheThread) {
  bwgemmHostRequireEqual(1, 2, "main");
  EXPECT_STREQ(bwgemm_last_error(), "main: got 1, expected 2");
  std::thread([] {
    EXPECT_EQ(bwgemm_last_error(), nullptr);
    EXPECT_EQ(bwgemmHostRequireEqual(1, 1, "other"), 1);
  }).join();
  bwgemm_clear_error();
  EXPECT_EQ(bwgemm_last_error(), nullptr);
  EXPECT_EQ(bwgemmHostRequireEqual(1, 1, "main"), 1);
}

TEST_F(ErrorDeathTest, DefaultHandlerEndsTheProcess) {
  bwgemm_set_error_handler(nullptr, nullptr);
  EXPECT_EXIT(bwgemmHostRequireEqual(1, 2, "columns"),
              ::testing::ExitedWithCode(2),
              "bwgemm: error: columns: got 1, expected 2");
}

TEST_F(ErrorDeathTest, NoDriver) {
  bwgemm_set_error_handler(nullptr, nullptr);
  EXPECT_EXIT(
      {
        setenv("BWGEMM_DRIVER", "/nonexistent/driver.so", 1);
        mgpuStreamCreate();
      },
      ::testing::ExitedWithCode(2),
      "bwgemm: error: cannot open the driver '/nonexistent/driver.so'");
}

TEST_F(ErrorDeathTest, BadEmulatorOption) {
  bwgemm_set_error_handler(nullptr, nullptr);
  EXPECT_EXIT(
      {
        setenv("BWGEMM_EMULATOR", "hazard=on", 1);
        mgpuStreamCreate();
      },
      ::testing::ExitedWithCode(2), "BWGEMM_EMULATOR: .*hazard");
}

} // namespace
