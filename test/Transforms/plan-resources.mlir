// Offsets by falling alignment, and the total at the launch.

// RUN: bwgemm-opt %s --bwgemm-plan-resources | FileCheck %s
// RUN: bwgemm-opt %s --bwgemm-plan-resources > %t.once
// RUN: bwgemm-opt %t.once --bwgemm-plan-resources --canonicalize | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK: %[[BYTES:.*]] = arith.constant 26644 : i32
  // CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size %[[BYTES]]
  func.func @launch() {
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none
    return
  }
  gpu.module @kernels {
    // CHECK: gpu.func @kernel() kernel attributes {bwgemm.shared_bytes = 26644 : i64}
    gpu.func @kernel() kernel {
      // The slot of 4 bytes comes last.
      // CHECK: bwgemm.tmem_slot offset 26640
      %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
      // CHECK: bwgemm.mbarrier.alloc offset 26624 : !bwgemm.mbarrier<2>
      %full = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<2>
      // No swizzle: 128 bytes, behind what is stricter.
      // CHECK: bwgemm.smem_alloc offset 24576 : !bwgemm.smem<16x64xbf16, k_major>
      %small = bwgemm.smem_alloc : !bwgemm.smem<16x64xbf16, k_major>
      // Patterns of 1024 bytes.
      // CHECK: bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
      %a = bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
      // CHECK: bwgemm.smem_alloc offset 8192 : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
      %b = bwgemm.smem_alloc : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
      gpu.return
    }
  }
}
