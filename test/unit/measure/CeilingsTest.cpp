//===- CeilingsTest.cpp - What a GPU can do at most ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Ceilings.h"

#include "EmulatorFixture.h"

using namespace bwgemm::runtime;

namespace {

class CeilingsTest : public EmulatorTest {};

/// The kernels are right PTX, end, and store nothing.
TEST_F(CeilingsTest, KernelsRun) {
  for (const char *target : {"sm_80", "sm_90a"})
    for (ElementType type : {ElementType::F16, ElementType::BF16}) {
      CeilingKernel kernel;
      std::string error;
      ASSERT_TRUE(makeCeilingKernel(target, type, kernel, error)) << error;
      CUfunction function = load(kernel.ptx, "ceiling");
      DeviceBuffer out;
      ASSERT_EQ(out.create(*api, 4), "");
      uint32_t value = 77;
      ASSERT_EQ(out.copyFrom(&value, 4), "");
      CUdeviceptr address = out.address();
      unsigned rounds = 2;
      void *parameters[] = {&address, &rounds};
      ASSERT_EQ(api->cuLaunchKernel(function, 2, 1, 1, kernel.threads, 1, 1, 0,
                                    nullptr, parameters, nullptr),
                CUDA_SUCCESS);
      ASSERT_EQ(api->cuCtxSynchronize(), CUDA_SUCCESS) << target;
      ASSERT_EQ(out.copyTo(&value, 4), "");
      EXPECT_EQ(value, 77u);
      EXPECT_GT(kernel.flops, 0);
    }
}

TEST_F(CeilingsTest, WhereThereIsNone) {
  CeilingKernel kernel;
  std::string error;
  EXPECT_FALSE(makeCeilingKernel("sm_100a", ElementType::F16, kernel, error));
  EXPECT_EQ(error, "there is no kernel that measures tcgen05.mma alone");
  EXPECT_FALSE(makeCeilingKernel("sm_90a", ElementType::F32, kernel, error));
  EXPECT_EQ(error, "there is no kernel that measures products of f32");
}

TEST_F(CeilingsTest, TheSlowerOfTheTwoCounts) {
  Ceilings ceilings;
  EXPECT_EQ(ceilings.leastMicroseconds(1e6, 1e9), 0);
  ceilings.bytesPerSecond = 1e12;
  EXPECT_DOUBLE_EQ(ceilings.leastMicroseconds(2e6, 1e9), 2);
  ceilings.flopsPerSecond = 1e14;
  EXPECT_DOUBLE_EQ(ceilings.leastMicroseconds(2e6, 1e9), 10);
}

} // namespace
