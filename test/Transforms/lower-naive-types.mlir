// Elements of 8 bits, by one thread for each output.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-lower-naive --canonicalize | FileCheck %s

// Integers are extended as their operand says, and summed in i32.
// CHECK-LABEL: gpu.func @integers_kernel
// CHECK: scf.for {{.*}} -> (i32) {
// CHECK:   arith.extui %{{.*}} : i8 to i32
// CHECK:   arith.extsi %{{.*}} : i8 to i32
// CHECK:   %[[P:.*]] = arith.muli
// CHECK:   arith.addi %{{.*}}, %[[P]] : i32
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: arith.addi %[[OLD]], %{{.*}} : i32
func.func @integers(%a: memref<100x7xi8>, %b: memref<7x50xi8>, %d: memref<100x50xi32>) {
  bwgemm.gemm %a, %b, %d unsigned_a accumulate schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<100x7xi8>, memref<7x50xi8>, memref<100x50xi32>
  return
}

// -----

// Numbers of 8 bits by their bits: those of E4M3 in the place of an f32's are
// smaller by 2^120, those of E5M2 by 2^112.
// CHECK-LABEL: gpu.func @floats_kernel
// CHECK-DAG: arith.constant 1.329228E+36 : f32
// CHECK-DAG: arith.constant 5.19229686E+33 : f32
// CHECK: scf.for {{.*}} -> (f32) {
// CHECK:   arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK:   arith.bitcast %{{.*}} : f8E5M2 to i8
// CHECK:   arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func @floats(%a: memref<100x7xf8E4M3FN>, %b: memref<7x50xf8E5M2>, %d: memref<100x50xf16>) {
  bwgemm.gemm %a, %b, %d schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<100x7xf8E4M3FN>, memref<7x50xf8E5M2>, memref<100x50xf16>
  return
}
