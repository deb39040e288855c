// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics

// ring_type_c1
// expected-error @+1 {{expects 1 to 64 slots, but got 0}}
func.func private @f(!bwgemm.ring<0 x (!bwgemm.tmem<128x64xf32>)>)

// -----

// ring_type_c1
// expected-error @+1 {{expects 1 to 64 slots, but got 65}}
func.func private @f(!bwgemm.ring<65 x (!bwgemm.tmem<128x64xf32>)>)

// -----

// ring_type_c2
// expected-error @+1 {{expects one accumulator in a slot, but got 2}}
func.func private @f(!bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>, !bwgemm.tmem<128x64xf32>)>)

// -----

// ring_type_c3
// expected-error @+1 {{expects tiles in shared memory without stages of their own, or one accumulator, but got 'f32'}}
func.func private @f(!bwgemm.ring<2 x (f32)>)

// -----

// ring_type_c3
// expected-error @+1 {{expects tiles in shared memory without stages of their own}}
func.func private @f(!bwgemm.ring<2 x (!bwgemm.smem<2x64x64xbf16, k_major>)>)

// -----

// ring_type_c4
// expected-error @+1 {{expects a ring of at most 464896 bytes (the shared memory of two CTAs), but got 524288}}
func.func private @f(!bwgemm.ring<32 x (!bwgemm.smem<128x64xbf16, k_major>)>)

// -----

func.func @f() {
  // ring_c1
  // expected-error @+1 {{expects 1 to 1048575 commits and releases, but got 0}}
  %r = bwgemm.ring commits 0 : !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_slot_c1
  // expected-error @+1 {{expects the ring's buffers, ('!bwgemm.smem<64x64xbf16, k_major>'), but got ('!bwgemm.smem<64x64xf16, k_major>')}}
  %t = bwgemm.ring.slot %r[%c] : !ring -> !bwgemm.smem<64x64xf16, k_major>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_slot_c2
  // expected-error @+1 {{expects tensor memory for slots that are accumulators, and for no others}}
  %t = bwgemm.ring.slot %r[%c] : !ring -> !bwgemm.tmem<128x64xf32>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor, %t: !bwgemm.tmem<128x64xf32>) {
  // ring_slot_c3
  // expected-error @+1 {{expects tensor memory of 128 rows and at least 128 columns for 2 accumulators, but got '!bwgemm.tmem<128x64xf32>'}}
  %s = bwgemm.ring.slot %r[%c] in %t : !bwgemm.tmem<128x64xf32> of : !ring -> !bwgemm.tmem<128x64xf32>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_full_c1
  // expected-error @+1 {{expects 2 mbarriers, one for each slot, but got 3}}
  %full, %i = bwgemm.ring.full %r[%c] : !ring -> !bwgemm.mbarrier<3>
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_commit_c1
  // expected-error @+1 {{expects a slot in shared memory for TMA, but got '!bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>'}}
  bwgemm.ring.commit %r[%c] by tma : !ring
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_commit_c3
  // expected-error @+1 {{expects commit by tma, mma or thread, but got warp}}
  bwgemm.ring.commit %r[%c] by warp : !ring
  return
}

// -----

!ring = !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_release_c1
  // expected-error @+1 {{expects release by mma, thread or warp, but got tma}}
  bwgemm.ring.release %r[%c] by tma : !ring
  return
}

// -----

func.func @f(%t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // smem_slice_c1
  // expected-error @+1 {{expects tiles with stages, but got '!bwgemm.smem<64x64xbf16, k_major>'}}
  %s = bwgemm.smem_slice %t[%i] : !bwgemm.smem<64x64xbf16, k_major> -> !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

func.func @f(%t: !bwgemm.smem<4x64x64xbf16, k_major>, %i: index) {
  // smem_slice_c2
  // expected-error @+1 {{expects a stage of type '!bwgemm.smem<64x64xbf16, k_major>', but got '!bwgemm.smem<64x64xbf16, mn_major>'}}
  %s = bwgemm.smem_slice %t[%i] : !bwgemm.smem<4x64x64xbf16, k_major> -> !bwgemm.smem<64x64xbf16, mn_major>
  return
}

// -----

func.func @f(%t: !bwgemm.smem<4x64x64xbf16, k_major>) {
  %four = arith.constant 4 : index
  // smem_slice_c3
  // expected-error @+1 {{expects a stage of 0 to 3, but got 4}}
  %s = bwgemm.smem_slice %t[%four] : !bwgemm.smem<4x64x64xbf16, k_major> -> !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  // tmem_slice_c1
  // expected-error @+1 {{expects a part with the rows of '!bwgemm.tmem<128x64xf32>' and at most its columns, but got '!bwgemm.tmem<64x64xf32>'}}
  %s = bwgemm.tmem_slice %t[%i] : !bwgemm.tmem<128x64xf32> -> !bwgemm.tmem<64x64xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>) {
  %column = arith.constant 48 : index
  // tmem_slice_c2
  // expected-error @+1 {{expects columns within 64, but got 48 to 79}}
  %s = bwgemm.tmem_slice %t[%column] : !bwgemm.tmem<128x64xf32> -> !bwgemm.tmem<128x32xf32>
  return
}

// -----

func.func @f() {
  // role_c1
  // expected-error @+1 {{expects warps within 0 to 31, but got 4 to 32}}
  bwgemm.role "load" warps 4 to 32 { }
  return
}

// -----

func.func @f() {
  // role_c2
  // expected-error @+1 {{expects one warp to elect a thread of, but got 2}}
  bwgemm.role "load" warps 4 to 5 elected { }
  return
}

// -----

// ring_type_c5
// expected-error @+1 {{expects one response in a slot, but got 1 x '!bwgemm.work<2>'}}
func.func private @f(!bwgemm.ring<3 x (!bwgemm.work<2>)>)

// -----

// ring_type_c5
// expected-error @+1 {{expects one response in a slot, but got 2 x '!bwgemm.work<1>'}}
func.func private @f(!bwgemm.ring<3 x (!bwgemm.work<1>, !bwgemm.work<1>)>)

// -----

func.func @f() {
  // ring_c3
  // expected-error @+1 {{expects responses of launch control in a ring of a cluster, but got '!bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>'}}
  %r = bwgemm.ring cluster : !bwgemm.ring<2 x (!bwgemm.smem<64x64xbf16, k_major>)>
  return
}

// -----

!ring = !bwgemm.ring<1 x ()>
func.func @f(%r: !ring, %c: !bwgemm.cursor) {
  // ring_commit_c4
  // expected-error @+1 {{expects a slot with buffers for TMA, but got '!bwgemm.ring<1 x ()>'}}
  bwgemm.ring.commit %r[%c] by tma : !ring
  return
}

// -----

func.func @f() {
  // role_c3
  // expected-error @+1 {{expects a number of teams that divides its 8 warps, but got 3}}
  bwgemm.role "multiply" warps 0 to 7 teams 3 {
  }
  return
}

// -----

func.func @f() {
  // role_c3
  // expected-error @+1 {{expects a number of teams that divides its 8 warps, but got 0}}
  bwgemm.role "multiply" warps 0 to 7 teams 0 {
  }
  return
}
