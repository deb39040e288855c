//===- bwgemm-opt.cpp - mlir-opt with the bwgemm dialect ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::bwgemm::BwgemmDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "bwgemm optimizer driver\n", registry));
}
