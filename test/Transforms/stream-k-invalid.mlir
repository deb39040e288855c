// RUN: bwgemm-opt %s --bwgemm-stream-k --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{expects a launch, and a ring program of which a role loads and one multiplies, both up to a K that is an argument, and one stores whole tiles to an argument, to share out its steps}}
  gpu.func @alone(%columns: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", scheduler = stream_k>} {
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns
    gpu.return
  }
}
