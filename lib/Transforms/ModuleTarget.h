//===- ModuleTarget.h - The target of a module ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_MODULETARGET_H
#define BWGEMM_LIB_TRANSFORMS_MODULETARGET_H

#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::bwgemm {

/// The target that the module's `bwgemm.target` names, sm_100a where it names
/// none; an error at the module for one that is not known.
FailureOr<const TargetInfo *> getModuleTarget(ModuleOp module);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_MODULETARGET_H
