//===- MBarrierOps.td - mbarrier objects -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_MBARRIER_OPS_TD
#define BWGEMM_MBARRIER_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_MBarrierAllocOp : Bwgemm_Op<"mbarrier.alloc", [
    MemoryEffects<[MemAlloc<Bwgemm_BarrierState>]>]> {
  let summary = "mbarrier objects in shared memory";
  let description = [{
    An array of 8-byte mbarrier objects. `offset` is set by
    `bwgemm-plan-resources`. They must be initialised before use.

    ```mlir
    %full = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<4>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Bwgemm_MBarrierType:$barriers);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` qualified(type($barriers))";
  let hasVerifier = 1;
}

class Bwgemm_MBarrierOp<string mnemonic, dag extra = (ins)>
    : Bwgemm_Op<"mbarrier." # mnemonic, [
        MemoryEffects<[MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>,
                       MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                       MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let arguments = !con((ins Bwgemm_MBarrierType:$barriers, Index:$index), extra);
  let hasVerifier = 1;
}

def Bwgemm_MBarrierInitOp : Bwgemm_MBarrierOp<"init", (ins I64Attr:$count)> {
  let summary = "initialise an mbarrier";
  let description = [{
    Sets phase 0 and the number of arrivals that complete a phase, 1 to 2^20-1.
    PTX `mbarrier.init.shared.b64`.

    ```mlir
    bwgemm.mbarrier.init %full[%i], 1 : !bwgemm.mbarrier<4>
    ```
  }];
  let assemblyFormat = "$barriers `[` $index `]` `,` $count attr-dict `:` qualified(type($barriers))";
}

def Bwgemm_MBarrierInvalOp : Bwgemm_MBarrierOp<"inval"> {
  let summary = "end the life of an mbarrier";
  let description = "PTX `mbarrier.inval.shared.b64`: its memory may then be used for something else.";
  let assemblyFormat = "$barriers `[` $index `]` attr-dict `:` qualified(type($barriers))";
}

def Bwgemm_MBarrierArriveOp : Bwgemm_MBarrierOp<"arrive", (ins Optional<Index>:$rank, UnitAttr:$readers)> {
  let summary = "arrive at an mbarrier";
  let description = [{
    One arrival of this thread. PTX `mbarrier.arrive.shared.b64`. With `of`, it
    is at the mbarrier at the same place in the CTA of that rank in the cluster,
    and releases at cluster scope: PTX
    `mbarrier.arrive.release.cluster.shared::cluster.b64` at an address from
    `mapa`. An arrival of `readers` hands over what has been read and not
    written, so that no write has to reach other CTAs before it, which takes as
    long as to all of the GPU; it is at CTA scope: PTX
    `mbarrier.arrive.shared::cluster.b64`.

    ```mlir
    bwgemm.mbarrier.arrive %empty[%i] : !bwgemm.mbarrier<4>
    bwgemm.mbarrier.arrive %empty[%i] of %rank : !bwgemm.mbarrier<4>
    bwgemm.mbarrier.arrive %empty[%i] of %rank readers : !bwgemm.mbarrier<4>
    ```
  }];
  let assemblyFormat = "$barriers `[` $index `]` (`of` $rank^)? (`readers` $readers^)? attr-dict `:` qualified(type($barriers))";
}

def Bwgemm_MBarrierArriveExpectTxOp : Bwgemm_MBarrierOp<"arrive_expect_tx", (ins I64Attr:$bytes)> {
  let summary = "expect bytes and arrive";
  let description = [{
    Adds `bytes` to the transactions that the current phase waits for, then
    arrives. PTX `mbarrier.arrive.expect_tx.shared.b64`. The tx-count of a
    phase stays below 2^20.

    ```mlir
    bwgemm.mbarrier.arrive_expect_tx %full[%i], 16384 : !bwgemm.mbarrier<4>
    ```
  }];
  let assemblyFormat = "$barriers `[` $index `]` `,` $bytes attr-dict `:` qualified(type($barriers))";
}

def Bwgemm_MBarrierWaitOp : Bwgemm_MBarrierOp<"wait", (ins I32:$parity, UnitAttr:$cluster)> {
  let summary = "wait for the phase of a parity to complete";
  let description = [{
    Blocks until the phase with this parity has completed: on a fresh barrier
    parity 1 passes at once, parity 0 waits for the first phase. A loop on PTX
    `mbarrier.try_wait.parity`, which acquires at CTA scope or, with `cluster`,
    at that of the cluster: for arrivals of threads of other CTAs.

    ```mlir
    bwgemm.mbarrier.wait %full[%i], %parity : !bwgemm.mbarrier<4>
    ```
  }];
  let assemblyFormat = "$barriers `[` $index `]` `,` $parity (`cluster` $cluster^)? attr-dict `:` qualified(type($barriers))";
}

#endif // BWGEMM_MBARRIER_OPS_TD
