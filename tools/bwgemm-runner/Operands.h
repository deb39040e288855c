//===- Operands.h - The memory of a call's arguments ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every argument lives in an image: guard, elements, guard. What is not an
// element (the guards and, with strides, the gaps between rows) holds a poison
// pattern, NaN for floating point, so that reading it spoils the result, and it
// is compared after the call, so that writing it is seen. Results hold the same
// poison before the call.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_OPERANDS_H
#define BWGEMM_TOOLS_RUNNER_OPERANDS_H

#include "Shapes.h"

#include "bwgemm-runtime/Driver.h"
#include "bwgemm-runtime/Fill.h"
#include "bwgemm-runtime/Npy.h"
#include "bwgemm-runtime/Reference.h"

#include <memory>
#include <string>
#include <vector>

namespace bwgemm::runner {

/// An argument with its contents before and after the call.
struct Operand {
  ArgumentInfo info;
  size_t index = 0;
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  /// Images: guards included.
  std::vector<unsigned char> before, after;

  /// Bytes from the first to the last element, offset included.
  size_t span() const;
  bool empty() const;
  /// "argument 2 (f32 512x384)".
  std::string text() const;
  /// The elements in `image` as a (batch of) matrices.
  runtime::MatrixView view(const std::vector<unsigned char> &image) const;
  /// Copies elements from `dense`, row-major, into the image `before`.
  void scatter(const unsigned char *dense);
  /// The elements of `image`, dense and row-major.
  std::vector<unsigned char>
  gather(const std::vector<unsigned char> &image) const;
  /// Calls `body(position, bytes)` for each run of elements in the image, in
  /// row-major order.
  template <typename Body> void forEachRun(const Body &body) const;
};

/// Bytes of poison on either side of the elements; keeps the alignment of an
/// allocation, and catches tiles that run over the end.
constexpr size_t guardBytes = 64 * 1024;

/// What the inputs hold.
struct Contents {
  runtime::Fill fill = runtime::Fill::Normal;
  /// Poison also the results that are read.
  bool nanResults = false;
  uint64_t seed = 0;
};

/// Lays out `info` with `shape` and fills the image `before`: from `file` if
/// that is not null, else as `contents` says. Returns an error text.
std::string prepare(Operand &operand, const ArgumentInfo &info, size_t index,
                    const Shape &shape, const runtime::NpyArray *file,
                    const Contents &contents);

/// "" if only the elements of written arguments changed; else what changed.
std::string checkGuards(const Operand &operand);

/// A device copy of an operand, and the memref descriptor that refers to it.
class DeviceOperand {
public:
  /// Allocates and copies the image `before`.
  std::string create(const runtime::DriverApi &driver, const Operand &operand);
  /// Allocates, and copies another operand's device copy.
  std::string createLike(const runtime::DriverApi &driver,
                         const DeviceOperand &other);
  /// Copies the image `before` again.
  std::string reset(const Operand &operand);
  /// Copies what another operand's device copy of the same size has.
  std::string reset(const DeviceOperand &other);
  /// Address of the first element.
  runtime::CUdeviceptr address(const Operand &operand) const;
  /// Copies the image to `operand.after`.
  std::string fetch(Operand &operand) const;
  void *descriptor() { return words.data(); }

private:
  runtime::DeviceBuffer buffer;
  /// Allocated and aligned pointer, offset, sizes, strides: 64 bits each.
  std::vector<int64_t> words;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_OPERANDS_H
