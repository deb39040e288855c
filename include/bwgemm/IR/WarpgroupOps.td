//===- WarpgroupOps.td - wgmma and its fragments -----------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_WARPGROUP_OPS_TD
#define BWGEMM_WARPGROUP_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_FragmentZeroOp : Bwgemm_Op<"fragment_zero", [Pure]> {
  let summary = "an accumulator in registers, zero";
  let description = [{
    ```mlir
    %acc = bwgemm.fragment_zero : !bwgemm.fragment<128x256xf32>
    ```
  }];
  let results = (outs Bwgemm_FragmentType:$fragment);
  let assemblyFormat = "attr-dict `:` qualified(type($fragment))";
}

def Bwgemm_PromoteOp : Bwgemm_Op<"promote", [
    Pure, AllTypesMatch<["sum", "part", "total", "start"]>]> {
  let summary = "add an accumulator to a sum that is rounded to nearest";
  let description = [{
    `total = sum + part`, element by element in fp32, rounded to nearest even,
    which tensor cores do not do when they accumulate. `start` is where the next
    accumulator begins: zero, or with `compensated` the error of this addition,
    exactly `sum + part - total` (Knuth's two-sum), which so enters the next
    sum. Parts of f16 are extended ahead of it (`bwgemm.fragment_extend`), and
    their accumulators begin at zero each.

    PTX `add.rn.f32`, one for each element, six with `compensated` (PTX ISA,
    add).

    ```mlir
    %total, %start = bwgemm.promote %sum, %part : !bwgemm.fragment<128x128xf32, warps = 2x2>
    %total, %start = bwgemm.promote %sum, %part compensated : !bwgemm.fragment<128x128xf32, warps = 2x2>
    ```
  }];
  let arguments = (ins Bwgemm_FragmentType:$sum, Bwgemm_FragmentType:$part,
                       UnitAttr:$compensated);
  let results = (outs Bwgemm_FragmentType:$total, Bwgemm_FragmentType:$start);
  let assemblyFormat = "$sum `,` $part (`compensated` $compensated^)? attr-dict `:` qualified(type($sum))";
  let hasVerifier = 1;
}

def Bwgemm_WarpgroupMmaOp : Bwgemm_Op<"warpgroup_mma", [
    AllTypesMatch<["acc", "result"]>,
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>]>]> {
  let summary = "multiply two operand tiles into an accumulator in registers";
  let description = [{
    `result = acc + A * B^T` with A of M x K and B of N x K in shared memory.
    Every warp of the M / 64 warpgroups takes part; `warpgroup` is the number of
    the one that this warp is in, which multiplies rows `64 * warpgroup` to
    `64 * warpgroup + 63` of A. The operands have been read when it ends.

    An accumulator may have fewer rows than A, of which it then has some blocks
    of 64, each that of a warpgroup, and `warpgroup` says which block.

    With `async` it is only the `wgmma.mma_async`: the operands are being read,
    and the result is not there, until the group that it is committed to has been
    waited for (`nvvm.wgmma.commit.group.sync.aligned`,
    `nvvm.wgmma.wait.group.sync.aligned`). `nvvm.wgmma.fence.aligned` comes ahead
    of it.

    One PTX instruction covers 64 rows and 32 bytes of K (16 elements of f16 or
    bf16): `wgmma.fence`, then K / 16 `wgmma.mma_async.m64nNk16`,
    `wgmma.commit_group` and `wgmma.wait_group 0`.

    | A and B | accumulator | K of one instruction |
    |---|---|---|
    | both f16 or both bf16 | f32 | 16 |
    | each f8E4M3FN or f8E5M2 | f32, of which 13 bits of the fraction are kept | 32 |
    | each i8 or ui8 | i32 | 32 |
    | both f32, of which the low 13 bits do not count (tf32) | f32 | 8 |

    N is a multiple of 8 up to 256, of integers 8, 24 or a multiple of 16. But for
    16 bits, both operands are `k_major` (PTX ISA, wgmma.mma_async, transposes).

    ```mlir
    %sum = bwgemm.warpgroup_mma %acc, %a, %b in %warpgroup
        : !bwgemm.fragment<128x256xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xbf16, k_major, swizzle = 128B>
    %sum = bwgemm.warpgroup_mma async %acc, %a, %b in %block
        : !bwgemm.fragment<64x128xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins Bwgemm_FragmentType:$acc, Bwgemm_SmemType:$a,
                       Bwgemm_SmemType:$b, Index:$warpgroup, UnitAttr:$async);
  let results = (outs Bwgemm_FragmentType:$result);
  let assemblyFormat = "(`async` $async^)? $acc `,` $a `,` $b `in` $warpgroup attr-dict `:` qualified(type($acc)) `,` qualified(type($a)) `,` qualified(type($b))";
  let hasVerifier = 1;
}

def Bwgemm_FragmentReadOp : Bwgemm_Op<"fragment_read", [Pure]> {
  let summary = "some columns of an accumulator in registers";
  let description = [{
    What this thread holds of the warp's 16 rows from `row` on and its columns
    from `column` on: with t = t0 + 4 t1 the number of the thread in its warp,
    and r = p + 2 q + 4 j, element r is at row `row + t1 + 8 q`, column
    `column + 8 j + 2 t0 + p` of the warp's part. `row` is a multiple of 16,
    `column` of 8, and the vector's length of 4.

    ```mlir
    %v = bwgemm.fragment_read %acc[0, 64] : !bwgemm.fragment<128x256xf32> -> vector<32xf32>
    ```
  }];
  let arguments = (ins Bwgemm_FragmentType:$fragment, I64Attr:$row,
                       I64Attr:$column);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$part);
  let assemblyFormat = "$fragment `[` $row `,` $column `]` attr-dict `:` qualified(type($fragment)) `->` type($part)";
  let hasVerifier = 1;
}

#endif // BWGEMM_WARPGROUP_OPS_TD
