// Roles go on with the tiles of CTAs whose launch is cancelled for them.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-persist --bwgemm-launch-control --canonicalize > %t
// RUN: FileCheck %s --input-file=%t
// It is not done twice.
// RUN: bwgemm-opt %t --bwgemm-persist --bwgemm-launch-control | diff %t -
// RUN: bwgemm-opt %t --bwgemm-lower-rings | FileCheck %s --check-prefix=BARRIERS

// One CTA for each of 4 x 6 tiles.
// CHECK-LABEL: func.func @f
// CHECK: %[[TILES:.*]] = arith.constant 24 : index
// CHECK: gpu.launch_func {{.*}} blocks in (%[[TILES]],

// CHECK-LABEL: gpu.func @f_kernel
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// One slot more than accumulators; read by the threads that load and multiply,
// and by four warps.
// CHECK: %[[SUMS:.*]] = bwgemm.ring releases 4 : !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
// CHECK: %[[WORK:.*]] = bwgemm.ring releases 6 : !bwgemm.ring<3 x (!bwgemm.work<1>)>
// CHECK: gpu.barrier

// The role that loads asks at the beginning of a tile.
// CHECK: bwgemm.role "load"
// CHECK: %[[BEGIN:.*]] = bwgemm.ring.begin %[[OPERANDS:.*]] :
// CHECK: %[[FIRST:.*]] = bwgemm.ring.begin %[[WORK]] :
// CHECK: scf.while (%[[TILE:.*]] = %[[BLOCK]], %[[C:.*]] = %[[BEGIN]], %[[READ:.*]] = %[[FIRST]], %[[ASK:.*]] = %[[FIRST]])
// CHECK-NEXT:   bwgemm.ring.acquire %[[WORK]][%[[ASK]]]
// CHECK-NEXT:   bwgemm.ring.commit %[[WORK]][%[[ASK]]] by tma
// CHECK-NEXT:   %[[FULL:.*]], %[[I:.*]] = bwgemm.ring.full %[[WORK]][%[[ASK]]]
// CHECK-NEXT:   %[[PLACE:.*]] = bwgemm.ring.slot %[[WORK]][%[[ASK]]]
// CHECK-NEXT:   bwgemm.launch_control.request %[[PLACE]], %[[FULL]][%[[I]]]
// CHECK-NEXT:   bwgemm.tile_coord 128 x 64 of %{{.*}} at %[[TILE]] raster 8 of %{{.*}}
// CHECK-NEXT:   %[[LAST:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK:        bwgemm.ring.wait %[[WORK]][%[[READ]]]
// CHECK-NEXT:   %[[SLOT:.*]] = bwgemm.ring.slot %[[WORK]][%[[READ]]]
// CHECK-NEXT:   %[[ANSWER:.*]] = bwgemm.launch_control.read %[[SLOT]]
// CHECK-NEXT:   bwgemm.fence async_shared
// CHECK-NEXT:   bwgemm.ring.release %[[WORK]][%[[READ]]] by thread
// CHECK-NEXT:   %[[NEXT_READ:.*]] = bwgemm.ring.next %[[WORK]][%[[READ]]]
// CHECK-NEXT:   %[[NEXT_ASK:.*]] = bwgemm.ring.next %[[WORK]][%[[ASK]]]
// CHECK-NEXT:   %[[MORE:.*]] = bwgemm.launch_control.is_canceled %[[ANSWER]]
// CHECK-NEXT:   scf.condition(%[[MORE]]) %[[ANSWER]], %[[LAST]], %[[NEXT_READ]], %[[NEXT_ASK]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[GOT:.*]]: i128, %{{.*}}
// The number is asked for only where there is one.
// CHECK-NEXT:   %[[CTA:.*]] = bwgemm.launch_control.first_cta %[[GOT]]
// CHECK-NEXT:   scf.yield %[[CTA]],

// The others only read, the multiplication not even the number.
// CHECK: bwgemm.role "multiply"
// CHECK-NOT: launch_control.request
// CHECK: bwgemm.launch_control.is_canceled
// CHECK-NOT: launch_control.first_cta

// All threads of the epilogue read, and one of each warp says so for all.
// CHECK: bwgemm.role "epilogue"
// CHECK: scf.while (%[[TILE2:.*]] = %[[BLOCK]],
// CHECK:   bwgemm.tile_coord 128 x 64 of %{{.*}} at %[[TILE2]]
// CHECK:   bwgemm.ring.wait %[[WORK]]
// CHECK:   bwgemm.launch_control.read
// CHECK-NEXT: bwgemm.fence async_shared
// CHECK-NEXT: bwgemm.warp_barrier
// CHECK-NEXT: %[[ONE:.*]] = bwgemm.elect
// CHECK-NEXT: scf.if %[[ONE]] {
// CHECK-NEXT:   bwgemm.ring.release %[[WORK]][%{{.*}}] by thread
// CHECK:   bwgemm.launch_control.first_cta

// 16 bytes land in each response.
// BARRIERS: %[[WORK:.*]] = bwgemm.work_alloc : !bwgemm.work<3>
// BARRIERS: %[[FULL:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
// BARRIERS: %[[EMPTY:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
// BARRIERS-COUNT-3: bwgemm.mbarrier.init %[[EMPTY]][%{{.*}}], 6
// BARRIERS: scf.while ({{.*}}) : (index, i32, i32, i32) -> (i128, i32, i32, i32)
// BARRIERS: bwgemm.mbarrier.wait %[[EMPTY]]
// BARRIERS: bwgemm.mbarrier.arrive_expect_tx %[[FULL]][%{{.*}}], 16
// BARRIERS: %[[SLOT:.*]] = bwgemm.work_slice %[[WORK]]
// BARRIERS: bwgemm.launch_control.request %[[SLOT]], %[[FULL]]
// BARRIERS: bwgemm.mbarrier.wait %[[FULL]]
// BARRIERS: bwgemm.mbarrier.arrive %[[EMPTY]]
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 8, scheduler = clc> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
