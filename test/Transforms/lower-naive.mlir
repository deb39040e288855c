// One thread per output, in fp32, any strides.

// RUN: bwgemm-opt %s --bwgemm-lower-naive --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @plain
// ceil(100/16) * ceil(50/16) = 7 * 4
// CHECK: %[[GRID:.*]] = arith.constant 28 : index
// CHECK: gpu.launch_func @bwgemm_kernels::@plain_kernel blocks in (%[[GRID]],
// CHECK: gpu.func @plain_kernel(%[[A:.*]]: memref<100x7xbf16>, %[[B:.*]]: memref<50x7xbf16>, %[[D:.*]]: memref<100x50xf16>)
// CHECK-SAME: known_block_size = array<i32: 16, 16, 1>
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 16 x 16 of %c50
// CHECK: %[[Y:.*]] = gpu.thread_id y
// CHECK: %[[ROW:.*]] = arith.addi %[[M]], %[[Y]]
// CHECK: %[[X:.*]] = gpu.thread_id x
// CHECK: %[[COLUMN:.*]] = arith.addi %[[N]], %[[X]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c7 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32) {
// CHECK:   %[[LA:.*]] = memref.load %[[A]][%[[ROW]], %[[K]]]
// CHECK:   %[[FA:.*]] = arith.extf %[[LA]]
// B is stored N x K.
// CHECK:   %[[LB:.*]] = memref.load %[[B]][%[[COLUMN]], %[[K]]]
// CHECK:   %[[FB:.*]] = arith.extf %[[LB]]
// CHECK:   %[[P:.*]] = arith.mulf %[[FA]], %[[FB]] fastmath<contract> : f32
// CHECK:   arith.addf %[[ACC]], %[[P]] fastmath<contract> : f32
// CHECK: %[[OLD:.*]] = memref.load %[[D]][%[[ROW]], %[[COLUMN]]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]] : f16 to f32
// CHECK: %[[TOTAL:.*]] = arith.addf %[[WIDE]], %[[SUM]]
// One rounding.
// CHECK: %[[OUT:.*]] = arith.truncf %[[TOTAL]] : f32 to f16
// CHECK: memref.store %[[OUT]], %[[D]][%[[ROW]], %[[COLUMN]]]
func.func @plain(%a: memref<100x7xbf16>, %b: memref<50x7xbf16>, %d: memref<100x50xf16>) {
  bwgemm.gemm %a, %b, %d transpose_b accumulate schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<100x7xbf16>, memref<50x7xbf16>, memref<100x50xf16>
  return
}
