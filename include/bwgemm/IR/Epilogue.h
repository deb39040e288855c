//===- Epilogue.h - What is done to a sum before it is stored ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The epilogues of `bwgemm.gemm` and `bwgemm.store`: operands, affine maps
/// from (m, n), a place in D, to places in these, and a region. See
/// docs/Epilogues.md.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_EPILOGUE_H
#define BWGEMM_IR_EPILOGUE_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// The type of the elements that an epilogue reads from an operand of `type`: a
/// memref, or a number, which is its own element.
Type getEpilogueElementType(Type type);

/// Whether `type` is one that an epilogue computes with: f32, f16, bf16, i1,
/// i8, i16 or i32.
bool isEpilogueType(Type type);

/// Whether it is one that an operand may have: all of these but i1.
bool isEpilogueElement(Type type);

/// Whether an epilogue may contain `op`: one of those listed in
/// docs/Epilogues.md, of such types.
bool isEpilogueOp(Operation *op);

/// Whether fast-math flags (`afn`) of `op`, a `math.tanh`, `math.exp` or
/// `math.exp2`, allow the approximation that hardware has (PTX ISA, tanh.approx
/// and ex2.approx). Other functions are the same with the flag.
bool isApproximateOp(Operation *op);

/// Whether an epilogue has functions that take many instructions: exp, log,
/// tanh or erf that are not approximations.
bool computesFunctions(Region &epilogue);

/// Whether `map` says where an epilogue finds the element of an operand: each
/// result is m, n, 0 or, with a batch, b, and none but 0 twice. Its dimensions
/// are (m, n), or (m, n, b) if it depends on b.
bool isEpilogueMap(AffineMap map, bool isBatched);

/// The dimension of D, of rank `rank`, that m, n or b is.
unsigned getDimOfResult(AffineDimExpr place, int64_t rank);

/// "m", "n", "b" or "0".
StringRef getPlaceName(AffineExpr place);

/// Verifies the epilogue of `op`, whose D is of type `d` and whose sums are of
/// type `sum`.
LogicalResult verifyEpilogue(Operation *op, ValueRange extras, ArrayAttr maps,
                             Region &region, MemRefType d, Type sum);

} // namespace mlir::bwgemm

#endif // BWGEMM_IR_EPILOGUE_H
