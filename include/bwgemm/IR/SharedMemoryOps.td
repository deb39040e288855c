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

def Bwgemm_StMatrixOp : Bwgemm_Op<"stmatrix", [
    MemoryEffects<[MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "store a fragment of 16 rows to a tile";
  let description = [{
    A whole warp stores 16 rows x 8 or 16 columns of a `k_major` tile of 16-bit
    elements, of which the first is at `origin` (stage if there are stages, row,
    column). Rows and columns are multiples of 8. The fragment is that of
    `bwgemm.tmem_load` of shape `16x256b`: with t = t0 + 4 t1 and
    r = p + 2 q + 4 j, element r of thread t is at row t1 + 8 q, column
    8 j + 2 t0 + p. The tile's swizzle is applied.

    PTX `stmatrix.sync.aligned.m8n8.x2` or `.x4.shared.b16`.

    ```mlir
    bwgemm.stmatrix %v, %tile[%stage, %row, %column] : vector<8xbf16>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F16, BF16]>:$fragment,
                       Bwgemm_SmemType:$tile, Variadic<Index>:$origin);
  let assemblyFormat = "$fragment `,` $tile `[` $origin `]` attr-dict `:` qualified(type($fragment)) `,` qualified(type($tile))";
  let hasVerifier = 1;
}

def Bwgemm_SmemStoreOp : Bwgemm_Op<"smem_store", [
    MemoryEffects<[MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "store neighbouring elements to a tile";
  let description = [{
    A thread stores 8 or 16 bytes of a row of a `k_major` tile, of which the
    first element is at `origin` (stage if there are stages, row, column), a
    multiple of the vector's length. The tile's swizzle is applied; it keeps 16
    bytes together. PTX `st.shared`.

    ```mlir
    bwgemm.smem_store %v, %tile[%stage, %row, %column] : vector<4xf32>, !bwgemm.smem<2x128x32xf32, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F16, BF16, F32, I32]>:$vector,
                       Bwgemm_SmemType:$tile, Variadic<Index>:$origin);
  let assemblyFormat = "$vector `,` $tile `[` $origin `]` attr-dict `:` qualified(type($vector)) `,` qualified(type($tile))";
  let hasVerifier = 1;
}

def Bwgemm_WarpsBarrierOp : Bwgemm_Op<"warps_barrier", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                   MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>,
                   MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "a barrier of some warps of the CTA";
  let description = [{
    `threads` threads, whole warps, meet at barrier `id`; the CTA's other warps
    do not take part. Barrier 0 is that of `gpu.barrier`. Warps of `group` g,
    for example those of a warpgroup, meet at barrier `id` + g. PTX `bar.sync
    id, threads`.

    ```mlir
    bwgemm.warps_barrier 1, 128
    bwgemm.warps_barrier 1, 128 group %warpgroup
    ```
  }];
  let arguments = (ins I32Attr:$id, I32Attr:$threads, Optional<Index>:$group);
  let assemblyFormat = "$id `,` $threads (`group` $group^)? attr-dict";
  let hasVerifier = 1;
}

def Bwgemm_WarpBarrierOp : Bwgemm_Op<"warp_barrier", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                   MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>,
                   MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "a barrier of the threads of each warp";
  let description = [{
    Orders what all threads of the warp did before it ahead of what any of them
    does behind it, such as the arrival of one thread for all. PTX
    `bar.warp.sync` over all 32 lanes.

    ```mlir
    bwgemm.warp_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // BWGEMM_SHARED_MEMORY_OPS_TD
