//===- CublasLtTest.cpp - NVIDIA's library, called -----------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/CublasLt.h"

#include "EmulatorFixture.h"

#include <cmath>
#include <cstdlib>
#include <vector>

using namespace bwgemm::runtime;

namespace {

class CublasLtTest : public EmulatorTest {
protected:
  void SetUp() override {
    EmulatorTest::SetUp();
    setenv("BWGEMM_CUBLASLT", FAKE_CUBLASLT, 1);
  }
  void TearDown() override {
    unsetenv("BWGEMM_CUBLASLT");
    EmulatorTest::TearDown();
  }
};

/// A row-major matrix with gaps behind its rows, in device memory.
struct TestMatrix {
  TestMatrix(const DriverApi &driver, int64_t rows, int64_t columns, float fill)
      : ld(columns + 3), values(size_t(rows * ld), NAN) {
    EXPECT_EQ(buffer.create(driver, values.size() * 4 + 64), "");
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        at(r, c) = fill ? std::fmod(fill * float(r * 7 + c * 3), 5.0f) - 2 : 1;
    EXPECT_EQ(copy(true), "");
  }
  /// 64 bytes into its buffer, and no better aligned.
  CUdeviceptr address() const { return buffer.address() + 64; }
  std::string copy(bool toDevice) {
    std::vector<float> whole(values.size() + 16);
    if (!toDevice) {
      std::string error = buffer.copyTo(whole.data(), whole.size() * 4);
      values.assign(whole.begin() + 16, whole.end());
      return error;
    }
    std::copy(values.begin(), values.end(), whole.begin() + 16);
    return buffer.copyFrom(whole.data(), whole.size() * 4);
  }
  float &at(int64_t r, int64_t c) { return values[size_t(r * ld + c)]; }

  int64_t ld;
  std::vector<float> values;
  DeviceBuffer buffer;
};

TEST_F(CublasLtTest, AllTransposes) {
  std::string error;
  auto cublas = CublasLt::open(*api, error);
  ASSERT_TRUE(cublas) << error;
  EXPECT_EQ(cublas->describe(),
            std::string("cuBLASLt 13.2.3 (") + FAKE_CUBLASLT + ")");
  const int64_t m = 5, n = 7, k = 4;
  for (unsigned bits = 0; bits < 8; ++bits) {
    MatmulProblem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.operands = p.result = ElementType::F32;
    p.transposedA = bits & 1;
    p.transposedB = bits & 2;
    p.accumulate = bits & 4;
    TestMatrix a(*api, p.transposedA ? k : m, p.transposedA ? m : k, 1);
    TestMatrix b(*api, p.transposedB ? n : k, p.transposedB ? k : n, 2);
    TestMatrix d(*api, m, n, 0);
    p.ldA = a.ld;
    p.ldB = b.ld;
    p.ldD = d.ld;
    auto plan = cublas->plan(p, 64, error);
    ASSERT_TRUE(plan) << error;
    ASSERT_EQ(plan->algorithms(), 2u);
    ASSERT_EQ(plan->enqueue(bits % 2, a.address(), b.address(), d.address(),
                            /*bias=*/0, nullptr),
              "");
    ASSERT_EQ(d.copy(false), "");
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        float sum = p.accumulate ? 1 : 0;
        for (int64_t i = 0; i < k; ++i)
          sum += (p.transposedA ? a.at(i, row) : a.at(row, i)) *
                 (p.transposedB ? b.at(column, i) : b.at(i, column));
        EXPECT_EQ(d.at(row, column), sum) << bits;
      }
    EXPECT_TRUE(std::isnan(d.at(0, n)));
  }
}

// The bias of a column of ours is that of a row of the library's.
TEST_F(CublasLtTest, BiasAndRelu) {
  std::string error;
  auto cublas = CublasLt::open(*api, error);
  ASSERT_TRUE(cublas) << error;
  MatmulProblem p;
  p.m = 5;
  p.n = 7;
  p.k = 4;
  p.operands = p.result = ElementType::F32;
  TestMatrix a(*api, p.m, p.k, 1), b(*api, p.k, p.n, 2), d(*api, p.m, p.n, 0);
  TestMatrix bias(*api, 1, p.n, 3);
  p.ldA = a.ld;
  p.ldB = b.ld;
  p.ldD = d.ld;
  for (MatmulEpilogue epilogue :
       {MatmulEpilogue::Bias, MatmulEpilogue::BiasRelu}) {
    p.epilogue = epilogue;
    auto plan = cublas->plan(p, 64, error);
    ASSERT_TRUE(plan) << error;
    ASSERT_EQ(plan->enqueue(0, a.address(), b.address(), d.address(),
                            bias.address(), nullptr),
              "");
    ASSERT_EQ(d.copy(false), "");
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t column = 0; column < p.n; ++column) {
        float sum = 0;
        for (int64_t i = 0; i < p.k; ++i)
          sum += a.at(row, i) * b.at(i, column);
        sum += bias.at(0, column);
        if (epilogue == MatmulEpilogue::BiasRelu && sum < 0)
          sum = 0;
        EXPECT_EQ(d.at(row, column), sum);
      }
  }
  p.epilogue = MatmulEpilogue::BiasGelu;
  EXPECT_TRUE(cublas->plan(p, 64, error)) << error;
}

TEST_F(CublasLtTest, ProductsOfIntegersAreScaledByIntegers) {
  std::string error;
  auto cublas = CublasLt::open(*api, error);
  ASSERT_TRUE(cublas) << error;
  MatmulProblem p;
  p.m = p.n = p.k = p.ldA = p.ldB = p.ldD = 8;
  p.operands = ElementType::I8;
  p.result = ElementType::I32;
  p.accumulate = true;
  auto plan = cublas->plan(p, 64, error);
  ASSERT_TRUE(plan) << error;
  // The test's library looks at the factors and computes nothing.
  DeviceBuffer memory;
  ASSERT_EQ(memory.create(*api, 1024), "");
  EXPECT_EQ(plan->enqueue(0, memory.address(), memory.address(),
                          memory.address(), /*bias=*/0, nullptr),
            "");
  // So do those of f32 that lose their low bits, but as floats.
  p.operands = ElementType::TF32;
  p.result = ElementType::F32;
  EXPECT_TRUE(cublas->plan(p, 64, error)) << error;
}

TEST_F(CublasLtTest, WhatItCannotDo) {
  std::string error;
  auto cublas = CublasLt::open(*api, error);
  ASSERT_TRUE(cublas) << error;
  MatmulProblem p;
  p.m = p.n = p.k = p.ldA = p.ldB = p.ldD = 8;
  p.operands = ElementType::U8;
  p.result = ElementType::I32;
  EXPECT_FALSE(cublas->plan(p, 64, error));
  EXPECT_EQ(error, "cuBLASLt has no product of u8 with results of i32");
  p.operands = ElementType::BF16;
  p.result = ElementType::F16;
  EXPECT_FALSE(cublas->plan(p, 64, error));
  EXPECT_EQ(error, "cublasLtMatmulAlgoGetHeuristic failed: "
                   "CUBLAS_STATUS_NOT_SUPPORTED (15)");
}

TEST_F(CublasLtTest, IsNotThere) {
  setenv("BWGEMM_CUBLASLT", "/nowhere/libcublasLt.so.13", 1);
  std::string error;
  EXPECT_FALSE(CublasLt::open(*api, error));
  EXPECT_NE(error.find("cuBLASLt cannot be opened (/nowhere/libcublasLt.so.13"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("set BWGEMM_CUBLASLT to"), std::string::npos) << error;
  setenv("BWGEMM_CUBLASLT", EMULATOR_LIBRARY, 1);
  EXPECT_FALSE(CublasLt::open(*api, error));
  EXPECT_NE(error.find("has no cublasLtGetVersion"), std::string::npos)
      << error;
}

} // namespace
