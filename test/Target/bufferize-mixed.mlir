// In a module with tensors, what a function leaves in a buffer that it was given
// is still the caller's; of what was a tensor it is not.

// RUN: bwgemm-opt %s --bwgemm-bufferize --convert-linalg-to-bwgemm --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} epilogue(
// CHECK-NOT: linalg.exp
func.func @tensors(%a: tensor<16x8xf16>, %b: tensor<8x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x8xf16>, tensor<8x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%r : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %x : tensor<16x16xf32>
}

// -----

func.func @tensors(%a: tensor<16x8xf16>, %b: tensor<8x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x8xf16>, tensor<8x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
func.func @buffers(%a: memref<16x8xf16>, %b: memref<8x16xf16>, %d: memref<16x16xf32>, %e: memref<16x16xf32>) {
  linalg.matmul ins(%a, %b : memref<16x8xf16>, memref<8x16xf16>) outs(%d : memref<16x16xf32>)
  // expected-error @+1 {{'linalg.exp' op cannot join the epilogue of the matmul before it: the result of the matmul is used elsewhere, too}}
  linalg.exp ins(%d : memref<16x16xf32>) outs(%e : memref<16x16xf32>)
  return
}
