// One product after the other, on views of the operands.

// RUN: bwgemm-opt %s --bwgemm-loop-over-batch --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @shared
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK-DAG: %[[B:.*]] = memref.subview %arg1[%[[I]], 0, 0] [1, 64, 32] [1, 1, 1] : memref<3x64x32xbf16> to memref<64x32xbf16, strided<[32, 1], offset: ?>>
// CHECK-DAG: %[[D:.*]] = memref.subview %arg2[%[[I]], 0, 0] [1, 16, 64] [1, 1, 1] : memref<3x16x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
// CHECK-DAG: %[[V:.*]] = memref.subview %arg3[%[[I]], 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
// CHECK: bwgemm.gemm %arg0, %[[B]], %[[D]] transpose_b epilogue(%{{.*}}, %{{.*}} = %[[V]][n] : memref<64xf32, strided<[1], offset: ?>>, %{{.*}} = %arg4[m] : memref<16xf32>) {
func.func @shared(%a: memref<16x32xbf16>, %b: memref<3x64x32xbf16>, %d: memref<3x16x64xf32>, %v: memref<3x64xf32>, %u: memref<16xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum, %x = %v[b, n] : memref<3x64xf32>, %y = %u[m] : memref<16xf32>) {
    %0 = arith.addf %sum, %x : f32
    %1 = arith.mulf %0, %y : f32
    bwgemm.yield %1 : f32
  } : memref<16x32xbf16>, memref<3x64x32xbf16>, memref<3x16x64xf32>
  return
}

// What is not known is compared when the function is called.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[BATCH:.*]] = memref.dim %arg2, %c0
// CHECK: %[[A:.*]] = memref.dim %arg0, %c0
// CHECK: bwgemm.require_equal %[[A]], %[[BATCH]], "gemm: the batch of A ({got}) must equal that of the result ({expected})"
// CHECK: bwgemm.require_equal %{{.*}}, %[[BATCH]], "gemm: the batch of B ({got}) must equal that of the result ({expected})"
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %[[BATCH]] step %c1 {
func.func @dynamic(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %d: memref<?x?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xf32>
  return
}

// Trial 33: the distance between matrices takes more than 32 bits.
// CHECK-LABEL: func.func @far
// CHECK: memref.subview %arg0[%{{.*}}, 0, 0] [1, 49152, 65536] [1, 1, 1] : memref<2x49152x65536xbf16> to memref<49152x65536xbf16, strided<[65536, 1], offset: ?>>
func.func @far(%a: memref<2x49152x65536xbf16>, %b: memref<65536x8xbf16>, %d: memref<2x49152x8xf32>) {
  bwgemm.gemm %a, %b, %d : memref<2x49152x65536xbf16>, memref<65536x8xbf16>, memref<2x49152x8xf32>
  return
}
