func.func @linear(%x: memref<512x256xbf16>, %w: memref<384x256xbf16>, %bias: memref<384xf32>, %y: memref<512x384xbf16>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<512x384xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<512x384xf32>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : memref<512x256xbf16>, memref<384x256xbf16>) outs(%sum : memref<512x384xf32>)
  linalg.generic
    {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
     iterator_types = ["parallel", "parallel"]}
    ins(%sum, %bias : memref<512x384xf32>, memref<384xf32>) outs(%y : memref<512x384xbf16>) {
  ^bb0(%s: f32, %b: f32, %old: bf16):
    %0 = arith.addf %s, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  return
}
