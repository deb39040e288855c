//===- DriverChoiceTest.cpp - Which driver is taken, and why ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Driver.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace bwgemm::runtime;
using bwgemm::cuda::CUDA_ERROR_INVALID_VALUE;

namespace {

class DriverChoiceTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("BWGEMM_EMULATOR_LIBRARY", EMULATOR_LIBRARY, 1);
    for (const char *name : {"BWGEMM_DRIVER", "FAKE_CUDA_DEVICES",
                             "FAKE_CUDA_INIT", "BWGEMM_EMULATOR"})
      unsetenv(name);
  }

  const DriverApi *load(DriverKind kind, const char *target,
                        const char *path = "") {
    DriverChoice choice;
    choice.kind = kind;
    choice.target = target;
    choice.path = path;
    return loadDriver(choice, error);
  }

  std::string error;
};

TEST_F(DriverChoiceTest, TakesTheGpuThatRunsTheTarget) {
  setenv("FAKE_CUDA_DEVICES", "90,100", 1);
  const DriverApi *api = load(DriverKind::Auto, "sm_100a");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_FALSE(api->emulated);
  EXPECT_EQ(api->device, 1);
  EXPECT_EQ(api->describe(), "GPU 1, Fake GPU, sm_100");
}

TEST_F(DriverChoiceTest, TakesAnyGpuWithoutTarget) {
  setenv("FAKE_CUDA_DEVICES", "75", 1);
  const DriverApi *api = load(DriverKind::Auto, "");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_FALSE(api->emulated);
  EXPECT_EQ(api->device, 0);
}

TEST_F(DriverChoiceTest, TakesTheEmulatorIfNoGpuRunsTheTarget) {
  setenv("FAKE_CUDA_DEVICES", "90", 1);
  const DriverApi *api = load(DriverKind::Auto, "sm_100a");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_TRUE(api->emulated);
  EXPECT_EQ(api->describe(),
            "emulator (GPU 0 is sm_90, sm_100a needs compute capability 10.0)");
}

TEST_F(DriverChoiceTest, SaysWhyTheDriverDoesNotStart) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  const DriverApi *api = load(DriverKind::Cuda, "sm_90");
  EXPECT_EQ(api, nullptr);
  EXPECT_EQ(error, "no GPU to run on: cuInit failed: CUDA_ERROR_NO_DEVICE "
                   "(100): no CUDA-capable device is present");
}

TEST_F(DriverChoiceTest, DemandedGpuMustRunTheTarget) {
  setenv("FAKE_CUDA_DEVICES", "90", 1);
  EXPECT_EQ(load(DriverKind::Cuda, "sm_100a"), nullptr);
  EXPECT_EQ(error, "no GPU to run on: GPU 0 is sm_90, sm_100a needs compute "
                   "capability 10.0");
  EXPECT_NE(load(DriverKind::Cuda, "sm_90a"), nullptr) << error;
}

TEST_F(DriverChoiceTest, EnvironmentDecidesForAutoOnly) {
  setenv("FAKE_CUDA_DEVICES", "100", 1);
  setenv("BWGEMM_DRIVER", "emulator", 1);
  const DriverApi *api = load(DriverKind::Auto, "sm_100a");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_TRUE(api->emulated);
  api = load(DriverKind::Cuda, "sm_100a");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_FALSE(api->emulated);
}

TEST_F(DriverChoiceTest, EnvironmentMayNameALibrary) {
  setenv("FAKE_CUDA_DEVICES", "100", 1);
  setenv("BWGEMM_DRIVER", EMULATOR_LIBRARY, 1);
  const DriverApi *api = load(DriverKind::Auto, "sm_100a");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_TRUE(api->emulated);
}

TEST_F(DriverChoiceTest, UnknownEnvironmentIsAnError) {
  setenv("FAKE_CUDA_DEVICES", "100", 1);
  setenv("BWGEMM_DRIVER", "gpu", 1);
  EXPECT_EQ(load(DriverKind::Auto, "sm_100a"), nullptr);
  EXPECT_NE(
      error.find("BWGEMM_DRIVER=gpu should be auto, cuda, emulator or the "
                 "file name of a driver library"),
      std::string::npos)
      << error;
}

TEST_F(DriverChoiceTest, LibraryThatIsNoDriver) {
  EXPECT_EQ(load(DriverKind::Path, "", "libm.so.6"), nullptr);
  EXPECT_EQ(error, "libm.so.6 has no cuInit; a CUDA driver of version 12.0 or "
                   "later is needed");
}

TEST_F(DriverChoiceTest, EmulatorThatIsNotThere) {
  setenv("BWGEMM_EMULATOR_LIBRARY", "/nonexistent/emulator.so", 1);
  EXPECT_EQ(load(DriverKind::Emulator, ""), nullptr);
  EXPECT_NE(error.find("BWGEMM_EMULATOR_LIBRARY names no library that opens"),
            std::string::npos)
      << error;
  setenv("BWGEMM_EMULATOR_LIBRARY", FAKE_LIBRARY, 1);
  EXPECT_EQ(load(DriverKind::Emulator, ""), nullptr);
  EXPECT_EQ(error, FAKE_LIBRARY " is not bwgemm's emulator");
}

TEST_F(DriverChoiceTest, DeviceOption) {
  DriverChoice choice;
  EXPECT_TRUE(DriverChoice::parse("cuda", choice, error));
  EXPECT_EQ(choice.kind, DriverKind::Cuda);
  EXPECT_TRUE(DriverChoice::parse("auto", choice, error));
  EXPECT_EQ(choice.kind, DriverKind::Auto);
  EXPECT_FALSE(DriverChoice::parse("GPU", choice, error));
  EXPECT_EQ(error, "unknown device 'GPU', expected auto, cuda or emulator");
}

TEST_F(DriverChoiceTest, ResultsHaveTextWithoutTheDriversHelp) {
  setenv("FAKE_CUDA_DEVICES", "90", 1);
  const DriverApi *api = load(DriverKind::Cuda, "");
  ASSERT_NE(api, nullptr) << error;
  EXPECT_EQ(api->check(CUDA_ERROR_INVALID_VALUE, "cuSomething"),
            "cuSomething failed: CUDA_ERROR_INVALID_VALUE (1): invalid "
            "argument");
  EXPECT_EQ(api->check(bwgemm::cuda::CUDA_SUCCESS, "cuSomething"), "");
}

} // namespace
