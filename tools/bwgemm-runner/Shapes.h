//===- Shapes.h - The extents of a call's arguments -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_SHAPES_H
#define BWGEMM_TOOLS_RUNNER_SHAPES_H

#include "Description.h"

#include <string>
#include <vector>

namespace bwgemm::runner {

using Shape = std::vector<int64_t>;

/// The sizes of one operation: D is batch x M x N.
struct GemmSizes {
  int64_t batch = 1, m = 0, n = 0, k = 0;
};

/// Parses "512x256,384x256". On failure returns false and says in `error` which
/// part was not understood.
bool parseShapes(const std::string &text, std::vector<Shape> &shapes,
                 std::string &error);

/// The shape of every argument of `function`. `given` (from --shapes) has one
/// for each argument with unknown extents, in order, or one for every argument;
/// it may be empty. `files` has, for each argument, the shape of its input
/// file, or is empty at its place. Extents that are still unknown then follow
/// from the operations where they can. On failure, or if the shapes do not fit
/// each other, returns false and says in `error` what was expected and got.
bool resolveShapes(const FunctionInfo &function,
                   const std::vector<Shape> &given,
                   const std::vector<Shape> &files, std::vector<Shape> &shapes,
                   std::string &error);

/// The sizes of a checkable operation, for shapes from resolveShapes.
GemmSizes sizesOf(const OperationInfo &operation,
                  const std::vector<Shape> &shapes);

/// Row-major strides in elements; those that `argument` fixes are kept. False,
/// with `error`, if elements would share memory.
bool resolveStrides(const ArgumentInfo &argument, const Shape &shape,
                    std::vector<int64_t> &strides, std::string &error);

/// Elements of `shape`; false on overflow.
bool elementCount(const Shape &shape, int64_t &count);

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_SHAPES_H
