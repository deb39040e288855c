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
