//===- GemmOps.td - What is computed -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_GEMM_OPS_TD
#define BWGEMM_GEMM_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_YieldOp : Bwgemm_Op<"yield", [
    Pure, Terminator, ParentOneOf<["GemmOp", "StoreOp"]>]> {
  let summary = "what an epilogue stores";
  let description = [{
    Ends the epilogue of a `bwgemm.gemm` or `bwgemm.store`: the element of D.

    ```mlir
    bwgemm.yield %y : bf16
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Bwgemm_GemmOp : Bwgemm_Op<"gemm", [
    IsolatedFromAbove, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix multiplication";
  let description = [{
    Computes

    ```
    D = op(A) * op(B)          or, with `accumulate`,
    D = D + op(A) * op(B)
    ```

    with op(A) of M x K, op(B) of K x N and D of M x N. `transpose_a` says that
    A is stored as K x M, `transpose_b` that B is stored as N x K (the
    K-contiguous form that tensor cores prefer).

    | elements of A and B | sums | D without an epilogue |
    |---|---|---|
    | both f16, both bf16, both f32, or each of them f8E4M3FN or f8E5M2 | f32 | f32, f16, bf16 |
    | both i8 | i32 | i32 |

    Whatever the type of D, sums are rounded to it once, to nearest even. Integers
    are signed; `unsigned_a` and `unsigned_b` say that those of A or B are not.
    Their products are exact, and their sums are modulo 2^32.

    Any extent may be dynamic or zero. With K = 0 and without `accumulate`, D
    becomes zero.

    With a batch D has a leading dimension, and so has A, or B, or both; an
    operand without one is the same for all matrices of the batch.

    An `epilogue` computes each element of D from its sum: the region's first
    argument is the sum, f32 unless it says i32, with what D held if the gemm
    accumulates, and what it yields is stored: f32, f16, bf16 or, of sums of
    integers, i32. Each further argument is an element of an operand:
    `%x[m, n]` of a matrix as large as D, `%x[n, m]` of its transpose, `%x[n]` of
    a vector with one element for each column, `%x[m]` for each row, `%x[0, n]`
    of a matrix of one row, `%x[]` of a memref without dimensions, and `%x` is a
    number; with a batch, `%x[b, m, n]` is that of the same matrix of another one. Ops of the region are those of arith and math on numbers, listed in
    docs/Epilogues.md; each rounds to its own type, and none is fused with
    another one. An operand may be D itself, at `[m, n]`; else D shares no memory
    with any operand.

    `schedule` says how, and `fallback` how where TMA cannot address A or B,
    which is found out at run time.

    ```mlir
    bwgemm.gemm %a, %b, %d transpose_b
        : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    bwgemm.gemm %p, %q, %e transpose_b unsigned_a
        : memref<512x256xi8>, memref<384x256xi8>, memref<512x384xi32>
    bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %bias[n] : memref<384xf32>) {
      %y = arith.addf %sum, %x : f32
      %z = arith.truncf %y : f32 to bf16
      bwgemm.yield %z : bf16
    } : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16>
    ```
  }];
  let arguments = (ins
    AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$d,
    Variadic<AnyType>:$extras,
    UnitAttr:$transposeA, UnitAttr:$transposeB,
    UnitAttr:$unsignedA, UnitAttr:$unsignedB, UnitAttr:$accumulate,
    OptionalAttr<Bwgemm_ScheduleAttr>:$schedule,
    OptionalAttr<Bwgemm_ScheduleAttr>:$fallback,
    OptionalAttr<AffineMapArrayAttr>:$epilogueMaps);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $a `,` $b `,` $d (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    (`unsigned_a` $unsignedA^)? (`unsigned_b` $unsignedB^)?
    (`accumulate` $accumulate^)? (`schedule` $schedule^)?
    (`fallback` $fallback^)?
    (`epilogue` `` custom<Epilogue>($extras, type($extras), $epilogueMaps, $epilogue)^)?
    attr-dict `:` type($a) `,` type($b) `,` type($d)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasEpilogue() { return !getEpilogue().empty(); }
    MemRefType getAType() { return cast<MemRefType>(getA().getType()); }
    MemRefType getBType() { return cast<MemRefType>(getB().getType()); }
    MemRefType getDType() { return cast<MemRefType>(getD().getType()); }
    /// Which dimension of an operand is M, N or K.
    unsigned getMDimOfA() { return getAType().getRank() - (getTransposeA() ? 1 : 2); }
    unsigned getKDimOfA() { return getAType().getRank() - (getTransposeA() ? 2 : 1); }
    unsigned getNDimOfB() { return getBType().getRank() - (getTransposeB() ? 2 : 1); }
    unsigned getKDimOfB() { return getBType().getRank() - (getTransposeB() ? 1 : 2); }
    /// The types in which A and B multiply: `ui8` for i8 without a sign.
    Type getOperandTypeOfA();
    Type getOperandTypeOfB();
    /// The type of sums of products.
    Type getSumType();
    /// Whether D is a batch of matrices.
    bool isBatched() { return getDType().getRank() == 3; }
  }];
}

#endif // BWGEMM_GEMM_OPS_TD
