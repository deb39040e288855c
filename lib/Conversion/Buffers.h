//===- Buffers.h - Which ops touch which memory -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_CONVERSION_BUFFERS_H
#define BWGEMM_LIB_CONVERSION_BUFFERS_H

#include "mlir/IR/Operation.h"

namespace mlir::bwgemm {

/// Whether two buffers may share memory. Allocations are their own memory, and
/// distinct arguments of a function are distinct buffers, as bufferization
/// assumes of tensors.
bool mayAlias(Value lhs, Value rhs);

/// Whether two buffers share memory for certain: they are the same one, the one
/// is a part of the other one, or both are parts that meet.
bool overlaps(Value lhs, Value rhs);

/// Whether `op` may read or write memory that `buffer` looks at.
bool touches(Operation *op, Value buffer);

/// Whether `op` may write memory that `buffer` looks at.
bool mayWrite(Operation *op, Value buffer);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_CONVERSION_BUFFERS_H
