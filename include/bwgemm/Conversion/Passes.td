//===- Passes.td - Conversions -----------------------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_CONVERSION_PASSES_TD
#define BWGEMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToBwgemm : Pass<"convert-linalg-to-bwgemm", "::mlir::ModuleOp"> {
  let summary = "matrix multiplications of linalg to bwgemm.gemm";
  let description = [{
    Takes `linalg.matmul`, `linalg.batch_matmul` and contractions written as
    `linalg.generic` on memrefs, in every form that their indexing maps give to
    the operands, with at most one batch dimension, outermost. A `linalg.fill` of zero that is the only writer of the
    output before it disappears, and the gemm overwrites; otherwise it
    accumulates into what the output holds.

    Elementwise ops that read the result join the gemm's epilogue, one after the
    other; docs/Epilogues.md says which.

    A contraction that cannot be a gemm is an error that says why, and so is an
    elementwise op that cannot join.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%d : memref<512x384xf32>)
    linalg.matmul ins(%a, %b : memref<512x256xbf16>, memref<256x384xbf16>) outs(%d : memref<512x384xf32>)
    // becomes
    bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
    ```
  }];
  let dependentDialects = ["::mlir::bwgemm::BwgemmDialect"];
}

def ConvertBwgemmToNVVM : Pass<"convert-bwgemm-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "kernels to the NVVM and LLVM dialects";
  let description = [{
    Converts the asynchronous program to NVVM ops, and everything else in the
    kernel with upstream's conversions. Tiles become addresses in dynamic shared
    memory, tensor maps become grid-constant parameters, and an MMA of tiles
    becomes one `nvvm.tcgen05.mma` for each 32 bytes of K, with matrix
    descriptors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def ConvertBwgemmHostToLLVM : Pass<"convert-bwgemm-host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "host code to the LLVM dialect";
  let description = [{
    Host ops become calls of the runtime (`bwgemmHost...`), launches and the rest
    follow upstream's GPU-to-LLVM conversion. Every public function gets MLIR's C
    interface.

    A function that launches kernels begins with `bwgemmHostBegin` and ends with
    `bwgemmHostEnd`, and its launches go to the stream that `bwgemmHostStream`
    yields: they follow each other without waiting, and the end waits for all of
    them.

    ```mlir
    llvm.call @bwgemmHostBegin() : () -> ()
    ...
    %stream = llvm.call @bwgemmHostStream() : () -> !llvm.ptr
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@matmul blocks in ...
    llvm.call @bwgemmHostEnd() : () -> ()
    llvm.return
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

#endif // BWGEMM_CONVERSION_PASSES_TD
