//===- MBarrierOps.cpp - Verifiers of mbarrier ops ===//
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

// mbarrier_c2, on every op of the family
LogicalResult MBarrierInitOp::verify() {
  auto count = static_cast<int64_t>(getCount());
  // mbarrier_init_c1: PTX ISA, mbarrier: the expected arrival count.
  constexpr int64_t maxCount = (1 << 20) - 1;
  if (count < 1 || count > maxCount)
    return emitOpError() << "expects an arrival count of 1 to " << maxCount
                         << ", but got " << count;
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

LogicalResult MBarrierInvalOp::verify() {
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

LogicalResult MBarrierArriveOp::verify() {
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

LogicalResult MBarrierArriveExpectTxOp::verify() {
  auto bytes = static_cast<int64_t>(getBytes());
  // mbarrier_arrive_expect_tx_c1: a single operand of 2^20 traps.
  if (bytes < 0 || bytes >= kMaxTransactionBytes)
    return emitOpError() << "expects 0 to " << kMaxTransactionBytes - 1
                         << " bytes, but got " << bytes;
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

LogicalResult MBarrierWaitOp::verify() {
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}
