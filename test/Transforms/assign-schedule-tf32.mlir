// precision=tf32 lets tensor cores multiply operands of f32.

// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_90a schedule=auto,precision=tf32" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_100a schedule=auto,precision=tf32" | FileCheck %s --check-prefixes=CHECK,BLACKWELL
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_80 schedule=auto,precision=tf32" | FileCheck %s --check-prefixes=CHECK,AMPERE

// Rows of 128 bytes are 32 elements of K.
// CHECK-LABEL: func.func @k_contiguous
// HOPPER: schedule <persistent, tile = {{[0-9]+x[0-9]+}}x32, {{.*}}precision = tf32> fallback <multistage, tile = {{[0-9]+x[0-9]+}}x{{16|32}}, {{.*}}precision = tf32>
// BLACKWELL: schedule <persistent, tile = {{[0-9]+x[0-9]+}}x32, {{.*}}precision = tf32> fallback <multistage, {{.*}}precision = tf32>
// AMPERE: schedule <multistage, {{.*}}precision = tf32>
func.func @k_contiguous(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// What wgmma and tcgen05 do not transpose, threads read as it lies.
// CHECK-LABEL: func.func @n_contiguous
// CHECK: schedule <multistage, {{.*}}precision = tf32>
func.func @n_contiguous(%a: memref<64x64xf32>, %d: memref<64x64xf32>) {
  bwgemm.gemm %a, %a, %d : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>
  return
}
