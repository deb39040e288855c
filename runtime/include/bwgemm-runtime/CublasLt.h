//===- CublasLt.h - NVIDIA's library, to compare with -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcublasLt is opened at run time and never linked: programs work without it,
// and say what is missing when it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_CUBLASLT_H
#define BWGEMM_RUNTIME_CUBLASLT_H

#include "bwgemm-runtime/Driver.h"
#include "bwgemm-runtime/ElementType.h"

#include <memory>
#include <string>

namespace bwgemm::runtime {

/// What is done with a sum before it is rounded to D: a bias of each column, of
/// D's type, is added; then ReLU, or GELU in the form with tanh.
enum class MatmulEpilogue { None, Bias, BiasRelu, BiasGelu };

/// D = op(A) op(B), or D += op(A) op(B), with row-major matrices whose rows are
/// `ldA`, `ldB` and `ldD` elements apart. A is stored K x M if `transposedA`, B
/// is stored N x K if `transposedB`.
struct MatmulProblem {
  int64_t m = 0, n = 0, k = 0;
  ElementType operands = ElementType::F16, result = ElementType::F32;
  bool transposedA = false, transposedB = false, accumulate = false;
  MatmulEpilogue epilogue = MatmulEpilogue::None;
  int64_t ldA = 0, ldB = 0, ldD = 0;
};

/// cuBLASLt for the current context. Sums are in fp32, of I8 in I32.
class CublasLt {
public:
  /// Opens the library: the file, or the file in the folder, that
  /// BWGEMM_CUBLASLT names; else libcublasLt.so.13 or .12 on the loader's path;
  /// else in CUDA_HOME/lib64 and CUDA_HOME/lib. Null on failure, with what was
  /// looked for in `error`.
  static std::unique_ptr<CublasLt> open(const DriverApi &driver,
                                        std::string &error);
  ~CublasLt();
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  /// "cuBLASLt 13.1.1" and the file.
  std::string describe() const;

  /// A problem with all algorithms that the library's heuristics name for it,
  /// the one that they prefer first.
  class Plan {
  public:
    ~Plan();
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    size_t algorithms() const;
    /// Puts the product into `stream`; `bias` counts where the problem has an
    /// epilogue. Returns an error text.
    std::string enqueue(size_t algorithm, CUdeviceptr a, CUdeviceptr b,
                        CUdeviceptr d, CUdeviceptr bias, CUstream stream) const;

  private:
    friend class CublasLt;
    Plan();
    struct State;
    std::unique_ptr<State> state;
  };

  /// Plans a problem. Addresses are multiples of `alignment` bytes. Null, with
  /// the reason in `error`, if the library cannot do it.
  std::unique_ptr<Plan> plan(const MatmulProblem &problem, unsigned alignment,
                             std::string &error) const;

private:
  CublasLt();
  struct Library;
  std::shared_ptr<Library> library;
};

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_CUBLASLT_H
