func.func @matmul(%a: memref<?x64xbf16>, %b: memref<64x?xbf16>, %d: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x64xbf16>, memref<64x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
