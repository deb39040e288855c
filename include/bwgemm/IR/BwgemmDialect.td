//===- BwgemmDialect.td - The bwgemm dialect ---------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_DIALECT_TD
#define BWGEMM_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Bwgemm_Dialect : Dialect {
  let name = "bwgemm";
  let cppNamespace = "::mlir::bwgemm";
  let summary = "Matrix multiplication on NVIDIA tensor cores";
  let description = [{
    The dialect carries a matrix multiplication from `linalg` to the tensor
    cores in three levels, each readable and each verified:

    1. `bwgemm.gemm` says *what* is computed.
    2. The **tile program** (`accumulator`, `load`, `mma`, `store`) says *how*
       one CTA does its share. It means what it says when run in order.
    3. The **asynchronous program** says *when*, and *who*: `tma_load` signals
       an `mbarrier`, `tcgen05.mma` accumulates in tensor memory and
       `tcgen05.commit` reports it, and waits carry explicit phases.

    The types hold what the hardware would only find out at run time: shapes,
    element types, which mode is contiguous, and the swizzle.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

/// Memory that the effects of our ops are on. Generic passes may not move a
/// tensor-memory load over an MMA, but may move it over a global store.
def Bwgemm_SharedMemory : Resource<"::mlir::bwgemm::SharedMemory">;
def Bwgemm_TensorMemory : Resource<"::mlir::bwgemm::TensorMemory">;
def Bwgemm_BarrierState : Resource<"::mlir::bwgemm::BarrierState">;

class Bwgemm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Bwgemm_Dialect, mnemonic, traits>;

#endif // BWGEMM_DIALECT_TD
