// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// smem_alloc_c1: a multiple of the swizzle's pattern, not negative.
func.func @f() {
  // expected-error@+1 {{'bwgemm.smem_alloc' op expects an offset that is a multiple of 1024 bytes, but got 512}}
  %a = bwgemm.smem_alloc offset 512 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'bwgemm.smem_alloc' op expects an offset that is a multiple of 128 bytes, but got 64}}
  %a = bwgemm.smem_alloc offset 64 : !bwgemm.smem<64x64xbf16, k_major>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'bwgemm.smem_alloc' op expects an offset that is a multiple of 1024 bytes, but got -1024}}
  %a = bwgemm.smem_alloc offset -1024 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// smem_alloc_c1: the tile ends within shared memory.
func.func @f() {
  // expected-error@+1 {{'bwgemm.smem_alloc' op expects an offset of at most 224256, so that its 8192 bytes end within shared memory (232448), but got 225280}}
  %a = bwgemm.smem_alloc offset 225280 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [mbarrier_init, async_shared, tcgen05_before_thread_sync, tcgen05_after_thread_sync]}}
  bwgemm.fence everything
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'bwgemm.fence' op attribute 'kind' failed to satisfy constraint: what a fence orders}}
  "bwgemm.fence"() {kind = 9 : i32} : () -> ()
  return
}

// -----

// stmatrix_c1
func.func @f(%v: vector<16xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects a fragment of 4 or 8 elements, but got 16}}
  bwgemm.stmatrix %v, %t[%c0, %c0] : vector<16xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// smem_store_c1
func.func @f(%v: vector<2xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects a vector of 8 or 16 bytes, but got 4}}
  bwgemm.smem_store %v, %t[%c0, %c0] : vector<2xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// smem_store_c1
func.func @f(%v: vector<8xf32>, %t: !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects a vector of 8 or 16 bytes, but got 32}}
  bwgemm.smem_store %v, %t[%c0, %c0] : vector<8xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
  return
}

// -----

// tile_write_c1
func.func @f(%v: vector<8xf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects a tile of 'f16', but got 'bf16'}}
  bwgemm.stmatrix %v, %t[%c0, %c0] : vector<8xf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// tile_write_c2
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects a tile that is k_major, but got mn_major}}
  bwgemm.smem_store %v, %t[%c0, %c0] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
  return
}

// -----

// origin_c1
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects an origin of 3 coordinates in the tile, but got 2}}
  bwgemm.stmatrix %v, %t[%c0, %c0] : vector<8xbf16>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c1
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects an origin of 2 coordinates in the tile, but got 3}}
  bwgemm.smem_store %v, %t[%c0, %c0, %c0] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c2
func.func @f(%v: vector<8xf16>, %t: !bwgemm.smem<64x8xf16, k_major>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects a tile of at least 16 elements along each mode it touches, but got 8}}
  bwgemm.stmatrix %v, %t[%i, %i] : vector<8xf16>, !bwgemm.smem<64x8xf16, k_major>
  return
}

// -----

// origin_c3: rows
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects an origin of 0 to 48 that is a multiple of 8, but got 56}}
  bwgemm.stmatrix %v, %t[%c56, %c0] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c3
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.stmatrix' op expects an origin of 0 to 48 that is a multiple of 8, but got 4}}
  bwgemm.stmatrix %v, %t[%c0, %c4] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c3: a row, not a multiple of anything
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects an origin of 0 to 63 that is a multiple of 1, but got 64}}
  bwgemm.smem_store %v, %t[%c64, %c0] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c3
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects an origin of 0 to 56 that is a multiple of 8, but got 4}}
  bwgemm.smem_store %v, %t[%c0, %c4] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// origin_c3: stages
func.func @f(%v: vector<8xbf16>, %t: !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>, %i: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{'bwgemm.smem_store' op expects an origin of 0 to 1 that is a multiple of 1, but got 4}}
  bwgemm.smem_store %v, %t[%c4, %c0, %c0] : vector<8xbf16>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  return
}

// -----

// warps_barrier_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.warps_barrier' op expects a barrier of 1 to 15, but got 0}}
  bwgemm.warps_barrier 0, 128
  return
}

// -----

// warps_barrier_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.warps_barrier' op expects a barrier of 1 to 15, but got 16}}
  bwgemm.warps_barrier 16, 128
  return
}

// -----

// warps_barrier_c2
func.func @f() {
  // expected-error@+1 {{'bwgemm.warps_barrier' op expects a number of threads of 32 to 1024 that is a multiple of 32, but got 100}}
  bwgemm.warps_barrier 1, 100
  return
}

// -----

// warps_barrier_c2
func.func @f() {
  // expected-error@+1 {{'bwgemm.warps_barrier' op expects a number of threads of 32 to 1024 that is a multiple of 32, but got 1056}}
  bwgemm.warps_barrier 1, 1056
  return
}
