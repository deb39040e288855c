// A store via a tensor map: slices through staging tiles.

// RUN: bwgemm-opt %s --bwgemm-lower-epilogue --canonicalize | FileCheck %s

#pairs = #bwgemm.schedule<tma_store, tile = 128x192x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>
#lanes = #bwgemm.schedule<persistent, tile = 64x32x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", store = tma>
#three = #bwgemm.schedule<persistent, tile = 128x128x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", store = tma, staging = 3>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @half
  // Two tiles of 128 rows of 128 bytes.
  // CHECK: %[[TILES:.*]] = bwgemm.smem_alloc : !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  // One thread of warp 0 issues.
  // CHECK: %[[WARP:.*]] = bwgemm.warp_id
  // CHECK: %[[ELECTED:.*]] = bwgemm.elect
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c0
  // CHECK: %[[ISSUER:.*]] = arith.andi %[[FIRST]], %[[ELECTED]]
  // CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c192 step %c64 {
  // CHECK:   %[[SLICE:.*]] = arith.divui %[[COLUMN]], %c64
  // CHECK:   %[[STAGE:.*]] = arith.remui %[[SLICE]], %c2
  // Both halves of a quarter of the lanes are under way together.
  // CHECK:   bwgemm.tmem_load {{.*}} "16x256b" : !bwgemm.tmem<128x192xf32> -> vector<32xf32>
  // CHECK:   bwgemm.tmem_load {{.*}} "16x256b" : !bwgemm.tmem<128x192xf32> -> vector<32xf32>
  // CHECK-COUNT-2: bwgemm.tmem_wait
  // CHECK-COUNT-8: bwgemm.stmatrix {{.*}} : vector<8xbf16>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  // CHECK-NOT: bwgemm.stmatrix
  // CHECK:   bwgemm.fence async_shared
  // CHECK-NEXT: scf.if %[[ISSUER]] {
  // CHECK-NEXT:   bwgemm.tma_store.wait 0 read
  // CHECK-NEXT: }
  // CHECK-NEXT: bwgemm.warps_barrier 1, 128
  // CHECK-NEXT: scf.if %[[ISSUER]] {
  // CHECK-NEXT:   %[[N:.*]] = arith.addi %{{.*}}, %[[COLUMN]]
  // CHECK-NEXT:   bwgemm.tma_store %{{.*}}[%{{.*}}, %[[N]]], %[[TILES]][%[[STAGE]], %c0, %c0]
  // CHECK-NEXT:   bwgemm.tma_store.commit
  // Before the kernel ends the writes are done.
  // CHECK: scf.if %[[ISSUER]] {
  // CHECK-NEXT: bwgemm.tma_store.wait 0{{$}}
  // Rows of 384 bf16 end at a multiple of 16 bytes.
  // CHECK-NOT: memref.store
  // CHECK: gpu.return
  gpu.func @half(%t: !bwgemm.tmem<128x192xf32>, %d: memref<512x384xbf16>, %map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #pairs} {
    bwgemm.store %t, %d[%m, %n] via %map : !bwgemm.tmem<128x192xf32>, memref<512x384xbf16>, !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
    gpu.return
  }

  // One slice, in a loop over results: one staging tile, which is read before
  // the next result.
  // CHECK-LABEL: gpu.func @repeated
  // CHECK: %[[TILE:.*]] = bwgemm.smem_alloc : !bwgemm.smem<1x64x32xf32, k_major, swizzle = 128B>
  // CHECK: %[[ISSUER:.*]] = arith.andi
  // CHECK: scf.for
  // A row for each of 16 lanes.
  // CHECK:   bwgemm.tmem_load {{.*}} "32x32b" : !bwgemm.tmem<64x32xf32> -> vector<32xf32>
  // CHECK:   scf.if
  // CHECK-COUNT-8: bwgemm.smem_store {{.*}} : vector<4xf32>, !bwgemm.smem<1x64x32xf32, k_major, swizzle = 128B>
  // CHECK:   bwgemm.warps_barrier 1, 128
  // CHECK:   bwgemm.tma_store %
  // CHECK-NEXT: bwgemm.tma_store.commit
  // CHECK-NEXT: bwgemm.tma_store.wait 0 read
  // CHECK-NEXT: }
  // CHECK-NEXT: bwgemm.warps_barrier 1, 128
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[ISSUER]] {
  // CHECK-NEXT: bwgemm.tma_store.wait 0{{$}}
  gpu.func @repeated(%t: !bwgemm.tmem<64x32xf32>, %d: memref<512x384xf32>, %map: !bwgemm.tensor_map<64x32xf32, swizzle = 128B>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #lanes} {
    %c1 = arith.constant 1 : index
    scf.for %i = %m to %n step %c1 {
      bwgemm.store %t, %d[%i, %i] via %map : !bwgemm.tmem<64x32xf32>, memref<512x384xf32>, !bwgemm.tensor_map<64x32xf32, swizzle = 128B>
    }
    gpu.return
  }

  // Rows of 382 bf16 do not: where the tile reaches past them it is written
  // without TMA.
  // CHECK-LABEL: gpu.func @edge
  // CHECK-DAG: %[[RIGHT:.*]] = arith.addi %{{.*}}, %c192
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[RIGHT]], %c382
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: bwgemm.tma_store %
  // CHECK: } else {
  // CHECK: vector.store
  // CHECK: memref.store
  // CHECK: bwgemm.tma_store.wait 0{{$}}
  gpu.func @edge(%t: !bwgemm.tmem<128x192xf32>, %d: memref<512x382xbf16, strided<[384, 1]>>, %map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #pairs} {
    bwgemm.store %t, %d[%m, %n] via %map : !bwgemm.tmem<128x192xf32>, memref<512x382xbf16, strided<[384, 1]>>, !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
    gpu.return
  }

  // Each of two warpgroups has staging tiles for all of its rows, and a barrier
  // and a thread that stores of its own.
  // CHECK-LABEL: gpu.func @warpgroups
  // CHECK: %[[TILES:.*]] = bwgemm.smem_alloc : !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>
  // CHECK: %[[WARP:.*]] = bwgemm.warp_id
  // CHECK: %[[ELECTED:.*]] = bwgemm.elect
  // CHECK: %[[GROUP:.*]] = arith.divui %[[WARP]], %c4
  // CHECK: %[[PLACE:.*]] = arith.remui %[[WARP]], %c4
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PLACE]], %c0
  // CHECK: %[[ISSUER:.*]] = arith.andi %[[FIRST]], %[[ELECTED]]
  // CHECK: scf.for
  // CHECK: %[[DOWN:.*]] = arith.muli %[[GROUP]], %c64
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[DOWN]]
  // What TMA reads of the tile before.
  // CHECK: scf.if %[[ISSUER]] {
  // CHECK-NEXT: bwgemm.tma_store.wait 0 read
  // CHECK: bwgemm.warps_barrier 1, 128 group %[[GROUP]]
  // CHECK-COUNT-8: bwgemm.stmatrix
  // CHECK-NOT: bwgemm.stmatrix
  // CHECK: bwgemm.fence async_shared
  // CHECK-NEXT: bwgemm.warps_barrier 1, 128 group %[[GROUP]]
  // CHECK-NEXT: scf.if %[[ISSUER]] {
  // CHECK: bwgemm.tma_store %{{.*}}[%[[ROW]], %{{.*}}], %[[TILES]][%{{.*}}, %c0, %c0]
  // CHECK: bwgemm.tma_store %{{.*}}[%[[ROW]], %{{.*}}], %[[TILES]][%{{.*}}, %c0, %c0]
  // CHECK: bwgemm.tma_store.commit
  gpu.func @warpgroups(%acc: !bwgemm.fragment<128x128xf32>, %d: memref<512x384xbf16>, %map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %n: index) kernel attributes {bwgemm.schedule = #pairs} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    scf.for %m = %c0 to %c512 step %c128 {
      bwgemm.store %acc, %d[%m, %n] via %map : !bwgemm.fragment<128x128xf32>, memref<512x384xbf16>, !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
    }
    gpu.return
  }

  // Three staging tiles for four slices: before the next one is written, all but
  // the last store have read theirs.
  // CHECK-LABEL: gpu.func @three
  // CHECK: bwgemm.smem_alloc : !bwgemm.smem<3x128x32xf32, k_major, swizzle = 128B>
  // CHECK: %[[STAGE:.*]] = arith.remui %{{.*}}, %c3
  // CHECK: bwgemm.tma_store.wait 1 read
  // CHECK-NEXT: }
  // CHECK-NEXT: bwgemm.warps_barrier 1, 128{{$}}
  gpu.func @three(%t: !bwgemm.tmem<128x128xf32>, %d: memref<512x384xf32>, %map: !bwgemm.tensor_map<128x32xf32, swizzle = 128B>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #three} {
    bwgemm.store %t, %d[%m, %n] via %map : !bwgemm.tmem<128x128xf32>, memref<512x384xf32>, !bwgemm.tensor_map<128x32xf32, swizzle = 128B>
    gpu.return
  }
}
