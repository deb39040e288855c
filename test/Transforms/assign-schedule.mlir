// The schedule of each gemm, completed and checked.

// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=naive | FileCheck %s --check-prefix=NAIVE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=tma | FileCheck %s --check-prefix=TMA
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=swizzle | FileCheck %s --check-prefix=SWIZZLE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=swizzle,tile=128x32x32 | FileCheck %s --check-prefix=FIELDS
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=pipelined | FileCheck %s --check-prefix=PIPELINED
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=warp_specialized,tile=64x32x64,stages=3 | FileCheck %s --check-prefix=SPECIALIZED
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=tma_store | FileCheck %s --check-prefix=STORE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=pipelined,store=direct | FileCheck %s --check-prefix=DIRECT
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=pipelined,stages=7 | FileCheck %s --check-prefix=FULL
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=warp_specialized,cluster=2x2 | FileCheck %s --check-prefix=CLUSTER
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=two_cta | FileCheck %s --check-prefix=PAIR
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=two_cta,tile=128x96x64 | FileCheck %s --check-prefix=FOLDED
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=persistent | FileCheck %s --check-prefix=SINGLE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=persistent,tile=256x256x64,stages=5,cluster=2x1,swizzle=128B,raster=8 | FileCheck %s --check-prefix=TALL
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=persistent,cta_group=2 | FileCheck %s --check-prefix=TALL6
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=persistent,order=serpentine,raster=3 | FileCheck %s --check-prefix=SERPENTINE
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=swizzle,order=hilbert | FileCheck %s --check-prefix=HILBERT
// RUN: bwgemm-opt %s --bwgemm-assign-schedule="target=sm_103a schedule=auto" | FileCheck %s --check-prefix=AUTO

// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=tma_store,split_k=4 | FileCheck %s --check-prefix=SPLIT

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
  // STORE: schedule <tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>
  // As many stages as fit: 7 of 32 KiB, or 6 beside two staging tiles of 16.
  // PIPELINED: schedule <pipelined, tile = 128x128x64, stages = 6, swizzle = 128B, tmem_load = "32x32b", store = tma>
  // DIRECT: schedule <pipelined, tile = 128x128x64, stages = 7, swizzle = 128B, tmem_load = "32x32b">
  // Beside seven there is no room for them.
  // FULL: schedule <pipelined, tile = 128x128x64, stages = 7, swizzle = 128B, tmem_load = "32x32b">
  // SPECIALIZED: schedule <warp_specialized, tile = 64x32x64, stages = 3, swizzle = 64B, tmem_load = "16x256b", store = tma>
  // SPLIT: schedule <tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma, split_k = 4>
  // CLUSTER: schedule <warp_specialized, tile = 128x128x64, stages = 6, swizzle = 128B, tmem_load = "32x32b", store = tma, cluster = 2x2>
  // Each CTA has 128 rows of A, of B and of D.
  // PAIR: schedule <two_cta, tile = 256x256x64, stages = 6, swizzle = 128B, tmem_load = "32x32b", store = tma, cta_group = 2, cluster = 2x1>
  // Half of N, which is contiguous in B, is 48 elements or 96 bytes.
  // FOLDED: schedule <two_cta, tile = 128x96x64, stages = 8, swizzle = 32B, tmem_load = "32x32b", store = tma, cta_group = 2, cluster = 2x1>
  // SINGLE: schedule <persistent, tile = 128x128x64, stages = 6, swizzle = 128B, tmem_load = "32x32b", raster = 8, store = tma>
  // TALL: schedule <persistent, tile = 256x256x64, stages = 5, swizzle = 128B, tmem_load = "32x32b", raster = 8, store = tma, cta_group = 2, cluster = 2x1>
  // TALL6: schedule <persistent, tile = 256x256x64, stages = 6, swizzle = 128B, tmem_load = "32x32b", raster = 8, store = tma, cta_group = 2, cluster = 2x1>
  // SERPENTINE: schedule <persistent, {{.*}}, raster = 3, order = serpentine, store = tma>
  // There must be squares for a curve.
  // HILBERT: schedule <swizzle, {{.*}}, raster = 8, order = hilbert>
  // 96 tiles, the smallest that the SMs take in one wave.
  // AUTO: schedule <warp_specialized, tile = 64x32x64, stages = 8, swizzle = 64B, tmem_load = "16x256b", store = tma, cluster = 1x2>
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

// 16-bit results take the fragment of stmatrix.
// STORE-LABEL: func @half
// PIPELINED-LABEL: func @half
func.func @half(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xbf16>) {
  // STORE: schedule <tma_store, {{.*}} tmem_load = "16x256b", store = tma>
  // PIPELINED: schedule <pipelined, tile = 128x128x64, stages = 6, swizzle = 128B, tmem_load = "16x256b", store = tma>
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16>
  return
}

// What TMA may not be able to address, and what is added to, is written from
// registers.
// STORE-LABEL: func @direct
// SPLIT-LABEL: func @direct
func.func @direct(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>,
                  %pitch: memref<512x384xbf16, strided<[388, 1]>>, %offset: memref<512x384xbf16, strided<[384, 1], offset: ?>>,
                  %columns: memref<512x384xf32, strided<[768, 2]>>) {
  // Partial sums always leave by it: a workspace has rows that suit.
  // SPLIT: schedule <tma_store, {{.*}} tmem_load = "16x256b", store = tma, split_k = 4>
  // STORE: schedule <tma_store, {{.*}} tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %d accumulate : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  // STORE: schedule <tma_store, {{.*}} tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %pitch : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16, strided<[388, 1]>>
  // STORE: schedule <tma_store, {{.*}} tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %offset : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16, strided<[384, 1], offset: ?>>
  // STORE: schedule <tma_store, {{.*}} tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %columns : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32, strided<[768, 2]>>
  return
}
