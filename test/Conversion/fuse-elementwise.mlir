// Elementwise ops behind a matmul join its epilogue.

// RUN: bwgemm-opt %s --split-input-file --convert-linalg-to-bwgemm | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#n = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>

// The result of the matmul is rounded to bf16 before it is widened again. The
// constant comes along, alpha becomes an operand, and no buffer is left.
// CHECK-LABEL: func.func @bias_relu
// CHECK-NOT: memref.alloc
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 epilogue(%[[SUM:.*]], %[[BIAS:.*]] = %arg3[n] : memref<64xf32>, %[[ALPHA:.*]] = %arg4 : f32) {
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[T]] : bf16 to f32
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[W]], %[[ALPHA]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[S]], %[[BIAS]] : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[B]], %[[ZERO]] : f32
// CHECK-NEXT: bwgemm.yield %[[R]] : f32
// CHECK-NEXT: } : memref<32x48xbf16>, memref<48x64xbf16>, memref<32x64xf32>
// CHECK-NEXT: return
func.func @bias_relu(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>, %bias: memref<64xf32>, %alpha: f32) {
  %zero16 = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x64xbf16>
  linalg.fill ins(%zero16 : bf16) outs(%t : memref<32x64xbf16>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xbf16>)
  linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%t, %bias : memref<32x64xbf16>, memref<64xf32>) outs(%d : memref<32x64xf32>) {
  ^bb0(%x: bf16, %y: f32, %z: f32):
    %w = arith.extf %x : bf16 to f32
    %s = arith.mulf %w, %alpha : f32
    %u = arith.addf %s, %y : f32
    %r = arith.maximumf %u, %zero : f32
    linalg.yield %r : f32
  }
  memref.dealloc %t : memref<32x64xbf16>
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>

// Named ops, one after the other, in place and through buffers. A fill that
// nobody reads goes.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: linalg
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 epilogue(%[[SUM:.*]], %[[X:.*]] = %arg3[m, n] : memref<32x64xf32>) {
// CHECK-NEXT: %[[A:.*]] = math.exp %[[SUM]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[X]] : f32
// CHECK-NEXT: %[[C:.*]] = math.tanh %[[B]] : f32
// CHECK-NEXT: bwgemm.yield %[[C]] : f32
// CHECK-NOT: linalg
func.func @chain(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>, %x: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%d : memref<32x64xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  linalg.exp ins(%t : memref<32x64xf32>) outs(%t : memref<32x64xf32>)
  linalg.add ins(%t, %x : memref<32x64xf32>, memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%d : memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  return
}

// -----

// linalg.map has a region, too.
// CHECK-LABEL: func.func @map
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 accumulate epilogue(%[[SUM:.*]]) {
// CHECK-NEXT: math.absf %[[SUM]] : f32
func.func @map(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  linalg.map { math.absf } ins(%d : memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#m = affine_map<(m, n) -> (m)>

// D^T = B^T A^T; the rows' vector is then one of columns.
// CHECK-LABEL: func.func @transposed
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 transpose_a transpose_b epilogue(%{{.*}}, %{{.*}} = %arg3[n] : memref<32xf32>) {
// CHECK: } : memref<48x64xbf16>, memref<32x48xbf16>, memref<64x32xf32>
func.func @transposed(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<64x32xf32>, %v: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  linalg.generic {indexing_maps = [#mn, #m, #nm], iterator_types = ["parallel", "parallel"]}
    ins(%t, %v : memref<32x64xf32>, memref<32xf32>) outs(%d : memref<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A transposition alone needs no epilogue, nor does a rounding.
// CHECK-LABEL: func.func @transposition
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 transpose_a transpose_b : memref<48x64xbf16>, memref<32x48xbf16>, memref<64x32xf32>
func.func @transposition(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  linalg.transpose ins(%t : memref<32x64xf32>) outs(%d : memref<64x32xf32>) permutation = [1, 0]
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>

// What D held is an operand, and D is written at the same place.
// CHECK-LABEL: func.func @in_place
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 epilogue(%{{.*}}, %{{.*}} = %arg2[m, n] : memref<32x64xf32>) {
func.func @in_place(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<32x64xf32>) outs(%d : memref<32x64xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.mulf %x, %z : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The product of two products: the second one's result is an operand.
// CHECK-LABEL: func.func @gated
// CHECK: %[[T:.*]] = memref.alloc() : memref<32x64xf32>
// CHECK-NEXT: bwgemm.gemm %arg0, %arg2, %[[T]] : memref<32x48xbf16>, memref<48x64xbf16>, memref<32x64xf32>
// CHECK-NEXT: bwgemm.gemm %arg0, %arg1, %arg3 epilogue(%{{.*}}, %{{.*}} = %[[T]][m, n] : memref<32x64xf32>) {
func.func @gated(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %c: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %t0 = memref.alloc() : memref<32x64xf32>
  %t1 = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%t0 : memref<32x64xf32>)
  linalg.fill ins(%zero : f32) outs(%t1 : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t0 : memref<32x64xf32>)
  linalg.matmul ins(%a, %c : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t1 : memref<32x64xf32>)
  linalg.mul ins(%t0, %t1 : memref<32x64xf32>, memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  return
}

// -----

// What a function on tensors leaves in an argument that it does not return
// nobody sees: C is an operand then.
// CHECK-LABEL: func.func @added
// CHECK: bwgemm.gemm %arg0, %arg1, %arg3 epilogue(%[[SUM:.*]], %[[C:.*]] = %arg2[m, n] : memref<32x64xbf16>) {
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[C]] : bf16 to f32
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[W]], %[[SUM]] : f32
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[ALL]] : f32 to bf16
// CHECK-NEXT: %[[R:.*]] = math.sqrt %[[T]] : bf16
// CHECK-NEXT: bwgemm.yield %[[R]] : bf16
module attributes {bwgemm.bufferized} {
  func.func @added(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %c: memref<32x64xbf16>, %d: memref<32x64xbf16>) {
    linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%c : memref<32x64xbf16>)
    linalg.sqrt ins(%c : memref<32x64xbf16>) outs(%d : memref<32x64xbf16>)
    return
  }
}

// -----

#bmn = affine_map<(b, m, n) -> (b, m, n)>
#bnm = affine_map<(b, m, n) -> (b, n, m)>
#bn = affine_map<(b, m, n) -> (b, n)>
#n = affine_map<(b, m, n) -> (n)>

// With a batch, and the result transposed.
// CHECK-LABEL: func.func @batch
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 transpose_a transpose_b epilogue(%{{.*}}, %{{.*}} = %arg3[b, m] : memref<2x64xf32>, %{{.*}} = %arg4[m] : memref<64xf32>, %{{.*}} = %arg2[b, m, n] : memref<2x64x32xf32>) {
// CHECK: } : memref<2x48x64xbf16>, memref<2x32x48xbf16>, memref<2x64x32xf32>
func.func @batch(%a: memref<2x32x48xbf16>, %b: memref<2x48x64xbf16>, %d: memref<2x64x32xf32>, %v: memref<2x64xf32>, %u: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<2x32x64xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<2x32x64xf32>)
  linalg.batch_matmul ins(%a, %b : memref<2x32x48xbf16>, memref<2x48x64xbf16>) outs(%t : memref<2x32x64xf32>)
  linalg.generic {indexing_maps = [#bmn, #bn, #n, #bnm], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%t, %v, %u : memref<2x32x64xf32>, memref<2x64xf32>, memref<64xf32>) outs(%d : memref<2x64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %z: f32):
    %r = arith.mulf %x, %y : f32
    %s = arith.addf %r, %w : f32
    %q = arith.addf %s, %z : f32
    linalg.yield %q : f32
  }
  return
}

// Sums of integers, converted and scaled in the epilogue.
// CHECK-LABEL: func @dequantized
func.func @dequantized(%a: memref<32x48xi8>, %b: memref<48x64xi8>, %scale: memref<64xf32>, %d: memref<32x64xbf16>) {
  %zero = arith.constant 0 : i32
  %sum = memref.alloc() : memref<32x64xi32>
  linalg.fill ins(%zero : i32) outs(%sum : memref<32x64xi32>)
  linalg.matmul ins(%a, %b : memref<32x48xi8>, memref<48x64xi8>) outs(%sum : memref<32x64xi32>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} epilogue(%[[SUM:.*]] : i32, %[[X:.*]] = %{{.*}}[n] : memref<64xf32>) {
  // CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[SUM]] : i32 to f32
  // CHECK-NEXT: %[[S:.*]] = arith.mulf %[[F]], %[[X]] : f32
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[S]] : f32 to bf16
  // CHECK-NEXT: bwgemm.yield %[[R]] : bf16
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%sum, %scale : memref<32x64xi32>, memref<64xf32>) outs(%d : memref<32x64xbf16>) {
  ^bb0(%s: i32, %x: f32, %o: bf16):
    %f = arith.sitofp %s : i32 to f32
    %y = arith.mulf %f, %x : f32
    %r = arith.truncf %y : f32 to bf16
    linalg.yield %r : bf16
  }
  memref.dealloc %sum : memref<32x64xi32>
  return
}
