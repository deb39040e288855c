//===- TensorMemoryOps.td - Tensor memory -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TENSOR_MEMORY_OPS_TD
#define BWGEMM_TENSOR_MEMORY_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_TmemSlotOp : Bwgemm_Op<"tmem_slot", [
    MemoryEffects<[MemAlloc<Bwgemm_SharedMemory>]>]> {
  let summary = "word of shared memory for a tensor-memory address";
  let description = "`offset` is set by `bwgemm-plan-resources`.";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Bwgemm_TmemSlotType:$slot);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` qualified(type($slot))";
  let hasVerifier = 1;
}

def Bwgemm_TmemAllocOp : Bwgemm_Op<"tmem_alloc", [
    MemoryEffects<[MemAlloc<Bwgemm_TensorMemory>, MemWrite<Bwgemm_SharedMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let summary = "allocate tensor memory";
  let description = [{
    One whole warp allocates the slot's columns and gives up the right to
    allocate more; the address is written to the slot. The same warp must free
    it. Other warps read it after a barrier between
    `tcgen05_before_thread_sync` and `tcgen05_after_thread_sync` fences.

    With `cta_group 2` one warp in each CTA of a pair does, for both, and there
    is a `bwgemm.cluster.barrier` between this and the partner's
    `bwgemm.tmem_dealloc`.

    PTX `tcgen05.alloc.cta_group::{1,2}.sync.aligned.shared::cta.b32` and
    `tcgen05.relinquish_alloc_permit`.
  }];
  let arguments = (ins Bwgemm_TmemSlotType:$slot,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup);
  let hasVerifier = 1;
  let assemblyFormat = "$slot (`cta_group` $ctaGroup^)? attr-dict `:` qualified(type($slot))";
}

def Bwgemm_TmemGetOp : Bwgemm_Op<"tmem_get", [
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>]>]> {
  let summary = "accumulator at an allocated tensor-memory address";
  let arguments = (ins Bwgemm_TmemSlotType:$slot);
  let results = (outs Bwgemm_TmemType:$tmem);
  let assemblyFormat = "$slot attr-dict `:` qualified(type($slot)) `->` qualified(type($tmem))";
  let hasVerifier = 1;
}

def Bwgemm_TmemDeallocOp : Bwgemm_Op<"tmem_dealloc", [
    MemoryEffects<[MemFree<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let summary = "free tensor memory";
  let description = [{
    By the warp that allocated it, after the last access of every warp. A CTA
    that ends with columns allocated is an error. With `cta_group 2` the partner
    frees them too, and neither does before both are done. PTX
    `tcgen05.dealloc.cta_group::{1,2}.sync.aligned.b32`.
  }];
  let arguments = (ins Bwgemm_TmemType:$tmem, Bwgemm_TmemSlotType:$slot,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup);
  let assemblyFormat = "$tmem `,` $slot (`cta_group` $ctaGroup^)? attr-dict `:` qualified(type($tmem)) `,` qualified(type($slot))";
  let hasVerifier = 1;
}

def Bwgemm_TmemLoadOp : Bwgemm_Op<"tmem_load", [
    MemoryEffects<[MemRead<Bwgemm_TensorMemory>]>]> {
  let summary = "start a load of a fragment from tensor memory";
  let description = [{
    Every thread of a warp receives its part of the fragment that starts at lane
    `lane` and column `column`; warp w of its CTA may access lanes
    `32 * (w mod 4)` to `32 * (w mod 4) + 31`. The result may be used after
    `bwgemm.tmem_wait`.

    | shape | element r of thread t |
    |---|---|
    | `32x32b` | lane t, column r |
    | `16x256b` | with t = t0 + 4 t1, r = p + 2 q + 4 j: lane t1 + 8 q, column 8 j + 2 t0 + p |

    PTX `tcgen05.ld.sync.aligned.SHAPE.xN.b32`; N = 1 to 128 (1 to 32 for
    `16x256b`), a power of two.

    ```mlir
    %v = bwgemm.tmem_load %t[%lane, %column] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
    ```
  }];
  let arguments = (ins Bwgemm_TmemType:$tmem, Index:$lane, Index:$column, Bwgemm_TmemShape:$shape);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$fragment);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Bwgemm_TmemWaitOp : Bwgemm_Op<"tmem_wait", [
    AllTypesMatch<["fragment", "ready"]>,
    MemoryEffects<[MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let summary = "wait for the tensor-memory loads of this thread";
  let description = [{
    Yields the fragment that may be used. The registers of a load that is not
    complete must not be read; passing the fragment through the wait makes that
    a data dependence, so that no later pass can move a use before it.

    PTX `tcgen05.wait::ld.sync.aligned`.

    ```mlir
    %ready = bwgemm.tmem_wait %v : vector<32xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, I32]>:$fragment);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$ready);
  let assemblyFormat = "$fragment attr-dict `:` qualified(type($fragment))";
}

#endif // BWGEMM_TENSOR_MEMORY_OPS_TD
