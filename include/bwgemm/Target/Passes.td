//===- Passes.td - Passes that make binaries ---------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_PASSES_TD
#define BWGEMM_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizeTensors : Pass<"bwgemm-bufferize", "::mlir::ModuleOp"> {
  let summary = "tensors to memrefs";
  let description = [{
    Upstream's one-shot bufferization over function boundaries, then
    `bwgemm-results-to-arguments`. What would be copied first, a fill or a constant
    of one number that several ops begin with, is filled anew for each. A module
    without tensors keeps its own
    allocations, and only returned buffers become arguments; another is marked
    with `bwgemm.bufferized`.
  }];
}

def DeallocateBuffers : Pass<"bwgemm-deallocate", "::mlir::ModuleOp"> {
  let summary = "free the buffers that bufferization allocated";
  let description = [{
    Upstream's deallocation pipeline, in a module that `bwgemm-bufferize` has
    marked. It comes after `convert-linalg-to-bwgemm`, since its canonicalizer
    erases products that have no elements.
  }];
}

def ResultsToArguments : Pass<"bwgemm-results-to-arguments", "::mlir::ModuleOp"> {
  let summary = "buffers that functions return to arguments";
  let description = [{
    After bufferization, so that whoever calls a function chooses where its
    results lie, in host or in device memory. A result that is an argument
    anyway (`outs` of a matmul on tensors) is dropped: the argument is updated in
    place. Any other result becomes an argument behind the others, and takes the
    place of the buffer that the function allocated for it.

    ```mlir
    func.func @f(%a: memref<4xf32>, %c: memref<4xf32>) -> (memref<4xf32>, memref<?xf32>) {
      %d = memref.alloc(%n) : memref<?xf32>
      return %c, %d : memref<4xf32>, memref<?xf32>
    }
    // becomes
    func.func @f(%a: memref<4xf32>, %c: memref<4xf32>, %d: memref<?xf32>) { return }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SerializeKernels : Pass<"bwgemm-serialize", "::mlir::ModuleOp"> {
  let summary = "kernels to PTX and, with ptxas, cubin";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` whose first object is the PTX
    text. Where ptxas is found (`ptxas` option, `CUDA_HOME`, `PATH`,
    `/usr/local/cuda`, the Python package nvidia-cuda-nvcc), a second object
    holds the cubin that it makes of that very text, and the property `ptxas`
    says how many registers each kernel uses. What ptxas warns of, spills
    included, becomes a warning; where there is no ptxas, a remark says so once.

    A module has exactly one target, an `#nvvm.target` for a GPU that bwgemm
    knows.

    ```mlir
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">] { ... }
    // becomes
    gpu.binary @kernels <#gpu.select_object<0 : i64>> [
      #gpu.object<#nvvm.target<...>, assembly = "...">,
      #gpu.object<#nvvm.target<...>, properties = {ptxas = {...}}, bin = "...">]
    ```

    The names `vprintf`, `__assertfail`, `malloc` and `free` are the only
    functions that a kernel may use without defining them: the GPU provides
    those and no others.
  }];
  let options = [
    Option<"ptxas", "ptxas", "std::string", "\"\"",
           "path of ptxas; empty to look for it; 'none' for PTX only">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"];
}

def DescribeModule : Pass<"bwgemm-describe", "::mlir::ModuleOp"> {
  let summary = "description of the module's functions, as JSON";
  let description = [{
    Writes what a program needs to call the public functions of the module, and
    to check their results, into the module's attribute `bwgemm.description`.
    docs/Description.md lists the fields.

    What it can see depends on when it runs. While functions still hold
    `bwgemm.gemm` ops it writes their arguments and operations; once there are
    launches it adds the kernels, and after `bwgemm-serialize` their registers.
    Every run keeps what earlier ones found.
  }];
}

#endif // BWGEMM_TARGET_PASSES_TD
