//===- LaunchValidationTest.cpp - Launches that are refused -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"

using namespace bwgemm::runtime;

namespace {

struct Extent {
  unsigned x, y, z;
};

class LaunchValidationTest : public EmulatorTest {
protected:
  /// Launches and returns the result; `said` gets what was printed.
  CUresult launch(CUfunction function, Extent grid, Extent block,
                  unsigned sharedBytes = 0, Extent cluster = {0, 0, 0},
                  void **parameters = nullptr) {
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster.x, cluster.y, cluster.z};
    CUlaunchConfig config = {};
    config.gridDimX = grid.x;
    config.gridDimY = grid.y;
    config.gridDimZ = grid.z;
    config.blockDimX = block.x;
    config.blockDimY = block.y;
    config.blockDimZ = block.z;
    config.sharedMemBytes = sharedBytes;
    config.attrs = &attribute;
    config.numAttrs = cluster.x ? 1 : 0;
    ::testing::internal::CaptureStderr();
    CUresult result =
        api->cuLaunchKernelEx(&config, function, parameters, nullptr);
    said = ::testing::internal::GetCapturedStderr();
    return result;
  }

  bool saidThat(const char *text) const {
    return said.find(text) != std::string::npos;
  }

  std::string said;
};

TEST_F(LaunchValidationTest, BlockLimits) {
  CUfunction k = load(ptx(".visible .entry k() { ret; }"), "k");
  EXPECT_EQ(launch(k, {1, 1, 1}, {1024, 1, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {1025, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("1025x1x1")) << said;
  EXPECT_EQ(launch(k, {1, 1, 1}, {512, 2, 2}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("2048")) << said;
  EXPECT_EQ(launch(k, {1, 1, 1}, {1, 1, 65}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(k, {1, 1, 1}, {0, 1, 1}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchValidationTest, GridLimits) {
  CUfunction k = load(ptx(".visible .entry k() { ret; }"), "k");
  EXPECT_EQ(launch(k, {0, 1, 1}, {32, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("0x1x1 blocks is empty")) << said;
  EXPECT_EQ(launch(k, {1, 65536, 1}, {32, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(k, {1u << 31, 1, 1}, {32, 1, 1}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchValidationTest, RequiredThreads) {
  CUfunction k =
      load(ptx(".visible .entry k() .reqntid 128, 1, 1 { ret; }"), "k");
  EXPECT_EQ(launch(k, {1, 1, 1}, {128, 1, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {64, 2, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("needs blocks of 128x1x1")) << said;
  EXPECT_TRUE(saidThat("64x2x1")) << said;
}

TEST_F(LaunchValidationTest, MaximalThreads) {
  CUfunction k =
      load(ptx(".visible .entry k() .maxntid 128, 1, 1 { ret; }"), "k");
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 4, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {129, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("allows 128 threads")) << said;
}

TEST_F(LaunchValidationTest, GridMustDivideIntoClusters) {
  CUfunction k = load(ptx(".visible .entry k() { ret; }"), "k");
  EXPECT_EQ(launch(k, {4, 1, 1}, {32, 1, 1}, 0, {2, 1, 1}), CUDA_SUCCESS);
  // As an H200 answers it.
  EXPECT_EQ(launch(k, {5, 1, 1}, {32, 1, 1}, 0, {2, 1, 1}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_TRUE(saidThat("the grid of 5x1x1 blocks does not divide into clusters "
                       "of 2x1x1"))
      << said;
}

TEST_F(LaunchValidationTest, ClusterSize) {
  CUfunction k = load(ptx(".visible .entry k() { ret; }"), "k");
  EXPECT_EQ(launch(k, {16, 1, 1}, {32, 1, 1}, 0, {16, 1, 1}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_TRUE(saidThat("16 blocks, 8 are possible")) << said;
  EXPECT_EQ(api->cuFuncSetAttribute(
                k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {16, 1, 1}, {32, 1, 1}, 0, {16, 1, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {32, 1, 1}, {32, 1, 1}, 0, {32, 1, 1}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_F(LaunchValidationTest, ClusterOfTheKernel) {
  CUfunction k =
      load(ptx(".visible .entry k() .reqnctapercluster 2, 1, 1 { ret; }"), "k");
  EXPECT_EQ(launch(k, {4, 1, 1}, {32, 1, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {3, 1, 1}, {32, 1, 1}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch(k, {4, 1, 1}, {32, 1, 1}, 0, {4, 1, 1}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_TRUE(saidThat("needs clusters of 2x1x1 blocks, the launch has 4x1x1"))
      << said;
}

TEST_F(LaunchValidationTest, DynamicSharedMemory) {
  CUfunction k = load(ptx(".visible .entry k() { ret; }"), "k");
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 48 * 1024), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 48 * 1024 + 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("49153 bytes of dynamic shared memory exceed the 49152"))
      << said;
  // 227 KB is all that a block can have on these targets.
  EXPECT_EQ(api->cuFuncSetAttribute(
                k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuFuncSetAttribute(
                k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448),
            CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 232448), CUDA_SUCCESS);
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 232449), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("exceed the 232448")) << said;
}

TEST_F(LaunchValidationTest, MissingParameter) {
  CUfunction k = load(
      ptx(".visible .entry k(.param .u64 a, .param .u32 b) { ret; }"), "k");
  uint64_t a = 0;
  void *parameters[] = {&a, nullptr};
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 0, {0, 0, 0}, parameters),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(saidThat("takes 2 parameters, number 1 is a null pointer"))
      << said;
  uint32_t b = 0;
  parameters[1] = &b;
  EXPECT_EQ(launch(k, {1, 1, 1}, {32, 1, 1}, 0, {0, 0, 0}, parameters),
            CUDA_SUCCESS);
}

TEST_F(LaunchValidationTest, ParameterSizes) {
  CUfunction k = load(
      ptx(".visible .entry k(.param .u32 a, .param .u64 b) { ret; }"), "k");
  size_t offset = 0, bytes = 0;
  ASSERT_NE(api->cuFuncGetParamInfo, nullptr);
  EXPECT_EQ(api->cuFuncGetParamInfo(k, 1, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(api->cuFuncGetParamInfo(k, 2, &offset, &bytes),
            CUDA_ERROR_INVALID_VALUE);
}

} // namespace
