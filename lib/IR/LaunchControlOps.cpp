//===- LaunchControlOps.cpp - Verifiers of launch-control ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"
#include "bwgemm/IR/Bwgemm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::bwgemm;

// work_alloc_c1
LogicalResult WorkAllocOp::verify() {
  return verifyOffset(*this, getOffset(), WorkType::kResponseBytes,
                      getWork().getType().getBytes());
}

static LogicalResult verifyOneResponse(Operation *op, WorkType type) {
  if (type.getCount() != 1)
    return op->emitOpError() << "expects one response, but got " << type;
  return success();
}

LogicalResult WorkSliceOp::verify() {
  // work_slice_c1
  if (failed(verifyOneResponse(*this, getResponse().getType())))
    return failure();
  // work_slice_c2
  IntegerAttr constant;
  int64_t count = getResponses().getType().getCount();
  if (matchPattern(getIndex(), m_Constant(&constant))) {
    int64_t index = constant.getValue().getSExtValue();
    if (index < 0 || index >= count)
      return emitOpError() << "expects an index of 0 to " << count - 1
                           << ", but got " << index;
  }
  return success();
}

LogicalResult LaunchControlRequestOp::verify() {
  // launch_control_request_c1
  if (failed(verifyOneResponse(*this, getResponse().getType())))
    return failure();
  return verifyBarrierIndex(*this, getBarriers().getType(), getIndex());
}

// launch_control_read_c1
LogicalResult LaunchControlReadOp::verify() {
  return verifyOneResponse(*this, getResponse().getType());
}
