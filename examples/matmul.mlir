// D = A * B for matrices of any size: A of M x K and B of K x N in f16, D of
// M x N in f32.
func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %clear = linalg.fill ins(%zero : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %result = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%clear : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}
