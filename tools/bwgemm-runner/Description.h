//===- Description.h - What a library says of its functions -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_DESCRIPTION_H
#define BWGEMM_TOOLS_RUNNER_DESCRIPTION_H

#include "bwgemm-runtime/Epilogue.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::runner {

/// A memref argument. -1 stands for an extent, a stride or an offset that is
/// only known when the function is called.
struct ArgumentInfo {
  runtime::ElementType type = runtime::ElementType::F32;
  std::vector<int64_t> shape;
  /// In elements; empty if the argument is dense and row-major.
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool read = false, written = false;

  bool isDynamic() const;
  /// "bf16 4096x?".
  std::string text() const;
};

/// An operand of an operation: an argument, or a value inside of the function
/// (argument -1).
struct OperandInfo {
  int64_t argument = -1;
  bool transposed = false;
  /// The type in which its elements multiply: I8 may do so as U8, and F32 as
  /// TF32.
  runtime::ElementType type = runtime::ElementType::F32;
};

/// An operand of an epilogue: which of M ('m'), N ('n'), the batch ('b') or one
/// element ('0') each of its dimensions is.
struct EpilogueOperandInfo {
  int64_t argument = -1;
  std::vector<char> place;
};

/// D = op(A) op(B), or D += op(A) op(B) if `accumulate`; with an epilogue, what
/// that computes from it.
struct OperationInfo {
  OperandInfo a, b, d;
  bool accumulate = false, hasEpilogue = false;
  /// Bits of the significand of sums, as of runtime::GemmProblem.
  unsigned sumBits = 24;
  /// Elements of K that are summed in f16, likewise.
  int64_t halfBlock = 0;
  std::vector<EpilogueOperandInfo> epilogueOperands;
  /// Its views of operands are left empty.
  runtime::Epilogue epilogue;
  /// Why its result cannot be judged from the arguments alone; empty if it can.
  std::string notCheckable;
};

struct FunctionInfo {
  std::string name, schedule;
  /// The schedule for operands that TMA cannot address, if there is one.
  std::string fallback;
  std::vector<ArgumentInfo> arguments;
  std::vector<OperationInfo> operations;
  /// Why this program cannot call it; empty if it can.
  std::string notCallable;

  /// The extents of the result's tile in the schedule's "tile=MxNxK"; `found`
  /// tells whether there is one.
  void tile(int64_t &m, int64_t &n, bool &found) const;
};

/// The JSON text under the symbol bwgemm_metadata.
struct Description {
  std::string target;
  std::vector<FunctionInfo> functions;

  /// Reads `text`. On failure returns false and says in `error` what was
  /// expected where.
  static bool parse(const char *text, Description &description,
                    std::string &error);
  /// The function of that name, or the only one if `name` is empty; null, and
  /// the choice in `error`, if there is none.
  const FunctionInfo *find(const std::string &name, std::string &error) const;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_DESCRIPTION_H
