// Tiles in shared memory, fences, and threads.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @tiles
func.func @tiles() {
  // CHECK: bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  %a = bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.smem_alloc offset 1024 : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  %b = bwgemm.smem_alloc offset 1024 : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
  // The last place at which 8192 bytes end within 232448.
  // CHECK: bwgemm.smem_alloc offset 224256 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  %c = bwgemm.smem_alloc offset 224256 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  return
}

// CHECK-LABEL: func @fences
func.func @fences() {
  // CHECK: bwgemm.fence mbarrier_init
  bwgemm.fence mbarrier_init
  // CHECK: bwgemm.fence async_shared
  bwgemm.fence async_shared
  // CHECK: bwgemm.fence tcgen05_before_thread_sync
  bwgemm.fence tcgen05_before_thread_sync
  // CHECK: bwgemm.fence tcgen05_after_thread_sync
  bwgemm.fence tcgen05_after_thread_sync
  return
}

// CHECK-LABEL: func @threads
func.func @threads() -> (i1, index) {
  // CHECK: bwgemm.elect
  %elected = bwgemm.elect
  // CHECK: bwgemm.warp_id
  %warp = bwgemm.warp_id
  return %elected, %warp : i1, index
}
