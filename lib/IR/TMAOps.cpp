//===- TMAOps.cpp - Verifiers of TMA ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult TMALoadOp::verify() {
  // tma_load_c1
  if (failed(verifyCtaGroup(*this, static_cast<int64_t>(getCtaGroup()))))
    return failure();
  if (failed(verifyCopy(*this, getMap().getType(), getCoordinates(),
                        getTile().getType(), getOrigin())))
    return failure();
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

LogicalResult TMAStoreOp::verify() {
  return verifyCopy(*this, getMap().getType(), getCoordinates(),
                    getTile().getType(), getOrigin());
}

// tma_store_wait_c1
LogicalResult TMAStoreWaitOp::verify() {
  auto pending = static_cast<int32_t>(getPending());
  if (pending < 0)
    return emitOpError() << "expects a number of groups of at least 0, but got "
                         << pending;
  return success();
}
