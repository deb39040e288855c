// What cannot become a gemm, and why.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-bwgemm

func.func @f64(%a: memref<32x48xf64>, %b: memref<48x64xf64>, %d: memref<32x64xf64>) {
  // expected-error @+1 {{operand A has element type 'f64'; expects f16 or bf16 (accumulated in f32)}}
  linalg.matmul ins(%a, %b : memref<32x48xf64>, memref<48x64xf64>) outs(%d : memref<32x64xf64>)
  return
}

// -----

func.func @mixed(%a: memref<32x48xbf16>, %b: memref<48x64xf16>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{operands have element types 'bf16' and 'f16'; expects both f16 or both bf16}}
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xf16>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @f64_result(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf64>) {
  // expected-error @+1 {{result has element type 'f64'; expects f32, f16 or bf16}}
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf64>)
  return
}

// -----

// K and the batch are both summed over.
func.func @batch_reduce(%a: memref<2x32x48xbf16>, %b: memref<2x48x64xbf16>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects one K dimension, but got 2; a matmul for each that accumulates into one result works}}
  linalg.batch_reduce_matmul ins(%a, %b : memref<2x32x48xbf16>, memref<2x48x64xbf16>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @inner_batch(%a: memref<32x2x48xbf16>, %b: memref<2x48x64xbf16>, %d: memref<2x32x64xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects operands indexed by (M, K) and (K, N) or their transposes, a batch outermost}}
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x2x48xbf16>, memref<2x48x64xbf16>) outs(%d : memref<2x32x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @two_batches(%a: memref<2x3x32x48xbf16>, %b: memref<2x3x48x64xbf16>, %d: memref<2x3x32x64xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects one M, one N and one K dimension and at most one batch (a matrix times a matrix)}}
  linalg.generic {indexing_maps = [affine_map<(a, b, m, n, k) -> (a, b, m, k)>, affine_map<(a, b, m, n, k) -> (a, b, k, n)>, affine_map<(a, b, m, n, k) -> (a, b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<2x3x32x48xbf16>, memref<2x3x48x64xbf16>) outs(%d : memref<2x3x32x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @vector(%a: memref<32x48xbf16>, %b: memref<48xbf16>, %d: memref<32xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects one M, one N and one K dimension}}
  linalg.matvec ins(%a, %b : memref<32x48xbf16>, memref<48xbf16>) outs(%d : memref<32xf32>)
  return
}

// -----

func.func @tensors(%a: tensor<32x48xbf16>, %b: tensor<48x64xbf16>, %d: tensor<32x64xf32>) -> tensor<32x64xf32> {
  // expected-error @+1 {{expects memref operands; bufferize first (--bwgemm-lower does)}}
  %r = linalg.matmul ins(%a, %b : tensor<32x48xbf16>, tensor<48x64xbf16>) outs(%d : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----

func.func @fill_with_one(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{is not supported here: expects a fill of a matrix with zero}}
  linalg.fill ins(%one : f32) outs(%d : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  return
}

// -----

// Not all bits of this zero are zero.
func.func @fill_with_negative_zero(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>, %e: memref<8x8xf32>) {
  %zero = arith.constant -0.0 : f32
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  // expected-error @+1 {{is not supported here: expects a fill of a matrix with zero}}
  linalg.fill ins(%zero : f32) outs(%e : memref<8x8xf32>)
  return
}

// -----

// The host must not touch what may be device memory.
func.func @host_store(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  // expected-error @+1 {{is not supported in a function with a matmul yet: expects matmuls, elementwise ops on their results and fills with zero}}
  memref.store %one, %d[%c0, %c0] : memref<32x64xf32>
  return
}
