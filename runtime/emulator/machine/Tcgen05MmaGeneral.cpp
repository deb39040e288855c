//===- Tcgen05MmaGeneral.cpp - Sparse and block-scaled mmas -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05MmaGeneral.h"
#include "machine/ExactBlockScale.h"
#include "machine/ExactDot.h"
#include "machine/HalfConvert.h"
#include "machine/Tcgen05Sparse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bwgemm::emulator {

uint32_t addSaturating(uint32_t d, int64_t sum, bool saturate) {
  int64_t total = int64_t(int32_t(d)) + sum;
  if (saturate)
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(total);
}

/// The most elements that A stores of a row: e2m1, two per byte.
static constexpr uint32_t maxStored = 64;

namespace {
/// The factors of all rows of A and columns of B of a block, for each group of
/// 32 lanes.
struct Factors {
  uint32_t blocks = 0, rows = 0, columns = 0;
  std::vector<ScaleFactor> a, b;

  const ScaleFactor *ofA(uint32_t lane, uint32_t row) const {
    return &a[(size_t(lane / 32) * rows + row) * blocks];
  }
  const ScaleFactor *ofB(uint32_t lane, uint32_t column) const {
    return &b[(size_t(lane / 32) * columns + column) * blocks];
  }
  bool read(const GeneralBlock &work, const TensorMemory &tensor,
            std::string &error);
};

/// Computes the elements of a block one by one.
class Elements {
public:
  Elements(const GeneralBlock &work, const Factors &factors,
           const SparseIndices &sparse, Numerics numerics);
  /// The bits of D for the bits of C.
  uint32_t compute(uint32_t row, uint32_t column, uint32_t lane, uint32_t c);

private:
  uint32_t place(uint32_t row, uint32_t j) const {
    return sparse.stored ? sparse.index[row * stored + j] : j;
  }
  uint32_t integer(uint32_t row, uint32_t column, uint32_t c) const;
  uint32_t fast(uint32_t row, uint32_t column, uint32_t lane, uint32_t c) const;
  uint32_t exact(uint32_t row, uint32_t column, uint32_t lane, uint32_t c);
  uint32_t exactPacked(uint32_t row, uint32_t column, uint32_t lane,
                       uint32_t c);

  const GeneralBlock &work;
  const MmaDescriptor &shape;
  const Factors &factors;
  const SparseIndices &sparse;
  Numerics numerics;
  uint32_t rows, stored, depth;
  ExactModel model;
  /// Decomposed operands, or twice their values for packed e2m1: A with the
  /// stored elements of a row, B with the K of a column side by side.
  std::vector<ExactTerm> termsA, termsB;
  std::vector<int8_t> twiceA, twiceB;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scale factors
//===----------------------------------------------------------------------===//

static void decodeTable(ScaleType type, const ScaleTable &table, uint32_t first,
                        uint32_t rows, std::vector<ScaleFactor> &factors) {
  factors.clear();
  for (uint32_t group = 0; group < 4; ++group)
    for (uint32_t row = first; row < first + rows; ++row)
      for (uint32_t s = 0; s < table.blocks; ++s)
        factors.push_back(decodeScale(type, table.of(group, row)[s]));
}

bool Factors::read(const GeneralBlock &work, const TensorMemory &tensor,
                   std::string &error) {
  const Mma &mma = work.mma;
  const MmaDescriptor &shape = mma.shape;
  blocks = shape.scaleBlocks;
  rows = mma.placement.rows;
  columns = work.block.columns;
  ScaleTable table;
  const char *name = "A";
  bool done = readScales(tensor, mma.scaleA.column, shape.scaleIdA, rows,
                         blocks, table, error);
  if (done) {
    decodeTable(shape.scaleType, table, 0, rows, a);
    name = "B";
    done = readScales(tensor, mma.scaleB.column, shape.scaleIdB,
                      mma.placement.cellColumns, blocks, table, error);
  }
  if (!done) {
    error = std::string("scale factors of ") + name + ": " + error;
    return false;
  }
  decodeTable(shape.scaleType, table, work.block.cellColumn, columns, b);
  return true;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Elements::Elements(const GeneralBlock &work, const Factors &factors,
                   const SparseIndices &sparse, Numerics numerics)
    : work(work), shape(work.mma.shape), factors(factors), sparse(sparse),
      numerics(numerics), rows(work.mma.placement.rows),
      stored(shape.storedK()), depth(shape.k()) {
  if (shape.d == MmaAccumulator::F16)
    model.output = ExactOutput::F16;
  if (numerics != Numerics::Exact || shape.d == MmaAccumulator::S32)
    return;
  uint32_t columns = work.block.columns;
  bool packed = shape.a == MmaElement::PackedE2M1;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < stored; ++k) {
      float value = work.a[k * rows + row];
      if (packed)
        twiceA.push_back(int8_t(2 * value));
      else
        termsA.push_back(exactElement(exactFormat(shape.a), value));
    }
  for (uint32_t column = 0; column < columns; ++column)
    for (uint32_t k = 0; k < depth; ++k) {
      float value = work.b.data[column * work.b.rowStride + k * work.b.kStride];
      if (packed)
        twiceB.push_back(int8_t(2 * value));
      else
        termsB.push_back(exactElement(exactFormat(shape.b), value));
    }
}

uint32_t Elements::integer(uint32_t row, uint32_t column, uint32_t c) const {
  const float *b = work.b.data + column * work.b.rowStride;
  int64_t sum = 0;
  for (uint32_t j = 0; j < stored; ++j)
    sum += int64_t(work.a[j * rows + row]) *
           int64_t(b[place(row, j) * work.b.kStride]);
  return addSaturating(c, sum, shape.saturate);
}

uint32_t Elements::fast(uint32_t row, uint32_t column, uint32_t lane,
                        uint32_t c) const {
  const float *b = work.b.data + column * work.b.rowStride;
  bool isHalf = shape.d == MmaAccumulator::F16;
  float d = isHalf ? f16ToFloat(uint16_t(c)) : bitsToFloat(c);
  d *= std::ldexp(1.0f, -int(work.mma.scaleInputD));
  uint32_t blocks = shape.scaleBlocks ? shape.scaleBlocks : 1;
  uint32_t perBlock = stored / blocks;
  for (uint32_t s = 0; s < blocks; ++s) {
    float sum = shape.scaleBlocks ? 0 : d;
    for (uint32_t j = s * perBlock; j < (s + 1) * perBlock; ++j)
      sum = std::fma(work.a[j * rows + row], b[place(row, j) * work.b.kStride],
                     sum);
    if (shape.scaleBlocks)
      d = float(double(d) + double(sum) * (factors.ofA(lane, row)[s].value *
                                           factors.ofB(lane, column)[s].value));
    else
      d = sum;
  }
  return isHalf ? floatToF16(d) : floatToBits(d);
}

uint32_t Elements::exact(uint32_t row, uint32_t column, uint32_t lane,
                         uint32_t c) {
  const ExactTerm *a = &termsA[row * stored], *b = &termsB[column * depth];
  ExactTerm gathered[maxStored];
  if (sparse.stored) {
    for (uint32_t j = 0; j < stored; ++j)
      gathered[j] = b[place(row, j)];
    b = gathered;
  }
  int scale = 0;
  if (shape.scaleBlocks) { // One factor of each: mxf8f6f4.
    const ScaleFactor &scaleA = *factors.ofA(lane, row);
    const ScaleFactor &scaleB = *factors.ofB(lane, column);
    if (scaleA.nan || scaleB.nan)
      return 0x7fffffff;
    scale = scaleA.exponent + scaleB.exponent;
  }
  return exactDot(model, a, exactFormat(shape.a), b, exactFormat(shape.b),
                  stored, exactAddend(model, c), work.mma.scaleInputD, scale);
}

uint32_t Elements::exactPacked(uint32_t row, uint32_t column, uint32_t lane,
                               uint32_t c) {
  ScaledDot dot;
  dot.a = &twiceA[row * stored];
  dot.b = &twiceB[column * depth];
  int8_t gathered[maxStored];
  if (sparse.stored) {
    for (uint32_t j = 0; j < stored; ++j)
      gathered[j] = dot.b[place(row, j)];
    dot.b = gathered;
  }
  dot.depth = stored;
  dot.scaleBlock = stored / shape.scaleBlocks;
  dot.scaleA = factors.ofA(lane, row);
  dot.scaleB = factors.ofB(lane, column);
  dot.type = shape.scaleType;
  return exactScaledDot(dot, c);
}

uint32_t Elements::compute(uint32_t row, uint32_t column, uint32_t lane,
                           uint32_t c) {
  if (shape.d == MmaAccumulator::S32)
    return integer(row, column, c);
  if (numerics == Numerics::Fast)
    return fast(row, column, lane, c);
  return shape.a == MmaElement::PackedE2M1 ? exactPacked(row, column, lane, c)
                                           : exact(row, column, lane, c);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Calls `visit(row, column, lane, cell)` for each element of D.
template <typename Visit>
static void forEachElement(const GeneralBlock &work, TensorMemory &tensor,
                           Visit visit) {
  const MmaBlock &block = work.block;
  uint32_t first = work.mma.d.column + block.cellColumn;
  for (uint32_t column = 0; column < block.columns; ++column) {
    uint32_t *cells = tensor.column(first + column);
    for (uint32_t group = 0; group < block.groups; ++group)
      for (uint32_t i = 0; i < 16; ++i) {
        uint32_t lane = block.lane[group] + i;
        visit(16 * group + i, column, lane, cells[lane]);
      }
  }
}

/// Fast sums of a dense, scaled block, by the kernels for plain mmas.
static void multiplyScaledPanels(const GeneralBlock &work,
                                 const Factors &factors, TensorMemory &tensor) {
  static thread_local std::vector<float> sums;
  const MmaBlock &block = work.block;
  sums.resize(size_t(block.columns) * TensorMemory::lanes);
  PanelMultiply multiply;
  multiply.groups = block.groups;
  multiply.n = block.columns;
  multiply.k = work.mma.shape.k() / factors.blocks;
  multiply.d = sums.data();
  multiply.dColumnStride = TensorMemory::lanes;
  multiply.laneOffset = block.lane.data();
  bool accumulate = work.mma.accumulate;
  for (uint32_t s = 0; s < factors.blocks; ++s) {
    multiply.a = work.a + size_t(s) * multiply.k * factors.rows;
    multiply.b = work.b;
    multiply.b.data += size_t(s) * multiply.k * work.b.kStride;
    mmaKernels().multiply(multiply);
    forEachElement(
        work, tensor,
        [&](uint32_t row, uint32_t column, uint32_t lane, uint32_t &cell) {
          double scale = factors.ofA(lane, row)[s].value *
                         factors.ofB(lane, column)[s].value;
          double d = accumulate ? double(bitsToFloat(cell)) : 0;
          d += double(sums[column * TensorMemory::lanes + lane]) * scale;
          cell = floatToBits(float(d));
        });
    accumulate = true;
  }
}

bool multiplyGeneral(const GeneralBlock &work, TensorMemory &tensor,
                     Numerics numerics, std::string &error) {
  const Mma &mma = work.mma;
  const MmaDescriptor &shape = mma.shape;
  Factors factors;
  SparseIndices sparse;
  if (shape.scaleBlocks && !factors.read(work, tensor, error))
    return false;
  if (shape.sparse &&
      !readSparseIndices(shape.a, work.block,
                         mma.metadata.column + shape.sparsitySelector, tensor,
                         sparse, error))
    return false;
  if (!shape.sparse && numerics == Numerics::Fast) {
    multiplyScaledPanels(work, factors, tensor);
    return true;
  }
  Elements elements(work, factors, sparse, numerics);
  forEachElement(
      work, tensor,
      [&](uint32_t row, uint32_t column, uint32_t lane, uint32_t &cell) {
        if (!work.disabled.test(lane))
          cell = elements.compute(row, column, lane, mma.accumulate ? cell : 0);
      });
  return true;
}

} // namespace bwgemm::emulator
