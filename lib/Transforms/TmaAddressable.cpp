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
  // Of a batch each matrix is addressed by itself.
  int64_t rows = type.getDimSize(type.getRank() - 2);
  int64_t columns = type.getDimSize(type.getRank() - 1);
  int64_t rowStride = strides[type.getRank() - 2];
  // One column has no distance between its elements.
  if (isStatic(strides.back()) && strides.back() != 1 && columns != 1)
    return operand + "has a stride of " + std::to_string(strides.back()) +
           " elements along its rows; TMA needs contiguous rows";
  int64_t pitch = rowStride * bytes;
  // One row has no pitch; an empty matrix is never loaded.
  bool hasPitch = rows != 1 && rows != 0 && columns != 0;
  if (hasPitch && isStatic(rowStride) && pitch % kTmaAlignment != 0)
    return operand + "has a row pitch of " + std::to_string(pitch) +
           " bytes; TMA needs a multiple of 16";
  if (hasPitch && isStatic(rowStride) && pitch < 0)
    return operand + "has a row pitch of " + std::to_string(pitch) +
           " bytes; TMA needs pitches that are not negative";
  if (hasPitch && isStatic(rowStride) && pitch >= (int64_t(1) << 40))
    return operand + "has a row pitch of " + std::to_string(pitch) +
           " bytes; TMA needs less than 2^40";
  if (type.getRank() == 3 && type.getDimSize(0) != 1 &&
      isStatic(strides.front()) && strides.front() * bytes % kTmaAlignment != 0)
    return operand + "has matrices " + std::to_string(strides.front() * bytes) +
           " bytes apart; TMA needs a multiple of 16";
  if (isStatic(offset) && offset * bytes % kTmaAlignment != 0)
    return operand + "starts " + std::to_string(offset * bytes) +
           " bytes into its buffer; TMA needs a multiple of 16";
  return std::nullopt;
}
