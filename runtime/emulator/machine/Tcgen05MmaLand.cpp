//===- Tcgen05MmaLand.cpp - How an mma computes its D -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are converted to panels of f32: of each CTA one panel of A and one
// of its part of B. Every block of D (MmaPlacement.h) is then one
// multiplication.
//
//===----------------------------------------------------------------------===//

#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"
#include "machine/Tcgen05Mma.h"
#include "machine/Tcgen05MmaGeneral.h"
#include "machine/Tcgen05MmaKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace bwgemm::emulator {

namespace {
/// Memory that an mma needs while it executes; one per host thread.
struct Scratch {
  alignas(64) float a[maxPanelFloats];
  alignas(64) float b[maxPanelFloats];
  /// D in f32, laid out as in tensor memory.
  std::vector<float> d;
};
} // namespace

static Scratch &scratch() {
  static thread_local Scratch instance;
  return instance;
}

/// A from tensor memory, packed by element size into 32-bit cells, for the rows
/// of `block`: (row, k) to panel[k * rows + row].
static void packTensorA(const Mma &mma, const MmaBlock &block,
                        const TensorMemory &tensor, float *panel) {
  uint32_t rows = mma.placement.rows;
  uint32_t perCell = mmaElementsPerCell(mma.shape.a);
  float values[maxElementsPerChunk / 4];
  for (uint32_t c = 0; c < mma.aColumns(); ++c) {
    const uint32_t *column = tensor.column(mma.aTensor.column + c);
    for (uint32_t group = 0; group < block.groups; ++group) {
      for (uint32_t i = 0; i < 16; ++i) {
        // Where rows are shifted the lanes of a block lie side by side.
        uint32_t lane = block.lane[group] + i;
        if (mma.shiftA && group + i > 0)
          --lane;
        loadMmaCell(mma.shape.a, column[lane], values);
        for (uint32_t e = 0; e < perCell; ++e)
          panel[(c * perCell + e) * rows + group * 16 + i] = values[e];
      }
    }
  }
}

static void negatePanel(float *panel, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    panel[i] = -panel[i];
}

/// True if D cannot be accumulated in place: another type than f32, a scale,
/// or lanes that must keep their values.
static bool needsCopyOfD(const Mma &mma) {
  bool disabled = false;
  for (const TensorMemory::LaneSet &lanes : mma.disabledLanes)
    disabled |= lanes.low || lanes.high;
  return mma.shape.d != MmaAccumulator::F32 ||
         (mma.accumulate && mma.scaleInputD != 0) || disabled;
}

/// Accumulates in a copy of D. The sum of an i8 mma's products stays below
/// 2^24, so that f32 forms it exactly and D is added as an integer.
static void multiplyThroughCopy(const Mma &mma, PanelMultiply work,
                                uint32_t firstColumn,
                                const TensorMemory::LaneSet &disabled,
                                TensorMemory &tensor) {
  std::vector<float> &copy = scratch().d;
  copy.resize(size_t(work.n) * TensorMemory::lanes);
  bool isInteger = mma.shape.d == MmaAccumulator::S32;
  bool isHalf = mma.shape.d == MmaAccumulator::F16;
  float scale = std::ldexp(1.0f, -int(mma.scaleInputD));
  auto forEachCell = [&](auto visit) {
    for (uint32_t n = 0; n < work.n; ++n) {
      uint32_t *column = tensor.column(firstColumn + n);
      for (uint32_t group = 0; group < work.groups; ++group)
        for (uint32_t i = 0; i < 16; ++i) {
          uint32_t lane = work.laneOffset[group] + i;
          visit(column[lane], copy[n * TensorMemory::lanes + lane], lane);
        }
    }
  };
  if (mma.accumulate && !isInteger)
    forEachCell([&](uint32_t cell, float &value, uint32_t) {
      value = (isHalf ? f16ToFloat(uint16_t(cell)) : bitsToFloat(cell)) * scale;
    });
  work.d = copy.data();
  work.dColumnStride = TensorMemory::lanes;
  work.accumulate = mma.accumulate && !isInteger;
  mmaKernels().multiply(work);
  forEachCell([&](uint32_t &cell, float value, uint32_t lane) {
    if (disabled.test(lane))
      return;
    if (isInteger)
      cell = addSaturating(mma.accumulate ? cell : 0, int64_t(value),
                           mma.shape.saturate);
    else
      cell = isHalf ? floatToF16(value) : floatToBits(value);
  });
}

/// True if the kernels for 16-bit elements pack the operands.
static bool hasHalfKernels(const MmaDescriptor &shape) {
  return mmaElementBytes(shape.a) == 2 && !shape.sparse;
}

bool Mma::chains(const Mma &next) const {
  return next.accumulate && shape == next.shape && d.lane == next.d.lane &&
         d.column == next.d.column && !aInTensorMemory &&
         !next.aInTensorMemory && hasHalfKernels(shape) &&
         !needsCopyOfD(*this) && !needsCopyOfD(next) && !zeroColumns.used() &&
         !next.zeroColumns.used();
}

/// Packs A of mma number `index` of a chain, from shared memory.
static void packSharedA(const Mma &mma, uint32_t index, const std::byte *origin,
                        float *panel) {
  uint32_t rows = mma.placement.rows, k = mma.shape.storedK();
  panel += index * k * rows;
  if (hasHalfKernels(mma.shape))
    mmaKernels().packTransposed(mma.a, origin, mma.shape.a, rows, panel);
  else
    packElements(mma.a, origin, mma.shape.a, rows, k, panel);
}

/// Packs one CTA's part of B of a chain.
static Panel packB(const Mma *mmas, uint32_t count, const std::byte *origin,
                   float *buffer) {
  const MmaDescriptor &shape = mmas[0].shape;
  uint32_t rows = mmas[0].rowsOfB;
  const MmaZeroColumns &zero = mmas[0].zeroColumns;
  if (!hasHalfKernels(shape) || zero.used()) {
    packElements(mmas[0].b, origin, shape.b, rows, shape.k(), buffer);
    Panel panel = {buffer + zero.shift, 1, rows};
    for (uint32_t n = 0; n < shape.n && zero.any(); ++n)
      for (uint32_t k = 0; k < shape.k() && zero.test(n); ++k)
        panel.data[n + k * rows] = 0;
    return panel;
  }
  Panel panel;
  for (uint32_t index = 0; index < count; ++index)
    panel = mmaKernels().packB(mmas[index].b, origin, shape.b, rows, index,
                               count, buffer);
  return panel;
}

/// What tensor memory must hold: D's columns and A's, and what is read of them
/// must have been written.
static bool checkTensor(const Mma &mma, const TensorMemory &tensor,
                        std::string &error) {
  const MmaPlacement &placement = mma.placement;
  if (!tensor.checkAllocated(mma.d.column, placement.cellColumns, error)) {
    error = "operand D: " + error + " any more when the mma completes";
    return false;
  }
  if (mma.accumulate)
    for (unsigned i = 0; i < placement.blockCount; ++i) {
      const MmaBlock &block = placement.blocks[i];
      if (!tensor.checkWritten(mma.d.column + block.cellColumn, block.columns,
                               block.lanes(), error)) {
        error = "operand D: " + error;
        return false;
      }
    }
  if (!mma.aInTensorMemory)
    return true;
  if (!tensor.checkAllocated(mma.aTensor.column, mma.aColumns(), error)) {
    error = "operand A: " + error + " any more when the mma completes";
    return false;
  }
  if (!tensor.checkWritten(mma.aTensor.column, mma.aColumns(),
                           placement.lanes(), error)) {
    error = "operand A: " + error;
    return false;
  }
  return true;
}

/// One block of D of one CTA.
static bool multiplyBlock(const Mma &mma, const MmaBlock &block,
                          const PanelMultiply &panels,
                          const TensorMemory::LaneSet &disabled,
                          TensorMemory &tensor, Numerics numerics,
                          std::string &error) {
  const MmaDescriptor &shape = mma.shape;
  uint32_t firstColumn = mma.d.column + block.cellColumn;
  PanelMultiply work = panels;
  work.groups = block.groups;
  work.n = block.columns;
  work.laneOffset = block.lane.data();
  if (shape.sparse || shape.scaleBlocks) {
    GeneralBlock general{mma, block, work.a, work.b, disabled};
    if (!multiplyGeneral(general, tensor, numerics, error))
      return false;
  } else if (numerics == Numerics::Exact && shape.d != MmaAccumulator::S32) {
    ExactMultiply exact;
    exact.work = work;
    exact.cells = tensor.column(firstColumn);
    exact.model.output =
        shape.d == MmaAccumulator::F16 ? ExactOutput::F16 : ExactOutput::F32;
    exact.a = exactFormat(shape.a);
    exact.b = exactFormat(shape.b);
    exact.scale = mma.scaleInputD;
    exact.disabled[0] = disabled.low;
    exact.disabled[1] = disabled.high;
    multiplyExactly(exact);
  } else if (needsCopyOfD(mma)) {
    multiplyThroughCopy(mma, work, firstColumn, disabled, tensor);
  } else {
    work.d = reinterpret_cast<float *>(tensor.column(firstColumn));
    mmaKernels().multiply(work);
  }
  TensorMemory::LaneSet enabled = block.lanes();
  enabled.low &= ~disabled.low;
  enabled.high &= ~disabled.high;
  for (uint32_t n = 0; n < block.columns; ++n)
    tensor.markWritten(firstColumn + n, enabled);
  return true;
}

bool Mma::landChain(const Mma *mmas, uint32_t count, const MmaCtas &ctas,
                    Numerics numerics, std::string &error) {
  const Mma &first = mmas[0];
  const MmaDescriptor &shape = first.shape;
  const MmaPlacement &placement = first.placement;
  Scratch &memory = scratch();
  Panel b[2];
  for (unsigned p = 0; p < ctas.count; ++p) {
    if (!checkTensor(first, *ctas.tensor[p], error)) {
      if (ctas.count == 2)
        error += p == 0 ? " (in the even CTA of the pair)"
                        : " (in the odd CTA of the pair)";
      return false;
    }
    b[p] = packB(mmas, count, ctas.shared[p].origin(),
                 memory.b + p * (maxPanelFloats / 2));
  }
  PanelMultiply work;
  work.a = memory.a;
  work.k = shape.k() * count;
  work.dColumnStride = TensorMemory::columnStride;
  work.accumulate = first.accumulate;
  // The sign of a product is all that a negation changes.
  bool negate = shape.negateA != shape.negateB;
  uint32_t panelSize = placement.rows * shape.storedK() * count;
  for (unsigned p = 0; p < ctas.count; ++p) {
    TensorMemory &tensor = *ctas.tensor[p];
    if (!first.aInTensorMemory) {
      for (uint32_t index = 0; index < count; ++index)
        packSharedA(mmas[index], index, ctas.shared[p].origin(), memory.a);
      if (negate)
        negatePanel(memory.a, panelSize);
    }
    for (unsigned i = 0; i < placement.blockCount; ++i) {
      const MmaBlock &block = placement.blocks[i];
      if (first.aInTensorMemory) {
        packTensorA(first, block, tensor, memory.a);
        if (negate)
          negatePanel(memory.a, panelSize);
      }
      work.b = b[block.firstColumn / placement.columnsOfB];
      work.b.data +=
          size_t(block.firstColumn % placement.columnsOfB) * work.b.rowStride;
      if (!multiplyBlock(first, block, work, first.disabledLanes[p], tensor,
                         numerics, error)) {
        if (ctas.count == 2)
          error += p == 0 ? " (in the even CTA of the pair)"
                          : " (in the odd CTA of the pair)";
        return false;
      }
    }
  }
  return true;
}

} // namespace bwgemm::emulator
