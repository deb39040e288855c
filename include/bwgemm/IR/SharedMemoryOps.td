//===- SharedMemoryOps.td - Shared memory and threads -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_SHARED_MEMORY_OPS_TD
#define BWGEMM_SHARED_MEMORY_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_SmemAllocOp : Bwgemm_Op<"smem_alloc", [
    MemoryEffects<[MemAlloc<Bwgemm_SharedMemory>]>]> {
  let summary = "operand tiles in shared memory";
  let description = [{
    Tiles that live as long as the kernel. `offset` is the place in the CTA's
    dynamic shared memory, in bytes; `bwgemm-plan-resources` sets it, to a
    multiple of the swizzle's pattern.

    ```mlir
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Bwgemm_SmemType:$tile);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` qualified(type($tile))";
  let hasVerifier = 1;
}

def Bwgemm_FenceOp : Bwgemm_Op<"fence", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                   MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>,
                   MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "order memory operations";
  let description = [{
    | kind | PTX | orders |
    |---|---|---|
    | `mbarrier_init` | `fence.mbarrier_init.release.cluster` | mbarrier initialisation before use by others |
    | `async_shared` | `fence.proxy.async.shared::cta` | generic shared stores before the async proxy's accesses |
    | `tcgen05_before_thread_sync` | `tcgen05.fence::before_thread_sync` | earlier tcgen05 operations before a later synchronisation |
    | `tcgen05_after_thread_sync` | `tcgen05.fence::after_thread_sync` | a synchronisation before later tcgen05 operations |

    ```mlir
    bwgemm.fence mbarrier_init
    ```
  }];
  let arguments = (ins Bwgemm_FenceKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

def Bwgemm_ElectOp : Bwgemm_Op<"elect", [
    MemoryEffects<[MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "true in one thread of the warp";
  let description = [{
    PTX `elect.sync` over all 32 lanes: the whole warp must reach it together,
    so it has an effect that keeps it where it stands.

    ```mlir
    %elected = bwgemm.elect
    ```
  }];
  let results = (outs I1:$elected);
  let assemblyFormat = "attr-dict";
}

def Bwgemm_WarpIdOp : Bwgemm_Op<"warp_id", [Pure]> {
  let summary = "number of this warp in its CTA";
  let description = [{
    `threadIdx.x / 32`, broadcast from lane 0 with `shfl.sync` so that the
    assembler sees a warp-uniform value and branches on it stay uniform.
  }];
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict";
}

#endif // BWGEMM_SHARED_MEMORY_OPS_TD
