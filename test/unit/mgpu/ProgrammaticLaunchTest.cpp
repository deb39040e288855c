//===- ProgrammaticLaunchTest.cpp - Launches that may begin early ---------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

#include <dlfcn.h>

using namespace bwgemm::cuda;

namespace {

constexpr char kernel[] = ".version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry k()\n"
                          "{\n"
                          "  griddepcontrol.wait;\n"
                          "  griddepcontrol.launch_dependents;\n"
                          "  ret;\n"
                          "}\n";

/// What launches ask for is seen in the nodes of a graph that they are captured
/// in.
class ProgrammaticLaunchTest : public LaunchTest {
protected:
  template <typename... T> CUresult call(const char *name, T... arguments) {
    void *library = dlopen(EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    auto function = reinterpret_cast<CUresult (*)(T...)>(dlsym(library, name));
    return function ? function(arguments...) : CUDA_ERROR_NOT_SUPPORTED;
  }

  /// Whether the only launch that `body` makes may begin early.
  template <typename Body> bool mayBeginEarly(Body body) {
    CUstream stream = mgpuStreamCreate();
    void *graph = nullptr, *node = nullptr;
    EXPECT_EQ(call("cuStreamBeginCapture_v2", stream, 0), CUDA_SUCCESS);
    body(stream);
    EXPECT_EQ(call("cuStreamEndCapture", stream, &graph), CUDA_SUCCESS);
    size_t count = 1;
    EXPECT_EQ(call("cuGraphGetNodes", graph, &node, &count), CUDA_SUCCESS);
    EXPECT_EQ(count, 1u);
    CUlaunchAttributeValue value = {};
    EXPECT_EQ(call("cuGraphKernelNodeGetAttribute", node,
                   int(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION),
                   &value),
              CUDA_SUCCESS);
    call("cuGraphDestroy", graph);
    mgpuStreamDestroy(stream);
    return value.programmaticStreamSerializationAllowed != 0;
  }
};

TEST_F(ProgrammaticLaunchTest, HoldsForOneLaunch) {
  CUcontext context = nullptr;
  ASSERT_EQ(call("cuInit", 0u), CUDA_SUCCESS);
  ASSERT_EQ(call("cuDevicePrimaryCtxRetain", &context, CUdevice(0)),
            CUDA_SUCCESS);
  ASSERT_EQ(call("cuCtxSetCurrent", context), CUDA_SUCCESS);
  void *module = mgpuModuleLoadJIT(const_cast<char *>(kernel), 2);
  CUfunction function = mgpuModuleGetFunction(module, "k");
  auto launch = [&](CUstream stream) {
    mgpuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr,
                     0);
  };
  EXPECT_FALSE(mayBeginEarly(launch));
  EXPECT_TRUE(mayBeginEarly([&](CUstream stream) {
    bwgemmHostProgrammaticLaunch();
    launch(stream);
  }));
  EXPECT_FALSE(mayBeginEarly(launch));
  EXPECT_TRUE(reports.empty());
  mgpuModuleUnload(module);
}

} // namespace
