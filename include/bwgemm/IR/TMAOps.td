//===- TMAOps.td - Tensor memory accelerator -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TMA_OPS_TD
#define BWGEMM_TMA_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_TensorMapPrefetchOp : Bwgemm_Op<"tensor_map.prefetch", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "bring a tensor map into the descriptor cache";
  let description = "PTX `prefetch.tensormap`.";
  let arguments = (ins Bwgemm_TensorMapType:$map);
  let assemblyFormat = "$map attr-dict `:` qualified(type($map))";
}

def Bwgemm_TMALoadOp : Bwgemm_Op<"tma_load", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<Bwgemm_SharedMemory>, MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "start a TMA copy of one box from global to shared memory";
  let description = [{
    One thread starts the copy of the map's box at `coordinates` (contiguous
    dimension last) to that part of `tile` whose first element is at `origin`
    (MN and K, in elements). It lands later: the mbarrier receives the box's
    bytes as transactions, out-of-bounds part included.

    The box must be contiguous in the tile: all rows (or a multiple of 8 of
    them) of one column, see `!bwgemm.smem`. Box, element type and swizzle agree
    with the tile's.

    PTX `cp.async.bulk.tensor.Nd.shared::cluster.global.tile.mbarrier::complete_tx::bytes`.

    ```mlir
    bwgemm.tma_load %map[%m, %k], %a[%c0, %c0], %full[%i]
        : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<1>
    ```
  }];
  let arguments = (ins Bwgemm_TensorMapType:$map, Variadic<Index>:$coordinates,
                       Bwgemm_SmemType:$tile, Variadic<Index>:$origin,
                       Bwgemm_MBarrierType:$barriers, Index:$index);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $tile `[` $origin `]` `,` $barriers `[` $index `]`
    attr-dict `:` qualified(type($map)) `,` qualified(type($tile)) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
}

#endif // BWGEMM_TMA_OPS_TD
