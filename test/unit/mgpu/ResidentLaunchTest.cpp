//===- ResidentLaunchTest.cpp - Grids of clusters that run at once --------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

using namespace bwgemm::cuda;

extern "C" void mgpuLaunchClusterKernel(
    CUfunction function, intptr_t clusterX, intptr_t clusterY,
    intptr_t clusterZ, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
    intptr_t blockX, intptr_t blockY, intptr_t blockZ, int32_t sharedBytes,
    CUstream stream, void **parameters, void **extra, size_t count);

namespace {

/// Writes the number of CTAs of the grid.
constexpr char kernel[] = ".version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry k(.param .u64 out)\n"
                          "{\n"
                          "  .reg .b64 %p;\n"
                          "  .reg .b32 %n;\n"
                          "  ld.param.u64 %p, [out];\n"
                          "  mov.u32 %n, %nctaid.x;\n"
                          "  st.global.u32 [%p], %n;\n"
                          "  ret;\n"
                          "}\n";

class ResidentLaunchTest : public LaunchTest {
protected:
  /// CTAs of a launch of `grid` of them in clusters, each of which takes a
  /// multiprocessor's shared memory.
  int launch(int grid, int cluster, bool isResident) {
    void *module = mgpuModuleLoadJIT(const_cast<char *>(kernel), 2);
    CUfunction function = mgpuModuleGetFunction(module, "k");
    CUstream stream = mgpuStreamCreate();
    void *out = mgpuMemAlloc(4, stream, false);
    void *parameters[] = {&out};
    if (isResident)
      bwgemmHostResidentLaunch();
    mgpuLaunchClusterKernel(function, cluster, 1, 1, grid, 1, 1, 32, 1, 1,
                            200 << 10, stream, parameters, nullptr, 1);
    int ctas = 0;
    mgpuMemcpy(&ctas, out, 4, stream);
    mgpuStreamSynchronize(stream);
    mgpuMemFree(out, stream);
    mgpuStreamDestroy(stream);
    mgpuModuleUnload(module);
    EXPECT_TRUE(reports.empty());
    return ctas;
  }
};

// An H200 runs 30 clusters of four and 15 of eight at once, 120 CTAs of 132
// multiprocessors, and 66 of two (cuOccupancyMaxActiveClusters there,
// 2026-12-01).
TEST_F(ResidentLaunchTest, BoundsGrids) {
  EXPECT_EQ(launch(132, 4, true), 120);
  EXPECT_EQ(launch(128, 8, true), 120);
  EXPECT_EQ(launch(132, 2, true), 132);
}

TEST_F(ResidentLaunchTest, LeavesSmallGridsAlone) {
  EXPECT_EQ(launch(8, 4, true), 8);
}

TEST_F(ResidentLaunchTest, HoldsForOneLaunch) {
  EXPECT_EQ(launch(132, 4, true), 120);
  EXPECT_EQ(launch(132, 4, false), 132);
}

} // namespace
