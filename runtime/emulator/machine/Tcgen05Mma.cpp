//===- Tcgen05Mma.cpp - D = A * B + D in tensor memory ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"
#include "machine/ExactPanel.h"
#include "machine/HalfConvert.h"
#include "machine/Tcgen05MmaKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static bool refuse(MmaRefusal &refusal, std::string message,
                   bool unsupported = false) {
  refusal.message = std::move(message);
  refusal.unsupported = unsupported;
  return false;
}

/// Decodes the descriptor of operand `name` and checks that it fits the kind
/// and the window.
static bool issueShared(const char *name, uint64_t bits, bool mnMajor,
                        uint32_t rows, const MmaDescriptor &shape,
                        const SharedWindow &shared, SharedMatrix &result,
                        MmaRefusal &refusal) {
  std::string prefix = std::string("operand ") + name + ": ";
  MatrixDescriptor descriptor;
  std::string error;
  bool unsupported = false;
  if (!MatrixDescriptor::decode(bits, descriptor, error, unsupported))
    return refuse(refusal, prefix + error, unsupported);
  if (descriptor.atom32) {
    if (shape.kind == MmaKind::TF32 && mnMajor)
      return refuse(refusal,
                    prefix + "the 128B swizzle with 32B atom (layout 1) is not "
                             "modelled",
                    true);
    return refuse(refusal, prefix +
                               "layout 1 (128B swizzle with 32B atom) is "
                               "for an MN-major tf32 operand alone, got "
                               "kind::" +
                               mmaKindName(shape.kind));
  }
  if (shape.kind == MmaKind::TF32 && mnMajor)
    return refuse(refusal, prefix +
                               "an MN-major tf32 operand needs layout 1 (128B "
                               "swizzle with 32B atom)");
  result = SharedMatrix(descriptor, mnMajor);
  uint32_t perChunk = 16 / mmaElementBytes(shape.a);
  uint32_t along = (mnMajor ? rows : shape.k()) / perChunk;
  uint32_t end = result.end(mnMajor ? shape.k() : rows, std::max(along, 1u));
  if (descriptor.start < shared.begin || end > shared.end)
    return refuse(refusal, prefix + "the matrix at shared address " +
                               std::to_string(descriptor.start) + " (LBO " +
                               std::to_string(descriptor.leadingOffset) +
                               ", SBO " +
                               std::to_string(descriptor.strideOffset) +
                               ") ends at " + std::to_string(end) +
                               ", outside of the CTA's shared memory [" +
                               std::to_string(shared.begin) + ", " +
                               std::to_string(shared.end) + ")");
  return true;
}

static bool checkLane(const char *name, uint32_t m, uint32_t lane,
                      MmaRefusal &refusal) {
  if (m == 64 ? lane == 0 || lane == 16 : lane == 0)
    return true;
  return refuse(refusal, std::string("operand ") + name +
                             " begins in tensor memory lane " +
                             std::to_string(lane) + ", expected lane 0" +
                             (m == 64 ? " or 16 for M = 64" : " for M = 128"));
}

bool Mma::issue(const MmaOperands &operands, const TensorMemory &tensor,
                const SharedWindow &shared, Mma &result, MmaRefusal &refusal) {
  Mma mma;
  if (!MmaDescriptor::decode(operands.kind, operands.instructionDescriptor,
                             mma.shape, refusal.message, refusal.unsupported))
    return false;
  const MmaDescriptor &shape = mma.shape;
  mma.d = TensorAddress(operands.d);
  mma.accumulate = operands.accumulate;
  mma.scaleInputD = operands.scaleInputD;
  mma.disabledLanes.low =
      operands.disabledLanes[0] | uint64_t(operands.disabledLanes[1]) << 32;
  mma.disabledLanes.high =
      operands.disabledLanes[2] | uint64_t(operands.disabledLanes[3]) << 32;
  std::string trap;
  if (!checkLane("D", shape.m, mma.d.lane, refusal))
    return false;
  if (!tensor.checkAllocated(mma.d.column, shape.n, trap))
    return refuse(refusal, "operand D: " + trap);
  mma.aInTensorMemory = operands.aInTensorMemory;
  if (operands.aInTensorMemory) {
    mma.aTensor = TensorAddress(uint32_t(operands.a));
    if (shape.mnMajorA)
      return refuse(refusal, "operand A in tensor memory must be K-major "
                             "(transpose bit 15 clear)");
    if (!checkLane("A", shape.m, mma.aTensor.lane, refusal))
      return false;
    if (mma.aTensor.lane != mma.d.lane)
      return refuse(refusal, "operands A and D begin in tensor memory lanes " +
                                 std::to_string(mma.aTensor.lane) + " and " +
                                 std::to_string(mma.d.lane) +
                                 ", expected the same");
    if (!tensor.checkAllocated(mma.aTensor.column, mma.aColumns(), trap))
      return refuse(refusal, "operand A: " + trap);
  } else if (!issueShared("A", operands.a, shape.mnMajorA, shape.m, shape,
                          shared, mma.a, refusal)) {
    return false;
  }
  if (!issueShared("B", operands.b, shape.mnMajorB, shape.n, shape, shared,
                   mma.b, refusal))
    return false;
  result = mma;
  return true;
}

TensorMemory::LaneSet Mma::lanes() const {
  if (shape.m == 128)
    return {~0ull, ~0ull};
  uint64_t half = 0x0000ffff0000ffffull << d.lane;
  return {half, half};
}

//===----------------------------------------------------------------------===//
// Landing
//===----------------------------------------------------------------------===//

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

/// A from tensor memory, packed by element size into 32-bit cells: (row, k) to
/// panel[k * M + row].
static void packTensorA(const Mma &mma, const TensorMemory &tensor,
                        float *panel) {
  uint32_t m = mma.shape.m, bytes = mmaElementBytes(mma.shape.a);
  uint32_t perCell = 4 / bytes;
  for (uint32_t c = 0; c < mma.aColumns(); ++c) {
    const uint32_t *column = tensor.column(mma.aTensor.column + c);
    for (uint32_t group = 0; group < m / 16; ++group) {
      const uint32_t *cells =
          column + mmaLaneOfGroup(m, mma.aTensor.lane, group);
      for (uint32_t e = 0; e < perCell; ++e)
        for (uint32_t i = 0; i < 16; ++i) {
          std::byte element[4];
          std::memcpy(element, cells + i, 4);
          panel[(c * perCell + e) * m + group * 16 + i] =
              loadMmaElement(mma.shape.a, element + e * bytes);
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
  return mma.shape.d != MmaAccumulator::F32 ||
         (mma.accumulate && mma.scaleInputD != 0) || mma.disabledLanes.low ||
         mma.disabledLanes.high;
}

static uint32_t addSaturating(uint32_t d, int64_t sum, bool saturate) {
  int64_t total = int64_t(int32_t(d)) + sum;
  if (saturate)
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(total);
}

/// Accumulates in a copy of D. The sum of an i8 mma's products stays below
/// 2^24, so that f32 forms it exactly and D is added as an integer.
static void multiplyThroughCopy(const Mma &mma, PanelMultiply work,
                                TensorMemory &tensor) {
  std::vector<float> &copy = scratch().d;
  copy.resize(size_t(work.n) * TensorMemory::lanes);
  bool isInteger = mma.shape.d == MmaAccumulator::S32;
  bool isHalf = mma.shape.d == MmaAccumulator::F16;
  float scale = std::ldexp(1.0f, -int(mma.scaleInputD));
  auto forEachCell = [&](auto visit) {
    for (uint32_t n = 0; n < work.n; ++n) {
      uint32_t *column = tensor.column(mma.d.column + n);
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
    if (mma.disabledLanes.test(lane))
      return;
    if (isInteger)
      cell = addSaturating(mma.accumulate ? cell : 0, int64_t(value),
                           mma.shape.saturate);
    else
      cell = isHalf ? floatToF16(value) : floatToBits(value);
  });
}

bool Mma::chains(const Mma &next) const {
  return next.accumulate && shape == next.shape && d.lane == next.d.lane &&
         d.column == next.d.column && !aInTensorMemory &&
         !next.aInTensorMemory && mmaElementBytes(shape.a) == 2 &&
         !needsCopyOfD(*this) && !needsCopyOfD(next);
}

/// Packs the operands of one mma of a chain.
static void packOperands(const Mma &mma, uint32_t index, uint32_t count,
                         const TensorMemory &tensor, const std::byte *origin,
                         PanelMultiply &work) {
  const MmaKernels &kernels = mmaKernels();
  const MmaDescriptor &shape = mma.shape;
  Scratch &memory = scratch();
  uint32_t k = shape.k();
  float *panelA = memory.a + index * k * shape.m;
  if (mma.aInTensorMemory)
    packTensorA(mma, tensor, panelA);
  else if (k == 16)
    kernels.packTransposed(mma.a, origin, shape.a, shape.m, panelA);
  else
    packAnyElement(mma.a, origin, shape.a, shape.m, panelA);
  // The sign of a product is all that a negation changes.
  if (shape.negateA != shape.negateB)
    negatePanel(panelA, shape.m * k);
  if (k == 16) {
    work.b =
        kernels.packB(mma.b, origin, shape.b, shape.n, index, count, memory.b);
  } else {
    packAnyElement(mma.b, origin, shape.b, shape.n, memory.b);
    work.b = {memory.b, 1, shape.n};
  }
}

bool Mma::landChain(const Mma *mmas, uint32_t count, TensorMemory &tensor,
                    const SharedWindow &shared, Numerics numerics,
                    std::string &error) {
  const Mma &first = mmas[0];
  const MmaDescriptor &shape = first.shape;
  const TensorAddress &d = first.d;
  TensorMemory::LaneSet used = first.lanes();
  if (first.accumulate &&
      !tensor.checkWritten(d.column, shape.n, used, error)) {
    error = "operand D: " + error;
    return false;
  }
  if (first.aInTensorMemory &&
      !tensor.checkWritten(first.aTensor.column, first.aColumns(), used,
                           error)) {
    error = "operand A: " + error;
    return false;
  }
  PanelMultiply work;
  for (uint32_t index = 0; index < count; ++index)
    packOperands(mmas[index], index, count, tensor, shared.origin(), work);

  uint32_t laneOffset[8];
  work.groups = shape.m / 16;
  for (uint32_t group = 0; group < work.groups; ++group)
    laneOffset[group] = mmaLaneOfGroup(shape.m, d.lane, group);
  work.a = scratch().a;
  work.n = shape.n;
  work.k = shape.k() * count;
  work.dColumnStride = TensorMemory::columnStride;
  work.laneOffset = laneOffset;
  work.accumulate = first.accumulate;
  if (numerics == Numerics::Exact && shape.d != MmaAccumulator::S32) {
    ExactMultiply exact;
    exact.work = work;
    exact.cells = tensor.column(d.column);
    exact.model.output = shape.d == MmaAccumulator::F16 ? ExactOutput::F16
                                                        : ExactOutput::F32;
    exact.a = exactFormat(shape.a);
    exact.b = exactFormat(shape.b);
    exact.scale = first.scaleInputD;
    exact.disabled[0] = first.disabledLanes.low;
    exact.disabled[1] = first.disabledLanes.high;
    multiplyExactly(exact);
  } else if (needsCopyOfD(first)) {
    multiplyThroughCopy(first, work, tensor);
  } else {
    work.d = reinterpret_cast<float *>(tensor.column(d.column));
    mmaKernels().multiply(work);
  }
  TensorMemory::LaneSet enabled{used.low & ~first.disabledLanes.low,
                                used.high & ~first.disabledLanes.high};
  for (uint32_t n = 0; n < shape.n; ++n)
    tensor.markWritten(d.column + n, enabled);
  return true;
}

} // namespace bwgemm::emulator
