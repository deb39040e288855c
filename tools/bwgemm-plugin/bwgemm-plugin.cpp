//===- bwgemm-plugin.cpp - bwgemm for the stock mlir-opt ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=bwgemm-plugin.so
//            --load-pass-plugin=bwgemm-plugin.so
//            --pass-pipeline="builtin.module(bwgemm-lower)" matmul.mlir
//
//===----------------------------------------------------------------------===//

#include "bwgemm/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "bwgemm", BWGEMM_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::bwgemm::registerDialect(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "bwgemm", BWGEMM_VERSION,
          [] { mlir::bwgemm::registerPasses(); }};
}
