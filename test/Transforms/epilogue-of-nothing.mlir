// A product without elements has an epilogue, too: that of zero, or of what D
// held.

// RUN: bwgemm-opt %s --bwgemm-lower-naive --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @open
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[EMPTY]] {
// CHECK: gpu.launch_func @bwgemm_kernels::@open_epilogue
// CHECK: } else {
// CHECK: gpu.launch_func @bwgemm_kernels::@open_kernel
// CHECK: gpu.func @open_epilogue(%[[D:.*]]: memref<?x?xf32>) kernel
// CHECK-NOT: scf.for
// CHECK: %[[OLD:.*]] = memref.load %[[D]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %{{.*}} : f32
// CHECK: %[[RELU:.*]] = arith.maximumf %[[SUM]], %{{.*}} : f32
// CHECK: memref.store %[[RELU]], %[[D]]
func.func @open(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d accumulate schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> epilogue(%sum) {
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %sum, %zero : f32
    bwgemm.yield %0 : f32
  } : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  return
}
