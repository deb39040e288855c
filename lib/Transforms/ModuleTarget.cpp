//===- ModuleTarget.cpp - The target of a module --------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"

using namespace mlir;
using namespace mlir::bwgemm;

FailureOr<const TargetInfo *> bwgemm::getModuleTarget(ModuleOp module) {
  StringRef name = "sm_100a";
  if (auto attr = module->getAttrOfType<StringAttr>("bwgemm.target"))
    name = attr.getValue();
  if (const TargetInfo *target = TargetInfo::find(name))
    return target;
  return module.emitError("unknown bwgemm.target; expects one of ")
         << TargetInfo::getNames();
}
