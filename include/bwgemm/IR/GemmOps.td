//===- GemmOps.td - What is computed -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_GEMM_OPS_TD
#define BWGEMM_GEMM_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_GemmOp : Bwgemm_Op<"gemm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix multiplication";
  let description = [{
    Computes

    ```
    D = op(A) * op(B)          or, with `accumulate`,
    D = D + op(A) * op(B)
    ```

    with op(A) of M x K, op(B) of K x N and D of M x N. `transpose_a` says that
    A is stored as K x M, `transpose_b` that B is stored as N x K (the
    K-contiguous form that tensor cores prefer). Products are summed in fp32,
    whatever the type of D, and rounded once, to nearest even.

    Any extent may be dynamic or zero. With K = 0 and without `accumulate`, D
    becomes zero.

    `schedule` says how, and `fallback` how where TMA cannot address A or B,
    which is found out at run time.

    ```mlir
    bwgemm.gemm %a, %b, %d transpose_b
        : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    ```
  }];
  let arguments = (ins
    AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$d,
    UnitAttr:$transposeA, UnitAttr:$transposeB, UnitAttr:$accumulate,
    OptionalAttr<Bwgemm_ScheduleAttr>:$schedule,
    OptionalAttr<Bwgemm_ScheduleAttr>:$fallback);
  let assemblyFormat = [{
    $a `,` $b `,` $d (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    (`accumulate` $accumulate^)? (`schedule` $schedule^)?
    (`fallback` $fallback^)?
    attr-dict `:` type($a) `,` type($b) `,` type($d)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getAType() { return cast<MemRefType>(getA().getType()); }
    MemRefType getBType() { return cast<MemRefType>(getB().getType()); }
    MemRefType getDType() { return cast<MemRefType>(getD().getType()); }
    /// Which dimension of an operand is M, N or K.
    unsigned getMDimOfA() { return getTransposeA() ? 1 : 0; }
    unsigned getKDimOfA() { return getTransposeA() ? 0 : 1; }
    unsigned getNDimOfB() { return getTransposeB() ? 0 : 1; }
    unsigned getKDimOfB() { return getTransposeB() ? 1 : 0; }
  }];
}

#endif // BWGEMM_GEMM_OPS_TD
