// What schedules and programs of mma.sync may not be.

// RUN: split-file %s %t
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,l2_keep=a" 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: schedule 'multistage': has no l2_keep: its threads copy
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,cluster=2x1" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: gemm.mlir:2:3: error: 'bwgemm.gemm' op schedule 'multistage': has no cluster: its threads copy and multiply by mma.sync; its fields are tile, stages, swizzle, raster, order, split_k, warps, precision, accumulator, promote, compensated and pdl
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tmem_load=32x32b" 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: schedule 'tiled': has no tmem_load
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,store=tma" 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: schedule 'tiled': has no store=tma
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,cta_group=2" 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: schedule 'tiled': has no cta_group
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,scheduler=clc" 2>&1 | FileCheck %s --check-prefix=SCHEDULER
// SCHEDULER: schedule 'tiled': has no scheduler
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_89 schedule=tiled,pdl=on" 2>&1 | FileCheck %s --check-prefix=PDL
// PDL: schedule 'tiled': expects pdl=off on sm_89; programmatic dependent launch is for sm_90 and later
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x20x32" 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: schedule 'tiled': expects a tile of multiples of 16x8x16 (one mma.sync), but got 64x20x32
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=microkernel,tile=32x8x16" 2>&1 | FileCheck %s --check-prefix=MICRO
// MICRO: schedule 'microkernel': expects a tile of M 16 and N 8, one mma.sync, but got 32x8; preset tiled has larger ones
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=microkernel,warps=2x1" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: schedule 'microkernel': expects warps=1x1, but got 2x1; preset tiled has more
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,warps=8x8" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: schedule 'tiled': expects at most 32 warps (1024 threads), but got 8x8
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x64x32,warps=3x1" 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: schedule 'tiled': expects warps that share a tile of 64x64 in parts of a multiple of 16 rows, and of 8 or a multiple of 16 columns, but got 3x1
// 128 x 128 accumulators of 32 threads are 512 registers, operands 2 * 64.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=128x128x32,warps=1x1" 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: schedule 'tiled': a warp's part of 128x128 takes 640 registers of each thread for its accumulator and its operands, but there are 208; parts of 64x64 fit
// 24 warps of a CTA leave 85 registers for each thread, of which 40 are for
// addresses.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=128x192x32,warps=4x6" 2>&1 | FileCheck %s --check-prefix=CROWD
// CROWD: a warp's part of 32x32 takes 64 registers of each thread for its accumulator and its operands, but there are 45
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,stages=2" 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: schedule 'tiled': expects stages=1, but got 2; double_buffered has 2, multistage more
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=double_buffered,stages=3" 2>&1 | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: schedule 'double_buffered': expects stages=2, but got 3; multistage has more
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,stages=1" 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: schedule 'multistage': expects stages=2 or more, but got 1; tiled has 1
// (128 + 256) rows of 64 bytes: 24576 bytes a stage.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_86 schedule=multistage,tile=128x256x32,stages=5" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: schedule 'multistage': stages=5 of tile 128x256x32 need 122880 bytes of shared memory, but sm_86 has 101376; at most 4 stages fit
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_120 schedule=multistage,tile=128x256x256" 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: schedule 'multistage': tile 128x256x256 needs 196608 bytes of shared memory, but sm_120 has 101376; the largest K that fits is 128
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x16x16,swizzle=64B" 2>&1 | FileCheck %s --check-prefix=SPAN
// SPAN: schedule 'tiled': expects a swizzle whose span divides the rows of a tile in memory, 32 bytes of A or 32 of B, but got 64B; 32B does
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,split_k=9" 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: schedule 'tiled': split_k=9 needs that many tiles of K, but K of 256 has 8 of 32; at most split_k=8 fits
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_100a schedule=pipelined,warps=2x2" 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: schedule 'pipelined': has no warps: they are a field of the presets of mma.sync (microkernel to multistage)

// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,promote=100" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: schedule 'tiled': expects a promote of a multiple of the tile's K, 32, but got 100; 128 is one
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,compensated=on" 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: schedule 'tiled': expects promote=K with compensated=on, the elements of K after which sums are added; promote=512 is one
// 64 x 64 elements are 128 registers twice, and 64 for operands.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=128x128x32,warps=2x2,promote=512" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: schedule 'multistage': a warp's part of 64x64 takes 320 registers of each thread for its accumulator, the sum that promote adds it to and its operands, but there are 208; parts of 64x32 fit
// Nine warps leave 168 registers, of which 40 are for all else.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=128x256x64,promote=512" 2>&1 | FileCheck %s --check-prefix=HOPPER
// HOPPER: schedule 'persistent': tile 128x256x64 takes 256 registers of each thread for its accumulator and the sum that promote adds it to, but there are 128; N of 128 fits
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=64x64x64,promote=64,compensated=on" 2>&1 | FileCheck %s --check-prefix=ONESTEP
// ONESTEP: schedule 'persistent': expects a promote of two steps of K or more with compensated=on, but got 64 for a tile of K 64; 128 is one
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=64x160x64,promote=512,compensated=on" 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: schedule 'persistent': tile 64x160x64 takes 220 registers of each thread for its accumulator and the sum that promote adds it to, but there are 215; N of 144 fits
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_100a schedule=persistent,promote=512" 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: schedule 'persistent': has no promote: its accumulator is in tensor memory; microkernel, tiled, double_buffered and multistage have it, and with wgmma (sm_90a) warp_specialized and persistent

// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=BFLOAT
// BFLOAT: schedule 'multistage': expects operands of f16 with accumulator=f16, but got bf16; without that field their sums are of f32
// RUN: sed 's/bf16/f8E5M2/g' %t/gemm.mlir > %t/fp8.mlir
// RUN: not bwgemm-opt %t/fp8.mlir --bwgemm-assign-schedule="target=sm_89 schedule=auto,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=FP8
// FP8: schedule 'multistage': expects operands of f16 with accumulator=f16, but got f8E5M2; without that field their sums are of f32
// RUN: sed 's/bf16/i8/g; s/xf32/xi32/g' %t/gemm.mlir > %t/int.mlir
// RUN: not bwgemm-opt %t/int.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=INT
// INT: schedule 'tiled': expects operands of f16 with accumulator=f16, but got i8; without that field their sums are of i32
// RUN: sed 's/bf16/f32/g' %t/gemm.mlir > %t/f32.mlir
// RUN: not bwgemm-opt %t/f32.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=F32
// F32: schedule 'naive': expects operands of f16 with accumulator=f16, but got f32; without that field their sums are of f32
// RUN: sed 's/bf16/f16/g' %t/gemm.mlir > %t/f16.mlir
// RUN: not bwgemm-opt %t/f16.mlir --bwgemm-assign-schedule="target=sm_80 schedule=naive,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not bwgemm-opt %t/f16.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not bwgemm-opt %t/f16.mlir --bwgemm-assign-schedule="target=sm_100a schedule=two_cta,accumulator=f16" 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: has no accumulator=f16, whose sums are those of mma.sync; schedule=multistage has it, and so have microkernel, tiled and double_buffered
// RUN: not bwgemm-opt %t/f16.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled,accumulator=f16,promote=64,compensated=on" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: schedule 'tiled': expects compensated=off with accumulator=f16: the next block would begin from the error of a sum of f32, which an accumulator of f16 cannot hold; promote=64 alone, or accumulator=f32, fits
// 64 x 64 elements are 64 registers, 128 for their sums, and 64 for operands.
// RUN: not bwgemm-opt %t/f16.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=128x128x32,warps=2x2,accumulator=f16,promote=512" 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: schedule 'multistage': a warp's part of 64x64 takes 256 registers of each thread for its accumulator, the sum that promote adds it to and its operands, but there are 208; parts of 64x32 fit

// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage,order=hilbert,raster=3" 2>&1 | FileCheck %s --check-prefix=HILBERT
// HILBERT: schedule 'multistage': expects a raster that is a power of two, 2 at least, for order=hilbert, but got raster=3

// RUN: not bwgemm-opt %t/unrolled.mlir --bwgemm-promote 2>&1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: error: 'gpu.func' op expects a loop over K with an accumulator that begins at zero, for a schedule with promote

// Nothing but what is extended may be added to a sum of f32.
// RUN: not bwgemm-opt %t/half.mlir --bwgemm-promote 2>&1 | FileCheck %s --check-prefix=UNROLLED

// RUN: not bwgemm-opt %t/map.mlir --bwgemm-insert-warps 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: error: 'bwgemm.load' op expects a matrix as source, since threads copy it for mma.sync; tensor maps are for TMA
// RUN: not bwgemm-opt %t/inside.mlir --bwgemm-insert-warps 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: 'bwgemm.load' op expects coordinates that are the loop's variable or computed before the loop
// RUN: not bwgemm-opt %t/block.mlir --bwgemm-lower-copies 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: 'bwgemm.copy_tile' op expects a kernel whose block size is known (known_block_size)

//--- gemm.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

//--- map.mlir
module attributes {bwgemm.target = "sm_80"} {
  gpu.module @kernels {
    gpu.func @kernel(%a: !bwgemm.tensor_map<64x8xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %k: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<tiled, tile = 64x64x16, stages = 1, swizzle = none, warps = 2x2>} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
      scf.for %i = %c0 to %k step %c16 {
        %l = bwgemm.load %a[%c0, %i] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
        %r = bwgemm.load %b[%c0, %i] : memref<?x?xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
        bwgemm.mma %acc, %l, %r : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x16xbf16, k_major>, !bwgemm.smem<64x16xbf16, k_major>
      }
      bwgemm.store %acc, %d[%c0, %c0] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
      gpu.return
    }
  }
}

//--- inside.mlir
module attributes {bwgemm.target = "sm_80"} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %k: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<tiled, tile = 64x64x16, stages = 1, swizzle = none, warps = 2x2>} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %acc = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
      scf.for %i = %c0 to %k step %c16 {
        %j = arith.addi %i, %c16 : index
        %l = bwgemm.load %a[%c0, %j] : memref<?x?xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
        %r = bwgemm.load %b[%c0, %i] : memref<?x?xbf16> -> !bwgemm.smem<64x16xbf16, k_major>
        bwgemm.mma %acc, %l, %r : !bwgemm.acc<64x64xf32>, !bwgemm.smem<64x16xbf16, k_major>, !bwgemm.smem<64x16xbf16, k_major>
      }
      bwgemm.store %acc, %d[%c0, %c0] : !bwgemm.acc<64x64xf32>, memref<?x?xf32>
      gpu.return
    }
  }
}

//--- block.mlir
gpu.module @kernels {
  gpu.func @kernel(%b: memref<?x?xbf16>, %n: index, %k: index) kernel {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<64x16xbf16, k_major>
    bwgemm.copy_tile %b[%n, %k], %tile by 16 : memref<?x?xbf16>, !bwgemm.smem<64x16xbf16, k_major>
    gpu.return
  }
}

//--- half.mlir
gpu.module @kernels {
  gpu.func @f(%a: !bwgemm.operand<a, 16x16xf16>, %b: !bwgemm.operand<b, 8x16xf16>, %k: index) kernel attributes {bwgemm.schedule = #bwgemm.schedule<tiled, tile = 16x8x16, stages = 1, swizzle = 32B, warps = 1x1, accumulator = f16, promote = 16>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xf16, warps = 1x1>
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (!bwgemm.fragment<16x8xf16, warps = 1x1>) {
      %next = bwgemm.mma_sync %acc, %a, %b : !bwgemm.fragment<16x8xf16, warps = 1x1>, !bwgemm.operand<a, 16x16xf16>, !bwgemm.operand<b, 8x16xf16>
      scf.yield %next : !bwgemm.fragment<16x8xf16, warps = 1x1>
    }
    gpu.return
  }
}

//--- unrolled.mlir
gpu.module @kernels {
  gpu.func @f(%a: !bwgemm.operand<a, 16x16xbf16>, %b: !bwgemm.operand<b, 8x16xbf16>) kernel attributes {bwgemm.schedule = #bwgemm.schedule<tiled, tile = 16x8x16, stages = 1, swizzle = 32B, warps = 1x1, promote = 16>} {
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xf32, warps = 1x1>
    %sum = bwgemm.mma_sync %zero, %a, %b : !bwgemm.fragment<16x8xf32, warps = 1x1>, !bwgemm.operand<a, 16x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
    gpu.return
  }
}
