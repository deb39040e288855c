//===- EmulatorFixture.h - Tests on the emulator's driver -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_DRIVER_EMULATORFIXTURE_H
#define BWGEMM_TEST_UNIT_DRIVER_EMULATORFIXTURE_H

#include "bwgemm-runtime/Driver.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <optional>

namespace bwgemm::runtime {

/// Opens the emulator, with a context of the test's own, so that a fault in one
/// test is not seen by the next.
class EmulatorTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("BWGEMM_EMULATOR_LIBRARY", EMULATOR_LIBRARY, 1);
    DriverChoice choice;
    choice.kind = DriverKind::Emulator;
    std::string error;
    api = loadDriver(choice, error);
    ASSERT_NE(api, nullptr) << error;
    ASSERT_TRUE(api->emulated);
    ASSERT_EQ(api->cuDevicePrimaryCtxRetain(&context, api->device),
              CUDA_SUCCESS);
    ASSERT_EQ(api->cuCtxPushCurrent(context), CUDA_SUCCESS);
    api->emulatorResetReport();
  }

  void TearDown() override {
    module.reset();
    CUcontext popped = nullptr;
    (void)api->cuCtxPopCurrent(&popped);
    EXPECT_EQ(api->cuDevicePrimaryCtxRelease(api->device), CUDA_SUCCESS);
  }

  /// PTX of a module with the given body of declarations and kernels.
  static std::string ptx(const std::string &body,
                         const std::string &target = "sm_100a") {
    return ".version 8.6\n.target " + target + "\n.address_size 64\n" + body;
  }

  CUfunction load(const std::string &text, const char *kernel) {
    module.emplace();
    EXPECT_EQ(module->create(*api, text.c_str()), "");
    CUfunction function = nullptr;
    EXPECT_EQ(module->find(kernel, function), "");
    return function;
  }

  const DriverApi *api = nullptr;
  CUcontext context = nullptr;
  std::optional<LoadedModule> module;
};

} // namespace bwgemm::runtime

#endif // BWGEMM_TEST_UNIT_DRIVER_EMULATORFIXTURE_H
