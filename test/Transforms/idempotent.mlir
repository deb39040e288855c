// Each pass finds nothing to do when it runs a second time.

// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm > %t.1
// RUN: bwgemm-opt %t.1 --convert-linalg-to-bwgemm | diff %t.1 -
// RUN: bwgemm-opt %t.1 --bwgemm-assign-schedule=schedule=swizzle > %t.2
// RUN: bwgemm-opt %t.2 --bwgemm-assign-schedule=schedule=swizzle | diff %t.2 -
// RUN: bwgemm-opt %t.2 --bwgemm-tile > %t.3
// RUN: bwgemm-opt %t.3 --bwgemm-tile | diff %t.3 -
// RUN: bwgemm-opt %t.3 --bwgemm-split-k | diff %t.3 -
// RUN: bwgemm-opt %t.3 --bwgemm-swizzle > %t.4
// RUN: bwgemm-opt %t.4 --bwgemm-swizzle | diff %t.4 -
// RUN: bwgemm-opt %t.4 --bwgemm-insert-async > %t.5
// RUN: bwgemm-opt %t.5 --bwgemm-insert-async | diff %t.5 -
// RUN: bwgemm-opt %t.5 --bwgemm-lower-epilogue > %t.6
// RUN: bwgemm-opt %t.6 --bwgemm-lower-epilogue | diff %t.6 -
// RUN: bwgemm-opt %t.6 --bwgemm-plan-resources --canonicalize > %t.7
// RUN: bwgemm-opt %t.7 --bwgemm-plan-resources --canonicalize | diff %t.7 -
// RUN: bwgemm-opt %t.7 --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' > %t.8
// RUN: bwgemm-opt %t.8 --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | diff %t.8 -
// RUN: bwgemm-opt %t.1 --bwgemm-assign-schedule=schedule=naive --bwgemm-lower-naive > %t.9
// RUN: bwgemm-opt %t.9 --bwgemm-lower-naive | diff %t.9 -

// The passes of one preset leave the others' gemms alone.
// RUN: bwgemm-opt %t.2 --bwgemm-lower-naive | diff %t.2 -
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
