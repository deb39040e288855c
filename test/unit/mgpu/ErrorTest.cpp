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

TEST_F(ErrorTest, LayoutsOfArguments) {
  // memref<16x8xf16>: offset, sizes, strides.
  const int64_t type[] = {0, 16, 8, 8, 1};
  auto check = [&](std::vector<int64_t> got, const int64_t *expected) {
    bwgemm_clear_error();
    bwgemmHostRequireLayout("a", 2, got.data(), expected);
    const char *error = bwgemm_last_error();
    return std::string(error ? error : "");
  };
  EXPECT_EQ(check({0, 16, 8, 8, 1}, type), "");
  EXPECT_EQ(check({0, 16, 8, 32, 1}, type),
            "a: expected stride of dimension 0 to be 8, got 32; a type with a "
            "layout such as strided<[?, 1]> takes others");
  EXPECT_EQ(check({0, 15, 8, 8, 1}, type),
            "a: expected size of dimension 0 to be 16, got 15; a type with ? "
            "in this place takes any");
  EXPECT_EQ(check({4, 16, 8, 8, 1}, type),
            "a: expected offset to be 0, got 4; a type with offset: ? in its "
            "layout takes any");
  // What the type leaves open, one row, one column, no element.
  const int64_t open[] = {0, INT64_MIN, INT64_MIN, INT64_MIN, 1};
  EXPECT_EQ(check({0, 3, 5, 9, 1}, open), "");
  EXPECT_EQ(check({0, 3, 5, 9, 2}, open),
            "a: expected stride of dimension 1 to be 1, got 2; a type with a "
            "layout such as strided<[?, 1]> takes others");
  EXPECT_EQ(check({0, 3, 1, 9, 2}, open), "");
  EXPECT_EQ(check({0, 3, 0, 9, 2}, open), "");
  bwgemm_clear_error();
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

/// Copies 16 bytes from shared memory, which an ordinary store has written, by
/// way of the async proxy. The fence between them may be missing.
std::string copyKernel(const char *fence) {
  return std::string(".version 8.6\n"
                     ".target sm_90\n"
                     ".address_size 64\n"
                     ".visible .entry k(.param .u64 out)\n"
                     "{\n"
                     "  .reg .b32 %r<4>;\n"
                     "  .reg .b64 %rd<4>;\n"
                     "  .shared .align 128 .b8 tile[128];\n"
                     "  ld.param.u64 %rd1, [out];\n"
                     "  mov.u32 %r1, tile;\n"
                     "  mov.u32 %r2, 7;\n"
                     "  st.shared.v4.u32 [%r1], {%r2, %r2, %r2, %r2};\n") +
         fence +
         "  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;\n"
         "  cp.async.bulk.commit_group;\n"
         "  cp.async.bulk.wait_group 0;\n"
         "  ret;\n"
         "}\n";
}

/// Runs the kernel and returns the first element that it wrote.
uint32_t runCopy(const char *fence) {
  std::string text = copyKernel(fence);
  void *module = mgpuModuleLoadJIT(text.data(), 2);
  bwgemm::cuda::CUfunction function = mgpuModuleGetFunction(module, "k");
  uint32_t host[4] = {};
  const int64_t sizes[] = {4}, strides[] = {1};
  void *device =
      bwgemmHostToDevice(host, 0, 1, sizes, strides, 4, BWGEMM_ACCESS_WRITE);
  void *parameters[] = {&device};
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr,
                   1);
  mgpuStreamSynchronize(nullptr);
  bwgemmHostFromDevice(device);
  mgpuModuleUnload(module);
  return host[0];
}

TEST_F(ErrorDeathTest, HazardsAreFaults) {
  bwgemm_set_error_handler(nullptr, nullptr);
  setenv("BWGEMM_EMULATOR", "hazards=on", 1);
  EXPECT_EXIT(runCopy(""), ::testing::ExitedWithCode(3),
              "bwgemm: error: the emulator found 1 hazard");
  EXPECT_EXIT(std::exit(int(runCopy("  fence.proxy.async.shared::cta;\n"))),
              ::testing::ExitedWithCode(7), "");
  unsetenv("BWGEMM_EMULATOR");
}

TEST_F(ErrorDeathTest, WorkGoesOnAfterAHazard) {
  // In a process of its own, since the driver reads its options once.
  EXPECT_EXIT(
      {
        setenv("BWGEMM_EMULATOR", "hazards=on", 1);
        uint32_t value = runCopy("");
        bool told =
            reports.size() == 1 && reports[0].status == BWGEMM_STATUS_FAULT;
        std::exit(told && value == 7 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(ErrorDeathTest, FaultsHaveTheirOwnStatus) {
  bwgemm_set_error_handler(nullptr, nullptr);
  EXPECT_EXIT(
      {
        std::string text = copyKernel("");
        void *module = mgpuModuleLoadJIT(text.data(), 2);
        void *nowhere = nullptr;
        void *parameters[] = {&nowhere};
        mgpuLaunchKernel(mgpuModuleGetFunction(module, "k"), 1, 1, 1, 1, 1, 1,
                         0, nullptr, parameters, nullptr, 1);
        mgpuStreamSynchronize(nullptr);
      },
      ::testing::ExitedWithCode(3), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

} // namespace
