//===- HostOps.cpp - Verifiers of host-side ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult TensorMapEncodeOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  TensorMapType map = getMap().getType();
  // tensor_map_encode_c1
  if (source.getRank() != static_cast<int64_t>(map.getShape().size()))
    return emitOpError() << "expects a box of the source's rank ("
                         << source.getRank() << "), but got "
                         << map.getShape().size();
  // tensor_map_encode_c2
  if (source.getElementType() != getMemoryType(map.getElementType()))
    return emitOpError()
           << "expects the map's element type to be the source's ("
           << source.getElementType() << "), but got " << map.getElementType();
  return success();
}

LogicalResult WorkspaceAllocOp::verify() {
  auto type = cast<MemRefType>(getWorkspace().getType());
  // workspace_alloc_c1
  if (type.getRank() != 2 || !type.getLayout().isIdentity())
    return emitOpError() << "expects a matrix (rank 2) without gaps, but got "
                         << type;
  // workspace_alloc_c2
  if (static_cast<size_t>(type.getNumDynamicDims()) != getSizes().size())
    return emitOpError() << "expects a size for each of the "
                         << type.getNumDynamicDims()
                         << " dynamic dimensions, but got "
                         << getSizes().size();
  return success();
}
