//===- Sides.h - One side of producers and consumers ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_SIDES_H
#define BWGEMM_LIB_TRANSFORMS_SIDES_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::bwgemm {

/// Whether an op brings operand tiles: `ring.acquire` and `ring.commit by tma`
/// of a ring in shared memory, and `tma_load`.
bool fillsOperands(Operation *op);

/// Clones into `builder` those ops of `block` that satisfy `keep`, together
/// with what they need: pure ops, loops, and the iteration arguments of loops
/// that matter. Ops with effects that do not satisfy `keep` are left out.
/// `mapping` receives the values of the clones.
void cloneSide(OpBuilder &builder, Block &block,
               llvm::function_ref<bool(Operation *)> keep, IRMapping &mapping);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_SIDES_H
