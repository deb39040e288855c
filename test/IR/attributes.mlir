// The attributes by themselves: what is printed parses again, in text, in the
// generic form and in bytecode.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: module @swizzles
module @swizzles attributes {
  // CHECK-SAME: test.a = #bwgemm.swizzle<none>
  test.a = #bwgemm.swizzle<none>,
  // CHECK-SAME: test.b = #bwgemm.swizzle<32B>
  test.b = #bwgemm.swizzle<32B>,
  // CHECK-SAME: test.c = #bwgemm.swizzle<64B>
  test.c = #bwgemm.swizzle<64B>,
  // CHECK-SAME: test.d = #bwgemm.swizzle<128B>
  test.d = #bwgemm.swizzle<128B>,

  // The named modes are Swizzle<bits, base, shift> with base 4 and shift 3.
  // CHECK-SAME: test.e = #bwgemm.swizzle<32B>
  test.e = #bwgemm.swizzle<1, 4, 3>,
  // CHECK-SAME: test.f = #bwgemm.swizzle<64B>
  test.f = #bwgemm.swizzle<2, 4, 3>,
  // CHECK-SAME: test.g = #bwgemm.swizzle<128B>
  test.g = #bwgemm.swizzle<3, 4, 3>,

  // No bits: no swizzle, whatever the base.
  // CHECK-SAME: test.h = #bwgemm.swizzle<none>
  test.h = #bwgemm.swizzle<0, 7, 5>,

  // The general form keeps its numbers: the 128-byte swizzle of 32-byte atoms,
  // and the largest that 18 address bits hold.
  // CHECK-SAME: test.i = #bwgemm.swizzle<2, 5, 2>
  test.i = #bwgemm.swizzle<2, 5, 2>,
  // CHECK-SAME: test.j = #bwgemm.swizzle<9, 0, 9>
  test.j = #bwgemm.swizzle<9, 0, 9>
} {}

// CHECK-LABEL: module @schedules
module @schedules attributes {
  // CHECK-SAME: test.a = #bwgemm.schedule<auto, tile = 128x256x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">
  test.a = #bwgemm.schedule<auto, tile = 128x256x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">,
  // CHECK-SAME: test.b = #bwgemm.schedule<naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b">
  test.b = #bwgemm.schedule<naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b">,
  // CHECK-SAME: test.c = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b">
  test.c = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b">,
  // A swizzle may be written as its numbers.
  // CHECK-SAME: test.d = #bwgemm.schedule<swizzle, tile = 65536x1x1, stages = 65536, swizzle = 64B, tmem_load = "32x32b">
  test.d = #bwgemm.schedule<swizzle, tile = 65536x1x1, stages = 65536, swizzle = <2, 4, 3>, tmem_load = "32x32b">,
  // Defaults are not printed; either order is read.
  // CHECK-SAME: test.e = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>
  test.e = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma>,
  // CHECK-SAME: test.f = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", raster = 8, store = tma>
  test.f = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", store = tma, raster = 8>,
  // CHECK-SAME: test.g = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
  test.g = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = direct, raster = 1>,
  // CHECK-SAME: test.h = #bwgemm.schedule<persistent, tile = 256x256x64, stages = 4, swizzle = 128B, tmem_load = "32x32b", raster = 4, order = hilbert, store = tma, cta_group = 2, cluster = 4x2, scheduler = clc, split_k = 3, pdl = on>
  test.h = #bwgemm.schedule<persistent, tile = 256x256x64, stages = 4, swizzle = 128B, tmem_load = "32x32b", pdl = on, split_k = 3, scheduler = clc, cluster = 4x2, cta_group = 2, store = tma, order = hilbert, raster = 4>,
  // CHECK-SAME: test.i = #bwgemm.schedule<persistent, tile = 128x256x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", store = tma, staging = 4>
  test.i = #bwgemm.schedule<persistent, tile = 128x256x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", staging = 4, store = tma>,
  // CHECK-SAME: test.j = #bwgemm.schedule<persistent, tile = 64x16x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", swap_ab = on>
  test.j = #bwgemm.schedule<persistent, tile = 64x16x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", staging = 2, swap_ab = on>
} {}
