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
