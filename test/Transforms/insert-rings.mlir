// A tile program of a schedule with a ring becomes a ring program.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --canonicalize | FileCheck %s

// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: (%[[AMAP:.*]]: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %[[BMAP:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[D:.*]]: memref<512x384xf32>, %[[K:.*]]: index)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 128 x 64
// CHECK: %[[OPERANDS:.*]] = bwgemm.ring : !bwgemm.ring<3 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>)>
// One thread of each of four warps gives the accumulator back.
// CHECK: %[[SUMS:.*]] = bwgemm.ring releases 4 : !bwgemm.ring<1 x (!bwgemm.tmem<128x64xf32>)>
// CHECK: %[[SLOT:.*]] = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
// CHECK: bwgemm.role "allocate" warps 0 to 0 {
// CHECK-NEXT: bwgemm.tmem_alloc %[[SLOT]]
// CHECK: bwgemm.role "prefetch" warps 0 to 0 elected {
// CHECK: bwgemm.fence tcgen05_before_thread_sync
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: bwgemm.fence tcgen05_after_thread_sync
// CHECK-NEXT: %[[TENSOR:.*]] = bwgemm.tmem_get %[[SLOT]]
// CHECK: bwgemm.role "load and multiply" warps 0 to 0 elected {
// CHECK-NEXT: %[[BEGIN:.*]] = bwgemm.ring.begin %[[OPERANDS]]
// CHECK-NEXT: %[[FIRST:.*]] = bwgemm.ring.begin %[[SUMS]]
// CHECK-NEXT: %[[SUM:.*]] = bwgemm.ring.slot %[[SUMS]][%[[FIRST]]] in %[[TENSOR]]
// CHECK-NEXT: bwgemm.ring.acquire %[[SUMS]][%[[FIRST]]]
// CHECK-NEXT: bwgemm.fence tcgen05_after_thread_sync
// The two sides have cursors of their own.
// CHECK-NEXT: scf.for %[[KK:.*]] = %[[ZERO]] to %[[K]] step %{{.*}} iter_args(%[[FILL:.*]] = %[[BEGIN]], %[[USE:.*]] = %[[BEGIN]]) -> (!bwgemm.cursor, !bwgemm.cursor) {
// CHECK-NEXT:   bwgemm.ring.acquire %[[OPERANDS]][%[[FILL]]]
// CHECK-NEXT:   bwgemm.ring.commit %[[OPERANDS]][%[[FILL]]] by tma
// CHECK-NEXT:   %[[EMPTY:.*]]:2 = bwgemm.ring.slot %[[OPERANDS]][%[[FILL]]]
// CHECK-NEXT:   %[[FULL:.*]], %[[I:.*]] = bwgemm.ring.full %[[OPERANDS]][%[[FILL]]]
// CHECK-NEXT:   bwgemm.tma_load %[[AMAP]][%[[M]], %[[KK]]], %[[EMPTY]]#0[%[[ZERO]], %[[ZERO]]], %[[FULL]][%[[I]]]
// CHECK-NEXT:   bwgemm.tma_load %[[BMAP]][%[[KK]], %[[N]]], %[[EMPTY]]#1[%[[ZERO]], %[[ZERO]]], %[[FULL]][%[[I]]]
// CHECK-NEXT:   %[[FILL2:.*]] = bwgemm.ring.next %[[OPERANDS]][%[[FILL]]]
// CHECK-NEXT:   bwgemm.ring.wait %[[OPERANDS]][%[[USE]]]
// CHECK-NEXT:   bwgemm.fence tcgen05_after_thread_sync
// CHECK-NEXT:   %[[TILES:.*]]:2 = bwgemm.ring.slot %[[OPERANDS]][%[[USE]]]
// The first MMA overwrites, so that tensor memory needs no zeros.
// CHECK-NEXT:   %[[ACCUMULATE:.*]] = arith.cmpi ne, %[[KK]], %[[ZERO]]
// CHECK-NEXT:   bwgemm.tcgen05.mma %[[SUM]], %[[TILES]]#0, %[[TILES]]#1, %[[ACCUMULATE]]
// CHECK-NEXT:   bwgemm.ring.release %[[OPERANDS]][%[[USE]]] by mma
// CHECK-NEXT:   %[[USE2:.*]] = bwgemm.ring.next %[[OPERANDS]][%[[USE]]]
// CHECK-NEXT:   scf.yield %[[FILL2]], %[[USE2]]
// CHECK:      bwgemm.ring.commit %[[SUMS]][%[[FIRST]]] by mma
// CHECK: bwgemm.role "epilogue" warps 0 to 3 {
// CHECK-NEXT: %[[C:.*]] = bwgemm.ring.begin %[[SUMS]]
// CHECK-NEXT: bwgemm.ring.wait %[[SUMS]][%[[C]]]
// CHECK-NEXT: bwgemm.fence tcgen05_after_thread_sync
// CHECK-NEXT: %[[RESULT:.*]] = bwgemm.ring.slot %[[SUMS]][%[[C]]] in %[[TENSOR]]
// CHECK-NEXT: bwgemm.store %[[RESULT]], %[[D]][%[[M]], %[[N]]]
// CHECK-NEXT: bwgemm.fence tcgen05_before_thread_sync
// CHECK-NEXT: %[[ELECTED:.*]] = bwgemm.elect
// CHECK-NEXT: scf.if %[[ELECTED]] {
// CHECK-NEXT:   bwgemm.ring.release %[[SUMS]][%[[C]]] by thread
// Nobody frees the columns before every warp has read its part.
// CHECK: gpu.barrier
// CHECK: bwgemm.role "free" warps 0 to 0 {
// CHECK-NEXT: bwgemm.tmem_dealloc %[[TENSOR]], %[[SLOT]]
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d schedule <pipelined, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

// Without a ring in the schedule it is insert-async's.
// CHECK-LABEL: gpu.func @g_kernel
// CHECK-NOT: bwgemm.ring
// CHECK: bwgemm.accumulator
func.func @g(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d schedule <swizzle, tile = 128x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}
