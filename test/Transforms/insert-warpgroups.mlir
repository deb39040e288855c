// A tile program becomes a ring program of warpgroups on a target with wgmma.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --canonicalize | FileCheck %s
// The accumulator in registers is written from them, row by row of a thread.
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-lower-rings --bwgemm-lower-roles --bwgemm-lower-epilogue --canonicalize | FileCheck %s --check-prefix=STORE
// Teams go from tile to tile in turn.
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-persist --canonicalize | FileCheck %s --check-prefix=TEAMS

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

  // 256 rows: each warpgroup has 64 of the first 128 and 64 of the others, and
  // with 192 columns 192 registers of each thread, which come from the warps that
  // load.
  // STORE-LABEL: gpu.func @blocks_kernel
  // CHECK-LABEL: gpu.func @blocks_kernel
  // CHECK-SAME: known_block_size = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
  // CHECK: bwgemm.ring releases 8 :
  // CHECK: bwgemm.role "prefetch" warps 8 to 8 elected
  // CHECK: bwgemm.role "give registers" warps 8 to 11 {
  // CHECK-NEXT: nvvm.setmaxregister decrease 40
  // CHECK: bwgemm.role "load" warps 8 to 8 elected
  // CHECK: bwgemm.role "take registers" warps 0 to 7 {
  // CHECK-NEXT: nvvm.setmaxregister increase 232
  // CHECK: bwgemm.role "multiply" warps 0 to 7 {
  // CHECK: %[[GROUP:.*]] = arith.divui
  // CHECK: scf.for {{.*}} iter_args(%[[ACC0:.*]] = %{{.*}}, %[[ACC1:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (!bwgemm.fragment<128x192xf32>, !bwgemm.fragment<128x192xf32>, !bwgemm.cursor) {
  // CHECK-NEXT: bwgemm.ring.wait
  // CHECK-NEXT: %[[TILES:.*]]:2 = bwgemm.ring.slot
  // CHECK-NEXT: nvvm.wgmma.fence.aligned
  // CHECK-NEXT: bwgemm.warpgroup_mma async %[[ACC0]], %[[TILES]]#0, %[[TILES]]#1 in %[[GROUP]] :
  // CHECK-NEXT: %[[BLOCK:.*]] = arith.addi %[[GROUP]], %[[C2]]
  // CHECK-NEXT: bwgemm.warpgroup_mma async %[[ACC1]], %[[TILES]]#0, %[[TILES]]#1 in %[[BLOCK]] :
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK-NEXT: bwgemm.ring.release
  // CHECK: bwgemm.store %{{.*}}#0, %{{.*}}[%[[M:.*]], %[[N:.*]]] : !bwgemm.fragment<128x192xf32>
  // CHECK-NEXT: %[[LOWER:.*]] = arith.addi %[[M]], %[[C128]]
  // CHECK-NEXT: bwgemm.store %{{.*}}#1, %{{.*}}[%[[LOWER]], %[[N]]] : !bwgemm.fragment<128x192xf32>
  func.func @blocks(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <warp_specialized, tile = 256x192x64, stages = 3, swizzle = 128B, tmem_load = "16x256b">
        : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }

  // Two teams of a warpgroup. The second one's turn comes when the first one's
  // last products are under way, and it begins at the slots of its first tile.
  // TEAMS-LABEL: gpu.func @teams_kernel
  // TEAMS-DAG: %[[C0:.*]] = arith.constant 0 : index
  // TEAMS-DAG: %[[C2:.*]] = arith.constant 2 : index
  // TEAMS-DAG: %[[C4:.*]] = arith.constant 4 : index
  // TEAMS-DAG: %[[C64:.*]] = arith.constant 64 : index
  // TEAMS-DAG: %[[FIRST:.*]] = gpu.block_id x
  // TEAMS-DAG: %[[GRID:.*]] = gpu.grid_dim x
  // TEAMS: %[[SLOTS:.*]] = bwgemm.ring releases 4 :
  // TEAMS: %[[TURNS:.*]] = bwgemm.ring commits 4 releases 4 : !bwgemm.ring<1 x ()>
  // TEAMS: bwgemm.role "load" warps 8 to 8 elected
  // TEAMS: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[GRID]]
  // TEAMS: %[[STEPS:.*]] = arith.ceildivui %{{.*}}, %[[C64]]
  // TEAMS: bwgemm.role "multiply" warps 0 to 7 teams 2 {
  // TEAMS: %[[WARP:.*]] = bwgemm.warp_id
  // TEAMS-NEXT: %[[TEAM:.*]] = arith.divui %[[WARP]], %[[C4]]
  // TEAMS-NEXT: %[[AWAY:.*]] = arith.muli %[[TEAM]], %[[GRID]]
  // TEAMS-NEXT: %[[OWN:.*]] = arith.addi %[[FIRST]], %[[AWAY]]
  // TEAMS-NEXT: %[[AHEAD:.*]] = arith.muli %[[TEAM]], %[[STEPS]]
  // TEAMS-NEXT: %[[ROUND:.*]] = arith.muli %[[GRID]], %[[C2]]
  // TEAMS: %[[START:.*]] = bwgemm.ring.skip %[[SLOTS]][%{{.*}}] by %[[AHEAD]]
  // TEAMS-NEXT: scf.for %{{.*}} = %[[OWN]] to %{{.*}} step %[[ROUND]] iter_args(%[[USE:.*]] = %[[START]], %[[TURN:.*]] = %{{.*}}) -> (!bwgemm.cursor, !bwgemm.cursor) {
  // TEAMS: %[[ISFIRST:.*]] = arith.cmpi eq, %{{.*}}, %[[C0]]
  // TEAMS-NEXT: scf.if %[[ISFIRST]] {
  // TEAMS-NEXT: bwgemm.ring.acquire %[[TURNS]][%[[TURN]]]
  // TEAMS-NEXT: } else {
  // TEAMS-NEXT: bwgemm.ring.wait %[[TURNS]][%[[TURN]]]
  // The first step writes the sums, and is waited for behind the second one.
  // TEAMS: bwgemm.ring.wait %[[SLOTS]][%[[USE]]]
  // TEAMS: bwgemm.warpgroup_mma async
  // TEAMS: bwgemm.warpgroup_mma async
  // TEAMS-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // TEAMS-NEXT: %[[SECOND:.*]] = bwgemm.ring.next %[[SLOTS]][%[[USE]]]
  // TEAMS-NEXT: %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[READ:.*]] = %[[USE]], %[[NOW:.*]] = %[[SECOND]])
  // TEAMS-NEXT: bwgemm.ring.wait %[[SLOTS]][%[[NOW]]]
  // TEAMS: nvvm.wgmma.commit.group.sync.aligned
  // TEAMS-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
  // TEAMS-NEXT: bwgemm.ring.release %[[SLOTS]][%[[READ]]] by warp
  // TEAMS-NEXT: %[[LATER:.*]] = bwgemm.ring.next %[[SLOTS]][%[[NOW]]]
  // TEAMS-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[NOW]], %[[LATER]]
  // TEAMS: scf.if %[[ISFIRST]] {
  // TEAMS-NEXT: bwgemm.ring.commit %[[TURNS]][%[[TURN]]] by warp
  // TEAMS-NEXT: } else {
  // TEAMS-NEXT: bwgemm.ring.release %[[TURNS]][%[[TURN]]] by warp
  // TEAMS: nvvm.wgmma.wait.group.sync.aligned 0
  // TEAMS-NEXT: bwgemm.ring.release %[[SLOTS]][%[[SUMS]]#2] by warp
  // TEAMS-NEXT: bwgemm.store %[[SUMS]]#0, %{{.*}}[%{{.*}}, %{{.*}}] teams 2 : !bwgemm.fragment<64x32xf32>
  // TEAMS: bwgemm.store %[[SUMS]]#1, %{{.*}}[%{{.*}}, %{{.*}}] teams 2 : !bwgemm.fragment<64x32xf32>
  // TEAMS: %[[NEXTTURN:.*]] = bwgemm.ring.next %[[TURNS]][%[[TURN]]]
  // TEAMS-NEXT: %[[SKIPPED:.*]] = bwgemm.ring.skip %[[SLOTS]][%[[SUMS]]#3] by %[[STEPS]]
  // TEAMS-NEXT: scf.yield %[[SKIPPED]], %[[NEXTTURN]]
  func.func @teams(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x32x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", pingpong = on>
        : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }
}
