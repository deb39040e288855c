//===- StridedView.cpp - The bytes of a memref's view -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedView.h"

namespace bwgemm::runtime::launch {

std::string StridedView::create(int64_t offset, int64_t rank,
                                const int64_t *sizes, const int64_t *strides,
                                int64_t elementBytes) {
  *this = StridedView();
  constexpr int64_t limit = int64_t(1) << 62;
  if (elementBytes <= 0)
    return "an element of " + std::to_string(elementBytes) + " bytes";
  std::vector<Dim> dims;
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      return "dimension " + std::to_string(i) + " has the negative size " +
             std::to_string(sizes[i]);
    if (sizes[i] == 0)
      return std::string();
  }
  int64_t low = 0, high = 0; // Of the first bytes of all elements.
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes[i] == 1)
      continue;
    int64_t stride, extent, *side;
    if (__builtin_mul_overflow(strides[i], elementBytes, &stride) ||
        __builtin_mul_overflow(stride, sizes[i] - 1, &extent))
      return "dimension " + std::to_string(i) + " of size " +
             std::to_string(sizes[i]) + " and stride " +
             std::to_string(strides[i]) + " exceeds the address space";
    side = extent < 0 ? &low : &high;
    if (__builtin_add_overflow(*side, extent, side) || low < -limit ||
        high > limit)
      return "the view exceeds the address space";
    dims.push_back({sizes[i], stride});
  }
  int64_t start;
  if (__builtin_mul_overflow(offset, elementBytes, &start) || start > limit ||
      start < -limit)
    return "the offset " + std::to_string(offset) +
           " exceeds the address space";
  first = start + low;
  origin = -low;
  count = uint64_t(high - low) + uint64_t(elementBytes);
  isEmpty = false;

  // Innermost dimensions that follow one another without a gap make up a row.
  row = uint64_t(elementBytes);
  while (!dims.empty() && dims.back().stride == int64_t(row)) {
    row *= uint64_t(dims.back().size);
    dims.pop_back();
  }
  // Outer dimensions that continue each other are one.
  for (const Dim &dim : dims) {
    if (!outer.empty() && outer.back().stride == dim.size * dim.stride) {
      outer.back().size *= dim.size;
      outer.back().stride = dim.stride;
    } else {
      outer.push_back(dim);
    }
  }
  return std::string();
}

bool StridedView::isPitched(uint64_t &rows, uint64_t &pitch) const {
  if (isEmpty || outer.size() > 1)
    return false;
  if (outer.empty()) {
    rows = 1;
    pitch = row;
    return true;
  }
  if (outer[0].stride < int64_t(row))
    return false;
  rows = uint64_t(outer[0].size);
  pitch = uint64_t(outer[0].stride);
  return true;
}

} // namespace bwgemm::runtime::launch
