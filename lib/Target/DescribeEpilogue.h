//===- DescribeEpilogue.h - Epilogues as JSON -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TARGET_DESCRIBEEPILOGUE_H
#define BWGEMM_LIB_TARGET_DESCRIBEEPILOGUE_H

#include "bwgemm/IR/Bwgemm.h"
#include "llvm/Support/JSON.h"

namespace mlir::bwgemm {

/// The epilogue of `gemm`, as docs/Description.md says. `describeOperand` tells
/// which argument an operand is.
llvm::json::Object
describeEpilogue(GemmOp gemm,
                 llvm::function_ref<llvm::json::Object(Value, llvm::StringRef)>
                     describeOperand);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TARGET_DESCRIBEEPILOGUE_H
