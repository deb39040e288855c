// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// epilogue_c1
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects no operands for an epilogue without a region}}
  "bwgemm.gemm"(%a, %a, %d, %v) <{epilogueMaps = [affine_map<(m, n) -> (n)>]}> ({}) : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// epilogue_c2
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects one map for each of the epilogue's 1 operands, but got 0}}
  "bwgemm.gemm"(%a, %a, %d, %v) ({
  ^bb0(%sum: f32, %x: f32):
    bwgemm.yield %sum : f32
  }) : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// epilogue_c3
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xf64>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects a memref or a number of f32, f16, bf16, i8, i16 or i32, but got 'memref<8xf64>'}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[n] : memref<8xf64>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xi1>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects a memref or a number of f32, f16, bf16, i8, i16 or i32, but got 'memref<8xi1>'}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[n] : memref<8xi1>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// epilogue_c4
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects m, n or 0 for each of its 2 dimensions, m and n at most once, but got affine_map<(d0, d1) -> (d0)>}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[m] : memref<8x8xf32>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8x8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects m, n or 0 for each of its 2 dimensions, m and n at most once, but got affine_map<(d0, d1) -> (d0, d0)>}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[m, m] : memref<8x8xf32>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// A number is at no place.
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: f32) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects m, n or 0 for each of its 0 dimensions, m and n at most once, but got affine_map<(d0, d1) -> (d1)>}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[n] : f32) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// epilogue_c5
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xf32, affine_map<(i) -> (i floordiv 2, i mod 2)>>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects a strided layout, but got 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>'}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[n] : memref<8xf32, affine_map<(i) -> (i floordiv 2, i mod 2)>>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// epilogue_c6
func.func @f(%a: memref<8x16xf16>, %b: memref<16x32xf16>, %d: memref<8x32xf32>, %v: memref<8xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects an extent of 32 in dimension 0, but got 8}}
  bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %v[n] : memref<8xf32>) {
    bwgemm.yield %sum : f32
  } : memref<8x16xf16>, memref<16x32xf16>, memref<8x32xf32>
  return
}

// -----

func.func @f(%a: memref<8x16xf16>, %b: memref<16x32xf16>, %d: memref<8x32xf32>, %v: memref<2x32xf32>) {
  // expected-error@+1 {{'bwgemm.gemm' op operand 0 of the epilogue expects an extent of 1 in dimension 0, but got 2}}
  bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %v[0, n] : memref<2x32xf32>) {
    bwgemm.yield %sum : f32
  } : memref<8x16xf16>, memref<16x32xf16>, memref<8x32xf32>
  return
}

// -----

// epilogue_c7
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xbf16>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects an epilogue of the arguments ('f32', 'bf16'), but got ('f32', 'f32')}}
  "bwgemm.gemm"(%a, %a, %d, %v) <{epilogueMaps = [affine_map<(m, n) -> (n)>]}> ({
  ^bb0(%sum: f32, %x: f32):
    bwgemm.yield %sum : f32
  }) : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>, memref<8xbf16>) -> ()
  return
}

// -----

// epilogue_c8
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf16>) {
  // expected-error@+1 {{'bwgemm.gemm' op expects an epilogue that ends with a bwgemm.yield of the result's type 'f16'}}
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>
  return
}

// -----

// epilogue_c9
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>) {
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    // expected-error@+1 {{'math.sin' op cannot stand in an epilogue: expects an op of arith or math on f32, f16, bf16, i1, i8, i16 or i32 that docs/Epilogues.md lists}}
    %0 = math.sin %sum : f32
    bwgemm.yield %0 : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>) {
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    // expected-error@+1 {{'arith.extf' op cannot stand in an epilogue}}
    %0 = arith.extf %sum : f32 to f64
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// Another rounding than to nearest even.
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf16>) {
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    // expected-error@+1 {{'arith.truncf' op cannot stand in an epilogue}}
    %0 = arith.truncf %sum toward_zero : f32 to f16
    bwgemm.yield %0 : f16
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>
  return
}

// -----

func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %v: memref<8xf32>) {
  // expected-error@+1 {{custom op 'bwgemm.gemm' expected m, n, 0 or, with a batch, b, got 'k'}}
  bwgemm.gemm %a, %a, %d epilogue(%sum, %x = %v[k] : memref<8xf32>) {
    bwgemm.yield %sum : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

// Values of the function are passed as operands.
func.func @f(%a: memref<8x8xf16>, %d: memref<8x8xf32>, %alpha: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  bwgemm.gemm %a, %a, %d epilogue(%sum) {
    // expected-error@+1 {{'arith.mulf' op using value defined outside the region}}
    %0 = arith.mulf %sum, %alpha : f32
    bwgemm.yield %0 : f32
  } : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{'bwgemm.yield' op expects parent op to be one of 'bwgemm.gemm, bwgemm.store'}}
  bwgemm.yield %x : f32
}
