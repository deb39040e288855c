// What operands of 8 bits and of f32 cannot take, why, and what works.

// RUN: split-file %s %t
// RUN: not bwgemm-opt %t/mixed.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent" 2>&1 | FileCheck %s --check-prefix=WGMMA
// WGMMA: error: 'bwgemm.gemm' op schedule 'persistent': operand B of f8E4M3FN has N contiguous in memory, but wgmma takes operands of its size that have K so; schedule=multistage reads any layout
// RUN: not bwgemm-opt %t/transposed.mlir --bwgemm-assign-schedule="target=sm_90a schedule=warp_specialized" 2>&1 | FileCheck %s --check-prefix=WGMMAA
// WGMMAA: error: 'bwgemm.gemm' op schedule 'warp_specialized': operand A of i8 has M contiguous in memory, but wgmma takes operands of its size that have K so; schedule=multistage reads any layout
// RUN: not bwgemm-opt %t/mixed.mlir --bwgemm-assign-schedule="target=sm_86 schedule=tiled" 2>&1 | FileCheck %s --check-prefix=WARPFP8
// WARPFP8: error: 'bwgemm.gemm' op schedule 'tiled': expects operands that are no numbers of 8 bits, which mma.sync multiplies on sm_89 and later and not on sm_86; schedule=naive does
// RUN: not bwgemm-opt %t/transposed.mlir --bwgemm-assign-schedule="target=sm_103a schedule=persistent" 2>&1 | FileCheck %s --check-prefix=ULTRA
// ULTRA: error: 'bwgemm.gemm' op schedule 'persistent': expects operands that are no integers, which tcgen05 multiplies on sm_100a and not on sm_103a; schedule=multistage does
// RUN: not bwgemm-opt %t/transposed.mlir --bwgemm-assign-schedule="target=sm_100f schedule=swizzle" 2>&1 | FileCheck %s --check-prefix=FAMILY
// FAMILY: error: 'bwgemm.gemm' op schedule 'swizzle': expects operands that are no integers, which tcgen05 multiplies on sm_100a and not on sm_100f
// RUN: not bwgemm-opt %t/transposed.mlir --bwgemm-assign-schedule="target=sm_100a schedule=swizzle,tile=64x40x64" 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: error: 'bwgemm.gemm' op schedule 'swizzle': expects a tile of N that is 8, 24 or a multiple of 16 for integers, but got 40
// RUN: not bwgemm-opt %t/mixed.mlir --bwgemm-assign-schedule="target=sm_100a schedule=swizzle,tile=64x24x64" 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: 'bwgemm.gemm' op schedule 'swizzle': expects a tile of N that is a multiple of 16 up to 256 for M 64, but got 24
// RUN: not bwgemm-opt %t/mixed.mlir --bwgemm-assign-schedule="target=sm_100a schedule=swizzle,tile=64x64x48" 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: error: 'bwgemm.gemm' op schedule 'swizzle': expects a tile of K that is a multiple of 32, but got 48
// RUN: not bwgemm-opt %t/floats.mlir --bwgemm-assign-schedule="target=sm_89 schedule=tiled,tile=64x64x16" 2>&1 | FileCheck %s --check-prefix=WARPDEPTH
// WARPDEPTH: error: 'bwgemm.gemm' op schedule 'tiled': expects a tile of multiples of 16x8x32 (one mma.sync), but got 64x64x16
// RUN: not bwgemm-opt %t/f32.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent" 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: 'bwgemm.gemm' op schedule 'persistent': expects precision=tf32 for operands of f32, of which tensor cores leave out the low 13 bits; schedule=naive multiplies all of them
// RUN: not bwgemm-opt %t/f32.mlir --bwgemm-assign-schedule="target=sm_80 schedule=multistage" 2>&1 | FileCheck %s --check-prefix=FULLWARP
// FULLWARP: error: 'bwgemm.gemm' op schedule 'multistage': expects precision=tf32 for operands of f32
// RUN: not bwgemm-opt %t/f32mn.mlir --bwgemm-assign-schedule="target=sm_100a schedule=persistent,precision=tf32" 2>&1 | FileCheck %s --check-prefix=TF32MN
// TF32MN: error: 'bwgemm.gemm' op schedule 'persistent': operand B of f32 has N contiguous in memory, but tcgen05 takes operands of its size that have K so
// RUN: not bwgemm-opt %t/floats.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,precision=tf32" 2>&1 | FileCheck %s --check-prefix=TF32
// TF32: error: 'bwgemm.gemm' op schedule 'persistent': expects precision=full for operands of 'f8E4M3FN', which tensor cores multiply as they are, but got precision=tf32
// RUN: not bwgemm-opt %t/f32.mlir --bwgemm-assign-schedule="target=sm_90a schedule=naive,precision=tf32" 2>&1 | FileCheck %s --check-prefix=NAIVE
// NAIVE: error: 'bwgemm.gemm' op schedule 'naive': takes no fields (one thread computes one output)
// RUN: not bwgemm-opt %t/f32.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto,precision=3" 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: expected precision=full|tf32, got '3'

//--- mixed.mlir
func.func @f(%a: memref<256x256xf8E4M3FN>, %b: memref<256x256xf8E5M2>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d  : memref<256x256xf8E4M3FN>, memref<256x256xf8E5M2>, memref<256x256xf32>
  return
}

//--- transposed.mlir
func.func @f(%a: memref<256x256xi8>, %b: memref<256x256xi8>, %d: memref<256x256xi32>) {
  bwgemm.gemm %a, %b, %d transpose_a transpose_b : memref<256x256xi8>, memref<256x256xi8>, memref<256x256xi32>
  return
}

//--- floats.mlir
func.func @f(%a: memref<256x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %d: memref<256x256xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>, memref<256x256xbf16>
  return
}

//--- f32.mlir
func.func @f(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>
  return
}

//--- f32mn.mlir
func.func @f(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d  : memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>
  return
}
