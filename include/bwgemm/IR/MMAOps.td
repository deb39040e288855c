//===- MMAOps.td - Tensor core instructions -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_MMA_OPS_TD
#define BWGEMM_MMA_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_Tcgen05MmaOp : Bwgemm_Op<"tcgen05.mma", [
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>, MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let summary = "start the multiplication of two operand tiles into tensor memory";
  let description = [{
    One thread starts

    ```
    D = A * B^T        where not `accumulate`
    D = D + A * B^T    where `accumulate`
    ```

    with A of M x K and B of N x K in shared memory and D of M x N in tensor
    memory. One PTX instruction covers 32 bytes of K (16 elements of f16 or
    bf16), so a tile becomes K / 16 of them, of which only the first may
    overwrite. Completion is reported through `bwgemm.tcgen05.commit`.

    | A and B | D | kind | K of one instruction |
    |---|---|---|---|
    | both f16 or both bf16 | f32 | `f16` | 16 |
    | each f8E4M3FN or f8E5M2 | f32 | `f8f6f4` | 32 |
    | each i8 or ui8 | i32 | `i8` | 32 |
    | both f32, of which the low 13 bits do not count | f32 | `tf32` | 8 |

    M is 64 or 128; N is a multiple of 8 up to 256 (of 16 for M = 128, of 16 or 8
    or 24 for integers, of 16 for a B of 8 bits that is `mn_major`). Operands of
    f32 are `k_major`.

    With `cta_group 2` a thread of the leader of a pair of CTAs (the one with the
    even rank) starts it for both. A is this CTA's half of the rows, B its half
    of the N columns, and D this CTA's rows of all N columns; the leader's halves
    come first. The partner's are at the same addresses in its own memory. M, of
    both, is 128 (and D is `folded`) or 256, and N a multiple of 32.

    PTX `tcgen05.mma.cta_group::{1,2}.kind::{f16,f8f6f4,i8,tf32}`.

    ```mlir
    bwgemm.tcgen05.mma %d, %a, %b, %accumulate
        : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    bwgemm.tcgen05.mma %d, %a, %b, %accumulate cta_group 2
        : !bwgemm.tmem<128x256xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins Bwgemm_TmemType:$d, Bwgemm_SmemType:$a, Bwgemm_SmemType:$b, I1:$accumulate,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup);
  let assemblyFormat = "$d `,` $a `,` $b `,` $accumulate (`cta_group` $ctaGroup^)? attr-dict `:` qualified(type($d)) `,` qualified(type($a)) `,` qualified(type($b))";
  let hasVerifier = 1;
}

def Bwgemm_Tcgen05CommitOp : Bwgemm_Op<"tcgen05.commit", [
    MemoryEffects<[MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>,
                   MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "arrive at an mbarrier when this thread's MMAs are complete";
  let description = [{
    PTX `tcgen05.commit.cta_group::{1,2}.mbarrier::arrive::one.shared::cluster{.multicast::cluster}.b64`:
    one arrival once every earlier asynchronous tcgen05 operation of this thread
    with the same `cta_group` is complete. It implies
    `tcgen05.fence::before_thread_sync`. With `multicast` the arrivals are at the
    mbarriers at the same place in every CTA of the cluster whose bit is set.

    ```mlir
    bwgemm.tcgen05.commit %empty[%i] : !bwgemm.mbarrier<4>
    bwgemm.tcgen05.commit %empty[%i] multicast %mask cta_group 2 : !bwgemm.mbarrier<4>
    ```
  }];
  let arguments = (ins Bwgemm_MBarrierType:$barriers, Index:$index,
                       Optional<I16>:$mask,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup);
  let assemblyFormat = "$barriers `[` $index `]` (`multicast` $mask^)? (`cta_group` $ctaGroup^)? attr-dict `:` qualified(type($barriers))";
  let hasVerifier = 1;
}

#endif // BWGEMM_MMA_OPS_TD
