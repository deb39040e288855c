// The warpgroups that multiply also write: whole tiles to D, shares of others to
// the workspace, with an accumulator for each block of rows of the tile.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-insert-warpgroups --bwgemm-promote --bwgemm-persist --bwgemm-stream-k --canonicalize --cse | FileCheck %s

// A tile of 256 rows: the second block's share lies 128 rows below the first
// one's, in 256 rows of the workspace. The first step is ahead of the loop.
// CHECK-LABEL: gpu.func @blocks_kernel(
// CHECK-SAME: %[[WORKSPACE:[a-z0-9]*]]: memref<?x64xf32>)
// CHECK: bwgemm.role "multiply" warps 0 to 7 {
// CHECK:   %[[UPPER:.*]] = bwgemm.warpgroup_mma
// CHECK:   %[[LOWER:.*]] = bwgemm.warpgroup_mma
// CHECK:   bwgemm.ring.release
// CHECK:   %[[FROM:.*]] = arith.muli %{{.*}}, %c64
// CHECK:   %[[SECOND:.*]] = arith.addi %[[FROM]], %c64
// CHECK:   %[[END:.*]] = arith.muli %{{.*}}, %c64
// CHECK:   %[[SUMS:.*]]:3 = scf.for %{{.*}} = %[[SECOND]] to %[[END]] step %c64 iter_args(%{{.*}} = %[[UPPER]], %{{.*}} = %[[LOWER]],
// CHECK:   scf.if
// CHECK:     bwgemm.store %[[SUMS]]#0, %{{.*}} via
// CHECK:     bwgemm.store %[[SUMS]]#1, %{{.*}} via
// CHECK:   } else {
// CHECK:     %[[ROW:.*]] = arith.muli %{{.*}}, %c256
// CHECK:     bwgemm.store %[[SUMS]]#0, %[[WORKSPACE]][%[[ROW]], %c0]
// CHECK:     %[[BELOW:.*]] = arith.addi %[[ROW]], %c128
// CHECK:     bwgemm.store %[[SUMS]]#1, %[[WORKSPACE]][%[[BELOW]], %c0]
module attributes {bwgemm.target = "sm_90a"} {
  func.func @blocks(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 256x64x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", raster = 8, store = tma, scheduler = stream_k> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }
}

// -----

// Blocks of K begin and end with the steps that the CTA has.
// CHECK-LABEL: gpu.func @promoted_kernel(
// CHECK: bwgemm.role "multiply"
// CHECK:   %[[FROM:.*]] = arith.muli %{{.*}}, %c64
// CHECK:   %[[TO:.*]] = arith.muli %{{.*}}, %c64
// CHECK:   scf.for %[[BLOCK:.*]] = %[[FROM]] to %[[TO]] step %c128
// CHECK:     %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c128
// CHECK:     %[[END:.*]] = arith.minsi %[[NEXT]], %[[TO]]
// CHECK:     scf.for %{{.*}} = %[[BLOCK]] to %[[END]] step %c64
// CHECK:     bwgemm.promote
module attributes {bwgemm.target = "sm_90a"} {
  func.func @promoted(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", raster = 8, promote = 128, scheduler = stream_k> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }
}
