// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// product_c1
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<64x64xf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects A and B of one element type, or both of 8-bit floats or both of 8-bit integers, but got 'bf16' and 'f16'}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xf16, k_major>
  return
}

// -----

// product_c2
func.func @f(%d: !bwgemm.tmem<64x64xi32>, %a: !bwgemm.smem<64x64xi16, k_major>, %b: !bwgemm.smem<64x64xi16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects operands of f16, bf16, f32, i8, f8E4M3FN or f8E5M2, but got 'i16'}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xi32>, !bwgemm.smem<64x64xi16, k_major>, !bwgemm.smem<64x64xi16, k_major>
  return
}

// -----

// mma_operands_c3
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<64x128xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects A and B to agree on K, but got 64 and 128}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x128xbf16, k_major>
  return
}

// -----

// mma_operands_c4
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<128x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects an accumulator of 64x128 for these operands, but got 64x64}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<128x64xbf16, k_major>
  return
}

// -----

// tcgen05_mma_c1: M = 128 asks for multiples of 16
func.func @f(%d: !bwgemm.tmem<128x24xf32>, %a: !bwgemm.smem<128x64xbf16, k_major>, %b: !bwgemm.smem<24x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects N to be a multiple of 16 up to 256 for M = 128, but got 24}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<128x24xf32>, !bwgemm.smem<128x64xbf16, k_major>, !bwgemm.smem<24x64xbf16, k_major>
  return
}

// -----

func.func @f(%d: !bwgemm.tmem<128x272xf32>, %a: !bwgemm.smem<128x64xbf16, k_major>, %b: !bwgemm.smem<272x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects N to be a multiple of 16 up to 256 for M = 128, but got 272}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<128x272xf32>, !bwgemm.smem<128x64xbf16, k_major>, !bwgemm.smem<272x64xbf16, k_major>
  return
}

// -----

// tcgen05_mma_c1: M = 64 takes multiples of 8
func.func @f(%d: !bwgemm.tmem<64x264xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<264x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects N to be a multiple of 8 up to 256 for M = 64, but got 264}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x264xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<264x64xbf16, k_major>
  return
}

// -----

// instruction_tiles_c1: one instruction covers 32 bytes of K
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x8xbf16, k_major>, %b: !bwgemm.smem<64x8xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects K to be a multiple of 16 for 'bf16', but got 8}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x8xbf16, k_major>, !bwgemm.smem<64x8xbf16, k_major>
  return
}

// -----

func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x24xf16, k_major>, %b: !bwgemm.smem<64x24xf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects K to be a multiple of 16 for 'f16', but got 24}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x24xf16, k_major>, !bwgemm.smem<64x24xf16, k_major>
  return
}

// -----

// instruction_tiles_c2
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>, %b: !bwgemm.smem<64x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects a swizzle that matrix descriptors know (none, 32B, 64B or 128B), but got <2, 5, 2>}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects a swizzle that matrix descriptors know (none, 32B, 64B or 128B), but got <2, 5, 2>}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>
  return
}

// -----

// instruction_tiles_c3
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<2x64x64xbf16, k_major>, %b: !bwgemm.smem<64x64xbf16, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects operand tiles of one stage, but got 2}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<2x64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<2>) {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'bwgemm.tcgen05.commit' op expects an index of 0 to 1, but got 2}}
  bwgemm.tcgen05.commit %b[%c2] : !bwgemm.mbarrier<2>
  return
}

// -----

// tcgen05_mma_c7
func.func @f(%d: !bwgemm.tmem<64x40xi32>, %a: !bwgemm.smem<64x64xi8, k_major>, %b: !bwgemm.smem<40x64xui8, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects N to be 8, 24 or a multiple of 16 for integers, but got 40}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x40xi32>, !bwgemm.smem<64x64xi8, k_major>, !bwgemm.smem<40x64xui8, k_major>
  return
}

// -----

// tcgen05_mma_c8
func.func @f(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xf32, mn_major>, %b: !bwgemm.smem<64x64xf32, k_major>, %accumulate: i1) {
  // expected-error@+1 {{'bwgemm.tcgen05.mma' op expects operands of f32 that are k_major, but got mn_major}}
  bwgemm.tcgen05.mma %d, %a, %b, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xf32, mn_major>, !bwgemm.smem<64x64xf32, k_major>
  return
}
