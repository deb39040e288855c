// What is done to a sum before it is stored.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @bias_and_residual
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 transpose_b epilogue(%[[SUM:.*]], %[[X:.*]] = %arg3[n] : memref<128xf32>, %[[Y:.*]] = %arg4[m, n] : memref<64x128xbf16>, %[[S:.*]] = %arg5 : f32) {
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[SUM]], %[[X]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK-NEXT: %[[C:.*]] = math.fma %[[B]], %[[S]], %[[A]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %[[C]] : f32 to bf16
// CHECK-NEXT: bwgemm.yield %[[D]] : bf16
// CHECK-NEXT: } : memref<64x32xbf16>, memref<128x32xbf16>, memref<64x128xbf16>
func.func @bias_and_residual(%a: memref<64x32xbf16>, %b: memref<128x32xbf16>, %d: memref<64x128xbf16>, %bias: memref<128xf32>, %residual: memref<64x128xbf16>, %alpha: f32) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum, %x = %bias[n] : memref<128xf32>, %y = %residual[m, n] : memref<64x128xbf16>, %s = %alpha : f32) {
    %0 = arith.addf %sum, %x : f32
    %1 = arith.extf %y : bf16 to f32
    %2 = math.fma %1, %s, %0 : f32
    %3 = arith.truncf %2 : f32 to bf16
    bwgemm.yield %3 : bf16
  } : memref<64x32xbf16>, memref<128x32xbf16>, memref<64x128xbf16>
  return
}

// Every place, of every type, and D itself.
// CHECK-LABEL: func.func @places
// CHECK: epilogue(%{{.*}}, %{{.*}} = %arg3[m] : memref<?xi8>, %{{.*}} = %arg4[n, m] : memref<?x?xf16>, %{{.*}} = %arg5[0, n] : memref<1x?xi32>, %{{.*}} = %arg6[] : memref<f32>, %{{.*}} = %arg7 : i16, %{{.*}} = %arg2[m, n] : memref<?x?xf32>) {
func.func @places(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %v: memref<?xi8>, %t: memref<?x?xf16>, %r: memref<1x?xi32>, %z: memref<f32>, %n: i16) {
  bwgemm.gemm %a, %b, %d accumulate epilogue(%sum, %0 = %v[m] : memref<?xi8>, %1 = %t[n, m] : memref<?x?xf16>, %2 = %r[0, n] : memref<1x?xi32>, %3 = %z[] : memref<f32>, %4 = %n : i16, %5 = %d[m, n] : memref<?x?xf32>) {
    %6 = arith.sitofp %0 : i8 to f32
    bwgemm.yield %6 : f32
  } : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>
  return
}

// CHECK-LABEL: gpu.func @store
// CHECK: bwgemm.store %{{.*}}, %arg0[%arg2, %arg2] accumulate epilogue(%[[SUM:.*]], %[[X:.*]] = %arg1[n] : memref<?xf32>) {
// CHECK: } : !bwgemm.tmem<64x64xf32>, memref<?x?xf32>
gpu.module @kernels {
  gpu.func @store(%d: memref<?x?xf32>, %bias: memref<?xf32>, %i: index, %tmem: !bwgemm.tmem<64x64xf32>) kernel {
    bwgemm.store %tmem, %d[%i, %i] accumulate epilogue(%sum, %x = %bias[n] : memref<?xf32>) {
      %0 = arith.maximumf %sum, %x : f32
      bwgemm.yield %0 : f32
    } : !bwgemm.tmem<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
