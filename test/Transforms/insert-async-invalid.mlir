// Tile programs of another form than the pass knows.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-insert-async

gpu.module @kernels {
  // expected-error @+1 {{expects one bwgemm.mma in a tile program, but got 0}}
  gpu.func @no_mma(%d: memref<?x?xf32>, %m: index) kernel {
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    bwgemm.store %acc, %d[%m, %m] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_loop(%map: !bwgemm.tensor_map<64x8xbf16>, %d: memref<?x?xf32>, %m: index) kernel {
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    %a = bwgemm.load %map[%m, %m] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
    %b = bwgemm.load %map[%m, %m] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
    // expected-error @+1 {{expects to be directly in an scf.for over K without results}}
    bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
    bwgemm.store %acc, %d[%m, %m] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @one_load(%map: !bwgemm.tensor_map<64x8xbf16>, %d: memref<?x?xf32>, %m: index) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    scf.for %k = %c0 to %m step %c64 {
      %a = bwgemm.load %map[%m, %k] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
      // expected-error @+1 {{expects operands from two bwgemm.load in the same loop, each used once}}
      bwgemm.mma %acc, %a, %a : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
    }
    bwgemm.store %acc, %d[%m, %m] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @memory(%a_in: memref<?x?xbf16>, %b_in: memref<?x?xbf16>, %d: memref<?x?xf32>, %depth: index) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
    scf.for %k = %c0 to %depth step %c64 {
      // expected-error @+1 {{expects a tensor map to load through, but got 'memref<?x?xbf16>'; tiles that threads copy are for bwgemm-insert-warps}}
      %a = bwgemm.load %a_in[%c0, %k] : memref<?x?xbf16> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
      %b = bwgemm.load %b_in[%c0, %k] : memref<?x?xbf16> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
      bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    }
    bwgemm.store %acc, %d[%c0, %c0] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
