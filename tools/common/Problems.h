//===- Problems.h - What is to be timed -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_COMMON_PROBLEMS_H
#define BWGEMM_TOOLS_COMMON_PROBLEMS_H

#include "bwgemm-runtime/CublasLt.h"
#include "bwgemm-runtime/ElementType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::tools {

/// D = op(A) op(B), or D += op(A) op(B), or D = f(op(A) op(B) + bias).
struct Problem {
  int64_t m = 0, n = 0, k = 0;
  runtime::ElementType operands = runtime::ElementType::BF16,
                       result = runtime::ElementType::BF16;
  /// A is stored K x M, B is stored N x K.
  bool transposedA = false, transposedB = false;
  bool accumulate = false;
  /// Behind a product that does not accumulate.
  runtime::MatmulEpilogue epilogue = runtime::MatmulEpilogue::None;
  /// Whether its functions may be the hardware's approximations.
  bool isApproximate = false;

  /// "none", "accumulate", "bias", "bias_relu", "bias_gelu" or
  /// "bias_gelu_approx".
  std::string epilogueName() const;
  /// "4096x4096x4096 bf16-bf16 nt", and the epilogue if there is one.
  std::string text() const;
  /// "bf16-bf16 nt" and "4096x4096x4096".
  std::string kind() const;
  std::string sizes() const;
  double flops() const { return 2 * double(m) * double(n) * double(k); }
  /// Bytes that have to be read or written at least.
  double bytes() const;
};

/// Parses "MxNxK TYPES TRANSPOSES [EPILOGUE]": "4096x4096x4096 bf16-bf16 nt".
/// TYPES is the operands' type and the result's; TRANSPOSES says of A and of B
/// whether it is stored transposed (t) or not (n); EPILOGUE is that of
/// `Problem::epilogueName`. False, with what was expected in `error`, if it is
/// none.
bool parseProblem(const std::string &line, Problem &problem,
                  std::string &error);

/// Reads one problem a line; empty lines and what follows a # do not count.
bool readProblems(const std::string &path, std::vector<Problem> &problems,
                  std::string &error);

/// Those of a file, unless its name is empty, and those that --problem has
/// `given`; there must be one.
bool gatherProblems(const std::string &file,
                    const std::vector<std::string> &given,
                    std::vector<Problem> &problems, std::string &error);

/// The sizes that a sweep walks through: "K=64:8192:64" is K from 64 to 8192 in
/// steps of 64.
struct Sweep {
  char axis = 0; ///< M, N or K; 0 for no sweep.
  int64_t first = 0, last = 0, step = 0;

  /// The problem at each point.
  std::vector<Problem> points(const Problem &base) const;
};

bool parseSweep(const std::string &text, Sweep &sweep, std::string &error);

/// The size of a problem along an axis.
int64_t &sizeAlong(Problem &problem, char axis);

/// A module with a function `matmul` that computes the problem; with sizes that
/// are left open if `open`.
std::string makeModule(const Problem &problem, bool open);

} // namespace bwgemm::tools

#endif // BWGEMM_TOOLS_COMMON_PROBLEMS_H
