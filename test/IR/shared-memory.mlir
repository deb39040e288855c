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

// CHECK-LABEL: func @staging
func.func @staging(%t: !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>, %u: !bwgemm.smem<64x8xf16, k_major>, %w: !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>,
                   %stage: index, %row: index, %v: vector<8xbf16>, %h: vector<4xf16>, %q: vector<4xf32>, %p: vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %c28 = arith.constant 28 : index
  %c48 = arith.constant 48 : index
  // 16 rows of 16 columns, and of 8 in a tile that is no wider.
  // CHECK: bwgemm.stmatrix %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %c48] : vector<8xbf16>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  bwgemm.stmatrix %v, %t[%stage, %row, %c48] : vector<8xbf16>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.stmatrix %{{.*}}, %{{.*}}[%c48, %c0] : vector<4xf16>, !bwgemm.smem<64x8xf16, k_major>
  bwgemm.stmatrix %h, %u[%c48, %c0] : vector<4xf16>, !bwgemm.smem<64x8xf16, k_major>
  // CHECK: bwgemm.smem_store %{{.*}}, %{{.*}}[%{{.*}}, %c28] : vector<4xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
  bwgemm.smem_store %q, %w[%row, %c28] : vector<4xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
  // CHECK: bwgemm.smem_store %{{.*}}, %{{.*}}[%{{.*}}, %c0] : vector<2xf32>
  bwgemm.smem_store %p, %w[%row, %c0] : vector<2xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
  // CHECK: bwgemm.warps_barrier 1, 128
  bwgemm.warps_barrier 1, 128
  // CHECK: bwgemm.warps_barrier 1, 128 group %{{.*}}
  bwgemm.warps_barrier 1, 128 group %stage
  // CHECK: bwgemm.warp_barrier
  bwgemm.warp_barrier
  return
}
