// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @warpgroups
// CHECK-SAME: !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
func.func @warpgroups(
    %a: !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>,
    %b: !bwgemm.smem<40x64xbf16, mn_major>,
    %d: memref<128x40xbf16>, %g: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[ZERO:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<128x40xf32>
  %zero = bwgemm.fragment_zero : !bwgemm.fragment<128x40xf32>
  // CHECK: %[[SUM:.*]] = bwgemm.warpgroup_mma %[[ZERO]], %{{.*}}, %{{.*}} in %{{.*}} : !bwgemm.fragment<128x40xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<40x64xbf16, mn_major>
  %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
      : !bwgemm.fragment<128x40xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<40x64xbf16, mn_major>
  // The last columns.
  // CHECK: bwgemm.fragment_read %[[SUM]][0, 32] : !bwgemm.fragment<128x40xf32> -> vector<4xf32>
  %last = bwgemm.fragment_read %sum[0, 32] : !bwgemm.fragment<128x40xf32> -> vector<4xf32>
  // CHECK: bwgemm.store %[[SUM]], %{{.*}}[%{{.*}}, %{{.*}}] : !bwgemm.fragment<128x40xf32>, memref<128x40xbf16>
  bwgemm.store %sum, %d[%c0, %c0] : !bwgemm.fragment<128x40xf32>, memref<128x40xbf16>
  return
}

// Each of two teams multiplies two blocks of 64 rows, and waits for them later.
// CHECK-LABEL: func.func @blocks
func.func @blocks(
    %acc: !bwgemm.fragment<64x40xf32>,
    %a: !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>,
    %b: !bwgemm.smem<40x64xbf16, mn_major>,
    %d: memref<128x40xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nvvm.wgmma.fence.aligned
  // CHECK: %[[SUM:.*]] = bwgemm.warpgroup_mma async %{{.*}}, %{{.*}}, %{{.*}} in %{{.*}} : !bwgemm.fragment<64x40xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<40x64xbf16, mn_major>
  %sum = bwgemm.warpgroup_mma async %acc, %a, %b in %c1
      : !bwgemm.fragment<64x40xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<40x64xbf16, mn_major>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK: bwgemm.store %[[SUM]], %{{.*}}[%{{.*}}, %{{.*}}] teams 2 : !bwgemm.fragment<64x40xf32>, memref<128x40xbf16>
  bwgemm.store %sum, %d[%c0, %c0] teams 2 : !bwgemm.fragment<64x40xf32>, memref<128x40xbf16>
  return
}
