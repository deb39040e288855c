//===- BwgemmDialect.cpp - The bwgemm dialect -----------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"
#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::bwgemm;

#include "bwgemm/IR/BwgemmDialect.cpp.inc"

void BwgemmDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "bwgemm/IR/Bwgemm.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "bwgemm/IR/Bwgemm.cpp.inc"
