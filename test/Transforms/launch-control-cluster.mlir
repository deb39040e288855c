// The first CTA of a cluster asks for all, and their readers release to it.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-multicast --bwgemm-pair-ctas --bwgemm-launch-control --canonicalize > %t
// RUN: FileCheck %s --input-file=%t
// RUN: bwgemm-opt %t --bwgemm-lower-rings --canonicalize | FileCheck %s --check-prefix=BARRIERS

// CHECK-LABEL: gpu.func @f_kernel(
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[FIRST:.*]] = arith.divui %[[BLOCK]], %c4
// Four CTAs load, two multiply for four, and the epilogue of each has four
// warps.
// CHECK: %[[WORK:.*]] = bwgemm.ring releases 22 cluster : !bwgemm.ring<3 x (!bwgemm.work<1>)>
// CHECK: bwgemm.role "load"
// CHECK: %[[END:.*]]:4 = scf.while (%{{.*}} = %[[FIRST]], %[[C:.*]] = %{{.*}}, %{{.*}}, %[[ASK:.*]] = %{{.*}})
// CHECK: bwgemm.ring.commit %[[WORK]][%[[ASK]]] by tma
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[RANK]], %c0
// CHECK: scf.if %[[ZERO]] {
// CHECK-NEXT: bwgemm.ring.acquire %[[WORK]][%[[ASK]]]
// CHECK: bwgemm.launch_control.request %{{.*}} multicast
// CHECK-NEXT: }
// CHECK: do {
// CHECK: %[[CTA:.*]] = bwgemm.launch_control.first_cta
// CHECK: arith.divui %[[CTA]], %c4
// What other CTAs release is waited for behind the last tile.
// CHECK: bwgemm.ring.drain %{{.*}}[%[[END]]#1]

// BARRIERS: bwgemm.launch_control.request
// BARRIERS: bwgemm.launch_control.read
// BARRIERS: bwgemm.mbarrier.arrive %{{.*}} of %c0
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 8, cta_group = 2, cluster = 4x1, scheduler = clc> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
