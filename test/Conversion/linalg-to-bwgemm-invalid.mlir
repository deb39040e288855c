// What cannot become a gemm, and why.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-bwgemm

func.func @f64(%a: memref<32x48xf64>, %b: memref<48x64xf64>, %d: memref<32x64xf64>) {
  // expected-error @+1 {{operand A has element type 'f64'; expects f16, bf16, f32, i8, f8E4M3FN or f8E5M2}}
  linalg.matmul ins(%a, %b : memref<32x48xf64>, memref<48x64xf64>) outs(%d : memref<32x64xf64>)
  return
}

// -----

func.func @mixed(%a: memref<32x48xbf16>, %b: memref<48x64xf16>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{operands have element types 'bf16' and 'f16'; expects both of the same, or both of 8-bit floats}}
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

// -----

func.func @fnuz(%a: memref<32x48xf8E4M3FNUZ>, %b: memref<48x64xf8E4M3FN>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{operand A has element type 'f8E4M3FNUZ'; expects f16, bf16, f32, i8, f8E4M3FN or f8E5M2; of 8 bits with a fraction of 3 NVIDIA's tensor cores multiply f8E4M3FN}}
  linalg.matmul ins(%a, %b : memref<32x48xf8E4M3FNUZ>, memref<48x64xf8E4M3FN>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @fnuz_of_b(%a: memref<32x48xf8E5M2>, %b: memref<48x64xf8E5M2FNUZ>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{operand B has element type 'f8E5M2FNUZ'; expects f16, bf16, f32, i8, f8E4M3FN or f8E5M2; of 8 bits with a fraction of 2 NVIDIA's tensor cores multiply f8E5M2}}
  linalg.matmul ins(%a, %b : memref<32x48xf8E5M2>, memref<48x64xf8E5M2FNUZ>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @float_and_integer(%a: memref<32x48xi8>, %b: memref<48x64xf8E5M2>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{operands have element types 'i8' and 'f8E5M2'; expects both of the same, or both of 8-bit floats}}
  linalg.matmul ins(%a, %b : memref<32x48xi8>, memref<48x64xf8E5M2>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @integers_to_f32(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{result has element type 'f32'; expects i32 for operands of i8, which an elementwise linalg.generic behind it may convert (arith.sitofp)}}
  linalg.matmul ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @integers_to_i8(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %d: memref<32x64xi8>) {
  // expected-error @+1 {{result has element type 'i8'; expects i32 for operands of i8}}
  linalg.matmul ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%d : memref<32x64xi8>)
  return
}

// -----

func.func @i16(%a: memref<32x48xi16>, %b: memref<48x64xi16>, %d: memref<32x64xi32>) {
  // expected-error @+1 {{operand A has element type 'i16'; expects f16, bf16, f32, i8, f8E4M3FN or f8E5M2}}
  linalg.matmul ins(%a, %b : memref<32x48xi16>, memref<48x64xi16>) outs(%d : memref<32x64xi32>)
  return
}

// -----

func.func @f8_result(%a: memref<32x48xf8E4M3FN>, %b: memref<48x64xf8E4M3FN>, %d: memref<32x64xf8E4M3FN>) {
  // expected-error @+1 {{result has element type 'f8E4M3FN'; expects f32, f16 or bf16}}
  linalg.matmul ins(%a, %b : memref<32x48xf8E4M3FN>, memref<48x64xf8E4M3FN>) outs(%d : memref<32x64xf8E4M3FN>)
  return
}

// -----

// Upstream takes any op of one operand for a conversion.
func.func @negated(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects factors that are elements of the operands, extended to the type of the result, but got arith.negf}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %n = arith.negf %x : bf16
    %xf = arith.extf %n : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @rounded_factor(%a: memref<32x48xf32>, %b: memref<48x64xf32>, %d: memref<32x64xf32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects factors that are elements of the operands, extended to the type of the result, but got arith.truncf}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x48xf32>, memref<48x64xf32>) outs(%d : memref<32x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.truncf %x : f32 to bf16
    %xf = arith.extf %t : bf16 to f32
    %p = arith.mulf %xf, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @narrow_product(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %d: memref<32x64xi32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects the result plus a product of two elements}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%d : memref<32x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xi = arith.extui %x : i8 to i16
    %yi = arith.extui %y : i8 to i16
    %q = arith.muli %xi, %yi : i16
    %p = arith.extsi %q : i16 to i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

func.func @bits(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %d: memref<32x64xi32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects a sum of products, but it yields the result of arith.ori}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%d : memref<32x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xi = arith.extui %x : i8 to i32
    %yi = arith.extui %y : i8 to i32
    %p = arith.andi %xi, %yi : i32
    %s = arith.ori %z, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// An element that is extended with its sign first is not unsigned.
func.func @both_signs(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %d: memref<32x64xi32>) {
  // expected-error @+1 {{cannot become a bwgemm.gemm: expects factors that are extended with one sign, but got arith.extui of arith.extsi}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%d : memref<32x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %w = arith.extsi %x : i8 to i16
    %xi = arith.extui %w : i16 to i32
    %yi = arith.extsi %y : i8 to i32
    %p = arith.muli %xi, %yi : i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

func.func @over_itself(%a: memref<32x32xbf16>, %b: memref<32x32xbf16>) {
  // expected-error @+1 {{writes its result over operand A, which other parts of the result are computed from; expects a buffer of its own}}
  linalg.matmul ins(%a, %b : memref<32x32xbf16>, memref<32x32xbf16>) outs(%a : memref<32x32xbf16>)
  return
}

// -----

func.func @over_a_part(%a: memref<32x32xbf16>, %buffer: memref<64x32xbf16>) {
  %b = memref.subview %buffer[0, 0] [32, 32] [1, 1] : memref<64x32xbf16> to memref<32x32xbf16, strided<[32, 1]>>
  %d = memref.subview %buffer[31, 0] [32, 32] [1, 1] : memref<64x32xbf16> to memref<32x32xbf16, strided<[32, 1], offset: 992>>
  // expected-error @+1 {{writes its result over operand B}}
  linalg.matmul ins(%a, %b : memref<32x32xbf16>, memref<32x32xbf16, strided<[32, 1]>>) outs(%d : memref<32x32xbf16, strided<[32, 1], offset: 992>>)
  return
}
