//===- Bwgemm.h - The bwgemm dialect ----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_BWGEMM_H
#define BWGEMM_IR_BWGEMM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::bwgemm {

/// Memory that is not global memory, as resources of memory effects.
struct SharedMemory : public SideEffects::Resource::Base<SharedMemory> {
  StringRef getName() final { return "<SharedMemory>"; }
};
struct TensorMemory : public SideEffects::Resource::Base<TensorMemory> {
  StringRef getName() final { return "<TensorMemory>"; }
};
struct BarrierState : public SideEffects::Resource::Base<BarrierState> {
  StringRef getName() final { return "<BarrierState>"; }
};

} // namespace mlir::bwgemm

#include "bwgemm/IR/BwgemmDialect.h.inc"
#include "bwgemm/IR/BwgemmEnums.h.inc"

#include "bwgemm/IR/ScheduleFields.h"

#define GET_ATTRDEF_CLASSES
#include "bwgemm/IR/BwgemmAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "bwgemm/IR/BwgemmTypes.h.inc"

#define GET_OP_CLASSES
#include "bwgemm/IR/Bwgemm.h.inc"

#endif // BWGEMM_IR_BWGEMM_H
