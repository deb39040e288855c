//===- ClusterOps.td - CTAs that work together -------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_CLUSTER_OPS_TD
#define BWGEMM_CLUSTER_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_ClusterBarrierOp : Bwgemm_Op<"cluster.barrier", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                   MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>,
                   MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "a barrier of all threads of a cluster";
  let description = [{
    All threads of all CTAs of the cluster meet. What each of them wrote before,
    mbarriers that it initialised included, the others see after. It stands
    where a CTA's shared memory begins to be used by its peers, and where it
    ceases to be: a CTA whose peers may still signal its mbarriers must not
    exit.

    PTX `barrier.cluster.arrive.aligned` (which releases) and
    `barrier.cluster.wait.aligned` (which acquires).

    ```mlir
    bwgemm.cluster.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Bwgemm_ClusterMaskOp : Bwgemm_Op<"cluster.mask", [Pure]> {
  let summary = "some CTAs of a cluster, as bits by their rank";
  let description = [{
    In a cluster of M x N CTAs, that of rank r stands in row `r mod M` and column
    `r / M`. As seen by one of them:

    | set | CTAs |
    |---|---|
    | `row` | those of its row, which need the same tile of A |
    | `column` | those of its column, which need the same tile of B; with `cta_group 2` those of them that hold the same half of it |
    | `cross` | those that write to its shared memory, or to its partner's: the rows and columns of the CTAs that multiply together |
    | `pair` | itself and its partner |

    With `cta_group 2` the CTAs of ranks 2p and 2p + 1, which are neighbours in a
    column, are partners, and M is even.

    ```mlir
    %mask = bwgemm.cluster.mask row of [2, 2]
    %mask = bwgemm.cluster.mask cross of [4, 1] cta_group 2
    ```
  }];
  let arguments = (ins Bwgemm_ClusterSet:$set, DenseI64ArrayAttr:$cluster,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup);
  let results = (outs I16:$mask);
  let assemblyFormat = "$set `of` $cluster (`cta_group` $ctaGroup^)? attr-dict";
  let hasVerifier = 1;
}

#endif // BWGEMM_CLUSTER_OPS_TD
