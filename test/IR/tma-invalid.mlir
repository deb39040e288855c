// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// copy_c1
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects one coordinate for each of the map's 2 dimensions, but got 1}}
  bwgemm.tma_load %map[%i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c2
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin of 2 coordinates in the tile, but got 1}}
  bwgemm.tma_load %map[%i, %i], %t[%c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c2: a tile of stages has three
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin of 3 coordinates in the tile, but got 2}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// box_c1, box_c2, box_c4 and box_c5 hold as for bwgemm.load
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects the tile's element type to be the map's ('bf16'), but got 'f16'}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects the tile's swizzle to be the map's (128B), but got none}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<64x32xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects a box row of 64 elements, one row of the tile's columns, but got 32}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x32xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects box rows that are a multiple of 8 and divide the tile's 64 rows, but got 128}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c3: within the tile, in rows, depth and stages
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin within the tile's extent of 64, but got 64}}
  bwgemm.tma_load %map[%i, %i], %t[%c64, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin within the tile's extent of 64, but got -1}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %cm1], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin within the tile's extent of 4, but got 4}}
  bwgemm.tma_load %map[%i, %i], %t[%c4, %c0, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c3: at a box's first row
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin that is a multiple of the box's extent of 64, but got 32}}
  bwgemm.tma_load %map[%i, %i], %t[%c32, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c3: at a column's first byte
func.func @f(%map: !bwgemm.tensor_map<64x8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin that is a multiple of the box's extent of 8, but got 4}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c4], %b[%c0]
      : !bwgemm.tensor_map<64x8xbf16>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<4>
  return
}

// -----

// copy_c3: an MN-major tile has its columns along MN
func.func @f(%map: !bwgemm.tensor_map<64x8xbf16>, %t: !bwgemm.smem<64x64xbf16, mn_major>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an origin that is a multiple of the box's extent of 8, but got 4}}
  bwgemm.tma_load %map[%i, %i], %t[%c4, %c0], %b[%c0]
      : !bwgemm.tensor_map<64x8xbf16>, !bwgemm.smem<64x64xbf16, mn_major>, !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %b: !bwgemm.mbarrier<4>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.tma_load' op expects an index of 0 to 3, but got 4}}
  bwgemm.tma_load %map[%i, %i], %t[%c0, %c0], %b[%c4]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// -----

// Segments that do not add up to the operands.
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>,
             %b: !bwgemm.mbarrier<4>, %i: index) {
  // expected-error@+1 {{'bwgemm.tma_load' op operand count (5) does not match with the total size (7) specified in attribute 'operandSegmentSizes'}}
  "bwgemm.tma_load"(%map, %i, %t, %b, %i) {operandSegmentSizes = array<i32: 1, 2, 1, 1, 1, 1, 0>}
      : (!bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, index, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>, index) -> ()
  return
}

// -----

// copy_c1 holds for stores
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{'bwgemm.tma_store' op expects one coordinate for each of the map's 2 dimensions, but got 3}}
  bwgemm.tma_store %map[%i, %i, %i], %t[%c0, %c0, %c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// copy_c2
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{'bwgemm.tma_store' op expects an origin of 3 coordinates in the tile, but got 2}}
  bwgemm.tma_store %map[%i, %i], %t[%c0, %c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// box_c1
func.func @f(%map: !bwgemm.tensor_map<64x64xf16, swizzle = 128B>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{'bwgemm.tma_store' op expects the tile's element type to be the map's ('f16'), but got 'bf16'}}
  bwgemm.tma_store %map[%i, %i], %t[%c0, %c0, %c0]
      : !bwgemm.tensor_map<64x64xf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// copy_c3
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{'bwgemm.tma_store' op expects an origin within the tile's extent of 2, but got 2}}
  bwgemm.tma_store %map[%i, %i], %t[%c2, %c0, %c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// copy_c3
func.func @f(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{'bwgemm.tma_store' op expects an origin that is a multiple of the box's extent of 64, but got 32}}
  bwgemm.tma_store %map[%i, %i], %t[%c0, %c32, %c0]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// tma_store_wait_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.tma_store.wait' op expects a number of groups of at least 0, but got -1}}
  bwgemm.tma_store.wait -1
  return
}
