// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-split-k

// No launch whose workspace the kernel could use.
gpu.module @kernels {
  // expected-error @+1 {{expects a launch, a tile_coord that says where to store, and K as an argument, for a split of K}}
  gpu.func @alone(%a: !bwgemm.tensor_map<64x8xbf16>, %b: !bwgemm.tensor_map<64x8xbf16>, %d: memref<64x64xf32>, %depth: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<tma, tile = 64x64x16, stages = 1, swizzle = none, tmem_load = "16x256b", split_k = 2>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %m, %n = bwgemm.tile_coord 64 x 64 of %c64
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    scf.for %k = %c0 to %depth step %c16 {
      %0 = bwgemm.load %a[%m, %k] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
      %1 = bwgemm.load %b[%n, %k] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
      bwgemm.mma %acc, %0, %1 : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x16xbf16, k_major>, !bwgemm.smem<64x16xbf16, k_major>
    }
    bwgemm.store %acc, %d[%m, %n] : !bwgemm.acc<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}
