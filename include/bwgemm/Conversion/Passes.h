//===- Passes.h - Conversions into and out of the bwgemm dialect -*- C++
//-*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_CONVERSION_PASSES_H
#define BWGEMM_CONVERSION_PASSES_H

#include "bwgemm/IR/Bwgemm.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::bwgemm {

/// Set on a module whose buffers come from tensors, from bufferization until
/// buffers are freed. What a function leaves in an argument then matters only
/// where it returns it.
constexpr llvm::StringLiteral kBufferizedAttr = "bwgemm.bufferized";
/// Set for the same time on arguments that were buffers before: the caller sees
/// what is left in them.
constexpr llvm::StringLiteral kCallersBufferAttr = "bwgemm.callers_buffer";

#define GEN_PASS_DECL
#include "bwgemm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "bwgemm/Conversion/Passes.h.inc"

} // namespace mlir::bwgemm

#endif // BWGEMM_CONVERSION_PASSES_H
