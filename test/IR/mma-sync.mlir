// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @copies
func.func @copies(%a: memref<?x?xbf16>, %t: memref<64x40xf16, strided<[1, 64]>>,
    %tile: !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>,
    %plain: !bwgemm.smem<40x16xf16, mn_major>, %m: index, %k: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // CHECK: bwgemm.aligned %{{.*}} to 16 : memref<?x?xbf16>
  %wide = bwgemm.aligned %a to 16 : memref<?x?xbf16>
  // CHECK: bwgemm.copy_tile %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] until %{{.*}} by 16 : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  bwgemm.copy_tile %a[%m, %k], %tile[%c1] until %end by 16
      : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  // Nothing to ask for, and one of three parts.
  // CHECK: bwgemm.copy_tile %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] whole inside by 16 : memref<?x?xbf16>
  bwgemm.copy_tile %a[%m, %k], %tile[%c1] whole inside by 16
      : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.copy_tile %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] until %{{.*}} inside part [2, 3] by 16 : memref<?x?xbf16>
  bwgemm.copy_tile %a[%m, %k], %tile[%c1] until %end inside part [2, 3] by 16
      : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  // One element at a time, from any layout.
  // CHECK: bwgemm.copy_tile %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} by 2 : memref<64x40xf16, strided<[1, 64]>>, !bwgemm.smem<40x16xf16, mn_major>
  bwgemm.copy_tile %t[%k, %m], %plain by 2 : memref<64x40xf16, strided<[1, 64]>>, !bwgemm.smem<40x16xf16, mn_major>
  // CHECK: bwgemm.cp_async %{{.*}}[%{{.*}}, %{{.*}}] row %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} by 8 : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  bwgemm.cp_async %a[%m, %k] row %end, %tile[%c1, %m, %c8], %c4 by 8
      : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.cp_async %{{.*}}[%{{.*}}, %{{.*}}] row %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] by 16 : memref<?x?xbf16>
  bwgemm.cp_async %a[%m, %k] row %end, %tile[%c1, %m, %c8] by 16
      : memref<?x?xbf16>, !bwgemm.smem<3x128x64xbf16, k_major, swizzle = 128B>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%a: !bwgemm.smem<2x128x32xbf16, k_major, swizzle = 64B>,
    %b: !bwgemm.smem<40x32xbf16, mn_major>, %d: memref<?x?xbf16>, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  // CHECK: bwgemm.ldmatrix %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !bwgemm.smem<2x128x32xbf16, k_major, swizzle = 64B> -> !bwgemm.operand<a, 64x16xbf16>
  %left = bwgemm.ldmatrix %a[%c1, %row, %c16] : !bwgemm.smem<2x128x32xbf16, k_major, swizzle = 64B> -> !bwgemm.operand<a, 64x16xbf16>
  // CHECK: bwgemm.ldmatrix %{{.*}}[%{{.*}}, %{{.*}}] : !bwgemm.smem<40x32xbf16, mn_major> -> !bwgemm.operand<b, 8x16xbf16>
  %right = bwgemm.ldmatrix %b[%c32, %c16] : !bwgemm.smem<40x32xbf16, mn_major> -> !bwgemm.operand<b, 8x16xbf16>
  %zero = bwgemm.fragment_zero : !bwgemm.fragment<128x40xf32, warps = 2x5>
  // CHECK: %[[SUM:.*]] = bwgemm.mma_sync %{{.*}}, %{{.*}}, %{{.*}} : !bwgemm.fragment<128x40xf32, warps = 2x5>, !bwgemm.operand<a, 64x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
  %sum = bwgemm.mma_sync %zero, %left, %right
      : !bwgemm.fragment<128x40xf32, warps = 2x5>, !bwgemm.operand<a, 64x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
  // CHECK: bwgemm.fragment_read %[[SUM]][48, 0] : !bwgemm.fragment<128x40xf32, warps = 2x5> -> vector<4xf32>
  %v = bwgemm.fragment_read %sum[48, 0] : !bwgemm.fragment<128x40xf32, warps = 2x5> -> vector<4xf32>
  // CHECK: bwgemm.promote %{{.*}}, %[[SUM]] : !bwgemm.fragment<128x40xf32, warps = 2x5>
  %total, %start = bwgemm.promote %zero, %sum : !bwgemm.fragment<128x40xf32, warps = 2x5>
  // CHECK: bwgemm.promote %{{.*}}, %{{.*}} compensated : !bwgemm.fragment<128x40xf32, warps = 2x5>
  %more, %error = bwgemm.promote %total, %start compensated : !bwgemm.fragment<128x40xf32, warps = 2x5>
  bwgemm.store %more, %d[%c0, %c0] : !bwgemm.fragment<128x40xf32, warps = 2x5>, memref<?x?xbf16>
  return
}

// Sums in f16, which become f32 before anything else is made of them.
// CHECK-LABEL: func.func @half
func.func @half(%a: !bwgemm.operand<a, 32x16xf16>, %b: !bwgemm.operand<b, 16x16xf16>, %d: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x32xf16, warps = 2x2>
  // CHECK: %[[SUM:.*]] = bwgemm.mma_sync %{{.*}}, %{{.*}}, %{{.*}} : !bwgemm.fragment<64x32xf16, warps = 2x2>, !bwgemm.operand<a, 32x16xf16>, !bwgemm.operand<b, 16x16xf16>
  %sum = bwgemm.mma_sync %zero, %a, %b
      : !bwgemm.fragment<64x32xf16, warps = 2x2>, !bwgemm.operand<a, 32x16xf16>, !bwgemm.operand<b, 16x16xf16>
  // CHECK: bwgemm.fragment_extend %[[SUM]] : !bwgemm.fragment<64x32xf16, warps = 2x2> -> !bwgemm.fragment<64x32xf32, warps = 2x2>
  %wide = bwgemm.fragment_extend %sum : !bwgemm.fragment<64x32xf16, warps = 2x2> -> !bwgemm.fragment<64x32xf32, warps = 2x2>
  bwgemm.store %wide, %d[%c0, %c0] : !bwgemm.fragment<64x32xf32, warps = 2x2>, memref<?x?xf16>
  return
}

// A tile program may read matrices themselves.
// CHECK-LABEL: func.func @tile
func.func @tile(%a: memref<?x?xbf16>, %m: index, %k: index) -> !bwgemm.smem<64x32xbf16, k_major> {
  // CHECK: bwgemm.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xbf16> -> !bwgemm.smem<64x32xbf16, k_major>
  %tile = bwgemm.load %a[%m, %k] : memref<?x?xbf16> -> !bwgemm.smem<64x32xbf16, k_major>
  return %tile : !bwgemm.smem<64x32xbf16, k_major>
}

// CHECK: #bwgemm.schedule<multistage, tile = 128x256x32, stages = 4, swizzle = 64B, raster = 8, warps = 2x4>
// CHECK: #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 1x1>
// CHECK: #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, promote = 512>
// CHECK: #bwgemm.schedule<persistent, tile = 128x128x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", promote = 256, compensated = on>
// CHECK: #bwgemm.schedule<multistage, tile = 64x64x64, stages = 3, swizzle = 128B, warps = 2x2, accumulator = f16, promote = 128>
// CHECK: #bwgemm.schedule<multistage, tile = 64x64x64, stages = 3, swizzle = 128B, warps = 2x2>
module attributes {
  test.a = #bwgemm.schedule<multistage, tile = 128x256x32, stages = 4, swizzle = 64B, raster = 8, warps = 2x4>,
  test.b = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B>,
  test.c = #bwgemm.schedule<tiled, tile = 64x64x32, stages = 1, swizzle = 64B, warps = 2x2, promote = 512, compensated = off>,
  test.d = #bwgemm.schedule<persistent, tile = 128x128x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", promote = 256, compensated = on>,
  test.e = #bwgemm.schedule<multistage, tile = 64x64x64, stages = 3, swizzle = 128B, warps = 2x2, accumulator = f16, promote = 128>,
  test.f = #bwgemm.schedule<multistage, tile = 64x64x64, stages = 3, swizzle = 128B, warps = 2x2, accumulator = f32>
} {}
