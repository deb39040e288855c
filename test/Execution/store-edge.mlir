// A result that leaves by TMA, but for the tiles at its right edge.

// RUN: bwgemm-runner %s --device=emulator --func=edge --schedule=tma_store --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=edge --schedule=persistent,tile=64x64x64,store=tma --init=int --check=full --json | FileCheck %s
// CHECK: "max_rel_err": 0.0
// CHECK: "status": "right"

// Rows of 203 elements in rows of 208: a store of TMA would write up to five
// elements past the last tile of a row, over what the view leaves out.
func.func @edge(%a: memref<150x64xf16>, %b: memref<203x64xf16>, %d: memref<150x203xf16, strided<[208, 1], offset: 8>>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%d : memref<150x203xf16, strided<[208, 1], offset: 8>>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<150x64xf16>, memref<203x64xf16>) outs(%d : memref<150x203xf16, strided<[208, 1], offset: 8>>)
  return
}
