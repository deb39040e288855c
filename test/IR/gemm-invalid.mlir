// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// gemm_c1
func.func @f(%a: memref<8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A to be a matrix (rank 2), but got rank 1}}
  bwgemm.gemm %a, %b, %d : memref<8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %b: memref<2x8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B to be a matrix (rank 2), but got rank 3}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<2x8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<f32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D to be a matrix (rank 2) or a batch of them (rank 3), but got rank 0}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<8x8xf16>, memref<f32>
  return
}

// -----

// gemm_c2
func.func @f(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %d: memref<8x8xf64>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A of f16, bf16, f32, i8, f8E4M3FN or f8E5M2, but got 'f64'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf64>, memref<8x8xf64>, memref<8x8xf64>
  return
}

// -----

func.func @f(%a: memref<8x8xui8>, %b: memref<8x8xi8>, %d: memref<8x8xi32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A of f16, bf16, f32, i8, f8E4M3FN or f8E5M2, but got 'ui8'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xui8>, memref<8x8xi8>, memref<8x8xi32>
  return
}

// -----

// gemm_c3
func.func @f(%a: memref<8x8xf16>, %b: memref<8x8xbf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B to have the element type of A ('f16'), but got 'bf16'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<8x8xbf16>, memref<8x8xf32>
  return
}

// -----

// gemm_c4
func.func @f(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf64>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D of f32, f16 or bf16, but got 'f64'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf64>
  return
}

// -----

// gemm_c5
func.func @f(%a: memref<8x32xf16>, %b: memref<16x64xf16>, %d: memref<8x64xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A and B to agree on K, but got 32 and 16}}
  bwgemm.gemm %a, %b, %d : memref<8x32xf16>, memref<16x64xf16>, memref<8x64xf32>
  return
}

// -----

// gemm_c5, with both operands transposed: K is the other dimension of each.
func.func @f(%a: memref<8x32xf16>, %b: memref<16x64xf16>, %d: memref<32x16xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A and B to agree on K, but got 8 and 64}}
  bwgemm.gemm %a, %b, %d transpose_a transpose_b : memref<8x32xf16>, memref<16x64xf16>, memref<32x16xf32>
  return
}

// -----

// gemm_c6
func.func @f(%a: memref<8x32xf16>, %b: memref<32x64xf16>, %d: memref<9x64xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A and D to agree on M, but got 8 and 9}}
  bwgemm.gemm %a, %b, %d : memref<8x32xf16>, memref<32x64xf16>, memref<9x64xf32>
  return
}

// -----

// gemm_c6, with A transposed
func.func @f(%a: memref<8x32xf16>, %b: memref<8x64xf16>, %d: memref<8x64xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects A and D to agree on M, but got 32 and 8}}
  bwgemm.gemm %a, %b, %d transpose_a : memref<8x32xf16>, memref<8x64xf16>, memref<8x64xf32>
  return
}

// -----

// gemm_c7
func.func @f(%a: memref<?x32xf16>, %b: memref<32x64xf16>, %d: memref<?x65xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B and D to agree on N, but got 64 and 65}}
  bwgemm.gemm %a, %b, %d : memref<?x32xf16>, memref<32x64xf16>, memref<?x65xf32>
  return
}

// -----

// gemm_c7, with B transposed
func.func @f(%a: memref<8x32xf16>, %b: memref<64x32xf16>, %d: memref<8x65xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B and D to agree on N, but got 64 and 65}}
  bwgemm.gemm %a, %b, %d transpose_b : memref<8x32xf16>, memref<64x32xf16>, memref<8x65xf32>
  return
}

// -----

// gemm_c8
func.func @f(%a: memref<8x8xf16>, %b: memref<8x8xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B to have a strided layout, but got 'memref<8x8xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<8x8xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{custom op 'bwgemm.gemm' invalid kind of type specified: expected builtin.memref, but found 'tensor<8x8xf16>'}}
  bwgemm.gemm %a, %a, %d : tensor<8x8xf16>, tensor<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand #0 must be memref of any type values, but got 'tensor<8x8xf16>'}}
  "bwgemm.gemm"(%a, %a, %d) ({}) : (tensor<8x8xf16>, tensor<8x8xf16>, memref<8x8xf32>) -> ()
  return
}

// -----

// gemm_c9
func.func @f(%a: memref<64x64xf16>, %d: memref<64x64xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects a schedule beside the fallback, but got none}}
  bwgemm.gemm %a, %a, %d fallback <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>
  return
}

// -----

// gemm_c10
func.func @f(%a: memref<8x8xf16>, %d: memref<2x8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects a batch of A or of B for a batch of D, but got one matrix of each}}
  bwgemm.gemm %a, %a, %d : memref<8x8xf16>, memref<8x8xf16>, memref<2x8x8xf32>
  return
}

// -----

// gemm_c11
func.func @f(%a: memref<8x8xf16>, %b: memref<3x8x8xf16>, %d: memref<2x8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B and D to agree on the batch, but got 3 and 2}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<3x8x8xf16>, memref<2x8x8xf32>
  return
}

// -----

// gemm_c3
func.func @f(%a: memref<8x8xf8E5M2>, %b: memref<8x8xf8E5M2FNUZ>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects B to have the element type of A ('f8E5M2') or another one of 8-bit floats, but got 'f8E5M2FNUZ'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf8E5M2>, memref<8x8xf8E5M2FNUZ>, memref<8x8xf32>
  return
}

// -----

// gemm_c4
func.func @f(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D of i32 for integers, but got 'f32'; an epilogue may convert}}
  bwgemm.gemm %a, %b, %d : memref<8x8xi8>, memref<8x8xi8>, memref<8x8xf32>
  return
}

// -----

// gemm_c4
func.func @f(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xi32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D of f32, f16 or bf16, but got 'i32'}}
  bwgemm.gemm %a, %b, %d : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xi32>
  return
}

// -----

// gemm_c4
func.func @f(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %d: memref<8x8xi16>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D of f32, f16 or bf16 or i32, but got 'i16'}}
  bwgemm.gemm %a, %b, %d epilogue(%sum : i32) {
    %y = arith.trunci %sum : i32 to i16
    bwgemm.yield %y : i16
  } : memref<8x8xi8>, memref<8x8xi8>, memref<8x8xi16>
  return
}

// -----

// gemm_c12
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects unsigned operands to be of i8, but got 'f16'}}
  bwgemm.gemm %a, %a, %d unsigned_b : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// gemm_c13
func.func @f(%a: memref<8x8xi8>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects D of i32 for integers that are added to it, but got 'f32'}}
  bwgemm.gemm %a, %a, %d accumulate epilogue(%sum : i32) {
    %y = arith.sitofp %sum : i32 to f32
    bwgemm.yield %y : f32
  } : memref<8x8xi8>, memref<8x8xi8>, memref<8x8xf32>
  return
}

// -----

// epilogue_c7
func.func @f(%a: memref<8x8xi8>, %d: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects an epilogue of the arguments ('i32'), but got ('f32')}}
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    bwgemm.yield %sum : f32
  } : memref<8x8xi8>, memref<8x8xi8>, memref<8x8xf32>
  return
}
