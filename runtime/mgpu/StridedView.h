//===- StridedView.h - The bytes of a memref's view -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address arithmetic of a strided view: the range of bytes it covers, and its
// rows, runs of bytes without a gap. Pure, so that it is tested by itself.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_MGPU_STRIDEDVIEW_H
#define BWGEMM_RUNTIME_MGPU_STRIDEDVIEW_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::runtime::launch {

class StridedView {
public:
  /// Sizes and strides in elements, outermost first. Returns "" or what is
  /// wrong with the numbers (a negative size, a range beyond 2^62 bytes).
  std::string create(int64_t offset, int64_t rank, const int64_t *sizes,
                     const int64_t *strides, int64_t elementBytes);

  /// True if there is no element.
  bool empty() const { return isEmpty; }
  /// Bytes from the base pointer to the first byte of the view (the lowest
  /// address, whatever the signs of the strides).
  int64_t firstByte() const { return first; }
  /// Bytes from there to behind the last one.
  uint64_t byteCount() const { return count; }
  /// Bytes of one row.
  uint64_t rowBytes() const { return row; }

  /// True if the rows are evenly spaced upwards: `rows` rows, `pitch` bytes
  /// apart, starting at firstByte(). A contiguous view is one row.
  bool isPitched(uint64_t &rows, uint64_t &pitch) const;

  /// Calls `visit` with each row's distance from firstByte(), in bytes.
  template <typename Visit> void forEachRow(Visit visit) const {
    if (isEmpty)
      return;
    std::vector<int64_t> index(outer.size(), 0);
    int64_t at = origin;
    for (;;) {
      visit(uint64_t(at));
      size_t dim = outer.size();
      while (dim > 0) {
        --dim;
        at += outer[dim].stride;
        if (++index[dim] < outer[dim].size)
          break;
        at -= outer[dim].stride * outer[dim].size;
        index[dim] = 0;
        if (dim == 0)
          return;
      }
      if (outer.empty())
        return;
    }
  }

private:
  struct Dim {
    int64_t size, stride; ///< Stride in bytes.
  };
  /// The dimensions that are not part of a row, outermost first.
  std::vector<Dim> outer;
  int64_t first = 0, origin = 0;
  uint64_t count = 0, row = 0;
  bool isEmpty = true;
};

} // namespace bwgemm::runtime::launch

#endif // BWGEMM_RUNTIME_MGPU_STRIDEDVIEW_H
