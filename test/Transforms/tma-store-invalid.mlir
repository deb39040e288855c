// RUN: bwgemm-opt %s --bwgemm-tma-store --split-input-file --verify-diagnostics

#schedule = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f(%d: memref<64x64xf16>, %i: index) kernel attributes {bwgemm.schedule = #schedule} {
      %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
      // expected-error@+1 {{'bwgemm.store' op adds to its memref, which store = tma does not; store = direct does}}
      bwgemm.store %acc, %d[%i, %i] accumulate : !bwgemm.acc<64x64xf32>, memref<64x64xf16>
      gpu.return
    }
  }
}

// -----

#schedule = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f(%d: memref<64x64xf16>, %i: index) kernel attributes {bwgemm.schedule = #schedule} {
      %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
      %view = memref.cast %d : memref<64x64xf16> to memref<?x?xf16>
      // expected-error@+1 {{'bwgemm.store' op expects its memref to be an argument of the kernel, for store = tma}}
      bwgemm.store %acc, %view[%i, %i] : !bwgemm.acc<64x64xf32>, memref<?x?xf16>
      gpu.return
    }
  }
}
