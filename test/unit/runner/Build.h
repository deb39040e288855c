//===- Build.h - Descriptions for tests -------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_RUNNER_BUILD_H
#define BWGEMM_TEST_RUNNER_BUILD_H

#include "Shapes.h"

namespace bwgemm::runner::test {

inline ArgumentInfo argument(Shape shape, bool read, bool written,
                             runtime::ElementType type) {
  ArgumentInfo info;
  info.type = type;
  info.shape = std::move(shape);
  info.read = read;
  info.written = written;
  return info;
}

inline ArgumentInfo input(Shape shape) {
  return argument(std::move(shape), true, false, runtime::ElementType::F32);
}

inline ArgumentInfo output(Shape shape) {
  return argument(std::move(shape), false, true, runtime::ElementType::F32);
}

/// D = A B, or D += A B, of arguments.
inline OperationInfo gemm(int64_t a, int64_t b, int64_t d,
                          bool accumulate = false) {
  OperationInfo operation;
  operation.a.argument = a;
  operation.b.argument = b;
  operation.d.argument = d;
  operation.accumulate = accumulate;
  return operation;
}

} // namespace bwgemm::runner::test

#endif // BWGEMM_TEST_RUNNER_BUILD_H
