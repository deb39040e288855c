//===- SharedMemoryOps.cpp - Verifiers of shared-memory ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/TargetInfo.h"

using namespace mlir;
using namespace mlir::bwgemm;

// smem_alloc_c1
LogicalResult SmemAllocOp::verify() {
  SmemType type = getTile().getType();
  return verifyOffset(*this, getOffset(), type.getAlignment(), type.getBytes());
}

// mbarrier_alloc_c1
LogicalResult MBarrierAllocOp::verify() {
  return verifyOffset(*this, getOffset(), 8,
                      8 * getBarriers().getType().getCount());
}

// tmem_slot_c2
LogicalResult TmemSlotOp::verify() {
  return verifyOffset(*this, getOffset(), 4, 4);
}

LogicalResult StMatrixOp::verify() {
  VectorType type = getFragment().getType();
  // stmatrix_c1: two or four matrices of 8 x 8.
  int64_t elements = type.getNumElements();
  if (elements != 4 && elements != 8)
    return emitOpError() << "expects a fragment of 4 or 8 elements, but got "
                         << elements;
  return verifyTileWrite(*this, getTile().getType(), getOrigin(),
                         type.getElementType(), /*rows=*/16,
                         /*columns=*/2 * elements, /*rowStep=*/8,
                         /*columnStep=*/8);
}

LogicalResult SmemStoreOp::verify() {
  VectorType type = getVector().getType();
  // smem_store_c1
  int64_t elements = type.getNumElements();
  int64_t bytes = elements * type.getElementTypeBitWidth() / 8;
  if (bytes != 8 && bytes != 16)
    return emitOpError() << "expects a vector of 8 or 16 bytes, but got "
                         << bytes;
  return verifyTileWrite(*this, getTile().getType(), getOrigin(),
                         type.getElementType(), /*rows=*/1, elements,
                         /*rowStep=*/1, elements);
}

LogicalResult WarpsBarrierOp::verify() {
  // warps_barrier_c1: PTX ISA, bar: a CTA has 16.
  auto id = static_cast<int32_t>(getId());
  if (id < 1 || id > 15)
    return emitOpError() << "expects a barrier of 1 to 15, but got " << id;
  // warps_barrier_c2
  auto threads = static_cast<int32_t>(getThreads());
  if (threads < 32 || threads > 1024 || threads % 32 != 0)
    return emitOpError() << "expects a number of threads of 32 to 1024 that is "
                            "a multiple of 32, but got "
                         << threads;
  return success();
}
