//===- FaultTest.cpp - Kernels that fail while they run ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch itself succeeds, as on a device; the next call says what happened,
// and so does every other one in the same context.
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"

using namespace bwgemm::runtime;

namespace {

class FaultTest : public EmulatorTest {
protected:
  /// Launches one thread that executes `body`, and returns what waiting for it
  /// gives.
  CUresult runThread(const std::string &body, uint64_t argument = 0) {
    CUfunction kernel = load(ptx(".visible .entry k(.param .u64 p)\n"
                                 "{\n"
                                 "  .reg .pred %p<2>;\n"
                                 "  .reg .b32 %r<4>;\n"
                                 "  .reg .b64 %rd<4>;\n"
                                 "  .shared .align 8 .b64 bar;\n"
                                 "  ld.param.u64 %rd1, [p];\n" +
                                 body + "  ret;\n}\n"),
                             "k");
    void *parameters[] = {&argument};
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(api->cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr,
                                  parameters, nullptr),
              CUDA_SUCCESS);
    said = ::testing::internal::GetCapturedStderr();
    return api->cuCtxSynchronize();
  }

  std::string said;
};

TEST_F(FaultTest, BadAddressSticksToTheContext) {
  CUdeviceptr buffer = 0;
  ASSERT_EQ(api->cuMemAlloc(&buffer, 16), CUDA_SUCCESS);
  EXPECT_EQ(runThread("  st.global.u32 [%rd1], 1;\n", buffer + 16),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(said.find("trap"), std::string::npos) << said;
  EXPECT_NE(said.find("st.global.u32"), std::string::npos) << said;
  char byte = 0;
  EXPECT_EQ(api->cuMemcpyDtoH(&byte, buffer, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(api->cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);

  // A new context is not concerned.
  module.reset();
  CUcontext popped = nullptr;
  ASSERT_EQ(api->cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  ASSERT_EQ(api->cuDevicePrimaryCtxRelease(api->device), CUDA_SUCCESS);
  ASSERT_EQ(api->cuDevicePrimaryCtxRetain(&context, api->device), CUDA_SUCCESS);
  ASSERT_EQ(api->cuCtxPushCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(api->cuCtxSynchronize(), CUDA_SUCCESS);
  // Its memory went with the old one.
  EXPECT_EQ(api->cuMemcpyDtoH(&byte, buffer, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FaultTest, MisalignedAddress) {
  CUdeviceptr buffer = 0;
  ASSERT_EQ(api->cuMemAlloc(&buffer, 16), CUDA_SUCCESS);
  EXPECT_EQ(runThread("  st.global.u32 [%rd1], 1;\n", buffer + 2),
            CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(FaultTest, FreedMemory) {
  CUdeviceptr buffer = 0;
  ASSERT_EQ(api->cuMemAlloc(&buffer, 1 << 20), CUDA_SUCCESS);
  ASSERT_EQ(api->cuMemFree(buffer), CUDA_SUCCESS);
  EXPECT_EQ(runThread("  st.global.u32 [%rd1], 1;\n", buffer),
            CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FaultTest, HangIsATimeout) {
  EXPECT_EQ(runThread("  mov.u32 %r1, bar;\n"
                      "  mbarrier.init.shared.b64 [%r1], 1;\n"
                      "wait:\n"
                      "  mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n"
                      "  @!%p1 bra wait;\n"),
            CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_NE(said.find("hang"), std::string::npos) << said;
}

TEST_F(FaultTest, TrapInstruction) {
  EXPECT_EQ(runThread("  trap;\n"), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(FaultTest, ReportHasTheScene) {
  EXPECT_EQ(runThread("  st.global.u32 [%rd1], 1;\n", 0),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  std::string report = api->emulatorReport();
  for (const char *text :
       {"\"launches\": 1", "\"kernel\": \"k\"", "\"target\": \"sm_100a\"",
        "\"kind\": \"trap\"", "\"instruction\": \"st.global.u32 [%rd1], 1",
        "\"cta\": [0, 0, 0]", "\"warp\": 0", "\"lane\": 0", "\"address\": 0",
        "\"hazard_count\": 0", "\"instructions\": "})
    EXPECT_NE(report.find(text), std::string::npos) << text << "\n" << report;
  api->emulatorResetReport();
  report = api->emulatorReport();
  EXPECT_NE(report.find("\"launches\": 0"), std::string::npos) << report;
  EXPECT_EQ(report.find("fault"), std::string::npos) << report;
}

} // namespace
