//===- ExactPanel.cpp - The integer model on panels -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ExactPanel.h"

#include "machine/ExactKernels.h"
#include "machine/HalfConvert.h"

#include <cstring>
#include <vector>

namespace bwgemm::emulator {

namespace {
/// An operand as the kernels take it: finite values and exponents, at the
/// places of the panel's elements.
struct Decomposed {
  std::vector<float> values;
  std::vector<int16_t> exponents;
  std::vector<int32_t> special; ///< Per row: -1 if not all is finite.
  size_t rowStride = 1, kStride = 1;

  bool isSpecial = false; ///< Some row is.

  void assign(const ExactKernels &kernels, ExactFormat format,
              const float *panel, size_t panelRowStride, size_t panelKStride,
              uint32_t rows, uint32_t depth);
};
} // namespace

void Decomposed::assign(const ExactKernels &kernels, ExactFormat format,
                        const float *panel, size_t panelRowStride,
                        size_t panelKStride, uint32_t rows, uint32_t depth) {
  size_t count = size_t(rows) * depth;
  values.resize(count);
  exponents.resize(count);
  special.assign(rows, 0);
  bool alongRows = panelRowStride == 1;
  rowStride = alongRows ? 1 : depth;
  kStride = alongRows ? rows : 1;
  size_t line = alongRows ? rows : depth;
  size_t pitch = alongRows ? panelKStride : panelRowStride;
  if (pitch == line && (alongRows || panelKStride == 1)) {
    isSpecial = kernels.decompose(format, panel, count, values.data(),
                                  exponents.data());
  } else {
    size_t step = alongRows ? 1 : panelKStride;
    for (size_t i = 0; i < count; ++i)
      values[i] = panel[i / line * pitch + i % line * step];
    isSpecial = kernels.decompose(format, values.data(), count, values.data(),
                                  exponents.data());
  }
  if (!isSpecial)
    return;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < depth; ++k)
      if ((floatToBits(panel[row * panelRowStride + k * panelKStride]) &
           0x7f800000) == 0x7f800000)
        special[row] = -1;
}

/// One element as exactDot forms it, in place.
static void singleDot(const void *context, uint32_t row, uint32_t n) {
  const ExactMultiply &exact = *static_cast<const ExactMultiply *>(context);
  const PanelMultiply &work = exact.work;
  static thread_local std::vector<ExactTerm> a, b;
  a.resize(work.k);
  b.resize(work.k);
  for (uint32_t k = 0; k < work.k; ++k) {
    a[k] = exactElement(exact.a, work.a[size_t(k) * work.groups * 16 + row]);
    b[k] = exactElement(exact.b,
                        work.b.data[n * work.b.rowStride + k * work.b.kStride]);
  }
  uint32_t &cell = exact.cells[size_t(n) * work.dColumnStride +
                               work.laneOffset[row / 16] + row % 16];
  ExactTerm addend;
  if (work.accumulate)
    addend = exactAddend(exact.model, cell);
  cell = exactDot(exact.model, a.data(), exact.a, b.data(), exact.b, work.k,
                  addend, exact.scale);
}

void multiplyExactly(const ExactMultiply &exact, const ExactKernels &kernels) {
  static thread_local Decomposed a, b;
  static thread_local std::vector<int32_t> disabled;
  const PanelMultiply &work = exact.work;
  uint32_t m = work.groups * 16;
  disabled.resize(m);
  for (uint32_t row = 0; row < m; ++row) {
    uint32_t lane = work.laneOffset[row / 16] + row % 16;
    disabled[row] =
        lane < 128 && exact.disabled[lane / 64] >> (lane % 64) & 1 ? -1 : 0;
  }
  if (!exactKernelsTake(exact.model, exact.a, exact.b)) {
    for (uint32_t n = 0; n < work.n; ++n)
      for (uint32_t row = 0; row < m; ++row)
        if (!disabled[row])
          singleDot(&exact, row, n);
    return;
  }
  a.assign(kernels, exact.a, work.a, 1, m, m, work.k);
  b.assign(kernels, exact.b, work.b.data, work.b.rowStride, work.b.kStride,
           work.n, work.k);
  ExactKernelWork inner;
  inner.a = a.values.data();
  inner.aExponents = a.exponents.data();
  inner.b = b.values.data();
  inner.bExponents = b.exponents.data();
  inner.bRowStride = b.rowStride;
  inner.bKStride = b.kStride;
  inner.groups = work.groups;
  inner.n = work.n;
  inner.k = work.k;
  inner.model = exact.model;
  inner.scale = int32_t(exact.scale);
  inner.accumulate = work.accumulate;
  inner.cells = exact.cells;
  inner.columnStride = work.dColumnStride;
  inner.laneOffset = work.laneOffset;
  inner.rowSpecial = a.special.data();
  inner.rowDisabled = disabled.data();
  inner.columnSpecial = b.special.data();
  inner.hasExceptions = a.isSpecial || b.isSpecial || exact.disabled[0] != 0 ||
                        exact.disabled[1] != 0;
  inner.single = singleDot;
  inner.context = &exact;
  kernels.multiply(inner);
}

void multiplyExactly(const ExactMultiply &exact) {
  const ExactKernels *const *kernels = availableExactKernels();
  while (exact.work.groups * 16 % (*kernels)->rows != 0)
    ++kernels;
  multiplyExactly(exact, **kernels);
}

} // namespace bwgemm::emulator
