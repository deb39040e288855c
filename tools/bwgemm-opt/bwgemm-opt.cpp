//===- bwgemm-opt.cpp - mlir-opt with the bwgemm dialect ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

static constexpr llvm::StringLiteral kOverview =
    "bwgemm-opt: mlir-opt with the bwgemm dialect and its passes\n\n"
    "The whole way from linalg to PTX and host code:\n"
    "  bwgemm-opt matmul.mlir --bwgemm-lower=\"target=sm_100a schedule=auto\"\n"
    "One step of it:\n"
    "  bwgemm-opt matmul.mlir --convert-linalg-to-bwgemm\n"
    "  bwgemm-opt gemm.mlir --bwgemm-assign-schedule=schedule=swizzle\n"
    "Every step:\n"
    "  bwgemm-opt matmul.mlir --bwgemm-lower --mlir-print-ir-after-all \\\n"
    "    --mlir-print-ir-after-change\n";

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::bwgemm::registerDialect(registry);
  mlir::registerAllPasses();
  mlir::bwgemm::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, kOverview, registry));
}
