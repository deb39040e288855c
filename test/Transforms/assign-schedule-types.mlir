// Which schedules operands of 8 bits and of f32 take.

// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_90a schedule=auto" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_100a schedule=auto" | FileCheck %s --check-prefixes=CHECK,BLACKWELL
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_103a schedule=auto" | FileCheck %s --check-prefixes=CHECK,ULTRA
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_80 schedule=auto" | FileCheck %s --check-prefixes=CHECK,AMPERE

// Rows of 128 bytes are 128 elements of K.
// CHECK-LABEL: func.func @integers
// HOPPER: schedule <persistent, tile = 128x256x128, stages = 4, swizzle = 128B
// BLACKWELL: schedule <persistent, tile = {{[0-9]+x[0-9]+}}x128, {{.*}} swizzle = 128B
// ULTRA: schedule <multistage, tile = {{[0-9]+x[0-9]+}}x128,
// AMPERE: schedule <multistage, tile = {{[0-9]+x[0-9]+}}x128,
func.func @integers(%a: memref<4096x4096xi8>, %b: memref<4096x4096xi8>, %d: memref<4096x4096xi32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xi8>, memref<4096x4096xi8>, memref<4096x4096xi32>
  return
}

// CHECK-LABEL: func.func @floats
// HOPPER: schedule <persistent, tile = 128x256x128,
// BLACKWELL: schedule <persistent,
// ULTRA: schedule <persistent,
// AMPERE: schedule <naive,
func.func @floats(%a: memref<4096x4096xf8E4M3FN>, %b: memref<4096x4096xf8E5M2>, %d: memref<4096x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xf8E4M3FN>, memref<4096x4096xf8E5M2>, memref<4096x4096xbf16>
  return
}

// N is contiguous in B: tcgen05 transposes elements of 8 bits, wgmma does not, and
// of mma.sync threads read them as they lie.
// CHECK-LABEL: func.func @n_contiguous
// HOPPER: schedule <multistage,
// BLACKWELL: schedule <persistent, {{.*}}fallback <multistage,
// ULTRA: schedule <persistent,
// AMPERE: schedule <naive,
func.func @n_contiguous(%a: memref<?x?xf8E5M2>, %b: memref<?x?xf8E5M2>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<?x?xf8E5M2>, memref<?x?xf8E5M2>, memref<?x?xf32>
  return
}

// All bits of an f32 count unless the SPEC says that they do not.
// CHECK-LABEL: func.func @f32
// CHECK: schedule <naive,
func.func @f32(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}
