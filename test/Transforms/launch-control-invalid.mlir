// RUN: bwgemm-opt %s --bwgemm-launch-control --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{expects a ring program in which one role brings operands}}
  gpu.func @f(%columns: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", scheduler = clc>} {
    %m, %n = bwgemm.tile_coord 64 x 64 of %columns
    gpu.return
  }
}
