//===- Shapes.cpp - The extents of a call's arguments -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "bwgemm-runtime/Npy.h"

#include <algorithm>

namespace bwgemm::runner {

using runtime::formatShape;

namespace {

/// One of batch, M, N and K of an operation, gathered from its operands.
struct Size {
  const char *name;
  int64_t value = -1;
  /// Where the value comes from, for messages.
  std::string origin;
};

/// Where the extents of an operation's operands are found: gives for operand
/// 'A', 'B' or 'D' of rank `rank` the sizes that its dimensions are, outermost
/// first.
struct OperationSizes {
  Size batch{"the batch", -1, ""}, m{"M", -1, ""}, n{"N", -1, ""},
      k{"K", -1, ""};

  std::vector<Size *> dimensions(char operand, bool transposed, size_t rank) {
    Size *rows = operand == 'B' ? &k : &m;
    Size *columns = operand == 'A' ? &k : &n;
    if (transposed)
      std::swap(rows, columns);
    if (rank == 2)
      return {rows, columns};
    return {&batch, rows, columns};
  }
};

std::string operandText(char operand, const OperandInfo &info,
                        const Shape &shape) {
  return "argument " + std::to_string(info.argument) + " (" + operand + ", " +
         formatShape(shape) + (info.transposed ? ", transposed" : "") + ")";
}

/// One dimension of an operand: its extent, and the size that it is.
struct Dimension {
  int64_t *extent;
  Size *size;
  std::string operand;
};

/// Compares and completes the shapes of one operation's operands.
bool unify(const OperationInfo &operation, size_t index,
           std::vector<Shape> &shapes, std::string &error) {
  const std::pair<char, const OperandInfo *> operands[] = {
      {'A', &operation.a}, {'B', &operation.b}, {'D', &operation.d}};
  OperationSizes sizes;
  std::vector<Dimension> dimensions;
  for (auto [letter, info] : operands) {
    const Shape &shape = shapes[size_t(info->argument)];
    if (shape.size() != 2 && shape.size() != 3) {
      error = "operation " + std::to_string(index) +
              " (gemm): expected operands of 2 or 3 dimensions, got " +
              operandText(letter, *info, shape);
      return false;
    }
    auto here = sizes.dimensions(letter, info->transposed, shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      dimensions.push_back({&shapes[size_t(info->argument)][d], here[d],
                            operandText(letter, *info, shape)});
  }
  Size one{"the extent at place 0", 1, "the epilogue"};
  for (const EpilogueOperandInfo &operand : operation.epilogueOperands) {
    Shape &shape = shapes[size_t(operand.argument)];
    std::string text = "argument " + std::to_string(operand.argument) +
                       " (of the epilogue, " + formatShape(shape) + ")";
    if (shape.size() != operand.place.size()) {
      error = "operation " + std::to_string(index) + " (gemm): expected " +
              std::to_string(operand.place.size()) + " dimensions, got " + text;
      return false;
    }
    for (size_t d = 0; d < shape.size(); ++d)
      dimensions.push_back({&shape[d],
                            operand.place[d] == 'm'   ? &sizes.m
                            : operand.place[d] == 'n' ? &sizes.n
                            : operand.place[d] == 'b' ? &sizes.batch
                                                      : &one,
                            text});
  }
  for (const Dimension &dimension : dimensions) {
    Size &size = *dimension.size;
    if (*dimension.extent < 0)
      continue;
    if (size.value < 0) {
      size.value = *dimension.extent;
      size.origin = dimension.operand;
    } else if (size.value != *dimension.extent) {
      error = "operation " + std::to_string(index) + " (gemm): " + size.name +
              " is " + std::to_string(size.value) + " in " + size.origin +
              ", but " + std::to_string(*dimension.extent) + " in " +
              dimension.operand;
      return false;
    }
  }
  for (const Dimension &dimension : dimensions)
    if (*dimension.extent < 0)
      *dimension.extent = dimension.size->value;
  return true;
}

bool parseExtent(const std::string &text, int64_t &extent) {
  extent = 0;
  for (char c : text)
    if (c < '0' || c > '9' || __builtin_mul_overflow(extent, 10, &extent) ||
        __builtin_add_overflow(extent, c - '0', &extent))
      return false;
  return !text.empty();
}

/// Puts the shapes of --shapes in their places: those of arguments with unknown
/// extents, of all that have extents, or of all.
bool applyGiven(const FunctionInfo &function, const std::vector<Shape> &given,
                std::vector<Shape> &shapes, std::string &error) {
  std::vector<size_t> places, withExtents, all;
  for (size_t i = 0; i < shapes.size(); ++i) {
    all.push_back(i);
    if (!shapes[i].empty())
      withExtents.push_back(i);
    if (function.arguments[i].isDynamic())
      places.push_back(i);
  }
  size_t dynamic = places.size();
  if (given.size() == all.size())
    places = all;
  else if (given.size() == withExtents.size())
    places = withExtents;
  if (given.size() != places.size()) {
    error = "--shapes: expected " + std::to_string(dynamic) +
            (dynamic == 1 ? " shape" : " shapes") +
            ", one for each argument with unknown extents, got " +
            std::to_string(given.size());
    return false;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    Shape &shape = shapes[places[i]];
    bool fits = given[i].size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d)
      fits = shape[d] < 0 || shape[d] == given[i][d];
    if (!fits) {
      error = "--shapes: argument " + std::to_string(places[i]) + " is " +
              formatShape(shape) + ", got " + formatShape(given[i]);
      return false;
    }
    shape = given[i];
  }
  return true;
}

} // namespace

bool parseShapes(const std::string &text, std::vector<Shape> &shapes,
                 std::string &error) {
  shapes.clear();
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find(',', start), text.size());
    std::string part = text.substr(start, end - start);
    Shape shape;
    for (size_t from = 0; from <= part.size();) {
      size_t to = std::min(part.find('x', from), part.size());
      int64_t extent;
      if (!parseExtent(part.substr(from, to - from), extent)) {
        error = "--shapes: expected extents like 512x256, got '" + part + "'";
        return false;
      }
      shape.push_back(extent);
      from = to + 1;
    }
    shapes.push_back(std::move(shape));
    start = end + 1;
  }
  return true;
}

bool resolveShapes(const FunctionInfo &function,
                   const std::vector<Shape> &given,
                   const std::vector<Shape> &files, std::vector<Shape> &shapes,
                   std::string &error) {
  shapes.clear();
  for (const ArgumentInfo &argument : function.arguments)
    shapes.push_back(argument.shape);
  if (!given.empty() && !applyGiven(function, given, shapes, error))
    return false;
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t d = 0; d < shapes[i].size() && d < files[i].size(); ++d)
      if (shapes[i][d] < 0)
        shapes[i][d] = files[i][d];
  // An operation can complete the shape of another one's operand.
  for (size_t round = 0; round <= function.operations.size(); ++round)
    for (size_t i = 0; i < function.operations.size(); ++i)
      if (function.operations[i].notCheckable.empty() &&
          !unify(function.operations[i], i, shapes, error))
        return false;
  std::string unknown;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (std::find(shapes[i].begin(), shapes[i].end(), -1) != shapes[i].end())
      unknown += (unknown.empty() ? "" : ", ") + std::string("argument ") +
                 std::to_string(i) + " (" + function.arguments[i].text() + ")";
  if (!unknown.empty()) {
    error = "function '" + function.name +
            "' has arguments with unknown extents: " + unknown +
            "; give their shapes with --shapes=MxK,KxN,… in this order";
    return false;
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    int64_t count, bytes;
    if (!elementCount(shapes[i], count) ||
        __builtin_mul_overflow(
            count, int64_t(runtime::sizeInBytes(function.arguments[i].type)),
            &bytes)) {
      error = "argument " + std::to_string(i) + " of shape " +
              formatShape(shapes[i]) + " has more bytes than fit 63 bits";
      return false;
    }
  }
  return true;
}

GemmSizes sizesOf(const OperationInfo &operation,
                  const std::vector<Shape> &shapes) {
  GemmSizes sizes;
  const Shape &a = shapes[size_t(operation.a.argument)];
  const Shape &d = shapes[size_t(operation.d.argument)];
  sizes.batch = d.size() == 3 ? d[0] : 1;
  sizes.m = d[d.size() - 2];
  sizes.n = d[d.size() - 1];
  sizes.k = a[operation.a.transposed ? a.size() - 2 : a.size() - 1];
  return sizes;
}

bool resolveStrides(const ArgumentInfo &argument, const Shape &shape,
                    std::vector<int64_t> &strides, std::string &error) {
  strides.assign(shape.size(), 1);
  int64_t next = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t fixed = argument.strides.empty() ? -1 : argument.strides[d];
    strides[d] = fixed < 0 ? next : fixed;
    if (shape[d] > 1 && argument.written && strides[d] < next) {
      error = "the stride of dimension " + std::to_string(d) + " is " +
              std::to_string(strides[d]) +
              ", but the dimensions inside of it "
              "take " +
              std::to_string(next) + " elements";
      return false;
    }
    int64_t extent = std::max<int64_t>(shape[d], 1);
    if (__builtin_mul_overflow(strides[d], extent, &next)) {
      error = "strides times extents do not fit 63 bits";
      return false;
    }
  }
  return true;
}

bool elementCount(const Shape &shape, int64_t &count) {
  count = 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    count = 0;
    return true;
  }
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return false;
  return true;
}

} // namespace bwgemm::runner
