//===- ModulesTest.cpp - Modules that load when they are used ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "LaunchFixture.h"

using namespace bwgemm::runtime::launch;

namespace {

class ModulesTest : public LaunchTest {
protected:
  /// d[i] = 3 * i + s for the threads of one block.
  std::string ptx = ".version 8.6\n"
                    ".target sm_80\n"
                    ".address_size 64\n"
                    ".visible .entry fill(.param .u64 d, .param .u32 s)\n"
                    "{\n"
                    "  .reg .b32 %r<4>;\n"
                    "  .reg .b64 %rd<4>;\n"
                    "  ld.param.u64 %rd1, [d];\n"
                    "  ld.param.u32 %r1, [s];\n"
                    "  mov.u32 %r2, %tid.x;\n"
                    "  mad.lo.s32 %r3, %r2, 3, %r1;\n"
                    "  cvta.to.global.u64 %rd1, %rd1;\n"
                    "  mul.wide.u32 %rd2, %r2, 4;\n"
                    "  add.s64 %rd3, %rd1, %rd2;\n"
                    "  st.global.u32 [%rd3], %r3;\n"
                    "  ret;\n"
                    "}\n";
};

TEST_F(ModulesTest, HashIsFnv1a) {
  // From the algorithm's published test vectors.
  EXPECT_EQ(fnv1a("", 0), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a", 1), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar", 6), 0x85944171f73967e8u);
}

TEST_F(ModulesTest, LoadsWhenUsed) {
  // Sized images need no zero byte behind them, so what follows is not read.
  std::string image = ptx + "this is no PTX";
  for (bool sized : {true, false}) {
    void *module = sized ? mgpuModuleLoad(image.data(), ptx.size())
                         : mgpuModuleLoadJIT(ptx.data(), 2);
    bwgemm::cuda::CUfunction function = mgpuModuleGetFunction(module, "fill");
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(mgpuModuleGetFunction(module, "fill"), function);

    bwgemm::cuda::CUstream stream = mgpuStreamCreate();
    void *device = mgpuMemAlloc(8 * 4, stream, false);
    uint32_t start = 100;
    void *parameters[] = {&device, &start};
    mgpuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, stream, parameters, nullptr,
                     2);
    uint32_t host[8] = {};
    mgpuMemcpy(host, device, sizeof(host), stream);
    mgpuStreamSynchronize(stream);
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(host[i], 100 + 3 * i);
    mgpuMemFree(device, stream);
    mgpuStreamDestroy(stream);
    mgpuModuleUnload(module);
  }
  EXPECT_TRUE(reports.empty());
}

TEST_F(ModulesTest, BrokenImageIsReportedWhenUsed) {
  std::string broken = ".version 8.6\n.target sm_80\nnonsense\n";
  void *module = mgpuModuleLoadJIT(broken.data(), 2);
  EXPECT_TRUE(reports.empty());
  EXPECT_EQ(mgpuModuleGetFunction(module, "fill"), nullptr);
  std::string message = onlyReport();
  EXPECT_NE(message.find("CUDA_ERROR_INVALID_PTX"), std::string::npos)
      << message;
  mgpuModuleUnload(module);
}

TEST_F(ModulesTest, MissingKernel) {
  void *module = mgpuModuleLoadJIT(ptx.data(), 2);
  EXPECT_EQ(mgpuModuleGetFunction(module, "absent"), nullptr);
  EXPECT_EQ(onlyReport(), "cuModuleGetFunction of 'absent' failed: "
                          "CUDA_ERROR_NOT_FOUND (500): named symbol not found");
  mgpuModuleUnload(module);
}

TEST_F(ModulesTest, LaunchIsReportedWithItsNumbers) {
  void *module = mgpuModuleLoadJIT(ptx.data(), 2);
  bwgemm::cuda::CUfunction function = mgpuModuleGetFunction(module, "fill");
  uint64_t device = 0;
  uint32_t start = 0;
  void *parameters[] = {&device, &start};
  mgpuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, parameters,
                   nullptr, 2);
  EXPECT_NE(onlyReport().find("blocks of 2048x1x1 threads"), std::string::npos);
  mgpuLaunchKernel(function, intptr_t(1) << 32, 1, 1, 32, 1, 1, 0, nullptr,
                   parameters, nullptr, 2);
  EXPECT_NE(onlyReport().find("4294967296x1x1"), std::string::npos)
      << "must not wrap round to an empty grid";
  mgpuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr,
                   2);
  EXPECT_TRUE(reports.empty()) << "an empty grid has nothing to do";
  mgpuModuleUnload(module);
}

TEST_F(ModulesTest, SharedMemoryBeyondTheDefaultIsAllowed) {
  void *module = mgpuModuleLoadJIT(ptx.data(), 2);
  bwgemm::cuda::CUfunction function = mgpuModuleGetFunction(module, "fill");
  void *device = mgpuMemAlloc(4, nullptr, false);
  uint32_t start = 0;
  void *parameters[] = {&device, &start};
  // 163 KB is the limit of sm_80.
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 163 * 1024, nullptr, parameters,
                   nullptr, 2);
  EXPECT_TRUE(reports.empty());
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 163 * 1024 + 1, nullptr,
                   parameters, nullptr, 2);
  EXPECT_NE(onlyReport().find("166913 bytes"), std::string::npos);
  mgpuMemFree(device, nullptr);
  mgpuModuleUnload(module);
}

} // namespace
