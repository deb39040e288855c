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

    With `multicast` it lands at the same place in every CTA of the cluster
    whose bit is set, and signals the mbarrier at the same place there. With
    `cta_group 2` the mbarrier that it signals is that of the leader of each
    receiving CTA's pair, the one with the even rank.

    With `l2 evict_first` the lines that it reads leave L2 ahead of others, with
    `evict_last` behind them, as far as the hardware follows the hint: a policy of
    `createpolicy.fractional` for all of them (PTX ISA, createpolicy).

    PTX `cp.async.bulk.tensor.Nd.shared::cluster.global.tile.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::2}{.L2::cache_hint}`.

    ```mlir
    bwgemm.tma_load %map[%m, %k], %a[%c0, %c0], %full[%i]
        : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%m, %k], %a[%part, %c0], %full[%i] multicast %mask
        : !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%m, %k], %a[%c0, %c0], %full[%i] l2 evict_last
        : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<1>
    ```
  }];
  let arguments = (ins Bwgemm_TensorMapType:$map, Variadic<Index>:$coordinates,
                       Bwgemm_SmemType:$tile, Variadic<Index>:$origin,
                       Bwgemm_MBarrierType:$barriers, Index:$index,
                       Optional<I16>:$mask,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup,
                       DefaultValuedAttr<Bwgemm_L2Eviction, "L2Eviction::Normal">:$eviction);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $tile `[` $origin `]` `,` $barriers `[` $index `]`
    (`multicast` $mask^)? (`cta_group` $ctaGroup^)?
    (`l2` $eviction^)?
    attr-dict `:` qualified(type($map)) `,` qualified(type($tile)) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
}

def Bwgemm_TMAStoreOp : Bwgemm_Op<"tma_store", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>, MemWrite]>]> {
  let summary = "start a TMA copy of one box from shared to global memory";
  let description = [{
    One thread starts the copy of that part of `tile` whose first element is at
    `origin` (stage if there are stages, MN and K, in elements) to the map's box
    at `coordinates` (contiguous dimension last). The box agrees with the tile
    as for `bwgemm.tma_load`. What lies outside of the tensor is not written,
    but along the contiguous dimension only from the next multiple of 16 bytes
    on (measured on an H200).

    Generic stores to the tile come before, each followed by a fence
    `async_shared` in its thread, and a barrier. The same thread commits the
    copy to a group and waits for the group.

    PTX `cp.async.bulk.tensor.Nd.global.shared::cta.tile.bulk_group`.

    ```mlir
    bwgemm.tma_store %map[%m, %n], %tile[%stage, %c0, %c0]
        : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins Bwgemm_TensorMapType:$map, Variadic<Index>:$coordinates,
                       Bwgemm_SmemType:$tile, Variadic<Index>:$origin);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $tile `[` $origin `]`
    attr-dict `:` qualified(type($map)) `,` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def Bwgemm_TMAStoreCommitOp : Bwgemm_Op<"tma_store.commit", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "make a group of this thread's TMA stores";
  let description = [{
    Those that it has started and not committed yet. PTX
    `cp.async.bulk.commit_group`.

    ```mlir
    bwgemm.tma_store.commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Bwgemm_TMAStoreWaitOp : Bwgemm_Op<"tma_store.wait", [
    MemoryEffects<[MemRead, MemWrite, MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "wait for this thread's groups of TMA stores";
  let description = [{
    Until at most `pending` of its latest groups are under way. With `read` it
    waits only until shared memory has been read, so that it may be written
    again, else until the writes are done. PTX `cp.async.bulk.wait_group{.read}`.

    ```mlir
    bwgemm.tma_store.wait 0 read
    ```
  }];
  let arguments = (ins I32Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

#endif // BWGEMM_TMA_OPS_TD
