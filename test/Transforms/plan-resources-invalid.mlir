// Plans that do not fit name both numbers.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-plan-resources

gpu.module @kernels {
  // expected-error @+1 {{needs 262144 bytes of shared memory, but sm_100a has 232448}}
  gpu.func @shared() kernel {
    %a = bwgemm.smem_alloc : !bwgemm.smem<4x256x64xbf16, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc : !bwgemm.smem<4x256x64xbf16, k_major, swizzle = 128B>
    gpu.return
  }
}

// -----

// 256 + 256 + 32
gpu.module @kernels {
  // expected-error @+1 {{needs 544 columns of tensor memory, but there are 512}}
  gpu.func @columns() kernel {
    %a = bwgemm.tmem_slot : !bwgemm.tmem_slot<256>
    %b = bwgemm.tmem_slot : !bwgemm.tmem_slot<256>
    %c = bwgemm.tmem_slot : !bwgemm.tmem_slot<32>
    gpu.return
  }
}

// -----

// expected-error @+1 {{unknown bwgemm.target; expects one of}}
module attributes {bwgemm.target = "sm_1"} {
}

// -----

// What a kernel takes is what was planned for its schedule: two tiles of 8192
// bytes, two mbarriers and 4 bytes.
#small = #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
gpu.module @kernels {
  // expected-error @+1 {{takes 16396 bytes of shared memory, but its schedule plans 16404}}
  gpu.func @bytes(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %d: memref<64x64xf32>) kernel attributes {bwgemm.schedule = #small, known_block_size = array<i32: 128, 1, 1>} {
    %tiles = bwgemm.smem_alloc : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
    %barrier = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
    %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
    gpu.return
  }
}

// -----

#small = #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
gpu.module @kernels {
  // expected-error @+1 {{takes 128 columns of tensor memory, but its schedule plans 64}}
  gpu.func @columns(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %d: memref<64x64xf32>) kernel attributes {bwgemm.schedule = #small, known_block_size = array<i32: 128, 1, 1>} {
    %tiles = bwgemm.smem_alloc : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
    %barriers = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<2>
    %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<128>
    gpu.return
  }
}

// -----

#small = #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
gpu.module @kernels {
  // expected-error @+1 {{takes 192 threads, but its schedule plans 128}}
  gpu.func @threads(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %d: memref<64x64xf32>) kernel attributes {bwgemm.schedule = #small, known_block_size = array<i32: 192, 1, 1>} {
    %tiles = bwgemm.smem_alloc : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
    %barriers = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<2>
    %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
    gpu.return
  }
}
