//===- Expectations.h - Comparing buffers with what they should be *- C++ -*-=//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_PTX_RUN_EXPECTATIONS_H
#define BWGEMM_TOOLS_PTX_RUN_EXPECTATIONS_H

#include "Buffers.h"

namespace bwgemm::ptxrun {

/// What came of one --expect.
struct Verdict {
  size_t checked = 0, wrong = 0;
  /// Where, expected and got, of the first few wrong elements; "" if all are
  /// right.
  std::string message;
};

/// Whether the expectation fits its buffer; "" or what does not. Called before
/// the run, so that a misspelt expectation costs nothing.
std::string prepare(const ExpectSpec &expect, Buffers &buffers);

/// Compares. Two NaNs are equal; otherwise the difference must not exceed
/// tol * (1 + |expected|), which for tol = 0 means equality.
std::string compare(const ExpectSpec &expect, Buffers &buffers,
                    Verdict &verdict);

} // namespace bwgemm::ptxrun

#endif // BWGEMM_TOOLS_PTX_RUN_EXPECTATIONS_H
