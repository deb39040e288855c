// Tensor-core instructions.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @mma
func.func @mma(%d: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, %accumulate: i1,
               %done: !bwgemm.mbarrier<2>, %i: index) {
  // CHECK: bwgemm.tcgen05.mma %{{.*}}, %[[A:.*]], %[[A]], %{{.*}} : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  bwgemm.tcgen05.mma %d, %a, %a, %accumulate
      : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.tcgen05.commit %{{.*}}[%{{.*}}] : !bwgemm.mbarrier<2>
  bwgemm.tcgen05.commit %done[%i] : !bwgemm.mbarrier<2>
  return
}

// The smallest and the largest shapes, operands of either major-ness and of
// different swizzles.
// CHECK-LABEL: func @shapes
func.func @shapes(%d8: !bwgemm.tmem<64x8xf32>, %d256: !bwgemm.tmem<128x256xf32>, %a64: !bwgemm.smem<64x16xf16, k_major, swizzle = 32B>,
                  %b8: !bwgemm.smem<8x16xf16, k_major>, %a128: !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>,
                  %b256: !bwgemm.smem<256x64xbf16, mn_major, swizzle = 64B>, %accumulate: i1) {
  // CHECK: bwgemm.tcgen05.mma {{.*}} : !bwgemm.tmem<64x8xf32>, !bwgemm.smem<64x16xf16, k_major, swizzle = 32B>, !bwgemm.smem<8x16xf16, k_major>
  bwgemm.tcgen05.mma %d8, %a64, %b8, %accumulate
      : !bwgemm.tmem<64x8xf32>, !bwgemm.smem<64x16xf16, k_major, swizzle = 32B>, !bwgemm.smem<8x16xf16, k_major>
  // CHECK: bwgemm.tcgen05.mma {{.*}} : !bwgemm.tmem<128x256xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xbf16, mn_major, swizzle = 64B>
  bwgemm.tcgen05.mma %d256, %a128, %b256, %accumulate
      : !bwgemm.tmem<128x256xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xbf16, mn_major, swizzle = 64B>
  return
}
