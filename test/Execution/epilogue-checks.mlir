// The extents of an epilogue's operands, and of a batch, are compared when the
// function is called; numbers are passed to kernels as they are.

// RUN: bwgemm-compile %s -o %t.so
// RUN: not bwgemm-runner %t.so --func=linear --device=emulator --shapes=64x64,64x64,63,64x64 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: N is 64 in argument 1 {{.*}}, but 63 in argument 2 (of the epilogue, 63)
// RUN: %python %S/Inputs/call-epilogues.py %t.so | FileCheck %s
// CHECK: gemm: dimension 0 of operand 0 of the epilogue (63) must equal the columns of the result (64)
// CHECK: gemm: the batch of B (3) must equal that of the result (2)
// CHECK: scaled by 0.5: right
func.func @linear(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %bias: memref<?xf32>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%bias : memref<?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %y = arith.addf %s, %x : f32
    linalg.yield %y : f32
  }
  return
}

func.func @batch(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%d : memref<?x?x?xf32>)
  return
}

func.func @scaled(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %alpha: f32) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    outs(%d : memref<?x?xf32>) {
  ^bb0(%s: f32):
    %y = arith.mulf %s, %alpha : f32
    linalg.yield %y : f32
  }
  return
}
