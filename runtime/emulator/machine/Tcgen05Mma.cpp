//===- Tcgen05Mma.cpp - D = A * B + D in tensor memory ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Mma.h"
#include "machine/Tcgen05Sparse.h"

#include <algorithm>

namespace bwgemm::emulator {

static bool refuse(MmaRefusal &refusal, std::string message,
                   bool unsupported = false) {
  refusal.message = std::move(message);
  refusal.unsupported = unsupported;
  return false;
}

/// Decodes the descriptor of operand `name` and checks that it fits the kind
/// and the window.
static bool issueShared(const char *name, uint64_t bits, bool mnMajor,
                        uint32_t rows, uint32_t depth, MmaElement element,
                        const MmaDescriptor &shape, const SharedWindow &shared,
                        SharedMatrix &result, MmaRefusal &refusal) {
  std::string prefix = std::string("operand ") + name + ": ";
  MatrixDescriptor descriptor;
  std::string error;
  bool unsupported = false;
  if (!MatrixDescriptor::decode(bits, descriptor, error, unsupported))
    return refuse(refusal, prefix + error, unsupported);
  bool needsAtom32 = shape.kind == MmaKind::TF32 && mnMajor;
  if (descriptor.atom32 && !needsAtom32)
    return refuse(refusal, prefix +
                               "layout 1 (128B swizzle with 32B atom) is "
                               "for an MN-major tf32 operand alone, got "
                               "kind::" +
                               mmaKindName(shape.kind));
  if (needsAtom32 && !descriptor.atom32)
    return refuse(refusal, prefix +
                               "an MN-major tf32 operand needs layout 1 (128B "
                               "swizzle with 32B atom)");
  result = SharedMatrix(descriptor, mnMajor);
  uint32_t along = (mnMajor ? rows : depth) / mmaElementsPerChunk(element);
  if (!mnMajor && along > 2 && descriptor.swizzle == TensorSwizzle::B32)
    return refuse(refusal,
                  prefix + "64 bytes of K in a 32B swizzle are not modelled; "
                           "64B, 128B and none are",
                  true);
  uint32_t end = result.end(mnMajor ? depth : rows, std::max(along, 1u));
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

/// Where operand `name` in tensor memory may begin.
static bool checkLane(const char *name, const MmaPlacement &placement,
                      uint32_t lane, MmaRefusal &refusal) {
  bool half =
      placement.layout == MmaLayout::F || placement.layout == MmaLayout::C;
  if (lane == 0 || (half && lane == 16))
    return true;
  return refuse(refusal,
                std::string("operand ") + name +
                    " begins in tensor memory lane " + std::to_string(lane) +
                    ", expected lane 0" + (half ? " or 16 with " : " with ") +
                    std::to_string(placement.rows) + " rows in each CTA");
}

/// Checks that the columns are allocated in every CTA.
static bool checkColumns(const char *name, const MmaCtas &ctas, uint32_t column,
                         uint32_t count, std::string &text) {
  for (unsigned p = 0; p < ctas.count; ++p)
    if (!ctas.tensor[p]->checkAllocated(column, count, text)) {
      text = std::string("operand ") + name + ": " + text;
      if (ctas.count == 2)
        text += p == 0 ? " in the even CTA of the pair"
                       : " in the odd CTA of the pair";
      return false;
    }
  return true;
}

static bool issueA(const MmaOperands &operands, const MmaCtas &ctas, Mma &mma,
                   MmaRefusal &refusal) {
  const MmaDescriptor &shape = mma.shape;
  mma.aInTensorMemory = operands.aInTensorMemory;
  if (!operands.aInTensorMemory)
    return issueShared("A", operands.a, shape.mnMajorA, mma.placement.rows,
                       shape.storedK(), shape.a, shape, ctas.shared[0], mma.a,
                       refusal);
  mma.shiftA = operands.shiftA;
  if (mma.shiftA && shape.m != 128 && shape.m != 256)
    return refuse(refusal, "M = " + std::to_string(shape.m) +
                               ": .ashift needs an M of 128 or 256");
  mma.aTensor = TensorAddress(uint32_t(operands.a));
  if (shape.mnMajorA)
    return refuse(refusal, "operand A in tensor memory must be K-major "
                           "(transpose bit 15 clear)");
  if (!checkLane("A", mma.placement, mma.aTensor.lane, refusal))
    return false;
  if (mma.aTensor.lane != mma.d.lane)
    return refuse(refusal, "operands A and D begin in tensor memory lanes " +
                               std::to_string(mma.aTensor.lane) + " and " +
                               std::to_string(mma.d.lane) +
                               ", expected the same");
  return checkColumns("A", ctas, mma.aTensor.column, mma.aColumns(),
                      refusal.message);
}

/// The form .ws: which columns of B take part, and are zero.
static bool issueColumns(const MmaOperands &operands, Mma &mma,
                         MmaRefusal &refusal) {
  const MmaDescriptor &shape = mma.shape;
  if (!MmaZeroColumns::decode(operands.zeroColumns, shape.m, shape.n,
                              shape.maxShift, mma.zeroColumns, refusal.message))
    return false;
  mma.rowsOfB = mma.placement.columnsOfB + mma.zeroColumns.shift;
  uint32_t perChunk = mmaElementsPerChunk(shape.b);
  if (shape.mnMajorB)
    mma.rowsOfB = (mma.rowsOfB + perChunk - 1) / perChunk * perChunk;
  return true;
}

static bool issueMetadata(const MmaOperands &operands, const MmaCtas &ctas,
                          Mma &mma, MmaRefusal &refusal) {
  if (!mma.shape.sparse)
    return true;
  mma.metadata = TensorAddress(operands.metadata);
  if (mma.metadata.lane != mma.d.lane)
    return refuse(refusal, "the sparsity metadata and D begin in tensor memory "
                           "lanes " +
                               std::to_string(mma.metadata.lane) + " and " +
                               std::to_string(mma.d.lane) +
                               ", expected the same");
  if (mma.metadata.column % 2 != 0)
    return refuse(refusal,
                  "the sparsity metadata begins in tensor memory column " +
                      std::to_string(mma.metadata.column) +
                      "; an odd column is not modelled, use the selector",
                  true);
  return checkColumns("sparsity metadata", ctas,
                      mma.metadata.column + mma.shape.sparsitySelector,
                      metadataColumns(mma.shape.a), refusal.message);
}

static bool issueScales(const MmaOperands &operands, const MmaCtas &ctas,
                        Mma &mma, MmaRefusal &refusal) {
  if (!mma.shape.scaleBlocks)
    return true;
  mma.scaleA = TensorAddress(operands.scaleA);
  mma.scaleB = TensorAddress(operands.scaleB);
  for (const TensorAddress *address : {&mma.scaleA, &mma.scaleB})
    if (address->lane != 0)
      return refuse(refusal, "scale factors begin in tensor memory lane " +
                                 std::to_string(address->lane) +
                                 ", expected lane 0");
  return checkColumns("scale factors of A", ctas, mma.scaleA.column,
                      scaleColumns(mma.placement.rows), refusal.message) &&
         checkColumns("scale factors of B", ctas, mma.scaleB.column,
                      scaleColumns(mma.placement.cellColumns), refusal.message);
}

bool Mma::issue(const MmaOperands &operands, const MmaCtas &ctas, Mma &result,
                MmaRefusal &refusal) {
  Mma mma;
  MmaForm form(operands.kind);
  form.ctas = operands.ctas;
  form.ws = operands.ws;
  form.sparse = operands.sparse;
  form.scaleBlocks = operands.scaleBlocks;
  if (!MmaDescriptor::decode(form, operands.instructionDescriptor, mma.shape,
                             refusal.message, refusal.unsupported))
    return false;
  const MmaDescriptor &shape = mma.shape;
  mma.d = TensorAddress(operands.d);
  mma.placement = MmaPlacement(shape, mma.d.lane);
  mma.accumulate = operands.accumulate;
  mma.scaleInputD = operands.scaleInputD;
  for (unsigned p = 0; p < ctas.count; ++p) {
    const uint32_t *words = operands.disabledLanes.data() + 4 * p;
    mma.disabledLanes[p] = {words[0] | uint64_t(words[1]) << 32,
                            words[2] | uint64_t(words[3]) << 32};
  }
  if (!checkLane("D", mma.placement, mma.d.lane, refusal) ||
      !checkColumns("D", ctas, mma.d.column, mma.placement.cellColumns,
                    refusal.message) ||
      !issueA(operands, ctas, mma, refusal) ||
      !issueColumns(operands, mma, refusal) ||
      !issueMetadata(operands, ctas, mma, refusal) ||
      !issueScales(operands, ctas, mma, refusal) ||
      // The CTAs of a cluster have equal amounts of shared memory: a matrix
      // that fits the one fits the other.
      !issueShared("B", operands.b, shape.mnMajorB, mma.rowsOfB, shape.k(),
                   shape.b, shape, ctas.shared[0], mma.b, refusal))
    return false;
  result = mma;
  return true;
}

} // namespace bwgemm::emulator
