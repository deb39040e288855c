//===- FakeCublasLt.cpp - A library like cuBLASLt ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The functions of cuBLASLt that are called, for fp32 matrices in memory that
// the host reaches (the emulator's). Written from the cuBLAS documentation:
// column-major matrices, D = alpha op(A) op(B) + beta C.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr int invalidValue = 7, notSupported = 15;

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t ld;
  float at(const float *data, uint64_t row, uint64_t column) const {
    return data[row + column * uint64_t(ld)];
  }
};

struct Desc {
  int32_t transA = 0, transB = 0;
  uint32_t epilogue = 1;
  const float *bias = nullptr;
  bool isInteger = false;
};

struct Algorithm {
  uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE size_t cublasLtGetVersion() { return 130203; }
FAKE const char *cublasLtGetStatusName(int status) {
  return status == notSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                : "CUBLAS_STATUS_INVALID_VALUE";
}
FAKE int cublasLtCreate(void **handle) {
  *handle = new int;
  return 0;
}
FAKE int cublasLtDestroy(void *handle) {
  delete static_cast<int *>(handle);
  return 0;
}
FAKE int cublasLtMatmulDescCreate(Desc **desc, int compute, int scale) {
  *desc = new Desc;
  (*desc)->isInteger = compute == 72 && scale == 10;
  bool isFloat = (compute == 68 || compute == 77) && scale == 0;
  return (*desc)->isInteger || isFloat ? 0 : invalidValue;
}
FAKE int cublasLtMatmulDescDestroy(Desc *desc) {
  delete desc;
  return 0;
}
FAKE int cublasLtMatmulDescSetAttribute(Desc *desc, int attribute,
                                        const void *value, size_t bytes) {
  if (attribute == 8 && bytes == sizeof desc->bias) {
    std::memcpy(&desc->bias, value, bytes);
    return 0;
  }
  if (bytes != sizeof(int32_t) ||
      (attribute != 3 && attribute != 4 && attribute != 7))
    return invalidValue;
  if (attribute == 7) {
    std::memcpy(&desc->epilogue, value, bytes);
    // None; a bias alone, before ReLU or before GELU.
    return desc->epilogue == 1 || desc->epilogue == 4 || desc->epilogue == 6 ||
                   desc->epilogue == 36
               ? 0
               : invalidValue;
  }
  std::memcpy(attribute == 3 ? &desc->transA : &desc->transB, value, bytes);
  return 0;
}
FAKE int cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows,
                                    uint64_t columns, int64_t ld) {
  *layout = new Layout{type, rows, columns, ld};
  return int64_t(rows) <= ld ? 0 : invalidValue;
}
FAKE int cublasLtMatrixLayoutDestroy(Layout *layout) {
  delete layout;
  return 0;
}
FAKE int cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = new int;
  return 0;
}
FAKE int cublasLtMatmulPreferenceDestroy(void *preference) {
  delete static_cast<int *>(preference);
  return 0;
}
FAKE int cublasLtMatmulPreferenceSetAttribute(void *, int attribute,
                                              const void *value, size_t bytes) {
  uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  if (attribute == 1)
    return bytes == 8 && number > 0 ? 0 : invalidValue;
  // A power of two that the addresses have.
  return attribute >= 5 && attribute <= 8 && bytes == 4 && number == 64
             ? 0
             : invalidValue;
}
FAKE int cublasLtMatmulAlgoGetHeuristic(void *, Desc *, Layout *a, Layout *,
                                        Layout *, Layout *, void *, int,
                                        HeuristicResult *results, int *count) {
  *count = 0;
  if (a->type != 0 && a->type != 3)
    return notSupported;
  // Good, too large a workspace, not usable, good.
  const size_t workspaces[] = {0, size_t(1) << 40, 0, 1024};
  const int states[] = {0, 0, notSupported, 0};
  for (; *count < 4; ++*count) {
    results[*count] = {};
    results[*count].algorithm.data[0] = uint64_t(*count);
    results[*count].workspace = workspaces[*count];
    results[*count].state = states[*count];
  }
  return 0;
}
FAKE int cublasLtMatmul(void *, Desc *desc, const float *alpha, const float *a,
                        Layout *la, const float *b, Layout *lb,
                        const float *beta, const float *c, Layout *lc, float *d,
                        Layout *ld, const Algorithm *algorithm, void *workspace,
                        size_t bytes, void *) {
  bool isThird = algorithm->data[0] == 3;
  if ((algorithm->data[0] != 0 && !isThird) || c != d || lc != ld ||
      (isThird && (!workspace || bytes != 1024)))
    return invalidValue;
  if (desc->isInteger) {
    int32_t factors[2];
    std::memcpy(&factors[0], alpha, sizeof factors[0]);
    std::memcpy(&factors[1], beta, sizeof factors[1]);
    return factors[0] == 1 && factors[1] == 1 && ld->type == 10 ? 0
                                                                : invalidValue;
  }
  uint64_t k = desc->transA ? la->rows : la->columns;
  for (uint64_t row = 0; row < ld->rows; ++row)
    for (uint64_t column = 0; column < ld->columns; ++column) {
      float sum = 0;
      for (uint64_t i = 0; i < k; ++i)
        sum += (desc->transA ? la->at(a, i, row) : la->at(a, row, i)) *
               (desc->transB ? lb->at(b, column, i) : lb->at(b, i, column));
      float before = *beta == 0 ? 0 : *beta * lc->at(c, row, column);
      float result = *alpha * sum + before;
      if (desc->epilogue & 4)
        result += desc->bias[row];
      if (desc->epilogue & 2 && result < 0)
        result = 0;
      d[row + column * uint64_t(ld->ld)] = result;
    }
  return 0;
}
