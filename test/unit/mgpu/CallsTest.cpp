//===- CallsTest.cpp - Calls of compiled functions ------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

#include <dlfcn.h>
#include <vector>

using namespace bwgemm::cuda;

namespace {

/// Writes 5 to the word at `out`.
constexpr char kernel[] = ".version 8.6\n"
                          ".target sm_100a\n"
                          ".address_size 64\n"
                          ".visible .entry five(.param .u64 out)\n"
                          "{\n"
                          "  .reg .b64 %p;\n"
                          "  ld.param.u64 %p, [out];\n"
                          "  st.global.b32 [%p], 5;\n"
                          "  ret;\n"
                          "}\n";

class CallsTest : public LaunchTest {
protected:
  void TearDown() override {
    bwgemm_unset_stream();
    for (void *module : modules)
      mgpuModuleUnload(module);
    LaunchTest::TearDown();
  }

  template <typename... T> CUresult call(const char *name, T... arguments) {
    void *library = dlopen(EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    auto function = reinterpret_cast<CUresult (*)(T...)>(dlsym(library, name));
    return function ? function(arguments...) : CUDA_ERROR_NOT_SUPPORTED;
  }

  /// Launches the kernel in the call's stream.
  void launch(void *out) {
    void *module = mgpuModuleLoadJIT(const_cast<char *>(kernel), 2);
    modules.push_back(module);
    void *parameters[] = {&out};
    mgpuLaunchKernel(mgpuModuleGetFunction(module, "five"), 1, 1, 1, 1, 1, 1, 0,
                     static_cast<CUstream>(bwgemmHostStream()), parameters,
                     nullptr, 1);
  }

  std::vector<void *> modules;
};

using CallsDeathTest = CallsTest;

TEST_F(CallsTest, OneStreamForNestedCalls) {
  bwgemmHostBegin();
  void *outer = bwgemmHostStream();
  ASSERT_NE(outer, nullptr);
  EXPECT_EQ(bwgemmHostStream(), outer);
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), outer);
  bwgemmHostEnd();
  EXPECT_EQ(bwgemmHostStream(), outer);
  bwgemmHostEnd();
  // The next call gets the stream that has become free.
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), outer);
  bwgemmHostEnd();
  EXPECT_EQ(bwgemmHostStream(), nullptr);
  bwgemmHostEnd();
  EXPECT_TRUE(reports.empty());
}

TEST_F(CallsTest, HostBufferInACall) {
  int32_t host[2] = {1, 2};
  const int64_t sizes[] = {2}, strides[] = {1};
  bwgemmHostBegin();
  void *device = bwgemmHostToDevice(host, 0, 1, sizes, strides, 4, 3);
  launch(device);
  bwgemmHostFromDevice(device);
  EXPECT_EQ(host[0], 5); // Copied back before the end.
  EXPECT_EQ(host[1], 2);
  void *workspace = bwgemmHostAllocWorkspace(1, 1, 4, "sums");
  launch(workspace);
  bwgemmHostFreeWorkspace(workspace);
  bwgemmHostEnd();
  EXPECT_TRUE(reports.empty());
}

TEST_F(CallsTest, TheCallersStream) {
  CUstream stream = mgpuStreamCreate();
  bwgemm_set_stream(stream);
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), stream);
  void *workspace = bwgemmHostAllocWorkspace(2, 2, 4, "sums");
  EXPECT_NE(workspace, nullptr);
  bwgemmHostFreeWorkspace(workspace);
  bwgemmHostEnd();
  bwgemm_set_stream(nullptr); // The legacy default stream.
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), nullptr);
  EXPECT_TRUE(reports.empty());
  int32_t host = 0;
  const int64_t sizes[] = {1}, strides[] = {1};
  EXPECT_EQ(bwgemmHostToDevice(&host, 0, 1, sizes, strides, 4, 3), nullptr);
  bwgemmHostEnd();
  EXPECT_EQ(onlyReport(),
            "an operand of 4 bytes lies in host memory; with a stream of the "
            "caller's (bwgemm_set_stream) all of them have to lie in device "
            "memory");
  mgpuStreamDestroy(stream);
}

TEST_F(CallsTest, AStreamOfAnotherContext) {
  // Opens the driver.
  mgpuStreamDestroy(mgpuStreamCreate());
  CUcontext other = nullptr;
  CUstream stream = nullptr;
  ASSERT_EQ(call("cuCtxCreate_v2", &other, 0u, CUdevice(0)), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamCreate", &stream, 1u), CUDA_SUCCESS);
  bwgemm_set_stream(stream);
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), nullptr);
  bwgemmHostEnd();
  std::string report = onlyReport();
  EXPECT_NE(report.find("belongs to another context"), std::string::npos)
      << report;
  EXPECT_EQ(call("cuCtxDestroy_v2", other), CUDA_SUCCESS);
}

TEST_F(CallsTest, AnErrorEndsWithTheCall) {
  bwgemmHostBegin();
  void *stream = bwgemmHostStream();
  void *workspace = bwgemmHostAllocWorkspace(1, 1, 4, "sums");
  launch(workspace);
  EXPECT_EQ(bwgemmHostRequireEqual(1, 2, "x"), 0);
  EXPECT_EQ(bwgemmHostStream(), nullptr);
  bwgemmHostFreeWorkspace(workspace);
  bwgemmHostEnd();
  EXPECT_EQ(onlyReport(), "x: got 1, expected 2");
  bwgemmHostBegin();
  EXPECT_EQ(bwgemmHostStream(), stream);
  bwgemmHostEnd();
  EXPECT_TRUE(reports.empty());
}

TEST_F(CallsDeathTest, AFaultNamesTheKernel) {
  bwgemm_set_error_handler(nullptr, nullptr);
  EXPECT_EXIT(
      {
        bwgemmHostBegin();
        launch(reinterpret_cast<void *>(uintptr_t(64)));
        bwgemmHostEnd();
      },
      ::testing::ExitedWithCode(BWGEMM_STATUS_FAULT),
      "bwgemm: error: waiting for the kernel 'five' failed: "
      "CUDA_ERROR_ILLEGAL_ADDRESS");
}

} // namespace
