#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @matmul(%a: tensor<?x64xbf16>, %b: tensor<?x64xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #d]
    ins(%a, %b : tensor<?x64xbf16>, tensor<?x64xbf16>) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
