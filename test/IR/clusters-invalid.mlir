// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // cluster_mask_c1
  // expected-error @+1 {{expects a cluster of two extents (M and N), but got 3}}
  %m = bwgemm.cluster.mask row of [2, 1, 1]
  return
}

// -----

func.func @f() {
  // cluster_mask_c1
  // expected-error @+1 {{expects a cluster of 1 to 8 CTAs, but got 4x4}}
  %m = bwgemm.cluster.mask row of [4, 4]
  return
}

// -----

func.func @f() {
  // cluster_mask_c1
  // expected-error @+1 {{expects a cluster of 1 to 8 CTAs, but got 0x1}}
  %m = bwgemm.cluster.mask row of [0, 1]
  return
}

// -----

func.func @f() {
  // cluster_mask_c2
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 4}}
  %m = bwgemm.cluster.mask row of [4, 1] cta_group 4
  return
}

// -----

func.func @f() {
  // cluster_mask_c3
  // expected-error @+1 {{expects a cluster with an even number of CTAs along M for cta_group 2, but got 1}}
  %m = bwgemm.cluster.mask row of [1, 2] cta_group 2
  return
}

// -----

func.func @f() {
  // cluster_mask_c4
  // expected-error @+1 {{expects cta_group 2 for pairs, but got 1}}
  %m = bwgemm.cluster.mask pair of [2, 1]
  return
}

// -----

func.func @f(%columns: index) {
  // tile_coord_c4
  // expected-error @+1 {{expects a cluster of 1 to 8 CTAs, but got 16x1}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns cluster [16, 1]
  return
}

// -----

func.func @f(%columns: index) {
  // tile_coord_c4
  // expected-error @+1 {{expects a cluster of two extents (M and N), but got 1}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns cluster [2]
  return
}

// -----

!map = !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
!a = !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
func.func @f(%map: !map, %a: !a, %full: !bwgemm.mbarrier<1>, %i: index) {
  // tma_load_c1
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 3}}
  bwgemm.tma_load %map[%i, %i], %a[%i, %i], %full[%i] cta_group 3 : !map, !a, !bwgemm.mbarrier<1>
  return
}

// -----

!a = !bwgemm.smem<64x64xbf16, k_major>
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !a, %yes: i1) {
  // tcgen05_mma_c5
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 0}}
  bwgemm.tcgen05.mma %d, %a, %a, %yes cta_group 0 : !bwgemm.tmem<64x64xf32>, !a, !a
  return
}

// -----

// Each CTA of a pair has half of the columns: two of 64 make 128.
!a = !bwgemm.smem<64x64xbf16, k_major>
func.func @f(%d: !bwgemm.tmem<64x64xf32, folded>, %a: !a, %yes: i1) {
  // mma_operands_c4
  // expected-error @+1 {{expects an accumulator of 64x128 for these operands, but got 64x64}}
  bwgemm.tcgen05.mma %d, %a, %a, %yes cta_group 2 : !bwgemm.tmem<64x64xf32, folded>, !a, !a
  return
}

// -----

!a = !bwgemm.smem<128x64xbf16, k_major>
!b = !bwgemm.smem<24x64xbf16, k_major>
func.func @f(%d: !bwgemm.tmem<128x48xf32>, %a: !a, %b: !b, %yes: i1) {
  // tcgen05_mma_c1
  // expected-error @+1 {{expects N to be a multiple of 32 up to 256 for M = 256, but got 48}}
  bwgemm.tcgen05.mma %d, %a, %b, %yes cta_group 2 : !bwgemm.tmem<128x48xf32>, !a, !b
  return
}

// -----

!a = !bwgemm.smem<64x64xbf16, k_major>
func.func @f(%d: !bwgemm.tmem<64x128xf32>, %a: !a, %yes: i1) {
  // tcgen05_mma_c6
  // expected-error @+1 {{expects an accumulator that is folded for M = 128 and cta_group 2, but got '!bwgemm.tmem<64x128xf32>'}}
  bwgemm.tcgen05.mma %d, %a, %a, %yes cta_group 2 : !bwgemm.tmem<64x128xf32>, !a, !a
  return
}

// -----

!a = !bwgemm.smem<64x64xbf16, k_major>
func.func @f(%d: !bwgemm.tmem<64x64xf32, folded>, %a: !a, %yes: i1) {
  // tcgen05_mma_c6
  // expected-error @+1 {{expects an accumulator that is not folded for M = 64 and cta_group 1, but got '!bwgemm.tmem<64x64xf32, folded>'}}
  bwgemm.tcgen05.mma %d, %a, %a, %yes : !bwgemm.tmem<64x64xf32, folded>, !a, !a
  return
}

// -----

func.func @f(%b: !bwgemm.mbarrier<1>, %i: index) {
  // tcgen05_commit_c1
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 3}}
  bwgemm.tcgen05.commit %b[%i] cta_group 3 : !bwgemm.mbarrier<1>
  return
}

// -----

func.func @f(%slot: !bwgemm.tmem_slot<64>) {
  // tmem_alloc_c1
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 3}}
  bwgemm.tmem_alloc %slot cta_group 3 : !bwgemm.tmem_slot<64>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<64x64xf32>, %slot: !bwgemm.tmem_slot<64>) {
  // tmem_dealloc_c2
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 3}}
  bwgemm.tmem_dealloc %t, %slot cta_group 3 : !bwgemm.tmem<64x64xf32>, !bwgemm.tmem_slot<64>
  return
}

// -----

// tmem_c4
// expected-error @+1 {{expects 64 rows and an even number of columns of a folded accumulator, but got 128x64}}
func.func private @f(!bwgemm.tmem<128x64xf32, folded>)

// -----

// tmem_c4
// expected-error @+1 {{expects 64 rows and an even number of columns of a folded accumulator, but got 64x33}}
func.func private @f(!bwgemm.tmem<64x33xf32, folded>)

// -----

// expected-error @+1 {{expected 'folded'}}
func.func private @f(!bwgemm.tmem<64x32xf32, wide>)

// -----

// tmem_c3: two halves side by side.
// expected-error @+1 {{expects at most 512 columns of tensor memory, but got 513}}
func.func private @f(!bwgemm.tmem<64x1026xf32, folded>)

// -----

func.func @f(%d: !bwgemm.tmem<64x64xf32, folded>, %i: index) {
  // tmem_load_c2
  // expected-error @+1 {{expects a fragment of at most 32 columns, but got 64}}
  %v = bwgemm.tmem_load %d[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32, folded> -> vector<64xf32>
  return
}

// -----

func.func @f() {
  // ring_c2
  // expected-error @+1 {{expects a cta_group of 1 or 2, but got 3}}
  %r = bwgemm.ring cta_group 3 : !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
  return
}

// -----

!sums = !bwgemm.ring<2 x (!bwgemm.tmem<64x64xf32, folded>)>
func.func @f(%r: !sums, %c: !bwgemm.cursor, %t: !bwgemm.tmem<64x128xf32>) {
  // ring_slot_c3
  // expected-error @+1 {{expects tensor memory of 64 rows, folded, and at least 128 columns for 2 accumulators, but got '!bwgemm.tmem<64x128xf32>'}}
  %s = bwgemm.ring.slot %r[%c] in %t : !bwgemm.tmem<64x128xf32> of : !sums -> !bwgemm.tmem<64x64xf32, folded>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor, %mask: i16) {
  // ring_commit_c2
  // expected-error @+1 {{expects a commit by mma to other CTAs, but got tma}}
  bwgemm.ring.commit %r[%c] by tma to %mask : !ring
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor, %mask: i16) {
  // ring_release_c2
  // expected-error @+1 {{expects a release by mma or warp to other CTAs, but got thread}}
  bwgemm.ring.release %r[%c] by thread to %mask : !ring
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<64x128xf32, folded>) {
  %c64 = arith.constant 64 : index
  // tmem_slice_c2
  // expected-error @+1 {{expects columns within 64, but got 64 to 95}}
  %p = bwgemm.tmem_slice %t[%c64] : !bwgemm.tmem<64x128xf32, folded> -> !bwgemm.tmem<64x64xf32, folded>
  return
}

// -----

// schedule_c11
// expected-error@+1 {{expects cta_group = 2 from preset two_cta on, but got preset warp_specialized}}
module attributes { test.a = #bwgemm.schedule<warp_specialized, tile = 256x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 2x1> } {}

// -----

// schedule_c12
// expected-error@+1 {{expects a cluster from preset pipelined on, but got preset tma_store}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cluster = 2x1> } {}
