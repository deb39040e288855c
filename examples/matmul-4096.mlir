// D = A * B with A of 4096 x 4096 and B stored as N x K (its transpose), both
// bf16, and D in f32. What tools/quickstart.sh compiles and runs.
func.func @matmul(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<4096x4096xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>)
    outs(%d : memref<4096x4096xf32>)
  return
}
