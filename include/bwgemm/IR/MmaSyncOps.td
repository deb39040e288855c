//===- MmaSyncOps.td - cp.async, ldmatrix and mma.sync -----*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_MMA_SYNC_OPS_TD
#define BWGEMM_MMA_SYNC_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_AlignedOp : Bwgemm_Op<"aligned", [Pure]> {
  let summary = "whether the rows of a matrix begin at aligned addresses";
  let description = [{
    True if the first element of the matrix and its pitch are multiples of
    `bytes`, so that copies of that many bytes reach every one of them, and rows
    of one tile (2048 at most) are less than 4 GiB apart. The contiguous dimension
    is the last one.

    ```mlir
    %wide = bwgemm.aligned %a to 16 : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$bytes);
  let results = (outs I1:$result);
  let assemblyFormat = "$source `to` $bytes attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Bwgemm_CopyTileOp : Bwgemm_Op<"copy_tile", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "all threads of the CTA start to copy an operand tile";
  let description = [{
    Copies the tile whose first element is at `source[coordinates]` to `tile`, or
    to stage `stage` of it, in pieces of `bytes` bytes: 16, 8, 4, or one element.
    What is outside of `source` along K, or at `end` along K and behind, becomes
    zero. Rows of M or N outside of `source` hold its last one where the tile is
    `k_major`, and zeros where it is `mn_major`; they reach no element of the
    result.

    With `whole` the tile is known to end in front of the end of K, with `inside`
    all of its rows of M or N are known to be inside of `source`: threads then
    ask for neither. With `part [i, n]` only part i of n is copied, so that
    copies can stand between other operations; all n parts are the tile.

    The copy is complete for a thread when that thread has waited for its
    `cp.async` group, and for the others after a barrier behind that.
    `bwgemm-lower-copies` gives each thread its `bwgemm.cp_async`.

    ```mlir
    bwgemm.copy_tile %a[%m, %k], %tile[%stage] until %end by 16
        : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
    bwgemm.copy_tile %a[%m, %k], %tile[%stage] whole part [0, 3] by 16
        : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$coordinates,
                       Bwgemm_SmemType:$tile, Optional<Index>:$stage,
                       Optional<Index>:$end, UnitAttr:$whole, UnitAttr:$inside,
                       OptionalAttr<DenseI64ArrayAttr>:$part, I64Attr:$bytes);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `,` $tile (`[` $stage^ `]`)? (`until` $end^)?
    (`whole` $whole^)? (`inside` $inside^)? (`part` $part^)? `by` $bytes attr-dict `:` type($source) `,` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def Bwgemm_CpAsyncOp : Bwgemm_Op<"cp_async", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "a thread starts to copy neighbouring elements to a tile";
  let description = [{
    `coordinates` is where in the source the tile begins, the same for all
    threads; `origin` (stage if there are stages, MN, K) is the element of the
    tile at which this thread's `bytes` bytes begin. They come from the same
    place in the source, but for the row, which is `row` behind the tile's first
    one. Of the elements the first `valid` are read, or all without it; zeros are
    written for the others. The tile's swizzle is applied. Distances within a
    tile are below 4 GiB.

    PTX `cp.async.cg.shared.global` of 16 bytes, `cp.async.ca` of 8 or 4, with
    the source size as last operand where there is `valid` (PTX ISA, cp.async);
    one element of 1 or 2 bytes goes through a register and is there at once.

    ```mlir
    bwgemm.cp_async %a[%m, %k] row %from, %tile[%row, %column], %valid by 16
        : memref<?x?xbf16>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
    bwgemm.cp_async %a[%m, %k] row %from, %tile[%row, %column] by 16
        : memref<?x?xbf16>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$coordinates,
                       Index:$row, Bwgemm_SmemType:$tile,
                       Variadic<Index>:$origin, Optional<Index>:$valid,
                       I64Attr:$bytes);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `row` $row `,` $tile `[` $origin `]`
    (`,` $valid^)? `by` $bytes attr-dict `:` type($source) `,` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def Bwgemm_LdMatrixOp : Bwgemm_Op<"ldmatrix", [
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>]>]> {
  let summary = "a warp loads its part of an operand for one step of K";
  let description = [{
    Loads the rows x 16 elements of a tile of which the first is at `origin`
    (stage if there are stages, MN, K) to the registers of a warp; of 8 or 32 bits
    it is as many as 32 bytes hold. The row of `origin` is a multiple of 8 and the
    column of that number.

    PTX `ldmatrix.sync.aligned.m8n8.x4.shared.b16` for 16 rows (`.x2` for 8),
    with `.trans` where the tile is `mn_major` (PTX ISA, ldmatrix). That exchanges
    elements of 16 bits; of other sizes each thread loads its own from such a tile,
    one by one.

    ```mlir
    %a = bwgemm.ldmatrix %tile[%row, %k] : !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B> -> !bwgemm.operand<a, 64x16xbf16>
    ```
  }];
  let arguments = (ins Bwgemm_SmemType:$tile, Variadic<Index>:$origin);
  let results = (outs Bwgemm_OperandType:$operand);
  let assemblyFormat = "$tile `[` $origin `]` attr-dict `:` qualified(type($tile)) `->` qualified(type($operand))";
  let hasVerifier = 1;
}

def Bwgemm_MmaSyncOp : Bwgemm_Op<"mma_sync", [
    Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "a warp multiplies its parts of two operands";
  let description = [{
    `result = acc + A * B^T` for this warp's part of the accumulator and 32 bytes
    of K. A has the rows of one warp's part and B its columns. For every 16 rows
    of A and 8 of B it becomes one PTX `mma.sync.aligned` (PTX ISA, mma):

    | A and B | accumulator | shape |
    |---|---|---|
    | both f16 or both bf16 | f32 | m16n8k16 |
    | both f16 | f16, rounded to nearest | m16n8k16 |
    | each f8E4M3FN or f8E5M2 (sm_89 and later) | f32 | m16n8k32 |
    | each i8 or ui8 | i32 | m16n8k32 |
    | both f32, of which the low 13 bits do not count (tf32) | f32 | m16n8k8 |

    ```mlir
    %sum = bwgemm.mma_sync %acc, %a, %b
        : !bwgemm.fragment<128x128xf32, warps = 2x2>, !bwgemm.operand<a, 64x16xbf16>, !bwgemm.operand<b, 64x16xbf16>
    ```
  }];
  let arguments = (ins Bwgemm_FragmentType:$acc, Bwgemm_OperandType:$a,
                       Bwgemm_OperandType:$b);
  let results = (outs Bwgemm_FragmentType:$result);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` qualified(type($acc)) `,` qualified(type($a)) `,` qualified(type($b))";
  let hasVerifier = 1;
}

def Bwgemm_FragmentExtendOp : Bwgemm_Op<"fragment_extend", [Pure]> {
  let summary = "an accumulator of f16 as one of f32";
  let description = [{
    The same elements in the same threads, as f32, which is exact. What follows
    the sum over K, or over a block of it, is computed in f32.

    PTX `cvt.f32.f16`, one for each element (PTX ISA, cvt).

    ```mlir
    %sum = bwgemm.fragment_extend %acc : !bwgemm.fragment<128x128xf16, warps = 2x2> -> !bwgemm.fragment<128x128xf32, warps = 2x2>
    ```
  }];
  let arguments = (ins Bwgemm_FragmentType:$fragment);
  let results = (outs Bwgemm_FragmentType:$result);
  let assemblyFormat = "$fragment attr-dict `:` qualified(type($fragment)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // BWGEMM_MMA_SYNC_OPS_TD
