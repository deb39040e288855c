// The single-buffered program of mma.sync: who copies, who multiplies, and what
// is asked of addresses.

// RUN: bwgemm-opt %s --split-input-file --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x32x32,warps=2x1" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps | FileCheck %s

// B is K x N: its rows of 40 elements are 80 bytes, a multiple of 16. Both bases
// may be anywhere.
// CHECK-LABEL: gpu.func @wide_kernel
// CHECK-SAME: (%[[A:.*]]: memref<100x64xbf16>, %[[B:.*]]: memref<64x40xbf16>, %[[D:.*]]: memref<100x40xf32>, %[[K:.*]]: index)
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 64 x 32 of
// CHECK: %[[WARP:.*]] = bwgemm.warp_id
// CHECK: %[[WM:.*]] = arith.divui %[[WARP]]
// CHECK: %[[SA:.*]] = bwgemm.smem_alloc : !bwgemm.smem<64x32xbf16, k_major, swizzle = 64B>
// CHECK: %[[ROW:.*]] = arith.muli %[[WM]], %{{.*}}
// CHECK: %[[WN:.*]] = arith.remui %[[WARP]]
// CHECK: %[[SB:.*]] = bwgemm.smem_alloc : !bwgemm.smem<32x32xbf16, mn_major, swizzle = 64B>
// CHECK: %[[COL:.*]] = arith.muli %[[WN]], %{{.*}}
// CHECK: %[[OKA:.*]] = bwgemm.aligned %[[A]] to 16
// CHECK: %[[OKB:.*]] = bwgemm.aligned %[[B]] to 16
// CHECK: %[[OK:.*]] = arith.andi %[[OKA]], %[[OKB]]
// CHECK: %[[SUM:.*]] = scf.if %[[OK]] -> (!bwgemm.fragment<64x32xf32, warps = 2x1>) {
// CHECK:   %[[ZERO:.*]] = bwgemm.fragment_zero
// CHECK:   scf.for %[[AT:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK-NEXT: bwgemm.copy_tile %[[A]][%[[M]], %[[AT]]], %[[SA]] until %[[K]] by 16
// CHECK-NEXT: bwgemm.copy_tile %[[B]][%[[AT]], %[[N]]], %[[SB]] until %[[K]] by 16
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK:   %[[A0:.*]] = bwgemm.ldmatrix %[[SA]][%[[ROW]], %{{.*}}] : {{.*}} -> !bwgemm.operand<a, 32x16xbf16>
// CHECK:   %[[B0:.*]] = bwgemm.ldmatrix %[[SB]][%[[COL]], %{{.*}}] : {{.*}} -> !bwgemm.operand<b, 32x16xbf16>
// CHECK:   %[[S0:.*]] = bwgemm.mma_sync %[[ACC]], %[[A0]], %[[B0]]
// CHECK:   %[[S1:.*]] = bwgemm.mma_sync %[[S0]],
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.yield %[[S1]]
// CHECK: } else {
// Of either operand the widest copy that its address allows.
// CHECK:   scf.for
// CHECK:     bwgemm.aligned %[[A]] to 16
// CHECK:     bwgemm.copy_tile %[[A]]{{.*}} by 16
// CHECK:     bwgemm.aligned %[[A]] to 8
// CHECK:     bwgemm.copy_tile %[[A]]{{.*}} by 8
// CHECK:     bwgemm.aligned %[[A]] to 4
// CHECK:     bwgemm.copy_tile %[[A]]{{.*}} by 4
// CHECK:     bwgemm.copy_tile %[[A]]{{.*}} by 2
// CHECK:     bwgemm.copy_tile %[[B]]{{.*}} by 16
// CHECK:     bwgemm.copy_tile %[[B]]{{.*}} by 8
// CHECK:     bwgemm.copy_tile %[[B]]{{.*}} by 4
// CHECK:     bwgemm.copy_tile %[[B]]{{.*}} by 2
// CHECK: bwgemm.store %[[SUM]], %[[D]][%[[M]], %[[N]]] : !bwgemm.fragment<64x32xf32, warps = 2x1>, memref<100x40xf32>
func.func @wide(%a: memref<100x64xbf16>, %b: memref<64x40xbf16>, %d: memref<100x40xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<100x40xf32>)
  linalg.matmul ins(%a, %b : memref<100x64xbf16>, memref<64x40xbf16>) outs(%d : memref<100x40xf32>)
  return
}

// -----

// Rows of 36 elements (72 bytes), an offset of 2 elements (4 bytes).
// CHECK-LABEL: gpu.func @narrow_kernel
// CHECK: bwgemm.aligned %[[A:.*]] to 8
// CHECK: bwgemm.aligned %[[B:.*]] to 4
// CHECK: scf.if
// CHECK: bwgemm.copy_tile %[[A]]{{.*}} by 8
// CHECK: bwgemm.copy_tile %[[B]]{{.*}} by 4
// CHECK: } else {
// CHECK: bwgemm.copy_tile %[[A]]{{.*}} by 8
func.func @narrow(%a: memref<100x36xf16>, %b: memref<36x40xf16, strided<[40, 1], offset: 2>>, %d: memref<100x40xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<100x40xf32>)
  linalg.matmul ins(%a, %b : memref<100x36xf16>, memref<36x40xf16, strided<[40, 1], offset: 2>>) outs(%d : memref<100x40xf32>)
  return
}

// -----

// Odd rows, and columns apart from each other: nothing to ask.
// CHECK-LABEL: gpu.func @elements_kernel
// CHECK-NOT: bwgemm.aligned
// CHECK: scf.for
// CHECK-NEXT: bwgemm.copy_tile {{.*}} by 2 : memref<100x33xf16>
// CHECK-NEXT: bwgemm.copy_tile {{.*}} by 2 : memref<33x40xf16, strided<[80, 2]>>
func.func @elements(%a: memref<100x33xf16>, %b: memref<33x40xf16, strided<[80, 2]>>, %d: memref<100x40xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<100x40xf32>)
  linalg.matmul ins(%a, %b : memref<100x33xf16>, memref<33x40xf16, strided<[80, 2]>>) outs(%d : memref<100x40xf32>)
  return
}
