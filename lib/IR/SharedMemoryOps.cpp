//===- SharedMemoryOps.cpp - Verifiers of shared-memory ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/TargetInfo.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// An offset that is set is not negative and has the alignment of what lives
/// there, and its `bytes` end within shared memory.
static LogicalResult verifyOffset(Operation *op, std::optional<uint64_t> offset,
                                  int64_t alignment, int64_t bytes) {
  if (!offset)
    return success();
  auto value = static_cast<int64_t>(*offset);
  if (value < 0 || value % alignment != 0)
    return op->emitOpError() << "expects an offset that is a multiple of "
                             << alignment << " bytes, but got " << value;
  if (value > kMaxSharedBytes - bytes)
    return op->emitOpError()
           << "expects an offset of at most " << kMaxSharedBytes - bytes
           << ", so that its " << bytes << " bytes end within shared memory ("
           << kMaxSharedBytes << "), but got " << value;
  return success();
}

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
