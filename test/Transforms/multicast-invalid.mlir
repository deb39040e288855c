// Ring programs written by hand that the passes for clusters cannot rewrite.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-pair-ctas --bwgemm-multicast

!a = !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
gpu.module @kernels {
  gpu.func @tiles() kernel attributes {bwgemm.schedule = #bwgemm.schedule<pipelined, tile = 128x64x64, stages = 2, swizzle = 128B, tmem_load = "32x32b", cluster = 2x1>} {
    // expected-error @+1 {{expects slots of a tile of A and one of B in a cluster, but got 1 tiles}}
    %ring = bwgemm.ring : !bwgemm.ring<2 x (!a)>
    gpu.return
  }
}

// -----

!a = !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
!ring = !bwgemm.ring<2 x (!a, !a)>
gpu.module @kernels {
  gpu.func @outside(%c: !bwgemm.cursor) kernel attributes {bwgemm.schedule = #bwgemm.schedule<pipelined, tile = 128x128x64, stages = 2, swizzle = 128B, tmem_load = "32x32b", cluster = 2x1>} {
    %ring = bwgemm.ring : !ring
    // expected-error @+1 {{expects to be in a bwgemm.role, in a cluster}}
    bwgemm.ring.acquire %ring[%c] : !ring
    gpu.return
  }
}

// -----

!a = !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
!ring = !bwgemm.ring<2 x (!a, !a)>
!sums = !bwgemm.ring<1 x (!bwgemm.tmem<128x256xf32>)>
gpu.module @kernels {
  gpu.func @no_loop() kernel attributes {bwgemm.schedule = #bwgemm.schedule<two_cta, tile = 256x256x64, stages = 2, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 2x1>} {
    %ring = bwgemm.ring : !ring
    %sums = bwgemm.ring : !sums
    bwgemm.role "load" warps 4 to 4 elected {
      %c = bwgemm.ring.begin %ring : !ring
      // expected-error @+1 {{expects its cursor to be an iteration argument of a loop, in a cluster}}
      bwgemm.ring.acquire %ring[%c] : !ring
    }
    gpu.return
  }
}
