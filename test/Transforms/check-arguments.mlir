// Public functions with a gemm check the buffers that they are given, once.

// RUN: bwgemm-opt %s --bwgemm-check-arguments > %t.once
// RUN: FileCheck %s < %t.once
// RUN: bwgemm-opt %t.once --bwgemm-check-arguments | diff %t.once -

// CHECK-LABEL: func.func @public
// CHECK-NEXT: bwgemm.require_layout %arg0, "argument 0 of 'public'" : memref<16x8xf16>
// CHECK-NEXT: bwgemm.require_layout %arg1, "argument 1 of 'public'" : memref<8x?xf16, strided<[?, 1], offset: ?>>
// CHECK-NEXT: bwgemm.require_layout %arg3, "argument 3 of 'public'" : memref<16x?xf32>
// CHECK-NEXT: bwgemm.gemm
func.func @public(%a: memref<16x8xf16>, %b: memref<8x?xf16, strided<[?, 1], offset: ?>>, %n: index, %d: memref<16x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<16x8xf16>, memref<8x?xf16, strided<[?, 1], offset: ?>>, memref<16x?xf32>
  return
}

// CHECK-LABEL: func.func private @private
// CHECK-NEXT: bwgemm.gemm
func.func private @private(%a: memref<16x8xf16>, %b: memref<8x16xf16>, %d: memref<16x16xf32>) {
  bwgemm.gemm %a, %b, %d : memref<16x8xf16>, memref<8x16xf16>, memref<16x16xf32>
  return
}

// CHECK-LABEL: func.func @without
// CHECK-NEXT: return
func.func @without(%a: memref<16x8xf16>) {
  return
}
