// A choice at run time between a schedule and its fallback.

// RUN: bwgemm-opt %s --bwgemm-dispatch | FileCheck %s

// CHECK-LABEL: func.func @choice
// CHECK: %[[A:.*]] = bwgemm.tma_addressable %arg0 : memref<?x?xbf16>
// CHECK: %[[B:.*]] = bwgemm.tma_addressable %arg1 : memref<?x?xbf16>
// CHECK: %[[BOTH:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: bwgemm.gemm %arg0, %arg1, %arg2 transpose_b accumulate schedule <swizzle, {{.*}}> : memref
// CHECK-NEXT: } else {
// CHECK-NEXT: bwgemm.gemm %arg0, %arg1, %arg2 transpose_b accumulate schedule <naive, {{.*}}> : memref
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @choice(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b accumulate schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b"> fallback <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func.func @no_fallback
// CHECK-NEXT: bwgemm.gemm
func.func @no_fallback(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  return
}
