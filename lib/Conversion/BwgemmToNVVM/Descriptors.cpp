//===- Descriptors.cpp - What matrix descriptors say ----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

using namespace mlir;
using namespace mlir::bwgemm;

DescriptorStrides bwgemm::getStrides(SmemType type) {
  int64_t rowGroup = 8 * type.getSwizzle().getRowBytes();
  int64_t column = type.getColumnBytes();
  bool swizzled = !type.getSwizzle().isNone();
  if (type.getMajor() == Major::K)
    return {swizzled ? 16 : column, rowGroup};
  return swizzled ? DescriptorStrides{column, rowGroup}
                  : DescriptorStrides{rowGroup, column};
}

int64_t bwgemm::getStepOffset(SmemType type, int64_t step) {
  int64_t rowBytes = type.getSwizzle().getRowBytes();
  if (type.getMajor() == Major::MN)
    return step * (kInstructionBytes / type.getElementBytes()) * rowBytes;
  int64_t x = step * kInstructionBytes;
  return x / rowBytes * type.getColumnBytes() + x % rowBytes;
}

int64_t bwgemm::getRowOffset(SmemType type, int64_t row) {
  int64_t rowBytes = type.getSwizzle().getRowBytes();
  if (type.getMajor() == Major::K)
    return row * rowBytes;
  return row * type.getElementBytes() / rowBytes * type.getColumnBytes();
}
