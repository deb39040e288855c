//===- TileOps.td - Synchronous tile program -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TILE_OPS_TD
#define BWGEMM_TILE_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_TileCoordOp : Bwgemm_Op<"tile_coord", [Pure, AttrSizedOperandSegments]> {
  let summary = "origin of this CTA's output tile";
  let description = [{
    The row and column of D at which this CTA's tile begins. CTAs are numbered
    along N first: with T = ceil(columns / tileN) tiles in a row,
    `m = (blockIdx.x / T) * tileM` and `n = (blockIdx.x mod T) * tileN`.

    With `at`, the number is another one than `blockIdx.x`. With `raster R of
    %rows`, R rows of tiles are walked together, one column of R tiles after the
    other, so that CTAs that run at one time share operands in L2; the last
    group has the rows that are left.

    `order` says how the tiles of a group are walked:

    - `straight`: each column from its first row down, each group from its first
      column on.
    - `serpentine`: each begins where the one before has ended. Columns are
      walked down and up in turn, groups of rows forth and back in turn, so that
      two tiles in succession always share an operand.
    - `hilbert`: the same, but within squares of R x R tiles, R a power of two,
      along Hilbert's curve, which begins in one corner of the first row and ends
      in the other. What does not fill a square is walked as in `serpentine`.

    Every order is a bijection between numbers and tiles.

    With `cluster [M, N]`, all of this is said of clusters, whose tiles are M x N
    tiles of CTAs; the number is that of the cluster, `blockIdx.x / (M * N)`, and
    the CTA of rank r in it has the tile in row `r mod M` and column `r / M`.
    Tiles may lie outside of D, wholly.

    ```mlir
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns at %tile raster 8 of %rows
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns raster 16 of %rows order hilbert
    %m, %n = bwgemm.tile_coord 128 x 128 of %columns cluster [2, 1]
    ```
  }];
  let arguments = (ins I64Attr:$tileM, I64Attr:$tileN, Index:$columns,
                       Optional<Index>:$tile,
                       DefaultValuedAttr<I64Attr, "1">:$raster,
                       Optional<Index>:$rows,
                       DefaultValuedAttr<Bwgemm_TileOrder, "TileOrder::Straight">:$order,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster);
  let results = (outs Index:$m, Index:$n);
  let assemblyFormat = [{
    $tileM `x` $tileN `of` $columns (`at` $tile^)? (`raster` $raster `of` $rows^)?
    (`order` $order^)? (`cluster` $cluster^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// CTAs of a cluster along M and N; 1 x 1 without clusters.
    std::array<int64_t, 2> getClusterShape() {
      if (std::optional<::llvm::ArrayRef<int64_t>> shape = getCluster())
        return {(*shape)[0], (*shape)[1]};
      return {1, 1};
    }
    /// CTAs of a cluster.
    int64_t getClusterSize() {
      return getClusterShape()[0] * getClusterShape()[1];
    }
  }];
  let hasVerifier = 1;
}

def Bwgemm_AccumulatorOp : Bwgemm_Op<"accumulator", [
    MemoryEffects<[MemAlloc<Bwgemm_TensorMemory>]>]> {
  let summary = "a new accumulator, zero";
  let results = (outs Bwgemm_AccType:$acc);
  let assemblyFormat = "attr-dict `:` qualified(type($acc))";
}

def Bwgemm_LoadOp : Bwgemm_Op<"load", [
    MemoryEffects<[MemRead, MemAlloc<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>]>]> {
  let summary = "bring an operand tile to shared memory";
  let description = [{
    Copies the tile whose first element is at `coordinates` (in elements,
    contiguous dimension last, as in the tensor map) to shared memory. What is
    outside of the tensor is zero. The source is a tensor map, for TMA, or the
    matrix itself.

    ```mlir
    %a = bwgemm.load %map[%m, %k] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    %b = bwgemm.load %matrix[%n, %k] : memref<?x?xbf16> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Bwgemm_TensorMapType, AnyMemRef]>:$source,
                       Variadic<Index>:$coordinates);
  let results = (outs Bwgemm_SmemType:$tile);
  let assemblyFormat = "$source `[` $coordinates `]` attr-dict `:` qualified(type($source)) `->` qualified(type($tile))";
  let extraClassDeclaration = [{
    /// The source of a load by TMA.
    ::mlir::TypedValue<TensorMapType> getMap() {
      return ::llvm::cast<::mlir::TypedValue<TensorMapType>>(getSource());
    }
  }];
  let hasVerifier = 1;
}

def Bwgemm_MmaOp : Bwgemm_Op<"mma", [
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>, MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let summary = "multiply two operand tiles into an accumulator";
  let description = [{
    `acc += A * B^T` with A of M x K and B of N x K, both in shared memory. Sums
    of integers are of i32, all others of f32.
  }];
  let arguments = (ins Bwgemm_AccType:$acc, Bwgemm_SmemType:$a, Bwgemm_SmemType:$b);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` qualified(type($acc)) `,` qualified(type($a)) `,` qualified(type($b))";
  let hasVerifier = 1;
}

def Bwgemm_StoreOp : Bwgemm_Op<"store", [
    IsolatedFromAbove, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Bwgemm_TensorMemory>, MemRead, MemWrite]>]> {
  let summary = "round an accumulator and write it to global memory";
  let description = [{
    Writes the part of the accumulator that lies inside of `d`, its first
    element at `d[m, n]`, rounded to the type of `d` to nearest even. With
    `accumulate`, what `d` held is added before rounding. In the asynchronous
    program the accumulator is in tensor memory or in registers, and all threads
    of the warps that have a part of it take part, after its MMAs are complete.

    ```mlir
    bwgemm.store %acc, %d[%m, %n] : !bwgemm.acc<64x64xf32>, memref<?x?xbf16>
    ```

    With `via %map`, a tensor map of `d`, the result goes out by TMA, in slices
    as wide as the map's box, of which each holds all rows and one row of the
    map's swizzle. A store of TMA writes whole units of 16 bytes along the rows
    of `d`: where that would reach past the end of a row, the tile is written
    without it.

    ```mlir
    bwgemm.store %acc, %d[%m, %n] via %map : !bwgemm.acc<64x64xf32>, memref<256x256xbf16>, !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
    ```

    Those warps are the first ones of the CTA. With `teams` n the first n times
    as many do, each team with an accumulator and a place of its own.

    An `epilogue`, written and meant as that of `bwgemm.gemm`, computes what is
    stored; `m` and `n` of its operands are places in `d`.
  }];
  let arguments = (ins AnyTypeOf<[Bwgemm_AccType, Bwgemm_TmemType, Bwgemm_FragmentType]>:$acc,
                       AnyMemRef:$d, Index:$m, Index:$n,
                       Optional<Bwgemm_TensorMapType>:$map,
                       Variadic<AnyType>:$extras,
                       UnitAttr:$accumulate,
                       OptionalAttr<AffineMapArrayAttr>:$epilogueMaps,
                       DefaultValuedAttr<I64Attr, "1">:$teams);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let builders = [OpBuilder<(ins
    "Value":$acc, "Value":$d, "Value":$m, "Value":$n, "Value":$map,
    "bool":$accumulate)>];
  let assemblyFormat = [{
    $acc `,` $d `[` $m `,` $n `]` (`via` $map^)? (`accumulate` $accumulate^)?
    (`teams` $teams^)?
    (`epilogue` `` custom<Epilogue>($extras, type($extras), $epilogueMaps, $epilogue)^)?
    attr-dict `:` qualified(type($acc)) `,` qualified(type($d)) (`,` qualified(type($map))^)?
  }];
  let extraClassDeclaration = [{
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// The element type of the accumulator.
    Type getSumType();
    /// Creates the same store, epilogue included, of another accumulator.
    StoreOp cloneFor(OpBuilder &builder, Value acc);
  }];
  let hasVerifier = 1;
}

#endif // BWGEMM_TILE_OPS_TD
