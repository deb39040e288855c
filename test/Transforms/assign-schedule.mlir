// The schedule of each gemm, completed and checked.

// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=naive | FileCheck %s --check-prefix=NAIVE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=tma | FileCheck %s --check-prefix=TMA
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=swizzle | FileCheck %s --check-prefix=SWIZZLE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=swizzle,tile=128x32x32 | FileCheck %s --check-prefix=FIELDS
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=pipelined | FileCheck %s --check-prefix=PIPELINED
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=warp_specialized,tile=64x32x64,stages=3 | FileCheck %s --check-prefix=SPECIALIZED
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_103a schedule=auto" | FileCheck %s --check-prefix=AUTO

// NAIVE: module attributes {bwgemm.target = "sm_100a"}
// AUTO: module attributes {bwgemm.target = "sm_103a"}

// Rows of 512 bytes: TMA can address both operands.
func.func @plain(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  // NAIVE: schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b">
  // TMA: schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b">
  // SWIZZLE: schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
  // N = 32 elements and K = 32 elements are 64 bytes, which is the widest
  // swizzle that divides them.
  // FIELDS: schedule <swizzle, tile = 128x32x32, stages = 1, swizzle = 64B, tmem_load = "32x32b">
  // As many stages as fit: 7 of 32 KiB.
  // PIPELINED: schedule <pipelined, tile = 128x128x64, stages = 7, swizzle = 128B, tmem_load = "32x32b">
  // SPECIALIZED: schedule <warp_specialized, tile = 64x32x64, stages = 3, swizzle = 64B, tmem_load = "16x256b">
  // AUTO: schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}
