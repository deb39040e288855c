// A tile program becomes a ring program of warpgroups on a target with wgmma.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --canonicalize | FileCheck %s
// The accumulator in registers is written from them, row by row of a thread.
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-lower-rings --bwgemm-lower-roles --bwgemm-lower-epilogue --canonicalize | FileCheck %s --check-prefix=STORE

// Two warpgroups multiply, and the warp behind them loads.
// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: (%[[AMAP:.*]]: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %[[BMAP:.*]]: !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>, %[[D:.*]]: memref<512x384xf32>, %[[K:.*]]: index)
// CHECK-SAME: known_block_size = array<i32: 288, 1, 1>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 128 x 32
// One thread of each of eight warps says that a slot has been read.
// CHECK: %[[RING:.*]] = bwgemm.ring releases 8 : !bwgemm.ring<3 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>)>
// CHECK: bwgemm.role "prefetch" warps 8 to 8 elected {
// CHECK: gpu.barrier
// CHECK: bwgemm.role "load" warps 8 to 8 elected {
// CHECK: scf.for %[[KK:.*]] = {{.*}} iter_args(%[[CURSOR:.*]] = %{{.*}}) -> (!bwgemm.cursor) {
// CHECK-NEXT: bwgemm.ring.acquire %[[RING]][%[[CURSOR]]]
// CHECK-NEXT: bwgemm.ring.commit %[[RING]][%[[CURSOR]]] by tma
// CHECK: bwgemm.tma_load %[[AMAP]][%[[M]], %[[KK]]]
// CHECK-NEXT: bwgemm.tma_load %[[BMAP]][%[[N]], %[[KK]]]
// CHECK: bwgemm.role "multiply" warps 0 to 7 {
// CHECK-NEXT: %[[BEGIN:.*]] = bwgemm.ring.begin %[[RING]]
// CHECK-NEXT: %[[WARP:.*]] = bwgemm.warp_id
// CHECK-NEXT: %[[GROUP:.*]] = arith.divui %[[WARP]], %[[C4]]
// The first step writes the sum, the others add to it.
// CHECK-NEXT: %[[ZERO:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<128x32xf32>
// CHECK-NEXT: bwgemm.ring.wait %[[RING]][%[[BEGIN]]]
// CHECK-NEXT: %[[FIRSTS:.*]]:2 = bwgemm.ring.slot %[[RING]][%[[BEGIN]]]
// CHECK-NEXT: %[[FIRST:.*]] = bwgemm.warpgroup_mma %[[ZERO]], %[[FIRSTS]]#0, %[[FIRSTS]]#1 in %[[GROUP]]
// CHECK-NEXT: bwgemm.ring.release %[[RING]][%[[BEGIN]]] by warp
// CHECK-NEXT: %[[SECOND:.*]] = bwgemm.ring.next %[[RING]][%[[BEGIN]]]
// CHECK-NEXT: %[[SUM:.*]]:2 = scf.for %{{.*}} = %[[C64]] to %[[K]] {{.*}} iter_args(%[[ACC:.*]] = %[[FIRST]], %[[USE:.*]] = %[[SECOND]]) -> (!bwgemm.fragment<128x32xf32>, !bwgemm.cursor) {
// CHECK-NEXT: bwgemm.ring.wait %[[RING]][%[[USE]]]
// CHECK-NEXT: %[[TILES:.*]]:2 = bwgemm.ring.slot %[[RING]][%[[USE]]]
// CHECK-NEXT: %[[NEXT:.*]] = bwgemm.warpgroup_mma %[[ACC]], %[[TILES]]#0, %[[TILES]]#1 in %[[GROUP]]
// CHECK-NEXT: bwgemm.ring.release %[[RING]][%[[USE]]] by warp
// CHECK-NEXT: %[[LATER:.*]] = bwgemm.ring.next %[[RING]][%[[USE]]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[LATER]]
// CHECK: bwgemm.store %[[SUM]]#0, %[[D]][%[[M]], %[[N]]] : !bwgemm.fragment<128x32xf32>

// A warp has 16 rows of it; 32 columns are 16 elements of a thread.
// STORE-LABEL: gpu.func @f_kernel
// STORE: bwgemm.warpgroup_mma
// STORE: %[[SUM:.*]]:2 = scf.for
// STORE: bwgemm.warpgroup_mma
// STORE-NOT: scf.for
// STORE: bwgemm.fragment_read %[[SUM]]#0[0, 0] : !bwgemm.fragment<128x32xf32> -> vector<16xf32>
// STORE: vector.store %{{.*}} : memref<512x384xf32>, vector<2xf32>
// STORE-NOT: fragment_read
// STORE-NOT: bwgemm.store
module attributes {bwgemm.target = "sm_90a"} {
  func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <warp_specialized, tile = 128x32x64, stages = 3, swizzle = 128B, tmem_load = "16x256b">
        : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }
}
