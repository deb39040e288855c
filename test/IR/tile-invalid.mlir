// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// tile_coord_c1
func.func @f(%columns: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects tile extents of 1 to 65536, but got 0 x 64}}
  %m, %n = bwgemm.tile_coord 0 x 64 of %columns
  return
}

// -----

// tile_coord_c2
func.func @f(%columns: index, %rows: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects a raster of 1 to 65536 rows of tiles, but got 0}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns raster 0 of %rows
  return
}

// -----

// tile_coord_c3
func.func @f(%columns: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects the rows of the result for a raster}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns {raster = 8 : i64}
  return
}

// -----

// tile_coord_c5
func.func @f(%columns: index, %rows: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects a raster that is a power of two, 2 at least, for order hilbert, but got 6}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns raster 6 of %rows order hilbert
  return
}

// -----

// tile_coord_c5
func.func @f(%columns: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects a raster that is a power of two, 2 at least, for order hilbert, but got 1}}
  %m, %n = bwgemm.tile_coord 64 x 64 of %columns order hilbert
  return
}

// -----

func.func @f(%columns: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects tile extents of 1 to 65536, but got 64 x -64}}
  %m, %n = bwgemm.tile_coord 64 x -64 of %columns
  return
}

// -----

func.func @f(%columns: index) {
  // expected-error@+1 {{'bwgemm.tile_coord' op expects tile extents of 1 to 65536, but got 64 x 65537}}
  %m, %n = bwgemm.tile_coord 64 x 65537 of %columns
  return
}

// -----

// load_c1
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects one coordinate for each of the map's 2 dimensions, but got 1}}
  %t = bwgemm.load %map[%i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects one coordinate for each of the map's 2 dimensions, but got 3}}
  %t = bwgemm.load %map[%i, %i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// load_c2
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects a tile of one stage, but got 2}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c1
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects the tile's element type to be the map's ('bf16'), but got 'f16'}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c2
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects the tile's swizzle to be the map's (128B), but got 64B}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 64B>
  return
}

// -----

// box_c2: a layout that no tensor map has
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects the tile's swizzle to be the map's (128B), but got <2, 5, 2>}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>
  return
}

// -----

// box_c3
func.func @f(%map: !bwgemm.tensor_map<1x64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects a box of 2 dimensions, but got 3}}
  %t = bwgemm.load %map[%i, %i, %i] : !bwgemm.tensor_map<1x64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c4: half of a row of the tile's columns
func.func @f(%map: !bwgemm.tensor_map<64x32xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects a box row of 64 elements, one row of the tile's columns, but got 32}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x32xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c4: without swizzle a column is 16 bytes wide
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects a box row of 8 elements, one row of the tile's columns, but got 64}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// box_c5: not a divisor, then not a multiple of 8
func.func @f(%map: !bwgemm.tensor_map<48x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects box rows that are a multiple of 8 and divide the tile's 64 rows, but got 48}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<48x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<4x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects box rows that are a multiple of 8 and divide the tile's 64 rows, but got 4}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<4x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c5: the rows of an MN-major tile are its K
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.load' op expects box rows that are a multiple of 8 and divide the tile's 16 rows, but got 64}}
  %t = bwgemm.load %map[%i, %i] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x16xbf16, mn_major, swizzle = 128B>
  return
}

// -----

// mma_c1
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %a: !bwgemm.smem<2x64x64xbf16, k_major>, %b: !bwgemm.smem<64x64xbf16, k_major>) {
  // expected-error@+1 {{'bwgemm.mma' op expects operand tiles of one stage}}
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<2x64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

// product_c1
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<64x64xf16, k_major>) {
  // expected-error@+1 {{'bwgemm.mma' op expects A and B of one element type, or both of 8-bit floats or both of 8-bit integers, but got 'bf16' and 'f16'}}
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xf16, k_major>
  return
}

// -----

// product_c2
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %a: !bwgemm.smem<64x64xi16, k_major>, %b: !bwgemm.smem<64x64xi16, k_major>) {
  // expected-error@+1 {{'bwgemm.mma' op expects operands of f16, bf16, f32, i8, f8E4M3FN or f8E5M2, but got 'i16'}}
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xi16, k_major>, !bwgemm.smem<64x64xi16, k_major>
  return
}

// -----

// mma_operands_c3
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<64x32xbf16, k_major>) {
  // expected-error@+1 {{'bwgemm.mma' op expects A and B to agree on K, but got 64 and 32}}
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x32xbf16, k_major>
  return
}

// -----

// mma_operands_c4
func.func @f(%acc: !bwgemm.acc<128x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.smem<128x64xbf16, k_major>) {
  // expected-error@+1 {{'bwgemm.mma' op expects an accumulator of 64x128 for these operands, but got 128x64}}
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<128x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<128x64xbf16, k_major>
  return
}

// -----

// store_c1
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<2x64x64xf32>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects a matrix (rank 2), but got rank 3}}
  bwgemm.store %acc, %d[%i, %i] : !bwgemm.acc<64x64xf32>, memref<2x64x64xf32>
  return
}

// -----

// store_c2
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<64x64xi32>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects f32, f16 or bf16 in memory, but got 'i32'}}
  bwgemm.store %acc, %d[%i, %i] : !bwgemm.acc<64x64xf32>, memref<64x64xi32>
  return
}

// -----

// store_c2
func.func @f(%acc: !bwgemm.acc<64x64xi32>, %d: memref<64x64xf32>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects i32 in memory for sums of i32, but got 'f32'; an epilogue may convert}}
  bwgemm.store %acc, %d[%i, %i] : !bwgemm.acc<64x64xi32>, memref<64x64xf32>
  return
}

// -----

// store_c8
func.func @f(%acc: !bwgemm.acc<64x64xi32>, %d: memref<64x64xf32>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects i32 in memory for sums of i32 that are added to it, but got 'f32'}}
  bwgemm.store %acc, %d[%i, %i] accumulate epilogue(%sum : i32) {
    %y = arith.sitofp %sum : i32 to f32
    bwgemm.yield %y : f32
  } : !bwgemm.acc<64x64xi32>, memref<64x64xf32>
  return
}

// -----

// store_c3
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects no map for a store that accumulates}}
  bwgemm.store %acc, %d[%i, %i] via %map accumulate : !bwgemm.acc<64x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  return
}

// -----

// store_c4
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<64x64xf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects a map of 'bf16', but got 'f16'}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.acc<64x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<64x64xf16, swizzle = 128B>
  return
}

// -----

// store_c5
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects a box of 64 rows whose columns divide the accumulator's 64, but got '!bwgemm.tensor_map<32x64xbf16, swizzle = 128B>'}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.acc<64x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>
  return
}

// -----

// store_c5: each warpgroup stores its 64 rows
func.func @f(%acc: !bwgemm.fragment<128x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects a box of 64 rows whose columns divide the accumulator's 64, but got '!bwgemm.tensor_map<128x64xbf16, swizzle = 128B>'}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.fragment<128x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
  return
}

// -----

// store_c5: in tensor memory
func.func @f(%acc: !bwgemm.tmem<64x48xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects a box of 64 rows whose columns divide the accumulator's 48, but got '!bwgemm.tensor_map<64x64xbf16, swizzle = 128B>'}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.tmem<64x48xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  return
}

// -----

// store_c6
func.func @f(%acc: !bwgemm.acc<64x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<64x32xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects box rows of 128 bytes, one row of the map's swizzle, but got 64}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.acc<64x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<64x32xbf16, swizzle = 128B>
  return
}

// -----

// store_c7
func.func @f(%acc: !bwgemm.acc<32x64xf32>, %d: memref<?x?xbf16>, %map: !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>, %i: index) {
  // expected-error@+1 {{'bwgemm.store' op expects an accumulator of 64 or 128 rows, but got 32}}
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.acc<32x64xf32>, memref<?x?xbf16>, !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>
  return
}
