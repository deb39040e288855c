// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics

// fragment_c1
// expected-error @+1 {{expects an accumulator of f32, f16 or i32, but got 'bf16'}}
func.func private @f(!bwgemm.fragment<64x64xbf16>)

// -----

// fragment_c1
// expected-error @+1 {{expects rows x columns, but got 3 dimensions}}
func.func private @f(!bwgemm.fragment<2x64x64xf32>)

// -----

// fragment_c2
// expected-error @+1 {{expects 1 to 32 warps, but got 8x8}}
func.func private @f(!bwgemm.fragment<128x64xf32, warps = 8x8>)

// -----

// fragment_c2
// expected-error @+1 {{expects warps of two extents (M x N), but got 3}}
func.func private @f(!bwgemm.fragment<128x64xf32, warps = 2x2x2>)

// -----

// fragment_c3
// expected-error @+1 {{expects 16 rows and 8 columns for each warp or a multiple of them, 64x16, but got 96x64}}
func.func private @f(!bwgemm.fragment<96x64xf32, warps = 4x2>)

// -----

// fragment_c3
// expected-error @+1 {{expects 16 rows and 8 columns for each warp or a multiple of them, 64x8, but got 64x20}}
func.func private @f(!bwgemm.fragment<64x20xf32>)

// -----

// warpgroup_mma_c1
func.func @f(%acc: !bwgemm.fragment<96x32xf32>, %a: !bwgemm.smem<96x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects an accumulator of a multiple of 64 rows, 16 for each warp, and at most 256 columns, but got '!bwgemm.fragment<96x32xf32>'}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<96x32xf32>, !bwgemm.smem<96x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// warpgroup_mma_c1
func.func @f(%acc: !bwgemm.fragment<64x32xf32, warps = 2x2>, %a: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{16 for each warp, and at most 256 columns, but got '!bwgemm.fragment<64x32xf32, warps = 2x2>'}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32, warps = 2x2>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// instruction_tiles_c1
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %a: !bwgemm.smem<64x24xbf16, k_major, swizzle = none>, %b: !bwgemm.smem<32x24xbf16, k_major, swizzle = none>, %g: index) {
  // expected-error @+1 {{expects K to be a multiple of 16 for 'bf16', but got 24}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<64x24xbf16, k_major, swizzle = none>, !bwgemm.smem<32x24xbf16, k_major, swizzle = none>
  return
}

// -----

// instruction_tiles_c2
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %a: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = <2, 5, 2>>, %g: index) {
  // expected-error @+1 {{expects a swizzle that matrix descriptors know (none, 32B, 64B or 128B), but got <2, 5, 2>}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = <2, 5, 2>>
  return
}

// -----

// instruction_tiles_c3
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %a: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects operand tiles of one stage, but got 2}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// mma_operands_c4
func.func @f(%acc: !bwgemm.fragment<256x32xf32>, %a: !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects an accumulator of 128x32 for these operands, but got 256x32}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<256x32xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// fragment_read_c1
func.func @f(%acc: !bwgemm.fragment<64x32xf32>) {
  // expected-error @+1 {{expects a column that is a multiple of 8 and a vector of a multiple of 4, but got column 4 and 4 elements}}
  %r = bwgemm.fragment_read %acc[0, 4] : !bwgemm.fragment<64x32xf32> -> vector<4xf32>
  return
}

// -----

// fragment_read_c1
func.func @f(%acc: !bwgemm.fragment<64x32xf32>) {
  // expected-error @+1 {{expects a column that is a multiple of 8 and a vector of a multiple of 4, but got column 8 and 6 elements}}
  %r = bwgemm.fragment_read %acc[0, 8] : !bwgemm.fragment<64x32xf32> -> vector<6xf32>
  return
}

// -----

// fragment_read_c2
func.func @f(%acc: !bwgemm.fragment<64x32xf32>) {
  // expected-error @+1 {{expects columns within the 32 that a warp has, but got 24 to 39}}
  %r = bwgemm.fragment_read %acc[0, 24] : !bwgemm.fragment<64x32xf32> -> vector<8xf32>
  return
}

// -----

// fragment_read_c3
func.func @f(%acc: !bwgemm.fragment<64x32xf32>) {
  // expected-error @+1 {{expects a row that is a multiple of 16 within the 16 that a warp has, but got 16}}
  %r = bwgemm.fragment_read %acc[16, 0] : !bwgemm.fragment<64x32xf32> -> vector<8xf32>
  return
}

// -----

// fragment_read_c3
func.func @f(%acc: !bwgemm.fragment<64x32xf32, warps = 1x1>) {
  // expected-error @+1 {{expects a row that is a multiple of 16 within the 64 that a warp has, but got 24}}
  %r = bwgemm.fragment_read %acc[24, 0] : !bwgemm.fragment<64x32xf32, warps = 1x1> -> vector<8xf32>
  return
}

// -----

// fragment_read_c4
func.func @f(%acc: !bwgemm.fragment<64x32xi32>) {
  // expected-error @+1 {{expects a vector of 'i32', but got 'f32'}}
  %r = bwgemm.fragment_read %acc[0, 0] : !bwgemm.fragment<64x32xi32> -> vector<8xf32>
  return
}

// -----

// warpgroup_mma_c2
func.func @f(%acc: !bwgemm.fragment<64x40xi32>, %a: !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>, %b: !bwgemm.smem<40x128xi8, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects N to be 8, 24 or a multiple of 16 for integers, but got 40}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x40xi32>, !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>, !bwgemm.smem<40x128xi8, k_major, swizzle = 128B>
  return
}

// -----

// warpgroup_mma_c3
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %a: !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x128xf8E5M2, mn_major, swizzle = 32B>, %g: index) {
  // expected-error @+1 {{expects operands of 'f8E4M3FN' that are k_major, but got mn_major}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>, !bwgemm.smem<32x128xf8E5M2, mn_major, swizzle = 32B>
  return
}

// -----

// product_c3: sums of f16 are those of mma.sync.
func.func @f(%acc: !bwgemm.fragment<64x32xf16>, %a: !bwgemm.smem<64x64xf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects an accumulator of 'f32' for operands of 'f16', but got 'f16'}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf16>, !bwgemm.smem<64x64xf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xf16, k_major, swizzle = 128B>
  return
}

// -----

// product_c3
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %a: !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x128xi8, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects an accumulator of 'i32' for operands of 'ui8', but got 'f32'}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>, !bwgemm.smem<32x128xi8, k_major, swizzle = 128B>
  return
}

// -----

// warpgroup_mma_c4
func.func @f(%acc: !bwgemm.fragment<128x32xf32>, %a: !bwgemm.smem<192x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>, %g: index) {
  // expected-error @+1 {{expects an accumulator of 192x32 for these operands, but got 128x32}}
  %r = bwgemm.warpgroup_mma %acc, %a, %b in %g : !bwgemm.fragment<128x32xf32>, !bwgemm.smem<192x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// store_c10
func.func @f(%acc: !bwgemm.fragment<64x32xf32>, %d: memref<64x32xf32>, %i: index) {
  // expected-error @+1 {{expects one team, or two of an accumulator in registers, but got 3 of '!bwgemm.fragment<64x32xf32>'}}
  bwgemm.store %acc, %d[%i, %i] teams 3 : !bwgemm.fragment<64x32xf32>, memref<64x32xf32>
  return
}

// -----

// store_c10
func.func @f(%acc: !bwgemm.tmem<128x32xf32>, %d: memref<64x32xf32>, %i: index) {
  // expected-error @+1 {{expects one team, or two of an accumulator in registers, but got 2 of '!bwgemm.tmem<128x32xf32>'}}
  bwgemm.store %acc, %d[%i, %i] teams 2 : !bwgemm.tmem<128x32xf32>, memref<64x32xf32>
  return
}
