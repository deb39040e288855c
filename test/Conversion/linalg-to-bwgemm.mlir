// Matrix products of linalg, in every form of their operands.

// RUN: bwgemm-opt %s --split-input-file --convert-linalg-to-bwgemm | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

// CHECK-LABEL: func.func @overwrite
// CHECK-NOT: linalg.fill
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 : memref<32x48xbf16>, memref<48x64xbf16>, memref<32x64xf32>
func.func @overwrite(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  return
}

// CHECK-LABEL: func.func @accumulate
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 accumulate :
func.func @accumulate(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  return
}

// CHECK-LABEL: func.func @transposed
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 transpose_a accumulate : memref<48x32xf16>
func.func @transposed(%a: memref<48x32xf16>, %b: memref<48x64xf16>, %d: memref<32x64xf16>) {
  linalg.matmul indexing_maps = [#km, #kn, #mn]
    ins(%a, %b : memref<48x32xf16>, memref<48x64xf16>) outs(%d : memref<32x64xf16>)
  return
}

// CHECK-LABEL: func.func @both_transposed
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 transpose_a transpose_b accumulate :
func.func @both_transposed(%a: memref<48x32xf16>, %b: memref<64x48xf16>, %d: memref<32x64xf32>) {
  linalg.matmul indexing_maps = [#km, #nk, #mn]
    ins(%a, %b : memref<48x32xf16>, memref<64x48xf16>) outs(%d : memref<32x64xf32>)
  return
}

// An output of N x M: D^T = B^T A^T.
// CHECK-LABEL: func.func @transposed_result
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 transpose_a transpose_b accumulate : memref<48x64xbf16>, memref<32x48xbf16>, memref<64x32xf32>
func.func @transposed_result(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<64x32xf32>) {
  linalg.generic {indexing_maps = [#mk, #kn, #nm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<64x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %fx = arith.extf %x : bf16 to f32
    %fy = arith.extf %y : bf16 to f32
    %p = arith.mulf %fx, %fy : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The inputs of a generic may come in either order.
// CHECK-LABEL: func.func @swapped
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 accumulate : memref<32x48xbf16>, memref<48x64xbf16>
func.func @swapped(%b: memref<48x64xbf16>, %a: memref<32x48xbf16>, %d: memref<32x64xf32>) {
  linalg.generic {indexing_maps = [#kn, #mk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%b, %a : memref<48x64xbf16>, memref<32x48xbf16>) outs(%d : memref<32x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %fx = arith.extf %x : bf16 to f32
    %fy = arith.extf %y : bf16 to f32
    %p = arith.mulf %fx, %fy : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A fill counts while nothing else touches the output.
// CHECK-LABEL: func.func @fills_first
// CHECK-NOT: linalg.fill
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 :
// CHECK: bwgemm.gemm %arg0, %arg1, %arg3 :
func.func @fills_first(%a: memref<32x32xbf16>, %b: memref<32x32xbf16>, %d: memref<32x32xf32>, %e: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<32x32xf32>)
  linalg.fill ins(%zero : f32) outs(%e : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x32xbf16>, memref<32x32xbf16>) outs(%d : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x32xbf16>, memref<32x32xbf16>) outs(%e : memref<32x32xf32>)
  return
}

// The second product adds to the first.
// CHECK-LABEL: func.func @sum
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 :
// CHECK: bwgemm.gemm %arg1, %arg0, %arg2 accumulate :
func.func @sum(%a: memref<32x32xbf16>, %b: memref<32x32xbf16>, %d: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x32xbf16>, memref<32x32xbf16>) outs(%d : memref<32x32xf32>)
  linalg.matmul ins(%b, %a : memref<32x32xbf16>, memref<32x32xbf16>) outs(%d : memref<32x32xf32>)
  return
}

// A fill that no product follows.
// CHECK-LABEL: func.func @fill_alone
// CHECK: %[[D:.*]] = bwgemm.to_device write %arg0
// CHECK-NEXT: bwgemm.zero_fill %[[D]]
// CHECK-NEXT: bwgemm.from_device %[[D]]
// CHECK-NEXT: return
func.func @fill_alone(%d: memref<16x24xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<16x24xf32>)
  return
}

// A batch, its transposed forms, and one operand for all matrices.
// CHECK-LABEL: func.func @batch
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 accumulate : memref<2x32x48xbf16>, memref<2x48x64xbf16>, memref<2x32x64xf32>
func.func @batch(%a: memref<2x32x48xbf16>, %b: memref<2x48x64xbf16>, %d: memref<2x32x64xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<2x32x48xbf16>, memref<2x48x64xbf16>) outs(%d : memref<2x32x64xf32>)
  return
}

// CHECK-LABEL: func.func @batch_transposed
// CHECK-NOT: linalg.fill
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 transpose_b : memref<?x32x48xbf16>, memref<?x64x48xbf16>, memref<?x32x64xf32>
func.func @batch_transposed(%a: memref<?x32x48xbf16>, %b: memref<?x64x48xbf16>, %d: memref<?x32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x32x64xf32>)
  linalg.batch_matmul
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<?x32x48xbf16>, memref<?x64x48xbf16>) outs(%d : memref<?x32x64xf32>)
  return
}

// CHECK-LABEL: func.func @batch_shared
// CHECK: bwgemm.gemm %arg0, %arg1, %arg2 accumulate : memref<32x48xbf16>, memref<2x48x64xbf16>, memref<2x32x64xf32>
func.func @batch_shared(%a: memref<32x48xbf16>, %b: memref<2x48x64xbf16>, %d: memref<2x32x64xf32>) {
  linalg.batch_matmul
    indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<32x48xbf16>, memref<2x48x64xbf16>) outs(%d : memref<2x32x64xf32>)
  return
}

// Elements of 8 bits and of f32. Memory has no signs; the op says which it means.
// CHECK-LABEL: func @types
func.func @types(%i: memref<32x48xi8>, %j: memref<48x64xi8>, %s: memref<32x64xi32>,
                 %p: memref<32x48xf8E4M3FN>, %q: memref<48x64xf8E5M2>, %r: memref<32x64xbf16>,
                 %x: memref<32x48xf32>, %y: memref<48x64xf32>, %d: memref<32x64xf32>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate : memref<32x48xi8>, memref<48x64xi8>, memref<32x64xi32>
  linalg.matmul ins(%i, %j : memref<32x48xi8>, memref<48x64xi8>) outs(%s : memref<32x64xi32>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} unsigned_a unsigned_b accumulate : memref<32x48xi8>
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%i, %j : memref<32x48xi8>, memref<48x64xi8>) outs(%s : memref<32x64xi32>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate : memref<32x48xf8E4M3FN>, memref<48x64xf8E5M2>, memref<32x64xbf16>
  linalg.matmul ins(%p, %q : memref<32x48xf8E4M3FN>, memref<48x64xf8E5M2>) outs(%r : memref<32x64xbf16>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate : memref<32x48xf32>, memref<48x64xf32>, memref<32x64xf32>
  linalg.matmul ins(%x, %y : memref<32x48xf32>, memref<48x64xf32>) outs(%d : memref<32x64xf32>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate : memref<32x48xf32>, memref<48x64xf32>, memref<32x64xbf16>
  linalg.matmul ins(%x, %y : memref<32x48xf32>, memref<48x64xf32>) outs(%r : memref<32x64xbf16>)
  return
}

// The sign goes with the operand, whatever its place.
// CHECK-LABEL: func @mixed_signs
// CHECK-SAME: (%[[I:.*]]: memref<32x48xi8>, %[[J:.*]]: memref<48x64xi8>, %{{.*}}: memref<64x32xi32>)
func.func @mixed_signs(%i: memref<32x48xi8>, %j: memref<48x64xi8>, %t: memref<64x32xi32>) {
  // CHECK: bwgemm.gemm %[[J]], %[[I]], %{{.*}} transpose_a transpose_b unsigned_b accumulate
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%i, %j : memref<32x48xi8>, memref<48x64xi8>) outs(%t : memref<64x32xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xi = arith.extui %x : i8 to i32
    %yi = arith.extsi %y : i8 to i32
    %p = arith.muli %yi, %xi : i32
    %s = arith.addi %p, %z : i32
    linalg.yield %s : i32
  }
  return
}

// What is passed to a block may be any buffer: the first product may have
// written %d, to which the second one adds.
// CHECK-LABEL: func @block_argument
func.func @block_argument(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  cf.br ^bb1(%d : memref<32x64xf32>)
^bb1(%x: memref<32x64xf32>):
  linalg.fill ins(%zero : f32) outs(%d : memref<32x64xf32>)
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%x : memref<32x64xf32>)
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%d : memref<32x64xf32>)
  return
}
