// A linear layer with GELU: the epilogue that takes the most registers of those
// that everybody writes. Sizes that are known, and such that are not.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn_k = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @known(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %bias: memref<4096xf32>, %d: memref<4096x4096xbf16>) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.70710678 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<4096x4096xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<4096x4096xf32>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn_k]
    ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%t : memref<4096x4096xf32>)
  linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%t, %bias : memref<4096x4096xf32>, memref<4096xf32>) outs(%d : memref<4096x4096xbf16>) {
  ^bb0(%s: f32, %x: f32, %old: bf16):
    %v = arith.addf %s, %x : f32
    %u = arith.mulf %v, %c : f32
    %e = math.erf %u : f32
    %e1 = arith.addf %e, %one : f32
    %h = arith.mulf %v, %half : f32
    %y = arith.mulf %h, %e1 : f32
    %r = arith.truncf %y : f32 to bf16
    linalg.yield %r : bf16
  }
  return
}

func.func @open(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %bias: memref<?xf32>, %d: memref<?x?xf32>) {
  %c = arith.constant 0.70710678 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  linalg.matmul indexing_maps = [#mk, #nk, #mn_k]
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#n, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%bias : memref<?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %v = arith.addf %s, %x : f32
    %u = arith.mulf %v, %c : f32
    %e = math.erf %u : f32
    %e1 = arith.addf %e, %one : f32
    %h = arith.mulf %v, %half : f32
    %y = arith.mulf %h, %e1 : f32
    linalg.yield %y : f32
  }
  return
}
