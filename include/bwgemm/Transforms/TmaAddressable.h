//===- TmaAddressable.h - What TMA can address ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_TMAADDRESSABLE_H
#define BWGEMM_TRANSFORMS_TMAADDRESSABLE_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>

namespace mlir::bwgemm {

/// Why a matrix of this type can never be the source of a tensor map, with the
/// numbers, or nothing if it can as far as the type tells: contiguous rows, a
/// row pitch and a first element at a multiple of 16 bytes (the refusals of
/// cuTensorMapEncodeTiled). What is dynamic is checked when the map is made.
/// `name` is the operand's name in the message.
std::optional<std::string> whyNotTmaAddressable(MemRefType type,
                                                llvm::StringRef name);

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_TMAADDRESSABLE_H
