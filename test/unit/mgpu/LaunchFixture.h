//===- LaunchFixture.h - Tests of the launch runtime ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_MGPU_LAUNCHFIXTURE_H
#define BWGEMM_TEST_UNIT_MGPU_LAUNCHFIXTURE_H

#include "bwgemm-runtime/Driver.h"
#include "bwgemm-runtime/Launch.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
void *mgpuModuleLoad(void *image, size_t bytes);
void *mgpuModuleLoadJIT(void *image, int level);
void mgpuModuleUnload(void *module);
bwgemm::cuda::CUfunction mgpuModuleGetFunction(void *module, const char *name);
void mgpuLaunchKernel(bwgemm::cuda::CUfunction function, intptr_t gridX,
                      intptr_t gridY, intptr_t gridZ, intptr_t blockX,
                      intptr_t blockY, intptr_t blockZ, int32_t sharedBytes,
                      bwgemm::cuda::CUstream stream, void **parameters,
                      void **extra, size_t count);
bwgemm::cuda::CUstream mgpuStreamCreate();
void mgpuStreamDestroy(bwgemm::cuda::CUstream stream);
void mgpuStreamSynchronize(bwgemm::cuda::CUstream stream);
void *mgpuMemAlloc(uint64_t bytes, bwgemm::cuda::CUstream stream, bool shared);
void mgpuMemFree(void *pointer, bwgemm::cuda::CUstream stream);
void mgpuMemcpy(void *to, void *from, size_t bytes,
                bwgemm::cuda::CUstream stream);
}

/// Collects the reported errors instead of ending the process.
class LaunchTest : public ::testing::Test {
protected:
  struct Report {
    std::string message;
    int status;
  };

  void SetUp() override {
    setenv("BWGEMM_EMULATOR_LIBRARY", EMULATOR_LIBRARY, 1);
    setenv("BWGEMM_DRIVER", "emulator", 1);
    bwgemm_set_error_handler(
        [](const char *message, int status, void *user) {
          static_cast<LaunchTest *>(user)->reports.push_back({message, status});
        },
        this);
    bwgemm_clear_error();
  }

  void TearDown() override {
    bwgemm_set_error_handler(nullptr, nullptr);
    bwgemm_clear_error();
  }

  /// The only report so far, and the end of the error state.
  std::string onlyReport(int status = BWGEMM_STATUS_USAGE) {
    EXPECT_EQ(reports.size(), 1u);
    if (reports.empty())
      return std::string();
    EXPECT_EQ(reports[0].status, status);
    std::string message = reports[0].message;
    EXPECT_STREQ(bwgemm_last_error(), message.c_str());
    reports.clear();
    bwgemm_clear_error();
    return message;
  }

  std::vector<Report> reports;
};

#endif // BWGEMM_TEST_UNIT_MGPU_LAUNCHFIXTURE_H
