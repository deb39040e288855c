//===- TmaAddressable.cpp - What TMA can address ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/TmaAddressable.h"

#include "bwgemm/IR/TargetInfo.h"

using namespace mlir;
using namespace mlir::bwgemm;

std::optional<std::string> bwgemm::whyNotTmaAddressable(MemRefType type,
                                                        llvm::StringRef name) {
  std::string operand = "operand " + name.str() + " ";
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return operand + "has a layout without strides, which TMA cannot address";
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto isStatic = [](int64_t value) { return !ShapedType::isDynamic(value); };
  // One column has no distance between its elements.
  if (isStatic(strides[1]) && strides[1] != 1 && type.getDimSize(1) != 1)
    return operand + "has a stride of " + std::to_string(strides[1]) +
           " elements along its rows; TMA needs contiguous rows";
  int64_t pitch = strides[0] * bytes;
  // One row has no pitch; an empty matrix is never loaded.
  bool hasPitch = type.getDimSize(0) != 1 && type.getDimSize(0) != 0 &&
                  type.getDimSize(1) != 0;
  if (hasPitch && isStatic(strides[0]) && pitch % kTmaAlignment != 0)
    return operand + "has a row pitch of " + std::to_string(pitch) +
           " bytes; TMA needs a multiple of 16";
  if (hasPitch && isStatic(strides[0]) && pitch >= (int64_t(1) << 40))
    return operand + "has a row pitch of " + std::to_string(pitch) +
           " bytes; TMA needs less than 2^40";
  if (isStatic(offset) && offset * bytes % kTmaAlignment != 0)
    return operand + "starts " + std::to_string(offset * bytes) +
           " bytes into its buffer; TMA needs a multiple of 16";
  return std::nullopt;
}
