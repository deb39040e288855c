// A tile program becomes an asynchronous one.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-insert-async | FileCheck %s

// CHECK-LABEL: gpu.func @swizzled
// CHECK-SAME: (%[[AMAP:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[BMAP:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[D:.*]]: memref<?x?xf32>, %[[K:.*]]: index)
// CHECK: %[[A:.*]] = bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
// CHECK: %[[B:.*]] = bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
// CHECK: %[[LOADED:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
// CHECK: %[[DONE:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
// CHECK: %[[SLOT:.*]] = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
// CHECK: %[[WARP:.*]] = bwgemm.warp_id
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]]
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: bwgemm.tmem_alloc %[[SLOT]]
// CHECK: bwgemm.elect
// CHECK: bwgemm.mbarrier.init %[[LOADED]][%{{.*}}], 1
// CHECK: bwgemm.mbarrier.init %[[DONE]][%{{.*}}], 1
// CHECK-NEXT: bwgemm.fence mbarrier_init
// The address crosses to other warps between the two fences.
// CHECK: bwgemm.fence tcgen05_before_thread_sync
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: bwgemm.fence tcgen05_after_thread_sync
// CHECK-NEXT: %[[ACC:.*]] = bwgemm.tmem_get %[[SLOT]]
// CHECK: scf.for %[[KK:.*]] = %[[LOW:.*]] to %[[K]] step %{{.*}} iter_args(%[[PARITY:.*]] = %{{.*}}) -> (i32) {
// CHECK:   scf.if %[[FIRST]] {
// CHECK:     scf.if
// Two tiles of 64 x 64 x 2 bytes.
// CHECK-NEXT:  bwgemm.mbarrier.arrive_expect_tx %[[LOADED]][%{{.*}}], 16384
// CHECK:       bwgemm.tma_load %[[AMAP]][%{{.*}}, %[[KK]]], %[[A]][
// CHECK:       bwgemm.tma_load %[[BMAP]][%[[KK]], %{{.*}}], %[[B]][
// CHECK-NOT:   bwgemm.tma_load
// CHECK:   bwgemm.mbarrier.wait %[[LOADED]][%{{.*}}], %[[PARITY]]
// CHECK:   scf.if
// The first MMA overwrites, so that tensor memory needs no zeros.
// CHECK:       %[[ACCUMULATE:.*]] = arith.cmpi ne, %[[KK]], %[[LOW]]
// CHECK-NEXT:  bwgemm.tcgen05.mma %[[ACC]], %[[A]], %[[B]], %[[ACCUMULATE]]
// CHECK-NEXT:  bwgemm.tcgen05.commit %[[DONE]]
// Every iteration waits before the tiles are overwritten, all warps for the last
// of them, which must not miss a phase.
// CHECK:   bwgemm.mbarrier.wait %[[DONE]][%{{.*}}], %[[PARITY]]
// CHECK-NEXT: gpu.barrier
// CHECK:   %[[NEXT:.*]] = arith.xori %[[PARITY]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: bwgemm.fence tcgen05_after_thread_sync
// CHECK: bwgemm.store %[[ACC]], %[[D]]
// CHECK: bwgemm.fence tcgen05_before_thread_sync
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: bwgemm.tmem_dealloc %[[ACC]], %[[SLOT]]
gpu.module @kernels {
  gpu.func @swizzled(%am: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %bm: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %d: memref<?x?xf32>, %depth: index) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %columns = memref.dim %d, %c64 : memref<?x?xf32>
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    scf.for %k = %c0 to %depth step %c64 {
      %a = bwgemm.load %am[%m, %k] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
      %b = bwgemm.load %bm[%k, %n] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
      bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
    }
    bwgemm.store %acc, %d[%m, %n] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Without swizzle a 64 x 64 tile of bf16 takes eight copies of one 16-byte
// column each.
// CHECK-LABEL: gpu.func @core_matrices
// CHECK: bwgemm.mbarrier.arrive_expect_tx %{{.*}}, 16384
// CHECK-COUNT-16: bwgemm.tma_load
// CHECK-NOT: bwgemm.tma_load
// CHECK: bwgemm.mbarrier.wait
gpu.module @kernels {
  gpu.func @core_matrices(%am: !bwgemm.tensor_map<64x8xbf16>, %bm: !bwgemm.tensor_map<64x8xbf16>, %d: memref<?x?xf32>, %m: index, %n: index, %depth: index) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    scf.for %k = %c0 to %depth step %c64 {
      %a = bwgemm.load %am[%m, %k] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
      %b = bwgemm.load %bm[%n, %k] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
      bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
    }
    bwgemm.store %acc, %d[%m, %n] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A second run finds nothing to do.
// RUN: bwgemm-opt %s --split-input-file --bwgemm-insert-async > %t.once
// RUN: bwgemm-opt %t.once --split-input-file --bwgemm-insert-async > %t.twice
// RUN: diff %t.once %t.twice
