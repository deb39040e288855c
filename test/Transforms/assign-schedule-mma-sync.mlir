// What the presets of mma.sync choose.

// RUN: split-file %s %t
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_80 schedule=microkernel" | FileCheck %s --check-prefix=MICRO
// MICRO: schedule <microkernel, tile = 16x8x16, stages = 1, swizzle = 32B, warps = 1x1>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_80 schedule=tiled" | FileCheck %s --check-prefix=TILED
// TILED: schedule <tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_80 schedule=double_buffered" | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: schedule <double_buffered, tile = 128x128x32, stages = 2, swizzle = 64B, warps = 2x2>

// Rows of 128 bytes where three stages of them fit.
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_90 schedule=auto" | FileCheck %s --check-prefix=LARGE90
// LARGE90: schedule <multistage, tile = 128x256x64, stages = 3, swizzle = 128B, raster = 8, warps = 2x4>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto" | FileCheck %s --check-prefix=LARGE80
// LARGE80: schedule <multistage, tile = 128x256x64, stages = 3, swizzle = 128B, raster = 8, warps = 2x4>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_86 schedule=auto" | FileCheck %s --check-prefix=LARGE86
// LARGE86: schedule <multistage, tile = 128x256x32, stages = 4, swizzle = 64B, raster = 8, warps = 2x4>
// Two accumulators for each thread: warps with half of the part.
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_90 schedule=auto,promote=512" | FileCheck %s --check-prefix=PROMOTE
// PROMOTE: schedule <multistage, tile = 128x128x64, stages = 3, swizzle = 128B, raster = 8, warps = 2x4, promote = 512>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_100a schedule=auto,promote=512,compensated=on" | FileCheck %s --check-prefix=CARRIED
// CARRIED: schedule <multistage, {{.*}}, promote = 512, compensated = on>
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto,promote=512,compensated=on" | FileCheck %s --check-prefix=HOPPER
// HOPPER: schedule <persistent, {{.*}}, promote = 512, compensated = on>

// Sums in f16 are those of mma.sync on every target, whatever the database of
// measured schedules has.
// RUN: sed 's/bf16/f16/g' %t/large.mlir > %t/half.mlir
// RUN: bwgemm-opt %t/half.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto,accumulator=f16" | FileCheck %s --check-prefix=HALF
// RUN: bwgemm-opt %t/half.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto,accumulator=f16" | FileCheck %s --check-prefix=HALF
// RUN: bwgemm-opt %t/half.mlir --bwgemm-assign-schedule="target=sm_100a schedule=auto,accumulator=f16" | FileCheck %s --check-prefix=HALF100
// HALF: schedule <multistage, tile = 128x256x64, stages = 3, swizzle = 128B, raster = 8, warps = 2x4, accumulator = f16>
// HALF100: schedule <multistage, {{.*}}, accumulator = f16>
// RUN: bwgemm-opt %t/half.mlir --bwgemm-assign-schedule="target=sm_90 schedule=auto,accumulator=f16,promote=128" | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: schedule <multistage, {{.*}}, accumulator = f16, promote = 128>
// RUN: bwgemm-opt %t/half.mlir --bwgemm-assign-schedule="target=sm_90 schedule=auto,accumulator=f16" | bwgemm-opt --bwgemm-assign-schedule="target=sm_90 schedule=naive" | FileCheck %s --check-prefix=HALF
// The default by its name.
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto,accumulator=f32" | FileCheck %s --check-prefix=LARGE80

// 16 rows, and few columns of tiles: the smallest tiles and parts of K fill the
// chip best. Without a name for it only auto splits, where K is known, and where a
// split is worth its second launch.
// RUN: bwgemm-opt %t/flat.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto" | FileCheck %s --check-prefix=FLAT
// RUN: bwgemm-opt %t/flat.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto,split_k=1" | FileCheck %s --check-prefix=WHOLE
// RUN: bwgemm-opt %t/flat.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage" | FileCheck %s --check-prefix=WHOLE
// RUN: sed -e s/16x4096xbf16/16x?xbf16/ -e s/4096x4096xbf16/?x4096xbf16/ %t/flat.mlir | bwgemm-opt --bwgemm-assign-schedule="target=sm_80 schedule=auto" | FileCheck %s --check-prefix=WHOLE
// FLAT: schedule <multistage, tile = 16x64x64, stages = 3, swizzle = 128B, raster = 8, split_k = 4, warps = 1x4>
// WHOLE: schedule <multistage, tile = 16x64x64, stages = 3, swizzle = 128B, raster = 8, warps = 1x4>
// RUN: bwgemm-opt %t/deep.mlir --bwgemm-assign-schedule="target=sm_80 schedule=auto" | FileCheck %s --check-prefix=DEEP
// RUN: bwgemm-opt %t/deep.mlir --bwgemm-assign-schedule="target=sm_89 schedule=auto,promote=128,compensated=on" | FileCheck %s --check-prefix=DEEP
// DEEP: schedule <multistage, {{.*}}, split_k = {{[0-9][0-9]}}, warps

// Tiles, warps and swizzles that fields ask for; B is K x N here, so that 96
// columns are 192 bytes, and rows of A 96: each takes the widest that fits.
// RUN: bwgemm-opt %t/flat.mlir --bwgemm-assign-schedule="target=sm_120 schedule=multistage,tile=96x96x48,warps=3x1,stages=5,order=serpentine,split_k=2" | FileCheck %s --check-prefix=ASKED
// ASKED: schedule <multistage, tile = 96x96x48, stages = 5, swizzle = 64B, raster = 8, order = serpentine, split_k = 2, warps = 3x1>

// On a target of TMA it serves what TMA cannot, and auto asks at run time where
// the types do not tell.
// RUN: bwgemm-opt %t/dynamic.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto" | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: schedule <persistent, {{.*}}> fallback <multistage, tile = 128x256x64, {{.*}}>
// A schedule in the program comes back as it is.
// RUN: bwgemm-opt %t/large.mlir --bwgemm-assign-schedule="target=sm_90 schedule=auto" | bwgemm-opt --bwgemm-assign-schedule="target=sm_90 schedule=naive" | FileCheck %s --check-prefix=LARGE90

//--- large.mlir
func.func @f(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>
  return
}

//--- flat.mlir
func.func @f(%a: memref<16x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<16x4096xf32>) {
  bwgemm.gemm %a, %b, %d : memref<16x4096xbf16>, memref<4096x4096xbf16>, memref<16x4096xf32>
  return
}

//--- deep.mlir
func.func @f(%a: memref<256x32768xbf16>, %b: memref<256x32768xbf16>, %d: memref<256x256xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<256x32768xbf16>, memref<256x32768xbf16>, memref<256x256xbf16>
  return
}

//--- dynamic.mlir
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  return
}
