// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics

// operand_c1
// expected-error @+1 {{expects elements of f16, bf16, f32, i8, f8E4M3FN or f8E5M2, but got 'i32'}}
func.func private @f(!bwgemm.operand<a, 64x8xi32>)

// -----

// operand_c2
// expected-error @+1 {{expects a multiple of 16 rows up to 256, or 8 rows of b, and 32 columns of 'ui8', but got 64x16}}
func.func private @f(!bwgemm.operand<a, 64x16xui8>)

// -----

// operand_c2
// expected-error @+1 {{expects a multiple of 16 rows up to 256, or 8 rows of b, and 16 columns of 'bf16', but got 8x16}}
func.func private @f(!bwgemm.operand<a, 8x16xbf16>)

// -----

// operand_c2
// expected-error @+1 {{or 8 rows of b, and 16 columns of 'bf16', but got 24x16}}
func.func private @f(!bwgemm.operand<b, 24x16xbf16>)

// -----

// operand_c2
// expected-error @+1 {{and 16 columns of 'bf16', but got 64x32}}
func.func private @f(!bwgemm.operand<b, 64x32xbf16>)

// -----

// operand_c2
// expected-error @+1 {{expects a or b, but got c}}
func.func private @f(!bwgemm.operand<c, 64x16xbf16>)

// -----

// operand_c2
// expected-error @+1 {{expects two extents (rows x columns), but got 3}}
func.func private @f(!bwgemm.operand<a, 2x64x16xbf16>)

// -----

// aligned_c1
func.func @f(%a: memref<64x64xbf16, strided<[128, 2]>>) {
  // expected-error @+1 {{expects a matrix with contiguous rows, but got 'memref<64x64xbf16, strided<[128, 2]>>'}}
  %0 = bwgemm.aligned %a to 16 : memref<64x64xbf16, strided<[128, 2]>>
  return
}

// -----

// aligned_c2
func.func @f(%a: memref<64x64xbf16>) {
  // expected-error @+1 {{expects 1, 2, 4, 8 or 16 bytes, but got 12}}
  %0 = bwgemm.aligned %a to 12 : memref<64x64xbf16>
  return
}

// -----

// thread_copy_c1
func.func @f(%a: memref<2x64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects a matrix and two coordinates, but got rank 3 and 2 coordinates}}
  bwgemm.copy_tile %a[%i, %i], %t by 16 : memref<2x64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// thread_copy_c2
func.func @f(%a: memref<64x64xf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects a tile of the source's element type ('f16'), but got 'bf16'}}
  bwgemm.copy_tile %a[%i, %i], %t by 16 : memref<64x64xf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// thread_copy_c3
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects to copy 4, 8 or 16 bytes at once, or one element, but got 32}}
  bwgemm.copy_tile %a[%i, %i], %t by 32 : memref<64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// thread_copy_c4
func.func @f(%a: memref<64x64xbf16, strided<[1, 64]>>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects a source with contiguous rows for copies of 4 bytes}}
  bwgemm.copy_tile %a[%i, %i], %t by 4 : memref<64x64xbf16, strided<[1, 64]>>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// copy_tile_c1
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<2x64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects a stage for a tile of '!bwgemm.smem<2x64x64xbf16, k_major>'}}
  bwgemm.copy_tile %a[%i, %i], %t by 16 : memref<64x64xbf16>, !bwgemm.smem<2x64x64xbf16, k_major>
  return
}

// -----

// copy_tile_c1
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects no stage for a tile of}}
  bwgemm.copy_tile %a[%i, %i], %t[%i] by 16 : memref<64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// origin_c1
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<2x64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects an origin of 3 coordinates in the tile, but got 2}}
  bwgemm.cp_async %a[%i, %i] row %i, %t[%i, %i], %i by 16 : memref<64x64xbf16>, !bwgemm.smem<2x64x64xbf16, k_major>
  return
}

// -----

// origin_c2
func.func @f(%t: !bwgemm.smem<32x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects a tile of at least 64 elements along each mode it touches, but got 32}}
  %0 = bwgemm.ldmatrix %t[%i, %i] : !bwgemm.smem<32x64xbf16, k_major> -> !bwgemm.operand<a, 64x16xbf16>
  return
}

// -----

// origin_c3
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expects an origin of 0 to 56 that is a multiple of 8, but got 4}}
  bwgemm.cp_async %a[%i, %i] row %i, %t[%i, %c4], %i by 16 : memref<64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// origin_c3
func.func @f(%t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  %c56 = arith.constant 56 : index
  // expected-error @+1 {{expects an origin of 0 to 48 that is a multiple of 8, but got 56}}
  %0 = bwgemm.ldmatrix %t[%c56, %i] : !bwgemm.smem<64x64xbf16, k_major> -> !bwgemm.operand<a, 16x16xbf16>
  return
}

// -----

// ldmatrix_c1
func.func @f(%t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects an operand of the tile's element type ('bf16'), but got 'f16'}}
  %0 = bwgemm.ldmatrix %t[%i, %i] : !bwgemm.smem<64x64xbf16, k_major> -> !bwgemm.operand<a, 16x16xf16>
  return
}

// -----

// ldmatrix_c2
func.func @f(%t: !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>, %i: index) {
  // expected-error @+1 {{expects a swizzle of 16-byte chunks (none, 32B, 64B or 128B), but got <2, 5, 2>}}
  %0 = bwgemm.ldmatrix %t[%i, %i] : !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>> -> !bwgemm.operand<a, 16x16xbf16>
  return
}

// -----

// product_c1
func.func @f(%acc: !bwgemm.fragment<16x8xf32>, %a: !bwgemm.operand<a, 16x16xbf16>, %b: !bwgemm.operand<b, 8x16xf16>) {
  // expected-error @+1 {{expects A and B of one element type, or both of 8-bit floats or both of 8-bit integers, but got 'bf16' and 'f16'}}
  %0 = bwgemm.mma_sync %acc, %a, %b : !bwgemm.fragment<16x8xf32>, !bwgemm.operand<a, 16x16xbf16>, !bwgemm.operand<b, 8x16xf16>
  return
}

// -----

// mma_sync_c2
func.func @f(%acc: !bwgemm.fragment<64x64xf32, warps = 2x2>, %a: !bwgemm.operand<a, 32x16xbf16>, %b: !bwgemm.operand<b, 64x16xbf16>) {
  // expected-error @+1 {{expects operands of 32 and 32 rows, those of a warp's part of the accumulator, but got 32 and 64}}
  %0 = bwgemm.mma_sync %acc, %a, %b : !bwgemm.fragment<64x64xf32, warps = 2x2>, !bwgemm.operand<a, 32x16xbf16>, !bwgemm.operand<b, 64x16xbf16>
  return
}

// -----

// mma_sync_c3
func.func @f(%acc: !bwgemm.fragment<64x64xf32, warps = 2x2>, %a: !bwgemm.operand<a, 32x16xbf16>) {
  // expected-error @+1 {{expects an operand of a and one of b, but got '!bwgemm.operand<a, 32x16xbf16>' and '!bwgemm.operand<a, 32x16xbf16>'}}
  %0 = bwgemm.mma_sync %acc, %a, %a : !bwgemm.fragment<64x64xf32, warps = 2x2>, !bwgemm.operand<a, 32x16xbf16>, !bwgemm.operand<a, 32x16xbf16>
  return
}

// -----

// mma_sync_c4
func.func @f(%acc: !bwgemm.fragment<16x8xf16>, %a: !bwgemm.operand<a, 16x16xbf16>, %b: !bwgemm.operand<b, 8x16xbf16>) {
  // expected-error @+1 {{expects operands of f16 for an accumulator of f16, but got 'bf16'}}
  %0 = bwgemm.mma_sync %acc, %a, %b : !bwgemm.fragment<16x8xf16>, !bwgemm.operand<a, 16x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
  return
}

// -----

// mma_sync_c4
func.func @f(%acc: !bwgemm.fragment<16x8xf16>, %a: !bwgemm.operand<a, 16x32xf8E5M2>, %b: !bwgemm.operand<b, 8x32xf8E5M2>) {
  // expected-error @+1 {{expects operands of f16 for an accumulator of f16, but got 'f8E5M2'}}
  %0 = bwgemm.mma_sync %acc, %a, %b : !bwgemm.fragment<16x8xf16>, !bwgemm.operand<a, 16x32xf8E5M2>, !bwgemm.operand<b, 8x32xf8E5M2>
  return
}

// -----

// fragment_extend_c1
func.func @f(%acc: !bwgemm.fragment<16x8xf32>) {
  // expected-error @+1 {{expects to make f32 of f16, but got 'f32' of 'f32'}}
  %0 = bwgemm.fragment_extend %acc : !bwgemm.fragment<16x8xf32> -> !bwgemm.fragment<16x8xf32>
  return
}

// -----

// fragment_extend_c2
func.func @f(%acc: !bwgemm.fragment<64x64xf16, warps = 2x2>) {
  // expected-error @+1 {{expects the same elements in the same warps, but got '!bwgemm.fragment<64x64xf16, warps = 2x2>' and '!bwgemm.fragment<64x64xf32, warps = 1x4>'}}
  %0 = bwgemm.fragment_extend %acc : !bwgemm.fragment<64x64xf16, warps = 2x2> -> !bwgemm.fragment<64x64xf32, warps = 1x4>
  return
}

// -----

// store_c9
func.func @f(%acc: !bwgemm.fragment<16x8xf16>, %d: memref<16x8xf16>, %i: index) {
  // expected-error @+1 {{expects sums of f32 or i32, but got f16, of which bwgemm.fragment_extend makes f32}}
  bwgemm.store %acc, %d[%i, %i] : !bwgemm.fragment<16x8xf16>, memref<16x8xf16>
  return
}

// -----

// load_c3
func.func @f(%a: memref<64xbf16>, %i: index) {
  // expected-error @+1 {{expects a matrix and two coordinates, but got rank 1 and 1 coordinates}}
  %t = bwgemm.load %a[%i] : memref<64xbf16> -> !bwgemm.smem<64x32xbf16, k_major>
  return
}

// -----

// load_c4
func.func @f(%a: memref<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a tile of the matrix's element type ('f16'), but got 'bf16'}}
  %t = bwgemm.load %a[%i, %i] : memref<64x64xf16> -> !bwgemm.smem<64x32xbf16, k_major>
  return
}

// -----

// schedule_c14
// expected-error @+1 {{expects 1 to 32 warps, but got 8x8}}
module attributes { test.a = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 8x8> } {}

// -----

// schedule_c16
// expected-error @+1 {{expects a promote of a multiple of the tile's K, 32, up to 65536, but got 48}}
module attributes { test.a = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, promote = 48> } {}

// -----

// schedule_c17
// expected-error @+1 {{expects a promote with compensated = on, but got none}}
module attributes { test.a = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, compensated = on> } {}

// -----

// schedule_c18
// expected-error @+1 {{expects accumulator = f16 with preset microkernel, tiled, double_buffered or multistage, but got preset persistent}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 128x128x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", accumulator = f16> } {}

// -----

// schedule_c19
// expected-error @+1 {{expects compensated = off with accumulator = f16, which cannot hold the error of a sum of f32, but got on}}
module attributes { test.a = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, accumulator = f16, promote = 64, compensated = on> } {}

// -----

// expected-error @+1 {{expects an accumulator of f32 or f16, but got bf16}}
module attributes { test.a = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, accumulator = bf16> } {}

// -----

// copy_tile_c2
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects the number of a part and that of all parts, [0, 3] for the first of three, but got [3, 3]}}
  bwgemm.copy_tile %a[%i, %i], %t part [3, 3] by 16 : memref<64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// copy_tile_c3
func.func @f(%a: memref<64x64xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %i: index) {
  // expected-error @+1 {{expects no end of K for a whole tile}}
  bwgemm.copy_tile %a[%i, %i], %t until %i whole by 16 : memref<64x64xbf16>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// promote_c1
func.func @f(%sum: !bwgemm.fragment<16x8xi32>) {
  // expected-error @+1 {{expects sums of f32, but got '!bwgemm.fragment<16x8xi32>'}}
  %total, %start = bwgemm.promote %sum, %sum : !bwgemm.fragment<16x8xi32>
  return
}

// -----

// promote_c1
func.func @f(%sum: !bwgemm.fragment<16x8xf16>) {
  // expected-error @+1 {{expects sums of f32, but got '!bwgemm.fragment<16x8xf16>'}}
  %total, %start = bwgemm.promote %sum, %sum : !bwgemm.fragment<16x8xf16>
  return
}
