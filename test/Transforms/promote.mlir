// Blocks of K that are summed apart, of mma.sync and of wgmma.

// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x32x32,promote=128" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote | FileCheck %s --check-prefix=WARPS
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_90a schedule=warp_specialized,tile=128x64x64,promote=128,compensated=on" --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-insert-warpgroups --bwgemm-promote | FileCheck %s --check-prefix=GROUPS
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_90a schedule=warp_specialized,tile=128x64x64,promote=64" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-promote | FileCheck %s --check-prefix=STEP

// WARPS-LABEL: gpu.func @matmul_kernel
// WARPS-SAME: %[[K:arg[0-9]+]]: index)
// WARPS: %[[ZERO:.*]] = bwgemm.fragment_zero
// WARPS: %[[SUM:.*]]:2 = scf.for %[[BLOCK:.*]] = %{{.*}} to %[[K]] step %c128{{.*}} iter_args(%[[TOTAL:.*]] = %[[ZERO]], %[[START:.*]] = %[[ZERO]])
// WARPS-NEXT: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c128
// WARPS-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %[[K]]
// WARPS-NEXT: %[[PART:.*]] = scf.for %{{.*}} = %[[BLOCK]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[START]])
// WARPS: bwgemm.mma_sync
// WARPS: %[[MORE:.*]], %[[FIRST:.*]] = bwgemm.promote %[[TOTAL]], %[[PART]] :
// WARPS-NEXT: scf.yield %[[MORE]], %[[FIRST]]
// WARPS: scf.yield %[[SUM]]#0

// The cursor of the ring goes from block to block.
// GROUPS-LABEL: gpu.func @matmul_kernel
// GROUPS: %[[BEGIN:.*]] = bwgemm.ring.begin
// GROUPS: %[[BEGIN:.*]] = bwgemm.ring.begin
// GROUPS: %[[SUM:.*]]:3 = scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step %c128{{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}, %[[START:.*]] = %{{.*}}, %[[AT:.*]] = %[[BEGIN]])
// GROUPS: %[[PART:.*]]:2 = scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[AT]])
// GROUPS: bwgemm.warpgroup_mma
// GROUPS: %[[MORE:.*]], %[[FIRST:.*]] = bwgemm.promote %[[TOTAL]], %[[PART]]#0 compensated
// GROUPS-NEXT: scf.yield %[[MORE]], %[[FIRST]], %[[PART]]#1
// GROUPS: bwgemm.store %[[SUM]]#0

// A block of one step writes its sum: nothing is carried to it.
// STEP-LABEL: gpu.func @matmul_kernel
// STEP: bwgemm.role "multiply"
// STEP: scf.for %{{.*}} step %c64
// STEP: scf.for
// STEP-NEXT: %[[NONE:.*]] = bwgemm.fragment_zero
// STEP: bwgemm.warpgroup_mma %[[NONE]],
// STEP: bwgemm.promote
func.func @matmul(%a: memref<128x640xbf16>, %b: memref<96x640xbf16>, %d: memref<128x96xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<128x96xf32>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<128x640xbf16>, memref<96x640xbf16>) outs(%d : memref<128x96xf32>)
  return
}
