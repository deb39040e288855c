//===- Passes.td - Passes that make binaries ---------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_PASSES_TD
#define BWGEMM_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SerializeKernels : Pass<"bwgemm-serialize", "::mlir::ModuleOp"> {
  let summary = "kernels to PTX and, with ptxas, cubin";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` whose first object is the PTX
    text. Where ptxas is found (`ptxas` option, `CUDA_HOME`, `PATH`), a second
    object holds the cubin that it makes of that very text.
  }];
  let options = [
    Option<"ptxas", "ptxas", "std::string", "\"\"",
           "path of ptxas; empty to look for it; 'none' for PTX only">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // BWGEMM_TARGET_PASSES_TD
