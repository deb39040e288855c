//===- Check.h - Compare results with the oracle ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_CHECK_H
#define BWGEMM_TOOLS_RUNNER_CHECK_H

#include "Operands.h"

#include "bwgemm-runtime/Reference.h"

#include <string>
#include <vector>

namespace bwgemm::runner {

enum class CheckMode {
  Auto,   ///< Full up to 2^28 multiplications, else a sample.
  Full,   ///< Every element.
  Sample, ///< Corners of tiles, edges, random elements.
  None,
};

/// One wrong element.
struct WrongElement {
  size_t argument = 0;
  runtime::ElementIndex index;
  double got = 0;
  runtime::Expected expected;
};

struct CheckResult {
  /// Why nothing was checked; empty if something was.
  std::string notChecked;
  bool sampled = false;
  size_t checked = 0, total = 0, wrong = 0;
  /// Elements of `checked` that had to be exact.
  size_t exact = 0;
  /// The first few wrong elements.
  std::vector<WrongElement> examples;
  /// One line for each result with wrong elements.
  std::vector<std::string> hints;
  /// The largest |got - expected| / sum |a| |b|; infinite if a NaN or an
  /// infinity is wrong.
  double maxRelativeError = 0;
  /// The largest part of the error bound that was used, over elements that may
  /// err.
  double maxOfBound = 0;
};

/// Compares every result of `function` with the double-precision reference.
/// Each operation is judged by the operands that it had: by inputs from before
/// the call, or by results of earlier operations as they are after it.
CheckResult checkResults(const FunctionInfo &function,
                         const std::vector<Operand> &operands, CheckMode mode,
                         uint64_t seed, const runtime::Progress &progress);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_CHECK_H
