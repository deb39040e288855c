// CTAs that work together print as they were written.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @masks
func.func @masks() -> (i16, i16, i16, i16) {
  // CHECK: bwgemm.cluster.mask row of [2, 2]{{$}}
  %row = bwgemm.cluster.mask row of [2, 2]
  // CHECK: bwgemm.cluster.mask column of [1, 8]{{$}}
  %column = bwgemm.cluster.mask column of [1, 8]
  // CHECK: bwgemm.cluster.mask cross of [4, 2] cta_group 2
  %cross = bwgemm.cluster.mask cross of [4, 2] cta_group 2
  // CHECK: bwgemm.cluster.mask pair of [2, 1] cta_group 2
  %pair = bwgemm.cluster.mask pair of [2, 1] cta_group 2
  // CHECK: bwgemm.cluster.barrier
  bwgemm.cluster.barrier
  return %row, %column, %cross, %pair : i16, i16, i16, i16
}

// CHECK-LABEL: func @coordinates
func.func @coordinates(%columns: index, %tile: index) -> (index, index) {
  // CHECK: bwgemm.tile_coord 128 x 64 of %{{.*}} at %{{.*}} raster 8 of %{{.*}} cluster [2, 1]
  %m, %n = bwgemm.tile_coord 128 x 64 of %columns at %tile raster 8 of %columns cluster [2, 1]
  return %m, %n : index, index
}

!a = !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
// CHECK-LABEL: func @copies
func.func @copies(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %whole: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>,
                  %tile: !a, %full: !bwgemm.mbarrier<4>, %i: index, %mask: i16, %parity: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%{{.*}}] multicast %{{.*}} : !bwgemm.tensor_map<64x64
  bwgemm.tma_load %map[%i, %i], %tile[%i, %c0], %full[%i] multicast %mask : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%{{.*}}] cta_group 2 : !bwgemm.tensor_map<128x64
  bwgemm.tma_load %whole[%i, %i], %tile[%c0, %c0], %full[%i] cta_group 2 : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%{{.*}}] multicast %{{.*}} cta_group 2 : !bwgemm.tensor_map<64x64
  bwgemm.tma_load %map[%i, %i], %tile[%i, %c0], %full[%i] multicast %mask cta_group 2 : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%{{.*}}] multicast %{{.*}} cta_group 2 l2 evict_first : !bwgemm.tensor_map<64x64
  bwgemm.tma_load %map[%i, %i], %tile[%i, %c0], %full[%i] multicast %mask cta_group 2 l2 evict_first : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%{{.*}}] l2 evict_last : !bwgemm.tensor_map<128x64
  bwgemm.tma_load %whole[%i, %i], %tile[%c0, %c0], %full[%i] l2 evict_last : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.arrive %{{.*}}[%{{.*}}] of %{{.*}} : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.arrive %full[%i] of %i : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.arrive %{{.*}}[%{{.*}}] of %{{.*}} readers : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.arrive %full[%i] of %i readers : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.wait %{{.*}}[%{{.*}}], %{{.*}} cluster : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.wait %full[%i], %parity cluster : !bwgemm.mbarrier<4>
  return
}

!b = !bwgemm.smem<32x64xbf16, mn_major, swizzle = 64B>
// CHECK-LABEL: func @pair
func.func @pair(%tall: !bwgemm.tmem<128x64xf32>, %a: !a, %b: !b, %accumulate: i1, %done: !bwgemm.mbarrier<4>, %i: index, %mask: i16) {
  // CHECK: %[[SLOT:.*]] = bwgemm.tmem_slot
  %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<128>
  // CHECK: bwgemm.tmem_alloc %[[SLOT]] cta_group 2 : !bwgemm.tmem_slot<128>
  bwgemm.tmem_alloc %slot cta_group 2 : !bwgemm.tmem_slot<128>
  // CHECK: bwgemm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cta_group 2 : !bwgemm.tmem<128x64xf32>
  bwgemm.tcgen05.mma %tall, %a, %b, %accumulate cta_group 2 : !bwgemm.tmem<128x64xf32>, !a, !b
  // CHECK: bwgemm.tcgen05.commit %{{.*}}[%{{.*}}] multicast %{{.*}} cta_group 2 : !bwgemm.mbarrier<4>
  bwgemm.tcgen05.commit %done[%i] multicast %mask cta_group 2 : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.tmem_dealloc %{{.*}}, %[[SLOT]] cta_group 2
  bwgemm.tmem_dealloc %tall, %slot cta_group 2 : !bwgemm.tmem<128x64xf32>, !bwgemm.tmem_slot<128>
  return
}

!half = !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
// Of M = 128 each CTA has 64 rows, folded: 256 columns take 128, two of them 256.
// CHECK-LABEL: func @folded
// CHECK-SAME: !bwgemm.tmem<64x512xf32, folded>
func.func @folded(%both: !bwgemm.tmem<64x512xf32, folded>, %a: !half, %b: !a, %accumulate: i1, %i: index) -> vector<32xf32> {
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  // CHECK: bwgemm.tmem_slice %{{.*}}[%c128] : !bwgemm.tmem<64x512xf32, folded> -> !bwgemm.tmem<64x256xf32, folded>
  %d = bwgemm.tmem_slice %both[%c128] : !bwgemm.tmem<64x512xf32, folded> -> !bwgemm.tmem<64x256xf32, folded>
  // CHECK: bwgemm.tcgen05.mma {{.*}} cta_group 2 : !bwgemm.tmem<64x256xf32, folded>
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate cta_group 2 : !bwgemm.tmem<64x256xf32, folded>, !half, !a
  // CHECK: bwgemm.tmem_load %{{.*}}[%c16, %c96] "16x256b"
  %w = bwgemm.tmem_load %d[%c16, %c96] "16x256b" : !bwgemm.tmem<64x256xf32, folded> -> vector<16xf32>
  %v = bwgemm.tmem_load %d[%i, %c96] "32x32b" : !bwgemm.tmem<64x256xf32, folded> -> vector<32xf32>
  return %v : vector<32xf32>
}

!operands = !bwgemm.ring<4 x (!a, !b)>
!sums = !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
// CHECK-LABEL: func @rings
func.func @rings(%mask: i16) {
  // CHECK: %[[OPERANDS:.*]] = bwgemm.ring releases 3 cta_group 2 :
  %operands = bwgemm.ring releases 3 cta_group 2 : !operands
  %sums = bwgemm.ring releases 8 cta_group 2 : !sums
  // CHECK: bwgemm.role "multiply" warps 5 to 5 elected leader {
  bwgemm.role "multiply" warps 5 to 5 elected leader {
    %c = bwgemm.ring.begin %operands : !operands
    // CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by mma to %{{.*}} :
    bwgemm.ring.release %operands[%c] by mma to %mask : !operands
    // CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by warp to %{{.*}} :
    bwgemm.ring.release %operands[%c] by warp to %mask : !operands
    // CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by warp :
    bwgemm.ring.release %operands[%c] by warp : !operands
    // CHECK: bwgemm.ring.commit %{{.*}}[%{{.*}}] by mma to %{{.*}} :
    bwgemm.ring.commit %sums[%c] by mma to %mask : !sums
    // CHECK: bwgemm.ring.drain %[[OPERANDS]][%{{.*}}] :
    bwgemm.ring.drain %operands[%c] : !operands
  }
  return
}
