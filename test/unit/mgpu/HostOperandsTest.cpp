//===- HostOperandsTest.cpp - Operands between host and device --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

#include <cstring>
#include <numeric>

namespace {

class HostOperandsTest : public LaunchTest {};

/// The emulator's device memory is reachable by the host at its own address,
/// which lets a test look at it; a GPU's is not.
uint16_t *element(void *device, int64_t index) {
  return static_cast<uint16_t *>(device) + index;
}

TEST_F(HostOperandsTest, CopiesTheViewAndNothingElse) {
  // 3x4 at offset 2 with row stride 6.
  std::vector<uint16_t> host(2 + 3 * 6);
  std::iota(host.begin(), host.end(), uint16_t(100));
  const std::vector<uint16_t> before = host;
  const int64_t sizes[] = {3, 4}, strides[] = {6, 1};
  void *device = bwgemmHostToDevice(host.data(), 2, 2, sizes, strides, 2,
                                    BWGEMM_ACCESS_READ | BWGEMM_ACCESS_WRITE);
  ASSERT_NE(device, nullptr);
  EXPECT_NE(device, host.data());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(element(device, 2)) % 256,
            reinterpret_cast<uintptr_t>(&host[2]) % 256);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(*element(device, 2 + 6 * i + j), before[size_t(2 + 6 * i + j)]);
      *element(device, 2 + 6 * i + j) += 1000;
    }
  // What a kernel does between the rows does not come back.
  *element(device, 2 + 4) = 7;
  bwgemmHostFromDevice(device);
  for (size_t i = 0; i < host.size(); ++i) {
    bool inView = i >= 2 && (i - 2) % 6 < 4 && (i - 2) / 6 < 3;
    EXPECT_EQ(host[i], before[i] + (inView ? 1000 : 0)) << i;
  }
  EXPECT_TRUE(reports.empty());
}

TEST_F(HostOperandsTest, TransposedViewComesBack) {
  std::vector<uint16_t> host(12, 0);
  // 3x4 stored column by column.
  const int64_t sizes[] = {3, 4}, strides[] = {1, 3};
  void *device = bwgemmHostToDevice(host.data(), 0, 2, sizes, strides, 2,
                                    BWGEMM_ACCESS_WRITE);
  ASSERT_NE(device, nullptr);
  for (int64_t i = 0; i < 12; ++i)
    *element(device, i) = uint16_t(i);
  bwgemmHostFromDevice(device);
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(host[i], i);
}

TEST_F(HostOperandsTest, ScatteredViewKeepsItsGaps) {
  // Every third element of each row of eight, two planes.
  std::vector<uint16_t> host(2 * 40, 55);
  const int64_t sizes[] = {2, 3, 3}, strides[] = {40, 8, 3};
  void *device = bwgemmHostToDevice(host.data(), 0, 3, sizes, strides, 2,
                                    BWGEMM_ACCESS_WRITE);
  ASSERT_NE(device, nullptr);
  for (int64_t i = 0; i < 40 + 16 + 7; ++i)
    *element(device, i) = 66;
  bwgemmHostFromDevice(device);
  for (int64_t p = 0; p < 2; ++p)
    for (int64_t r = 0; r < 5; ++r)
      for (int64_t c = 0; c < 8; ++c) {
        bool inView = r < 3 && c % 3 == 0;
        EXPECT_EQ(host[size_t(40 * p + 8 * r + c)], inView ? 66 : 55);
      }
}

TEST_F(HostOperandsTest, ReadOnlyIsNotCopiedBack) {
  uint16_t host[4] = {1, 2, 3, 4};
  const int64_t sizes[] = {4}, strides[] = {1};
  void *device =
      bwgemmHostToDevice(host, 0, 1, sizes, strides, 2, BWGEMM_ACCESS_READ);
  ASSERT_NE(device, nullptr);
  *element(device, 0) = 9;
  bwgemmHostFromDevice(device);
  EXPECT_EQ(host[0], 1);
}

TEST_F(HostOperandsTest, DeviceMemoryPassesThrough) {
  void *device = mgpuMemAlloc(64, nullptr, false);
  void *managed = mgpuMemAlloc(64, nullptr, true);
  const int64_t sizes[] = {8}, strides[] = {1};
  for (void *pointer : {device, managed}) {
    EXPECT_EQ(bwgemmHostToDevice(pointer, 4, 1, sizes, strides, 2, 3), pointer);
    bwgemmHostFromDevice(pointer);
    mgpuMemFree(pointer, nullptr);
  }
  EXPECT_TRUE(reports.empty());
}

TEST_F(HostOperandsTest, EmptyViewPassesThrough) {
  const int64_t sizes[] = {0, 8}, strides[] = {8, 1};
  EXPECT_EQ(bwgemmHostToDevice(nullptr, 0, 2, sizes, strides, 2, 3), nullptr);
  bwgemmHostFromDevice(nullptr);
  EXPECT_TRUE(reports.empty());
}

TEST_F(HostOperandsTest, NullPointerIsAnError) {
  const int64_t sizes[] = {2, 8}, strides[] = {8, 1};
  EXPECT_EQ(bwgemmHostToDevice(nullptr, 0, 2, sizes, strides, 2, 3), nullptr);
  EXPECT_EQ(onlyReport(), "an operand of 32 bytes is a null pointer");
}

TEST_F(HostOperandsTest, Zero2D) {
  auto *device = static_cast<uint16_t *>(mgpuMemAlloc(40, nullptr, false));
  ASSERT_NE(device, nullptr);
  for (int i = 0; i < 20; ++i)
    device[i] = 0xffff;
  bwgemmHostZero2D(device, 1, 3, 2, 5, 2); // Elements 1, 2, 6, 7, 11, 12.
  bwgemmHostZero2D(device, 0, 0, 2, 5, 2);
  bwgemmHostZero2D(device, 0, 2, 0, 5, 2);
  for (int i = 0; i < 20; ++i) {
    bool zero = i >= 1 && i < 16 && (i - 1) % 5 < 2;
    EXPECT_EQ(device[i], zero ? 0 : 0xffff) << i;
  }
  mgpuMemFree(device, nullptr);
}

TEST_F(HostOperandsTest, RequireEqual) {
  EXPECT_EQ(bwgemmHostRequireEqual(384, 384, "unused"), 1);
  EXPECT_EQ(bwgemmHostRequireEqual(
                384, 385,
                "matmul: columns of A ({got}) must equal rows of B "
                "({expected})"),
            0);
  EXPECT_EQ(onlyReport(),
            "matmul: columns of A (384) must equal rows of B (385)");
  EXPECT_EQ(bwgemmHostRequireEqual(1, 2, "batch"), 0);
  EXPECT_EQ(onlyReport(), "batch: got 1, expected 2");
}

TEST_F(HostOperandsTest, CountsMultiprocessors) {
  // The emulator's default device, a B200, has 148 (NVIDIA's data sheet).
  EXPECT_EQ(bwgemmHostMultiprocessorCount(), 148);
  EXPECT_EQ(bwgemmHostRequireEqual(1, 2, "x"), 0);
  EXPECT_EQ(bwgemmHostMultiprocessorCount(), 1); // In error state.
}

TEST_F(HostOperandsTest, Workspace) {
  void *workspace = bwgemmHostAllocWorkspace(3, 8, 4, "sums");
  ASSERT_NE(workspace, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(workspace) % 256, 0u);
  std::memset(workspace, 1, 3 * 8 * 4); // The emulator's memory is the host's.
  bwgemmHostFreeWorkspace(workspace);
  EXPECT_EQ(bwgemmHostAllocWorkspace(0, 8, 4, "sums"), nullptr);
  bwgemmHostFreeWorkspace(nullptr);
}

TEST_F(HostOperandsTest, WorkspaceThatDoesNotFit) {
  EXPECT_EQ(bwgemmHostAllocWorkspace(int64_t(1) << 40, int64_t(1) << 40, 4,
                                     "the sums"),
            nullptr);
  EXPECT_EQ(onlyReport(),
            "cannot allocate 1099511627776 x 1099511627776 elements of device "
            "memory for the sums: expected less than 2^63 bytes");
  // 2^51 bytes are more than any device has.
  EXPECT_EQ(bwgemmHostAllocWorkspace(int64_t(1) << 29, int64_t(1) << 20, 4,
                                     "the sums"),
            nullptr);
  std::string report = onlyReport();
  EXPECT_NE(report.find("allocating 2251799813685248 bytes (536870912 x "
                        "1048576 elements of device memory for the sums)"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos)
      << report;
}

TEST_F(HostOperandsTest, ErrorStateStopsEverything) {
  EXPECT_EQ(bwgemmHostRequireEqual(1, 2, "x"), 0);
  EXPECT_EQ(bwgemmHostRequireEqual(1, 1, "x"), 0);
  int value = 3;
  const int64_t sizes[] = {1}, strides[] = {1};
  EXPECT_EQ(bwgemmHostToDevice(&value, 0, 1, sizes, strides, 4, 3), nullptr);
  EXPECT_EQ(mgpuMemAlloc(16, nullptr, false), nullptr);
  bwgemmHostZero2D(&value, 0, 1, 1, 1, 4);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(reports.size(), 1u);
}

} // namespace
