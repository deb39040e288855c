//===- EpilogueSyntax.h - Text form of epilogues ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_IR_EPILOGUESYNTAX_H
#define BWGEMM_LIB_IR_EPILOGUESYNTAX_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// `(%sum, %x = %bias[n] : memref<384xf32>) { ... }`.
ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
              SmallVectorImpl<Type> &types, ArrayAttr &maps, Region &region);
void printEpilogue(OpAsmPrinter &printer, Operation *op, OperandRange extras,
                   TypeRange types, ArrayAttr maps, Region &region);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_IR_EPILOGUESYNTAX_H
