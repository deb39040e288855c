//===- ModuleLoadTest.cpp - What images load, and what not ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"

#include <cstring>

using namespace bwgemm::runtime;

namespace {

class ModuleLoadTest : public EmulatorTest {
protected:
  /// Loads an image that must be refused; returns the JIT's log.
  std::string refused(const std::string &image, CUresult expected) {
    char log[1024] = "untouched";
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    CUmodule module = nullptr;
    EXPECT_EQ(api->cuModuleLoadDataEx(&module, image.c_str(), 2, names, values),
              expected);
    EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(log));
    return log;
  }
};

TEST_F(ModuleLoadTest, FindsKernelsByName) {
  CUfunction function = load(ptx(".visible .entry first() { ret; }\n"
                                 ".visible .entry second() { ret; }\n"),
                             "second");
  EXPECT_NE(function, nullptr);
  CUfunction none = nullptr;
  EXPECT_EQ(module->find("third", none),
            "cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (500): named "
            "symbol not found (no kernel 'third' in the module)");
}

TEST_F(ModuleLoadTest, MalformedPtxSaysWhere) {
  std::string log = refused(ptx(".visible .entry k() { bogus.op %r1; }"),
                            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(log.find(":4:"), std::string::npos) << log;
  EXPECT_NE(log.find("error:"), std::string::npos) << log;
}

TEST_F(ModuleLoadTest, CubinIsRefusedWithAdvice) {
  std::string log = refused("\x7f"
                            "ELF\x02\x01\x01",
                            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("cubin"), std::string::npos) << log;
  EXPECT_NE(log.find("the emulator executes PTX text"), std::string::npos)
      << log;
}

TEST_F(ModuleLoadTest, EmptyImage) {
  EXPECT_NE(refused("", CUDA_ERROR_INVALID_IMAGE).find("empty"),
            std::string::npos);
}

TEST_F(ModuleLoadTest, LogIsCutToItsBuffer) {
  char log[8];
  std::memset(log, 'x', sizeof(log));
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER,
                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  CUmodule module = nullptr;
  EXPECT_EQ(api->cuModuleLoadDataEx(&module, "", 2, names, values),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(std::strlen(log), 6u);
  EXPECT_EQ(log[7], 'x') << "written past the end";
}

TEST_F(ModuleLoadTest, UnloadedModuleIsNoHandle) {
  CUmodule module = nullptr;
  std::string text = ptx(".visible .entry k() { ret; }");
  ASSERT_EQ(api->cuModuleLoadDataEx(&module, text.c_str(), 0, nullptr, nullptr),
            CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(api->cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  EXPECT_EQ(api->cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(api->cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                                nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
